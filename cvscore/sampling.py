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
        uniform = self._rng.random((num_samples, self._sample_size))
        samples: Indices = _distinct(uniform, self._num_points)
        return samples


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
        uniform = self._rng.random((num_samples, self._sample_size))
        ranks = _progressive(uniform, self._drawn, self._last_trial, len(self._order))
        self._drawn += num_samples
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
        uniform = self._rng.random((num_samples, self._sample_size))
        return self._inliers[_distinct(uniform, len(self._inliers))]


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


@kernel
def _write_distinct(uniform, pool, indices):
    """Turn uniform numbers (size,) of [0, 1) into distinct indices below ``pool``.

    The j-th index is drawn among the pool - j values still free, and moved past the
    ones already taken in ascending order: exact, with nothing to redraw.
    """
    size = indices.shape[0]
    taken = np.empty(size, dtype=np.int64)  # ascending
    for j in range(size):
        index = np.int64(uniform[j] * (pool - j))
        slot = 0
        while slot < j and taken[slot] <= index:
            index += 1
            slot += 1
        for i in range(j, slot, -1):
            taken[i] = taken[i - 1]
        taken[slot] = index
        indices[j] = index


@kernel
def _distinct(uniform, pool):
    """Rows of distinct indices below ``pool`` from uniform numbers (B, size)."""
    indices = np.empty(uniform.shape, dtype=np.int64)
    for b in range(uniform.shape[0]):
        _write_distinct(uniform[b], pool, indices[b])
    return indices


@kernel
def _progressive(uniform, drawn, last_trial, num_points):
    """Ranks of PROSAC's next samples from uniform numbers (B, size).

    ``drawn`` samples came before them; ``last_trial`` is from `_growth`.
    """
    num_samples, size = uniform.shape
    ranks = np.empty((num_samples, size), dtype=np.int64)
    num_entered = 0
    for b in range(num_samples):
        while num_entered < len(last_trial) and last_trial[num_entered] <= drawn + b:
            num_entered += 1
        pool = size + num_entered
        if pool > num_points:
            _write_distinct(uniform[b], num_points, ranks[b])
        else:
            # A progressive sample is size - 1 of the first n - 1 matches and the n-th.
            _write_distinct(uniform[b], pool - 1, ranks[b, :-1])
            ranks[b, size - 1] = pool - 1
    return ranks


@kernel
def _growth(num_points, sample_size, num_trials):
    """Last trial that draws from the first n matches, for n = sample_size ... N."""
    last_trial = np.empty(num_points - sample_size + 1, dtype=np.int64)
    # How many of ``num_trials`` uniform samples lie within the first n matches.
    expected = float(num_trials)
    for i in range(sample_size):
        expected *= (sample_size - i) / (num_points - i)
    last_trial[0] = 1
    for n in range(sample_size, num_points):
        more = expected * (n + 1) / (n + 1 - sample_size)
        last_trial[n - sample_size + 1] = last_trial[n - sample_size] + math.ceil(
            more - expected
        )
        expected = more
    return last_trial
