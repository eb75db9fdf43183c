"""Random arguments: points, cameras, scores and options, sane and hostile.

Problems are small, so that calls are many.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import cvscore
from cvscore.types import Array

Rng = np.random.Generator

# Of the points: how many there are, and the size of the image that they are from.
MAX_POINTS = 60
SIZE = 1000.0
K = np.array([[800.0, 0.0, 500.0], [0.0, 800.0, 500.0], [0.0, 0.0, 1.0]])


def draw_sets(rng: Rng, dims: tuple[int, ...]) -> list[Any]:
    """Return matched sets of points, (N, dim) each, of which some may be hostile."""
    num = int(
        rng.integers(0, 10) if rng.random() < 0.2 else rng.integers(5, MAX_POINTS)
    )
    sets = _matched(rng, num, dims)
    for spoil in (_copies, _flatten, _far_out, _resize, _not_finite):
        if rng.random() < 0.15:
            sets = spoil(rng, sets)
    return [_in_some_form(rng, points) for points in sets]


def _matched(rng: Rng, num: int, dims: tuple[int, ...]) -> list[Array]:
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


def _in_some_form(rng: Rng, points: Array) -> Any:
    """Return points as users hold them, and now and then as nobody should."""
    if rng.random() < 0.6:
        return points
    forms = [
        lambda: points.tolist(),
        lambda: np.asfortranarray(points),
        lambda: np.repeat(points, 2, axis=0)[::2],
        lambda: points[::-1],
        lambda: np.clip(points, -1e38, 1e38).astype(np.float32),
        lambda: np.clip(np.nan_to_num(points), -1e15, 1e15).astype(np.int64),
        lambda: _read_only(points),
        lambda: points[:, None],
        lambda: points.T,
        lambda: points.ravel(),
        lambda: points.astype(complex),
        lambda: points.astype(object),
        lambda: points.astype(str),
        lambda: points[:, :1],
        lambda: np.ma.masked_array(points),
        lambda: [*points.tolist(), [0.0]],
        lambda: points[:-1],
        lambda: None,
        lambda: "points",
    ]
    last = len(forms) if rng.random() < 0.3 else 7
    return forms[int(rng.integers(last))]()


def _read_only(points: Array) -> Array:
    fixed = points.copy()
    fixed.flags.writeable = False
    return fixed


def draw_camera(rng: Rng) -> Any:
    """Return a camera matrix, mostly a good one."""
    if rng.random() < 0.8:
        return K
    camera = K.copy()
    kind = rng.integers(5)
    if kind == 0:
        camera[:2] *= 10.0 ** rng.uniform(-320, 300)
    elif kind == 1:
        camera *= 10.0 ** rng.uniform(-300, 300)
    elif kind == 2:
        camera.flat[int(rng.integers(9))] = rng.choice(
            [0.0, -1.0, np.nan, np.inf, 1e300]
        )
    elif kind == 3:
        return camera.tolist()
    else:
        return rng.choice([None, "K"]) if rng.random() < 0.5 else camera[:2]
    return camera


def draw_number(rng: Rng) -> Any:
    """Return a number for an option, or what is none."""
    if rng.random() < 0.7:
        return float(10.0 ** rng.uniform(-3, 3))
    others = [
        0,
        -1,
        True,
        None,
        "1",
        np.nan,
        np.inf,
        2**63,
        10**400,
        1e300,
        1e-300,
        [1],
    ]
    return others[int(rng.integers(len(others)))]


def draw_score(rng: Rng) -> Any:
    """Return a score; raises what its constructor raises."""
    kind = rng.integers(8)
    if kind < 3:
        return None
    if kind == 3:
        return cvscore.MarginalScore(half_width=draw_number(rng))
    if kind == 4:
        prior = cvscore.InverseGamma(
            draw_number(rng),
            draw_number(rng),
            rng.choice(["px", "normalised", "points"]),
        )
        return cvscore.MarginalScore(prior=prior)
    if kind == 5:
        beta = cvscore.BetaPrior(draw_number(rng), draw_number(rng))
        return cvscore.MarginalScore(label_prior=beta)
    if kind == 6:
        scores = (
            cvscore.Msac,
            cvscore.InlierCount,
            cvscore.MagsacPlusPlus,
            cvscore.GaussianUniform,
        )
        return scores[int(rng.integers(4))](threshold=draw_number(rng))
    return (
        rng.choice([5, "marginal"]) if rng.random() < 0.2 else cvscore.MarginalScore()
    )


def draw_options(rng: Rng) -> Any:
    """Return options of a short search; raises what their constructor raises."""
    if rng.random() < 0.85:
        return cvscore.RansacOptions(
            max_iterations=int(rng.integers(1, 120)), seed=int(rng.integers(1000))
        )
    names = ("min_iterations", "confidence", "seed")
    name = names[int(rng.integers(len(names)))]
    return cvscore.RansacOptions(max_iterations=100, **{name: draw_number(rng)})


def draw_quality(rng: Rng, num: int) -> Any:
    """Return qualities of so many matches, mostly none."""
    if rng.random() < 0.8:
        return None
    if rng.random() < 0.8:
        return rng.normal(size=num) * 10.0 ** rng.uniform(-300, 300)
    wrong = [np.full(num, np.nan), np.zeros(num + 1), np.full(num, np.inf), "best"]
    return wrong[int(rng.integers(len(wrong)))]
