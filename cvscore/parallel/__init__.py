"""Work on many things at once."""
