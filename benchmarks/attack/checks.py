"""What holds for the outcome of every call, whatever was given.

An answer that is one, or a TypeError or ValueError of this package's own in one short
line; no warning, no input changed, and no call that takes long.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cvscore.types import Array, Estimate

REFUSALS = (TypeError, ValueError)
# F is of rank two, E has singular values (1, 1, 0), rotations are rotations.
RANK_TOLERANCE = 1e-12
ROTATION_TOLERANCE = 1e-9


class Call(NamedTuple):
    """A call that is to be made, and the arrays that it must not change."""

    name: str
    run: Callable[[], Any]
    inputs: list[Any]


def violation_of(call: Callable[[], Any], inputs: list[Any]) -> str | None:
    """Run a call and return what is wrong with its outcome; None if nothing is."""
    before = [_bytes_of(given) for given in inputs]
    try:
        with np.errstate(all="warn", under="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error")
            answer = call()
            wrong = wrong_with(answer) if isinstance(answer, Estimate) else None
    except REFUSALS as error:
        wrong = wrong_with_refusal(error)
    except Exception as error:
        wrong = None if _is_of_opencv(error) else f"{type(error).__name__}: {error}"
    if before != [_bytes_of(given) for given in inputs]:
        return "an input was changed"
    return wrong


def _bytes_of(given: Any) -> Any:
    if isinstance(given, np.ndarray):
        return given.tobytes() if given.dtype != object else given.tolist().__repr__()
    return repr(given)


def _is_of_opencv(error: Exception) -> bool:
    """Whether it is the error that OpenCV raises, which its drop-ins do too."""
    return type(error).__module__.startswith("cv2")


def wrong_with_refusal(error: Exception) -> str | None:
    """Say what is wrong with an error: raised elsewhere, or in more than a line."""
    place = traceback.extract_tb(error.__traceback__)[-1].filename
    if "cvscore" not in place.replace("\\", "/").split("/benchmarks/")[0]:
        return f"{type(error).__name__} of {place}: {error}"
    text = str(error)
    if not text or "\n" in text or len(text) > 400:
        return f"{type(error).__name__} says {text[:500]!r}"
    return None


def wrong_with(found: Estimate) -> str | None:
    """Say what is wrong with an estimate."""
    repr(found)
    if found.model is None:
        complete = bool(found.reason) and not found.inliers.any() and not found
        return None if complete else "no model, and no reason"
    residuals, threshold = found.residuals, found.threshold
    whitened = found.probabilities_from.rows  # as the score sees them, by weights
    probabilities = found.probabilities
    checks = {
        "model": np.isfinite(found.model).all() and np.abs(found.model).max() > 0.0,
        "shapes": found.inliers.shape == residuals.shape,
        "residuals": not np.isnan(residuals).any() and (residuals >= 0.0).all(),
        "scale": 0.0 <= found.scale < np.inf,
        "threshold": threshold >= 0.0,
        "inliers": (whitened[found.inliers] <= threshold * (1 + 1e-6)).all(),
        "probabilities": ((probabilities >= 0.0) & (probabilities <= 1.0)).all(),
        "evidence": not np.isnan(found.evidence),
        "significance": found.is_significant in (True, False),
    }
    for name, holds in checks.items():
        if not holds:
            return f"its {name} can't be: {found!r}"[:600]
    if found.pose is not None:
        R = found.pose.R
        if np.abs(R @ R.T - np.eye(3)).max() > ROTATION_TOLERANCE:
            return "its pose has no rotation"
    return None


def is_of_rank_two(matrix: Array) -> bool:
    """Whether a (3, 3) matrix has rank two to rounding."""
    singular = np.linalg.svd(matrix, compute_uv=False)
    return bool(singular[2] <= RANK_TOLERANCE * singular[0])
