"""Homography, fundamental and essential matrices with no inlier threshold to tune."""

from __future__ import annotations

from typing import Any

from cvscore.estimate import (
    estimate_essential,
    estimate_fundamental,
    estimate_homography,
)
from cvscore.priors import InverseGamma, fit_mle, fit_robust
from cvscore.scores._labels import BetaPrior
from cvscore.scores.baselines import (
    GaussianUniform,
    InlierCount,
    MagsacPlusPlus,
    Msac,
)
from cvscore.scores.marginal import MarginalScore
from cvscore.selection import Selection, select_model
from cvscore.types import Estimate, GeometricModel, Pose, RansacOptions
from cvscore.variances import variance_given_pose, variance_unconstrained

__version__ = "0.1.0"

_FROM_OPENCV = ("findEssentialMat", "findFundamentalMat", "findHomography")

__all__ = [
    "BetaPrior",
    "Estimate",
    "GaussianUniform",
    "GeometricModel",
    "InlierCount",
    "InverseGamma",
    "MagsacPlusPlus",
    "MarginalScore",
    "Msac",
    "Pose",
    "RansacOptions",
    "Selection",
    "estimate_essential",
    "estimate_fundamental",
    "estimate_homography",
    "findEssentialMat",
    "findFundamentalMat",
    "findHomography",
    "fit_mle",
    "fit_robust",
    "select_model",
    "variance_given_pose",
    "variance_unconstrained",
]


def __getattr__(name: str) -> Any:
    # The drop-in imports cv2, which the native estimators do without.
    if name in _FROM_OPENCV:
        try:
            from cvscore import opencv
        except ModuleNotFoundError as error:
            if error.name != "cv2":
                raise
            raise ImportError(
                f'cvscore.{name} needs OpenCV: pip install "cvscore[opencv]", or any '
                "other build of it (contrib, headless)"
            ) from error
        return getattr(opencv, name)
    raise AttributeError(f"module 'cvscore' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_FROM_OPENCV])
