"""What only pairs of views need."""
