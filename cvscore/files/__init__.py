"""Files that the package writes."""
