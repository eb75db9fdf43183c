"""Random sets of matched points, sane and hostile.

Problems are small, so that calls are many.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.attack.containers import SIZE, Rng, in_some_form
from cvscore.types import Array

# Of the points: how many there are, and how many now and then.
MAX_POINTS = 60
MANY_POINTS = 3000


def draw_sets(rng: Rng, dims: tuple[int, ...]) -> list[Any]:
    """Return matched sets of points, (N, dim) each, of which some may be hostile."""
    few = rng.random()
    if few < 0.2:
        num = int(rng.integers(0, 10))
    else:
        num = int(rng.integers(5, MAX_POINTS if few < 0.99 else MANY_POINTS))
    sets = matched_sets(rng, num, dims)
    for spoil in (_copies, _flatten, _far_out, _resize, _not_finite, _round_off):
        if rng.random() < 0.15:
            sets = spoil(rng, sets)
    return [in_some_form(rng, points) for points in sets]


def matched_sets(rng: Rng, num: int, dims: tuple[int, ...]) -> list[Array]:
    """Points that an affine map takes to the next set, but for noise and outliers."""
    sets = [rng.uniform(0.0, SIZE, (num, dims[0]))]
    for dim in dims[1:]:
        along = np.eye(dims[0], dim) + rng.normal(0.0, 0.2, (dims[0], dim))
        moved = sets[0] @ along + rng.uniform(-100.0, 100.0, dim)
        moved += rng.normal(0.0, 10.0 ** rng.uniform(-3, 1), (num, dim))
        wrong = rng.random(num) < rng.choice([0.0, 0.3, 0.6, 1.0])
        moved[wrong] = rng.uniform(0.0, SIZE, (int(wrong.sum()), dim))
        sets.append(moved)
    return sets


def _copies(rng: Rng, sets: list[Array]) -> list[Array]:
    """Repeat matches, or let many be matched to one."""
    num = len(sets[0])
    if num == 0:
        return sets
    chosen = rng.integers(0, max(1, num // 2), num)
    if rng.random() < 0.3:
        return [*sets[:-1], sets[-1][chosen]]
    return [points[chosen] for points in sets]


def _flatten(rng: Rng, sets: list[Array]) -> list[Array]:
    """Put the points of a set on a line, on a grid, or in one place."""
    which = int(rng.integers(len(sets)))
    points = sets[which]
    kind = rng.integers(4)
    if kind == 0:
        points = np.outer(points[:, 0], rng.normal(size=points.shape[1]))
    elif kind == 1:
        points = np.round(points / 100.0) * 100.0
    elif kind == 2:
        points = np.zeros_like(points) + rng.uniform(0, SIZE)
    elif sets[0].shape == points.shape:
        points = sets[0].copy()
    return [*sets[:which], points, *sets[which + 1 :]]


def _far_out(rng: Rng, sets: list[Array]) -> list[Array]:
    """Put some points at any distance."""
    far = [points.copy() for points in sets]
    wild = rng.random(len(sets[0])) < rng.choice([0.1, 0.4, 1.0])
    for points in far:
        if rng.random() < 0.7:
            distance = 10.0 ** rng.uniform(3, 306)
            points[wild] = rng.uniform(-distance, distance, points[wild].shape)
    return far


def _resize(rng: Rng, sets: list[Array]) -> list[Array]:
    """Multiply by any number, shift by any number."""
    same = 10.0 ** rng.uniform(-320, 300)
    resized = []
    for points in sets:
        factor = same if rng.random() < 0.8 else 10.0 ** rng.uniform(-320, 300)
        shift = 0.0 if rng.random() < 0.8 else factor * 10.0 ** rng.uniform(-3, 5)
        resized.append(points * factor + shift)
    return resized


def _not_finite(rng: Rng, sets: list[Array]) -> list[Array]:
    spoilt = [points.copy() for points in sets]
    which = spoilt[int(rng.integers(len(sets)))]
    if which.size and rng.random() < 0.5:
        which.flat[int(rng.integers(which.size))] = rng.choice(
            [np.nan, np.inf, -np.inf]
        )
    return spoilt


def _round_off(rng: Rng, sets: list[Array]) -> list[Array]:
    """Leave few digits, or move all but a few by next to nothing."""
    if rng.random() < 0.5:
        return [np.round(points, int(rng.integers(-3, 3))) for points in sets]
    still = [points + 0.0 * points for points in sets]
    which = int(rng.integers(len(sets)))
    moved = rng.random(len(sets[0])) < rng.choice([0.0, 0.2])
    jitter = rng.normal(size=sets[which].shape) * 10.0 ** rng.uniform(-320, -5)
    still[which] = np.where(moved[:, None], sets[which], SIZE + jitter)
    return still


def length_of(points: Any) -> int:
    """Return how many points there are, none where they are no points."""
    try:
        return len(points)
    except TypeError:
        return 0
