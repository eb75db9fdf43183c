r"""Every threshold of RANSAC and MSAC, and every prior and half-width, from one sort.

Of a pool of models, let ``RSS_k`` be the sum of the k smallest squared residuals of a
model.  At a given k the marginal score falls with ``RSS_k`` and depends on the model
through nothing else, so that

    max over models and k of S  =  max over k of S(k) at the smallest RSS_k of the pool.

The lower envelope of all ``RSS_k``, N numbers and the models that attain them, is hence
all that the marginal scores of a pair need, with any prior and any half-width: a pool
of thousands of models costs one pass, and then a prior costs no more than one model.

For one prior, all half-widths ``a`` follow at once.  With

    S(k; a) = base(k) + k d log(2a) - N d log(2a)

the best k for every ``a`` is a vertex of the upper convex hull of ``(k, base(k))``, and
as ``a`` grows the vertices are passed from left to right.

RANSAC counts the residuals below each threshold, and MSAC subtracts their sum over the
squared threshold from that count: both are read off the prefix sums of the same sort.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import kernel
from cvscore.scores.priors import InverseGamma
from cvscore.types import Array

Indices = NDArray[np.int64]


@dataclass
class SortedSweep:
    """What a pool's sorted residuals say; grows as models are absorbed.

    Attributes
    ----------
    sq_thresholds : (2, G)
        Ascending, of RANSAC and of MSAC.
    best, winner : (2, G)
        Best score so far at each threshold, and the first model that attained it.
    rss, holder : (N,)
        Least sum of the k smallest residuals, k = 1..N, and the model that has it.
    """

    sq_thresholds: Array
    best: Array
    winner: Indices
    rss: Array
    holder: Indices

    @classmethod
    def of(cls, num_points: int, sq_thresholds: Array) -> SortedSweep:
        """Return a sweep of no models."""
        shape = sq_thresholds.shape
        return cls(
            sq_thresholds=np.ascontiguousarray(sq_thresholds, dtype=np.float64),
            best=np.full(shape, -np.inf),
            winner=np.zeros(shape, dtype=np.int64),
            rss=np.full(num_points, np.inf),
            holder=np.zeros(num_points, dtype=np.int64),
        )

    def absorb(self, sq_residuals: Array, first: int) -> None:
        """Take in the residuals (K, N) of models numbered from ``first``."""
        # NumPy's vectorised sort takes a quarter of the time of a compiled one.
        ordered = np.sort(sq_residuals, axis=1)
        _absorb(
            ordered,
            first,
            self.sq_thresholds,
            self.best,
            self.winner,
            self.rss,
            self.holder,
        )


@kernel
def _absorb(ordered, first, sq_thresholds, best, winner, rss, holder):
    num_models, num_points = ordered.shape
    num_thresholds = sq_thresholds.shape[1]
    sums = np.empty(num_points + 1)
    sums[0] = 0.0
    for row in range(num_models):
        for i in range(num_points):
            total = sums[i] + ordered[row, i]
            sums[i + 1] = total
            if total < rss[i]:
                rss[i] = total
                holder[i] = first + row
        for method in range(2):
            k = 0
            for g in range(num_thresholds):
                limit = sq_thresholds[method, g]
                while k < num_points and ordered[row, k] <= limit:
                    k += 1
                score = float(k)
                if method == 1:
                    score -= sums[k] / limit
                if score > best[method, g]:
                    best[method, g] = score
                    winner[method, g] = first + row


@lru_cache(maxsize=64)
def log_gamma_table(num_points: int, dim: int, num_params: int, alpha: float) -> Array:
    """What S(k) has but residuals and half-width, k = 0..N: (N + 1,); -inf if none."""
    return _log_gamma_table(num_points, dim, num_params, alpha)


@kernel
def _log_gamma_table(num_points, dim, num_params, alpha):
    table = np.full(num_points + 1, -np.inf)
    for k in range(1, num_points + 1):
        nu = k * dim - num_params
        if nu > 0:
            shape = 0.5 * nu + alpha
            table[k] = math.lgamma(shape) - 0.5 * nu * math.log(2.0 * math.pi)
    return table


@kernel
def _best_prefixes(rss, dim, num_params, alpha, offset, table, log_widths, prefixes):
    """Write the best k at every half-width, ascending; 0 where there is none."""
    num_points = rss.shape[0]
    hull = np.empty(num_points, dtype=np.int64)
    base = np.empty(num_points + 1)
    size = 0
    for k in range(1, num_points + 1):
        if table[k] == -np.inf or rss[k - 1] == np.inf:
            continue
        shape = 0.5 * (k * dim - num_params) + alpha
        base[k] = table[k] - shape * math.log(0.5 * rss[k - 1] + offset)
        # A point below the line from the one before it to this one is never the best.
        while size >= 2:
            i, j = hull[size - 2], hull[size - 1]
            if (base[j] - base[i]) * (k - i) > (base[k] - base[i]) * (j - i):
                break
            size -= 1
        hull[size] = k
        size += 1
    at = 0
    for g in range(log_widths.shape[0]):
        slope = dim * log_widths[g]
        while at + 1 < size:
            rise = base[hull[at + 1]] - base[hull[at]]
            if rise + slope * (hull[at + 1] - hull[at]) <= 0.0:
                break
            at += 1
        prefixes[g] = hull[at] if size > 0 else 0


@kernel
def _sweep_pairs(
    starts, rss, errors, floors, dim, num_params, prior, table, log_widths, failure
):
    num_pairs = starts.shape[0] - 1
    num_widths = log_widths.shape[0]
    chosen = np.full((num_pairs, num_widths), failure)
    prefixes = np.empty(num_widths, dtype=np.int64)
    for pair in range(num_pairs):
        first, last = starts[pair], starts[pair + 1]
        offset = prior[1] + 0.5 * floors[pair]
        _best_prefixes(
            rss[first:last],
            dim,
            num_params,
            prior[0],
            offset,
            table,
            log_widths,
            prefixes,
        )
        for g in range(num_widths):
            if prefixes[g] > 0:
                chosen[pair, g] = errors[first + prefixes[g] - 1]
    return chosen


@dataclass(frozen=True)
class Envelopes:
    """The envelopes of many pairs, one after the other.

    Attributes
    ----------
    starts : (P + 1,)
        Where each pair begins in the two arrays below, and the end.
    rss : (sum of N,)
        Least sums of squared residuals, pixels squared.
    errors : (sum of N,)
        Of the models that have them, degrees.
    floors : (P,)
        Added to every sum: the rounding of the coordinates, pixels squared.
    dim, num_params : int
        Constraints per match and parameters of the model.
    """

    starts: Indices
    rss: Array
    errors: Array
    floors: Array
    dim: int
    num_params: int

    def sweep(self, prior: InverseGamma, half_widths: Array, failure: float) -> Array:
        """Errors (P, G) of the models that win at half-widths (G,), ascending."""
        longest = int(np.diff(self.starts).max(initial=0))
        alpha = float(prior.alpha)
        return _sweep_pairs(
            self.starts,
            self.rss,
            self.errors,
            self.floors,
            self.dim,
            self.num_params,
            np.array([alpha, prior.beta]),
            log_gamma_table(longest, self.dim, self.num_params, alpha),
            np.log(2.0 * half_widths),
            failure,
        )
