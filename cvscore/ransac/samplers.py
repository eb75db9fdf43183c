"""Minimal samples, uniform or best matches first, and how many of them are needed.

A sampler is a kernel, ``draw``, and what it remembers from one call to the next: the
state of its generator, how many samples it gave, the order of the matches and the trial
up to which each of them waits.  The loop draws without returning to the interpreter.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import kernel
from cvscore.types import Array, SamplerMemory

Indices = NDArray[np.int64]

# What ``SamplerMemory.counts`` holds.
SAMPLE_SIZE, NUM_POINTS, NUM_DRAWN = 0, 1, 2
# For samplers that never look at the points.
NO_POINTS = np.empty((4, 0))
# The generator: a Weyl sequence and a mixing of its bits (splitmix64).
INCREMENT = np.uint64(0x9E3779B97F4A7C15)
MIXER1, MIXER2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFT30, SHIFT27, SHIFT31 = np.uint64(30), np.uint64(27), np.uint64(31)
SHIFT11 = np.uint64(11)  # leaves the 53 bits of a float


class KernelSampler:
    """Draws from points (4, N) by a kernel, which changes the memory."""

    def __init__(
        self, kernel: Callable[..., Indices], points: Array, memory: SamplerMemory
    ) -> None:
        self.kernel = kernel
        self.points = points
        self.memory = memory

    def draw(self, num_samples: int) -> Indices:
        """Return (num_samples, sample_size) indices, distinct within each row."""
        with np.errstate(over="ignore"):  # the generator wraps around
            return self.kernel(self.points, *self.memory, num_samples)


class UniformSampler(KernelSampler):
    """Every subset of ``sample_size`` of ``num_points`` points is equally likely."""

    def __init__(self, num_points: int, sample_size: int, seed: int = 0) -> None:
        counts = np.array([sample_size, num_points, 0])
        nothing = np.empty(0, dtype=np.int64)
        memory = SamplerMemory(generator(seed), counts, nothing, nothing, np.empty(0))
        super().__init__(draw_progressively, NO_POINTS, memory)


class ProsacSampler(KernelSampler):
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
        order = np.argsort(-np.asarray(quality), kind="stable")
        last_trials = np.empty(len(order) - sample_size + 1, dtype=np.int64)
        write_last_trials(len(order), sample_size, num_trials, last_trials)
        counts = np.array([sample_size, len(order), 0])
        memory = SamplerMemory(generator(seed), counts, order, last_trials, np.empty(0))
        super().__init__(draw_progressively, NO_POINTS, memory)


def generator(seed: int) -> NDArray[np.uint64]:
    """Return the state of a random generator, (1,)."""
    return np.array([seed % 2**64], dtype=np.uint64)


@kernel
def trials_needed(num_inliers, num_points, sample_size, confidence):
    """Samples until one is free of outliers with probability ``confidence``.

    Sampling is without replacement, so the probability of a clean sample is
    hypergeometric and not a power of the inlier ratio; with few matches it matters.
    """
    if num_inliers < sample_size:
        return np.inf
    clean = 1.0
    for i in range(sample_size):
        clean *= (num_inliers - i) / (num_points - i)
    if clean >= 1.0:
        return 1.0
    return max(1.0, math.log1p(-confidence) / math.log1p(-clean))


@kernel
def random_number(generator):
    """Return the next number, uniform in [0, 1)."""
    generator[0] += INCREMENT
    bits = generator[0]
    bits = (bits ^ (bits >> SHIFT30)) * MIXER1
    bits = (bits ^ (bits >> SHIFT27)) * MIXER2
    bits = bits ^ (bits >> SHIFT31)
    return float(bits >> SHIFT11) * 2.0**-53


@kernel
def write_distinct(generator, pool, indices):
    """Fill ``indices`` with distinct numbers below ``pool``, every set as likely.

    A number that has been drawn before is drawn anew.
    """
    for j in range(indices.shape[0]):
        is_new = False
        while not is_new:
            indices[j] = np.int64(random_number(generator) * pool)
            is_new = True
            for i in range(j):
                is_new &= indices[i] != indices[j]


@kernel
def draw_among(generator, members, size, num_samples):
    """Draw samples from some points only, (num_samples, size) of ``members``.

    None if they are too few: with one to spare nearly all samples would be the same.
    """
    num_members = members.shape[0]
    if num_members <= size + 1:
        num_samples = 0
    samples = np.empty((num_samples, size), dtype=np.int64)
    for b in range(num_samples):
        write_distinct(generator, num_members, samples[b])
        for j in range(size):
            samples[b, j] = members[samples[b, j]]
    return samples


@kernel
def draw_progressively(
    points, generator, counts, order, last_trials, constants, num_samples
):
    """Draw PROSAC's next samples; uniform ones where there is no order."""
    size, num_points = counts[SAMPLE_SIZE], counts[NUM_POINTS]
    samples = np.empty((num_samples, size), dtype=np.int64)
    num_waiting = last_trials.shape[0]
    entered = 0
    for b in range(num_samples):
        while entered < num_waiting and last_trials[entered] <= counts[NUM_DRAWN]:
            entered += 1
        counts[NUM_DRAWN] += 1
        if entered == num_waiting:
            write_distinct(generator, num_points, samples[b])
        else:
            # A progressive sample is size - 1 of the first n - 1 matches and the n-th.
            write_distinct(generator, size + entered - 1, samples[b, :-1])
            samples[b, size - 1] = size + entered - 1
        if order.shape[0] > 0:
            for j in range(size):
                samples[b, j] = order[samples[b, j]]
    return samples


@kernel
def write_last_trials(num_points, sample_size, num_trials, last_trials):
    """Last trial that draws from the first n matches, for n = sample_size ... N."""
    # How many of ``num_trials`` uniform samples lie within the first n matches.
    expected = float(num_trials)
    for i in range(sample_size):
        expected *= (sample_size - i) / (num_points - i)
    last_trials[0] = 1
    for n in range(sample_size, num_points):
        more = expected * (n + 1) / (n + 1 - sample_size)
        enter = last_trials[n - sample_size] + math.ceil(more - expected)
        last_trials[n - sample_size + 1] = enter
        expected = more
