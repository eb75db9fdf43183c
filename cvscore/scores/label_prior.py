"""The share of inliers, integrated out: a term of the score that depends on k only.

Every match is an inlier with the same unknown probability, whose prior is a Beta
distribution.  A given partition into k inliers and N - k outliers then has the
probability

    B(k + a, N - k + b) / B(a, b),        B the Beta function;

for a = b = 1, all shares equally likely, it is 1 / ((N + 1) C(N, k)): every size is as
likely as any other, and so is every subset of that size.  The logarithm is convex in k,
so the fast search of `cvscore.scores.best_prefix` remains exact with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.types import Array, positive_number


@dataclass(frozen=True)
class BetaPrior:
    """Beta prior on the share of inliers.

    Parameters
    ----------
    a, b : float
        As if ``a`` inliers and ``b`` outliers had been seen beforehand; both positive.
        1 and 1, the default, is a uniform prior.
    """

    a: float = 1.0
    b: float = 1.0

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            number = positive_number(getattr(self, name), name)
            object.__setattr__(self, name, number)


def label_terms(num_points: int, prior: BetaPrior | None) -> Array:
    """Return the log probability (N + 1,) of a partition with k = 0..N inliers.

    Zeros without a prior: all partitions alike.
    """
    if prior is None:
        return np.zeros(num_points + 1)
    counts = range(num_points + 1)
    return np.array([log_probability(k, num_points, prior.a, prior.b) for k in counts])


@kernel
def log_probability(k, num_points, a, b):
    """Return the log probability of one partition with ``k`` of N inliers."""
    return (
        math.lgamma(k + a)
        + math.lgamma(num_points - k + b)
        - math.lgamma(num_points + a + b)
        - (math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b))
    )
