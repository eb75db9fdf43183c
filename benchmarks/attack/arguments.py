"""Random arguments: points, cameras, scores and options, sane and hostile.

Problems are small, so that calls are many.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import cvscore
from cvscore.types import Array

Rng = np.random.Generator

# Of the points: how many there are, now and then, and the size of their image.
MAX_POINTS = 60
MANY_POINTS = 3000
SIZE = 1000.0
# Of the forms of points: how many of the first every function takes.
NUM_SOUND_FORMS = 10
K = np.array([[800.0, 0.0, 500.0], [0.0, 800.0, 500.0], [0.0, 0.0, 1.0]])


def draw_sets(rng: Rng, dims: tuple[int, ...]) -> list[Any]:
    """Return matched sets of points, (N, dim) each, of which some may be hostile."""
    few = rng.random()
    if few < 0.2:
        num = int(rng.integers(0, 10))
    else:
        num = int(rng.integers(5, MAX_POINTS if few < 0.99 else MANY_POINTS))
    sets = _matched(rng, num, dims)
    for spoil in (_copies, _flatten, _far_out, _resize, _not_finite, _round_off):
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
        lambda: points.astype(">f8"),
        lambda: np.ma.masked_array(points, points > 0.5 * SIZE),
        lambda: np.asmatrix(points),
        lambda: points[:, None],
        lambda: points.T,
        lambda: points.ravel(),
        lambda: points.astype(complex),
        lambda: points.astype(object),
        lambda: np.full(points.shape, 10**400, dtype=object),
        lambda: np.full(points.shape, 2**63, dtype=np.uint64),
        lambda: points[..., None, None],
        lambda: np.array(7.0),
        lambda: np.zeros((0, points.shape[1])),
        lambda: points > 1.0,
        lambda: points.astype("datetime64[s]") if np.isfinite(points).all() else {},
        lambda: memoryview(np.ascontiguousarray(points)),
        lambda: iter(points.tolist()),
        lambda: points.astype(str),
        lambda: points[:, :1],
        lambda: np.ma.masked_array(points),
        lambda: [*points.tolist(), [0.0]],
        lambda: points[:-1],
        lambda: None,
        lambda: "points",
    ]
    last = len(forms) if rng.random() < 0.3 else NUM_SOUND_FORMS
    return forms[int(rng.integers(last))]()


def _read_only(points: Array) -> Array:
    fixed = points.copy()
    fixed.flags.writeable = False
    return fixed


def length_of(points: Any) -> int:
    """Return how many points there are, none where they are no points."""
    try:
        return len(points)
    except TypeError:
        return 0


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


def draw_distortion(rng: Rng) -> Any:
    """Return coefficients of lens distortion, mostly none."""
    if rng.random() < 0.6:
        return None
    others = [
        np.zeros(5),
        np.array([-0.2, 0.05, 1e-3, 1e-3]),
        rng.normal(size=int(rng.choice([4, 5, 8, 12, 14, 3]))),
        rng.normal(size=5) * 10.0 ** rng.uniform(-5, 300),
        np.full(5, np.nan),
        np.zeros((1, 5), dtype=np.float32),
        [],
        "none",
    ]
    return others[int(rng.integers(len(others)))]


def draw_pose(rng: Rng) -> tuple[Any, Any]:
    """Return a rotation and a translation, mostly sound ones."""
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R *= np.sign(np.linalg.det(R))
    t = rng.normal(size=3) * 10.0 ** rng.uniform(-2, 2)
    if rng.random() < 0.7:
        return R, t
    others = [
        (np.eye(3), np.zeros(3)),
        (1e200 * R, 1e-200 * t),
        (R, np.full(3, np.nan)),
        (np.full((3, 3), np.inf), t),
        (R[:2], t),
        (R, t[:2]),
        (-R, t),
        ("R", None),
    ]
    return others[int(rng.integers(len(others)))]


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


def draw_calibration(rng: Rng, model: str) -> Any:
    """Return a calibration, mostly none; raises what its constructor raises."""
    if rng.random() < 0.9:
        return None
    prior = cvscore.InverseGamma(draw_number(rng), draw_number(rng))
    return cvscore.Calibration(
        model=model if rng.random() < 0.9 else "line",
        prior=prior,
        half_width_fraction=draw_number(rng),
        half_width=draw_number(rng),
        num_pairs=3,
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
