"""Drop-in replacements for OpenCV's robust estimators."""

from cvscore.opencv.drop_in import findEssentialMat, findFundamentalMat, findHomography
from cvscore.opencv.pnp import solvePnPRansac
from cvscore.opencv.recover_pose import recoverPose

__all__ = [
    "findEssentialMat",
    "findFundamentalMat",
    "findHomography",
    "recoverPose",
    "solvePnPRansac",
]
