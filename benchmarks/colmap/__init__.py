"""Databases of COLMAP, verified by this package and by pycolmap, then mapped."""
