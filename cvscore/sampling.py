"""Minimal samples, uniform or best matches first, and how many of them are needed."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cvscore._kernel import kernel
from cvscore.types import Array, Sampler

Indices = NDArray[np.int64]


class UniformSampler:
    """Every subset of ``sample_size`` of ``num_points`` points is equally likely."""

    def __init__(self, num_points: int, sample_size: int, seed: int = 0) -> None:
        self._num_points = num_points
        self._sample_size = sample_size
        self._rng = np.random.default_rng(seed)

    def draw(self, num_samples: int) -> Indices:
        """Return (num_samples, sample_size) indices, distinct within each row."""
        pool = np.full(num_samples, self._num_points)
        return _distinct(self._rng, pool, self._sample_size)


class ProsacSampler:
    """Samples from a growing set of the best matches: PROSAC (Chum and Matas, 2005).

    Sample number t comes from the n(t) matches of highest quality and holds the last
    of them, so that matches enter in the order of their quality; after
    ``num_trials`` samples the sampling is uniform.

    Parameters
    ----------
    quality : (N,) array
        Larger is better; ties are kept in the order given.
    sample_size : int
        Points in a sample.
    num_trials : int
        After this many samples every match takes part on equal terms.
    seed : int
        Of the random generator.
    """

    def __init__(
        self, quality: Array, sample_size: int, num_trials: int, seed: int = 0
    ) -> None:
        self._order = np.argsort(-np.asarray(quality), kind="stable")
        self._sample_size = sample_size
        self._rng = np.random.default_rng(seed)
        self._drawn = 0
        self._last_trial = _growth(len(self._order), sample_size, num_trials)

    def draw(self, num_samples: int) -> Indices:
        """Return (num_samples, sample_size) indices, distinct within each row."""
        num_points, size = len(self._order), self._sample_size
        trials = self._drawn + 1 + np.arange(num_samples)
        self._drawn += num_samples
        pool = size + np.searchsorted(self._last_trial, trials)
        progressive = pool <= num_points
        # A progressive sample is size - 1 of the first n - 1 matches and the n-th.
        ranks = np.empty((num_samples, size), dtype=np.int64)
        ranks[progressive, -1] = pool[progressive] - 1
        ranks[progressive, :-1] = _distinct(self._rng, pool[progressive] - 1, size - 1)
        rest = np.full(int((~progressive).sum()), num_points)
        ranks[~progressive] = _distinct(self._rng, rest, size)
        return self._order[ranks]


class FocusedSampler:
    """Samples from the inliers of the best model so far, once there is one.

    Among them samples free of outliers are far more frequent than among all points, so
    that a model that is only roughly right soon gives way to a better one.
    """

    def __init__(self, sample_size: int, seed: int = 0) -> None:
        self._sample_size = sample_size
        self._rng = np.random.default_rng(seed)
        self._inliers = np.empty(0, dtype=np.int64)

    def focus(self, inliers: Indices) -> None:
        """Sample from these points from now on."""
        self._inliers = inliers

    def draw(self, num_samples: int) -> Indices:
        """Return (num_samples, sample_size) indices; no rows without enough inliers."""
        # With one inlier to spare nearly all samples would be the same.
        if len(self._inliers) <= self._sample_size + 1:
            num_samples = 0
        pool = np.full(num_samples, len(self._inliers))
        return self._inliers[_distinct(self._rng, pool, self._sample_size)]


class AlternatingSampler:
    """Takes turns between two samplers, so that neither can spoil the search alone.

    Parameters
    ----------
    first : Sampler
        Gives the first ``num_alone`` samples and every other one after them.
    make_second : callable
        Makes the other sampler when it is needed: easy data never get there.
    num_alone : int
        Samples before the turns begin.
    """

    def __init__(
        self, first: Sampler, make_second: Callable[[], Sampler], num_alone: int
    ) -> None:
        self._first = first
        self._make_second = make_second
        self._second: Sampler | None = None
        self._num_alone = num_alone

    def draw(self, num_samples: int) -> Indices:
        """Return (num_samples, sample_size) indices, distinct within each row."""
        if self._num_alone > 0:
            self._num_alone -= num_samples
            return self._first.draw(num_samples)
        if self._second is None:
            self._second = self._make_second()
        num_first = (num_samples + 1) // 2
        ours = self._first.draw(num_first)
        theirs = self._second.draw(num_samples - num_first)
        return np.concatenate([ours, theirs])


def trials_needed(
    num_inliers: int, num_points: int, sample_size: int, confidence: float
) -> float:
    """Samples until one is free of outliers with probability ``confidence``.

    Sampling is without replacement, so the probability of a clean sample is
    hypergeometric and not a power of the inlier ratio; with few matches it matters.
    """
    if num_inliers < sample_size:
        return math.inf
    clean = 1.0
    for i in range(sample_size):
        clean *= (num_inliers - i) / (num_points - i)
    if clean >= 1.0:
        return 1.0
    return max(1.0, math.log1p(-confidence) / math.log1p(-clean))


def _distinct(rng: np.random.Generator, pool: Indices, size: int) -> Indices:
    """Row i holds ``size`` distinct numbers of range(pool[i]), every set as likely."""
    distinct: Indices = _distinct_from_uniform(rng.random((len(pool), size)), pool)
    return distinct


@kernel
def _distinct_from_uniform(uniform, pool):
    """Turn uniform numbers (B, size) of [0, 1) into distinct indices below pool (B,).

    The j-th index is drawn among the pool - j values still free, and moved past the
    ones already taken in ascending order: exact, with nothing to redraw.
    """
    num_samples, size = uniform.shape
    drawn = np.empty((num_samples, size), dtype=np.int64)
    taken = np.empty(size, dtype=np.int64)  # ascending
    for b in range(num_samples):
        for j in range(size):
            index = np.int64(uniform[b, j] * (pool[b] - j))
            slot = 0
            while slot < j and taken[slot] <= index:
                index += 1
                slot += 1
            for i in range(j, slot, -1):
                taken[i] = taken[i - 1]
            taken[slot] = index
            drawn[b, j] = index
    return drawn


def _growth(num_points: int, sample_size: int, num_trials: int) -> Indices:
    """Last trial that draws from the first n matches, for n = sample_size ... N."""
    n = np.arange(sample_size, num_points + 1)
    expected = np.full(len(n), float(num_trials))
    for i in range(sample_size):
        expected *= (n - i) / (num_points - i)
    steps = np.ceil(np.diff(expected)).astype(np.int64)
    return np.concatenate([[1], 1 + np.cumsum(steps)])
