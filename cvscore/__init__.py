"""Homography, fundamental and essential matrices with no inlier threshold to tune."""

__version__ = "0.1.0"
