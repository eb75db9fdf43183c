"""Drop-in replacements for OpenCV's robust estimators."""

from cvscore.opencv import maps
from cvscore.opencv.drop_in import findEssentialMat, findFundamentalMat, findHomography
from cvscore.opencv.maps import (
    estimateAffine2D,
    estimateAffine3D,
    estimateAffinePartial2D,
    estimateTranslation3D,
)
from cvscore.opencv.pnp import solvePnPRansac
from cvscore.opencv.recover_pose import recoverPose

__all__ = [
    "estimateAffine2D",
    "estimateAffine3D",
    "estimateAffinePartial2D",
    "estimateTranslation3D",
    "findEssentialMat",
    "findFundamentalMat",
    "findHomography",
    "recoverPose",
    "solvePnPRansac",
]

if hasattr(maps, "estimateTranslation2D"):
    estimateTranslation2D = maps.estimateTranslation2D
