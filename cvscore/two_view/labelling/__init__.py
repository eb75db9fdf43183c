"""Which matches of a pair are right, once its geometry is known."""
