"""Random arguments beside the points: cameras, poses, numbers, scores and options."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

import cvscore
from benchmarks.attack.points import Rng

K = np.array([[800.0, 0.0, 500.0], [0.0, 800.0, 500.0], [0.0, 0.0, 1.0]])


class _Unordered(int):
    """A number that can't be compared."""

    def __lt__(self, other: Any) -> bool:
        raise RuntimeError("of another unit")

    __gt__ = __le__ = __ge__ = __lt__


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


def draw_pose_matrix(rng: Rng) -> Any:
    """Return ``[R | t]`` (3, 4), mostly a sound one."""
    R, t = draw_pose(rng)
    whole = np.shape(R) == (3, 3) and np.shape(t) == (3,)
    return np.column_stack([R, t]) if whole else R


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
        np.float32(0.5),
        np.int8(3),
        _Unordered(3),
        np.array(2.0),
        np.array([2.0]),
        np.bool_(True),
        Fraction(1, 3),
        Decimal("0.5"),
        5e-324,
        -0.0,
        1 + 0j,
        np.ma.masked,
        b"1",
        object(),
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
    if rng.random() < 0.5:
        return cvscore.RansacOptions(max_iterations=100, **{name: draw_number(rng)})
    options = cvscore.RansacOptions(max_iterations=100)
    object.__setattr__(options, name, draw_number(rng))  # frozen, but not from this
    return options


def draw_quality(rng: Rng, num: int) -> Any:
    """Return qualities of so many matches, mostly none."""
    if rng.random() < 0.8:
        return None
    if rng.random() < 0.8:
        return rng.normal(size=num) * 10.0 ** rng.uniform(-300, 300)
    wrong = [np.full(num, np.nan), np.zeros(num + 1), np.full(num, np.inf), "best"]
    return wrong[int(rng.integers(len(wrong)))]


def draw_weights(rng: Rng, num: int) -> Any:
    """Return weights of so many matches, mostly none."""
    if rng.random() < 0.8:
        return None
    if rng.random() < 0.7:
        return np.exp(rng.uniform(0.0, 10.0) * rng.normal(size=num))
    others = [
        np.zeros(num),
        -np.ones(num),
        np.full(num, np.nan),
        np.full(num, np.inf),
        10.0 ** rng.uniform(-320, 308, num),
        np.ones(num + 1),
        np.ones((num, 1)),
        np.ones(num, dtype=np.bool_),
        (rng.random(num) < 0.5).astype(np.float32),
        [10**400] * num,
        "1",
    ]
    return others[int(rng.integers(len(others)))]
