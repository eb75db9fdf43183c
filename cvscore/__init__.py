"""Robust estimators of geometric models with no inlier threshold to tune.

>>> import numpy as np
>>> import cvscore
>>> rng = np.random.default_rng(0)
>>> x1 = rng.uniform(0, 1000, (300, 2))
>>> x2 = x1 @ [[0.9, -0.2], [0.2, 1.1]] + 40 + rng.normal(0, 0.5, (300, 2))
>>> x2[150:] = rng.uniform(0, 1000, (150, 2))  # half of the matches are wrong
>>> estimate = cvscore.estimate_homography(x1, x2)
>>> bool(estimate), estimate.is_significant, estimate.num_inliers
(True, True, 150)
>>> 0.3 < estimate.scale < 0.4 < estimate.threshold < 2.0  # noise is in x2 alone
True
>>> H, mask = cvscore.findHomography(x1, x2)  # as cv2 has it
>>> np.allclose(H, estimate.model), mask.shape
(True, (300, 1))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cvscore.calibration.calibrate import calibrate
from cvscore.calibration.labelled_pairs import LabelledPair
from cvscore.calibration.pair_variances import (
    variance_given_pose,
    variance_unconstrained,
)
from cvscore.estimators import (
    estimate_absolute_pose,
    estimate_affine,
    estimate_essential,
    estimate_fundamental,
    estimate_homography,
    estimate_rigid,
    estimate_similarity,
    estimate_translation,
)
from cvscore.estimators.many_pairs import estimate_many
from cvscore.estimators.select_model import Selection, select_model
from cvscore.scores.baselines import (
    GaussianUniform,
    InlierCount,
    MagsacPlusPlus,
    Msac,
)
from cvscore.scores.calibration import Calibration
from cvscore.scores.label_prior import BetaPrior
from cvscore.scores.marginal_score import MarginalScore
from cvscore.scores.priors import InverseGamma, fit_mle, fit_robust
from cvscore.types import Estimate, GeometricModel, Pose, RansacOptions
from cvscore.types.extras import install_command

if TYPE_CHECKING:  # for editors; at run time __getattr__ brings them in
    from cvscore.opencv import (
        estimateAffine2D,
        estimateAffine3D,
        estimateAffinePartial2D,
        estimateTranslation3D,
        findEssentialMat,
        findFundamentalMat,
        findHomography,
        fisheye,
        recoverPose,
        solvePnPRansac,
    )
    from cvscore.opencv import estimateTranslation2D as estimateTranslation2D

__version__ = "0.1.0"

_FROM_OPENCV = (
    "estimateAffine2D",
    "estimateAffine3D",
    "estimateAffinePartial2D",
    "estimateTranslation2D",  # not in __all__: OpenCV has it from 4.13 on
    "estimateTranslation3D",
    "findEssentialMat",
    "findFundamentalMat",
    "findHomography",
    "fisheye",
    "recoverPose",
    "solvePnPRansac",
)

__all__ = [
    "BetaPrior",
    "Calibration",
    "Estimate",
    "GaussianUniform",
    "GeometricModel",
    "InlierCount",
    "InverseGamma",
    "LabelledPair",
    "MagsacPlusPlus",
    "MarginalScore",
    "Msac",
    "Pose",
    "RansacOptions",
    "Selection",
    "calibrate",
    "estimateAffine2D",
    "estimateAffine3D",
    "estimateAffinePartial2D",
    "estimateTranslation3D",
    "estimate_absolute_pose",
    "estimate_affine",
    "estimate_essential",
    "estimate_fundamental",
    "estimate_homography",
    "estimate_many",
    "estimate_rigid",
    "estimate_similarity",
    "estimate_translation",
    "findEssentialMat",
    "findFundamentalMat",
    "findHomography",
    "fisheye",
    "fit_mle",
    "fit_robust",
    "recoverPose",
    "select_model",
    "solvePnPRansac",
    "variance_given_pose",
    "variance_unconstrained",
]


if not TYPE_CHECKING:  # with it, type checkers would take any name for one of ours

    def __getattr__(name: str) -> Any:
        # The drop-in imports cv2, which the native estimators do without.
        if name in _FROM_OPENCV:
            try:
                from cvscore import opencv
            except ModuleNotFoundError as error:
                if error.name != "cv2":
                    raise
                raise ImportError(
                    f"cvscore.{name} needs OpenCV: {install_command('opencv')}, or any "
                    "other build of it (contrib, headless)"
                ) from error
            return getattr(opencv, name)
        raise AttributeError(f"module 'cvscore' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
