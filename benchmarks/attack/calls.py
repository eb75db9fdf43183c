"""Random calls of everything public: estimators, drop-ins, calibration, the CLI.

Estimators are found in the registry, so that new ones are attacked too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

import cvscore
from benchmarks.attack.arguments import (
    draw_calibration,
    draw_camera,
    draw_distortion,
    draw_number,
    draw_options,
    draw_pose,
    draw_pose_matrix,
    draw_quality,
    draw_score,
    draw_weights,
)
from benchmarks.attack.checks import REFUSALS, Call, is_of_rank_two
from benchmarks.attack.commands import (
    draw_calibrate_command,
    draw_match_command,
    draw_picture_command,
)
from benchmarks.attack.databases import IS_POSSIBLE, draw_verify_command
from benchmarks.attack.drop_ins import draw_drop_in
from benchmarks.attack.interrupts import draw_interrupted
from benchmarks.attack.members import check_members
from benchmarks.attack.points import Rng, draw_sets, length_of
from cvscore.estimators.registry import ESTIMATORS

MODELS = sorted(ESTIMATORS)
# Of the estimates that are asked how sure they are: that takes as long as they do.
SHARE_ASKED = 0.4


def draw_call(rng: Rng) -> Call:
    """Return a random call: mostly an estimate."""
    place = rng.random() * SHARES[-1]
    return DRAWS[int(np.searchsorted(SHARES, place, side="right"))](rng)


def _estimate(rng: Rng) -> Call:
    name = MODELS[int(rng.integers(len(MODELS)))]
    known = ESTIMATORS[name]
    form = known.forms[int(rng.integers(len(known.forms)))]
    sets = draw_sets(rng, form.data.dims)
    cameras = tuple(draw_camera(rng) for _ in range(2)) if known.needs_cameras else ()
    num = length_of(sets[0])
    quality, weights = draw_quality(rng, num), draw_weights(rng, num)

    def run() -> Any:
        choices = {"score": draw_score(rng), "options": draw_options(rng)}
        if choices["score"] is None:
            choices["calibration"] = draw_calibration(rng, name)
        choices |= _further_choices(rng, name)
        choices |= {"quality": quality, "weights": weights}
        found = known.run(*sets, cameras=cameras, **choices)
        # The essential matrix has rank two as the fundamental matrix has.
        if found and name in ("fundamental", "essential"):
            assert is_of_rank_two(found.model), "not of rank two"
        if found and rng.random() < SHARE_ASKED:
            check_members(rng, found, sets[0])
        return found

    return Call(f"estimate_{name}", run, [*sets, *cameras, quality, weights])


@lru_cache
def _parameters(name: str) -> frozenset[str]:
    return frozenset(inspect.signature(ESTIMATORS[name].estimate).parameters)


def _further_choices(rng: Rng, name: str) -> dict[str, Any]:
    """Return arguments that only some estimators have."""
    draws: dict[str, Callable[[], Any]] = {
        "dist": lambda: draw_distortion(rng),
        "dist1": lambda: draw_distortion(rng),
        "dist2": lambda: draw_distortion(rng),
        "solver": lambda: str(
            rng.choice(["native", "opencv", "cuda"], p=[0.9, 0.09, 0.01])
        ),
        "start": lambda: draw_pose_matrix(rng),
    }
    return {
        key: draw()
        for key, draw in draws.items()
        if key in _parameters(name) and rng.random() < 0.2
    }


def _select(rng: Rng) -> Call:
    x1, x2 = draw_sets(rng, (2, 2))
    camera = draw_camera(rng) if rng.random() < 0.5 else None

    def run() -> Any:
        found = cvscore.select_model(x1, x2, camera, options=draw_options(rng))
        return found.estimate

    return Call("select_model", run, [x1, x2, camera])


def _many(rng: Rng) -> Call:
    """Return an estimate of many pairs: each as good as a call of its own."""
    name = MODELS[int(rng.integers(len(MODELS)))]
    known = ESTIMATORS[name]
    pairs = [_draw_pair(rng, name) for _ in range(int(rng.integers(0, 5)))]
    workers = int(rng.integers(1, 3))

    def run() -> None:
        options = draw_options(rng)
        many = cvscore.estimate_many(
            pairs, name, options=options, num_workers=workers, progress=False
        )
        num = 0
        for pair, found in zip(pairs, many, strict=True):
            num += 1
            alone = _alone(known.estimate, pair, options)
            if alone is None:
                assert not found, "no error of its own"
                assert found.reason, "no reason"
                continue
            assert np.array_equal(found.inliers, alone.inliers), "other inliers"
            assert bool(found) == bool(alone), "another outcome"
            assert not found or np.array_equal(found.model, alone.model), "other model"
        assert num == len(pairs), "pairs are missing"

    return Call("estimate_many", run, [part for pair in pairs for part in pair])


def _alone(
    estimate: Callable[..., cvscore.Estimate],
    pair: tuple[Any, ...],
    options: cvscore.RansacOptions,
) -> cvscore.Estimate | None:
    """Return the estimate of a pair, None where it is refused."""
    try:
        return estimate(*pair, options=options)
    except REFUSALS:
        return None


def _draw_pair(rng: Rng, name: str) -> tuple[Any, ...]:
    known = ESTIMATORS[name]
    form = known.forms[int(rng.integers(len(known.forms)))]
    sets = draw_sets(rng, form.data.dims)
    num_cameras = form.data.dims.count(2) if known.needs_cameras else 0
    return *sets, *(draw_camera(rng) for _ in range(num_cameras))


def _priors(rng: Rng) -> Call:
    kind = int(rng.integers(4))
    values = [draw_number(rng) for _ in range(int(rng.integers(0, 6)))]
    runs: list[Callable[[], Any]] = [
        lambda: cvscore.fit_robust(values),
        lambda: cvscore.fit_mle(values),
        lambda: cvscore.InverseGamma(draw_number(rng), draw_number(rng)).scaled(
            draw_number(rng)
        ),
        lambda: draw_options(rng) and draw_score(rng),
    ]
    names = ("fit_robust", "fit_mle", "InverseGamma", "options and scores")
    return Call(names[kind], runs[kind], [values])


def _variance(rng: Rng) -> Call:
    x1, x2 = draw_sets(rng, (2, 2))
    model = MODELS[int(rng.integers(len(MODELS)))]
    K1, K2 = draw_camera(rng), draw_camera(rng)
    R, t = draw_pose(rng)
    of_pose = rng.random() < 0.5

    def run() -> None:
        if of_pose:
            given = {"R": R, "t": t, "model": model}
            variance = cvscore.variance_given_pose(x1, x2, K1, K2, **given)
        else:
            variance = cvscore.variance_unconstrained(x1, x2, K1, K2, model=model)
        assert variance is None or variance >= 0.0, f"a variance of {variance}"

    name = "variance_given_pose" if of_pose else "variance_unconstrained"
    return Call(name, run, [x1, x2, K1, K2, R, t])


def _calibrate(rng: Rng) -> Call:
    given = [draw_sets(rng, (2, 2)) for _ in range(2)]
    model = str(rng.choice(["homography", "fundamental", "essential"]))
    K1, (R, t) = draw_camera(rng), draw_pose(rng)
    truths = [
        {},
        {"K1": K1, "K2": K1},
        {"K1": K1, "K2": K1, "R": R, "t": t},
        {"H": rng.normal(size=(3, 3)) * 10.0 ** rng.uniform(-300, 300)},
    ]
    truth = truths[int(rng.integers(len(truths)))]
    right = rng.choice([0.0, 0.5, 1.0])

    def run() -> Any:
        pairs = [
            cvscore.LabelledPair(
                x1=x1, x2=x2, inliers=rng.random(length_of(x1)) < right, **truth
            )
            for x1, x2 in given
        ]
        fit = str(rng.choice(["robust", "mle"]))
        return cvscore.calibrate(
            pairs,
            model=model,
            fit=fit,
            options=draw_options(rng),
            half_widths=(0.02, 0.1),
        )

    return Call("calibrate", run, [points for pair in given for points in pair])


# What is called, and how often.
_DRAWS_AND_SHARES: tuple[tuple[Callable[[Rng], Call], float], ...] = (
    (_estimate, 0.56),
    (draw_drop_in, 0.22),
    (_select, 0.04),
    (_many, 0.02),
    (_priors, 0.08),
    (_variance, 0.03),
    (_calibrate, 0.02),
    (draw_interrupted, 0.02),
    (draw_match_command, 0.02),
    (draw_picture_command, 0.01),
    (draw_calibrate_command, 0.01),
    *([(draw_verify_command, 0.01)] if IS_POSSIBLE else []),
)
DRAWS = tuple(draw for draw, _ in _DRAWS_AND_SHARES)
SHARES = np.cumsum([share for _, share in _DRAWS_AND_SHARES])
