"""Drop-in replacements for OpenCV's robust estimators."""

from cvscore.opencv.drop_in import findEssentialMat, findFundamentalMat, findHomography

__all__ = ["findEssentialMat", "findFundamentalMat", "findHomography"]
