"""The public estimators: a model, its data and the steps it takes."""

from cvscore.estimators.absolute_pose import estimate_absolute_pose
from cvscore.estimators.essential import estimate_essential
from cvscore.estimators.fundamental import estimate_fundamental
from cvscore.estimators.homography import estimate_homography
from cvscore.estimators.pipeline import Estimator
from cvscore.estimators.registry import ESTIMATORS

__all__ = [
    "ESTIMATORS",
    "Estimator",
    "estimate_absolute_pose",
    "estimate_essential",
    "estimate_fundamental",
    "estimate_homography",
]
