"""What is given: points of one or more sets, made ready for the search."""
