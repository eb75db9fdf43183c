"""Minimal samples: uniform, or best matches first (PROSAC).

A sampler is a kernel and its state: the random generator, how many samples it gave, the
order of the points and the trial up to which each of them waits.  The loop draws
without returning to the interpreter.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import kernel
from cvscore.numerics.random_numbers import generator, write_distinct
from cvscore.types import Array, SamplerState

Indices = NDArray[np.int64]

# Which entry of ``SamplerState.num_drawn`` counts what.
OF_ALL, IN_ORDER = 0, 1
# For samplers that never look at the points.
NO_POINTS = np.empty((1, 0))
NO_INDICES = np.empty(0, dtype=np.int64)
NO_REGION = np.empty(0)


class KernelSampler:
    """Draws from points (D, N) by a kernel, which changes the state."""

    def __init__(
        self, kernel: Callable[..., Indices], points: Array, state: SamplerState
    ) -> None:
        self.kernel = kernel
        self.points = points
        self.state = state

    def draw(self, num_samples: int) -> Indices:
        """Return (num_samples, sample_size) indices, distinct within each row."""
        with np.errstate(over="ignore"):  # the generator wraps around
            return self.kernel(self.points, num_samples, self.state)


class UniformSampler(KernelSampler):
    """Every subset of ``sample_size`` of ``num_points`` points is equally likely."""

    def __init__(self, num_points: int, sample_size: int, seed: int = 0) -> None:
        state = new_state(seed, sample_size, num_points)
        super().__init__(draw_progressively, NO_POINTS, state)


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
        state = new_state(seed, sample_size, len(order))
        state = state._replace(
            order=order, last_trials=last_trials, num_trials=num_trials
        )
        super().__init__(draw_progressively, NO_POINTS, state)


def new_state(seed: int, sample_size: int, num_points: int) -> SamplerState:
    """Return the state of a uniform sampler that has drawn nothing yet."""
    return SamplerState(
        generator=generator(seed),
        num_drawn=np.zeros(2, dtype=np.int64),
        order=NO_INDICES,
        last_trials=NO_INDICES,
        centre=NO_REGION,
        spreads=NO_REGION,
        sample_size=sample_size,
        num_points=num_points,
        num_trials=0,
        grid_size=1,
    )


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
def num_within(samples, is_chosen):
    """Return how many of the samples (B, m) have chosen points (N,) alone."""
    num = 0
    for b in range(samples.shape[0]):
        are_chosen = True
        for j in range(samples.shape[1]):
            are_chosen &= is_chosen[samples[b, j]]
        num += are_chosen
    return num


@kernel
def draw_progressively(points, num_samples, state):
    """Draw PROSAC's next samples; uniform ones where there is no order."""
    size, num_drawn = state.sample_size, state.num_drawn
    samples = np.empty((num_samples, size), dtype=np.int64)
    num_waiting = state.last_trials.shape[0]
    num_ordered = state.order.shape[0]
    num_in_turn = num_ordered if num_ordered > 0 else state.num_points
    entered = 0
    for b in range(num_samples):
        while (
            entered < num_waiting and state.last_trials[entered] <= num_drawn[IN_ORDER]
        ):
            entered += 1
        num_drawn[IN_ORDER] += 1
        if entered == num_waiting:
            write_distinct(state.generator, num_in_turn, samples[b])
        else:
            # A progressive sample is size - 1 of the first n - 1 matches and the n-th.
            write_distinct(state.generator, size + entered - 1, samples[b, :-1])
            samples[b, size - 1] = size + entered - 1
        if num_ordered > 0:
            for j in range(size):
                samples[b, j] = state.order[samples[b, j]]
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
