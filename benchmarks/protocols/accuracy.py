"""Errors to figures: area under the recall curve, and paired intervals.

AUC@t is the exact area under the recall curve (which part of the pairs has an error
below e) for e from 0 to t, divided by t: the mean of max(0, 1 - error/t).  It rewards
every improvement below t.  The mAA of the image matching challenge is its staircase:
the mean recall at t/10, 2t/10, ..., t.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.data.pair import Array

NUM_RESAMPLES = 2000
CONFIDENCE = 0.95


def credits_of(errors: ArrayLike, limit: float) -> Array:
    """Return what each pair contributes to AUC@limit, 0 to 1."""
    return np.maximum(0.0, 1.0 - np.asarray(errors, dtype=float) / limit)


def auc(errors: ArrayLike, limit: float) -> float:
    """AUC@limit in points, 0 to 100; an infinite error is a failure."""
    return 100.0 * float(np.mean(credits_of(errors, limit)))


def mean_average_accuracy(errors: ArrayLike, limit: float, steps: int = 10) -> float:
    """Mean recall at ``steps`` equally spaced thresholds up to ``limit``, in points."""
    thresholds = np.linspace(limit / steps, limit, steps)
    recall = np.asarray(errors, dtype=float)[:, None] <= thresholds
    return 100.0 * float(np.mean(recall))


def paired_difference(
    ours: ArrayLike, theirs: ArrayLike, limit: float, seed: int = 0
) -> tuple[float, float, float]:
    """AUC@limit of ours minus theirs on the same pairs, with its bootstrap interval.

    Returns
    -------
    difference, low, high : float
        Points; the interval is the percentile one at 95 %.
    """
    gain = 100.0 * (credits_of(ours, limit) - credits_of(theirs, limit))
    rng = np.random.default_rng(seed)
    resampled = gain[rng.integers(len(gain), size=(NUM_RESAMPLES, len(gain)))]
    tail = 50.0 * (1.0 - CONFIDENCE)
    low, high = np.percentile(resampled.mean(axis=1), [tail, 100.0 - tail])
    return float(gain.mean()), float(low), float(high)
