"""The public estimators: a model, its data and the steps it takes."""

from cvscore.estimators.absolute_pose import estimate_absolute_pose
from cvscore.estimators.affine import estimate_affine
from cvscore.estimators.essential import estimate_essential
from cvscore.estimators.fundamental import estimate_fundamental
from cvscore.estimators.homography import estimate_homography
from cvscore.estimators.pipeline import Estimator
from cvscore.estimators.registry import ESTIMATORS
from cvscore.estimators.rigid import estimate_rigid
from cvscore.estimators.similarity import estimate_similarity
from cvscore.estimators.translation import estimate_translation

__all__ = [
    "ESTIMATORS",
    "Estimator",
    "estimate_absolute_pose",
    "estimate_affine",
    "estimate_essential",
    "estimate_fundamental",
    "estimate_homography",
    "estimate_rigid",
    "estimate_similarity",
    "estimate_translation",
]
