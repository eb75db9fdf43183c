"""``cvscore warmup``: compile what is not there yet, for later processes."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cvscore.cli.info import kernel_layers
from cvscore.cli.options import add_json_option, print_json
from cvscore.estimators.registry import RegisteredEstimator
from cvscore.types import Array, Estimate, RansacOptions

NUM_MATCHES = 400  # above the number at which candidates are previewed
CAMERA = np.array([[1000.0, 0.0, 500.0], [0.0, 1000.0, 500.0], [0.0, 0.0, 1.0]])
ROUGH_THRESHOLD = 5.0  # of scores that have one: ten times the noise
# Enough for every part of the search, where the loop is interpreted.
ROUGH = RansacOptions(max_iterations=400)


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "warmup",
        help="compile all kernels now, for later processes",
        description="Compile all kernels that did not come with the package and keep "
        "them on disk, so that no later process waits for them; in a container image, "
        "for example.",
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Run every estimator once, with a bar that counts compiled kernels."""
    from cvscore._numba.compile import announcer, kernels

    started = time.monotonic()
    with announcer.counting(len(kernels)) as bar:
        for label, step in steps():
            bar.label = f"compiling: {label}"
            step()
    seconds = time.monotonic() - started
    found = kernel_layers()
    compiled, folder = found["process"]["kernels"], found["machine"]["folder"]
    if options.json:
        print_json({"seconds": seconds, "kernels": found})
        return
    if compiled and folder is None:
        print(
            "nothing is kept: no writable folder; set NUMBA_CACHE_DIR", file=sys.stderr
        )
    kept = f", kept in {folder}" if compiled and folder else ""
    print(
        f"{len(found['layers'])} kernels ready, {compiled} of them compiled now{kept} "
        f"({seconds:.1f} s)"
    )


def steps() -> list[tuple[str, Callable[[], Any]]]:
    """Return calls that between them use every kernel, with labels."""
    return [
        *_estimates(),
        *_other_uses(),
        *_other_scores(),
        *_other_solvers(),
        ("own model", _run_own_model),
        ("scores by themselves", _score_residuals),
    ]


def _estimates(**choices: Any) -> list[tuple[str, Callable[[], Any]]]:
    """Every estimator, on every kind of data that it takes."""
    from cvscore.estimators import ESTIMATORS

    return [
        (
            form.counts.name,
            partial(
                _estimate,
                estimator,
                *_sets(form.data.dims),
                cameras=(CAMERA, CAMERA),
                **choices,
            ),
        )
        for estimator in ESTIMATORS.values()
        for form in estimator.forms
    ]


def _estimate(
    estimator: RegisteredEstimator, x1: Array, x2: Array, **choices: Any
) -> Estimate:
    """Run an estimator, and draw the curve of its score if it is ours."""
    from cvscore.draw.score_sweep import score_sweep

    found = _asked(estimator.run(x1, x2, **choices))
    if found.half_width > 0.0:
        score_sweep(found, x1, x2, estimator.name)
    return found


def _asked(found: Estimate) -> Estimate:
    """Ask an estimate for what it computes only then."""
    assert found, found.reason
    _ = found.evidence, found.covariance, found.reason_undetermined
    _ = found.alternatives, found.probabilities
    return found


def _other_uses() -> list[tuple[str, Callable[[], Any]]]:
    import cvscore

    x1, x2 = _matches()
    quality = np.linspace(1.0, 0.0, len(x1))
    lens = np.array([0.01, 0.0, 0.0, 0.0])
    noisy = _matches(noise=20.0)
    return [
        ("guess", _refine_a_guess),
        ("distortion", lambda: cvscore.estimate_essential(x1, x2, CAMERA, dist1=lens)),
        ("large noise", lambda: cvscore.estimate_fundamental(*noisy).probabilities),
        ("sampling", lambda: cvscore.estimate_homography(x1, x2, quality=quality)),
        ("probabilities", lambda: cvscore.estimate_homography(x1, x2).probabilities),
        ("sizes", _measure_points),
        ("which model", lambda: cvscore.select_model(x1, x2, CAMERA)),
        ("verification", _verify),
        ("other poses", _find_other_poses),
    ]


def _other_scores() -> list[tuple[str, Callable[[], Any]]]:
    """Each score once, and one without kernels with every estimator.

    The loop is interpreted then, and calls what is otherwise called by kernels.
    """
    import cvscore

    x1, x2 = _matches()
    scores = (
        cvscore.Msac(ROUGH_THRESHOLD),
        cvscore.GaussianUniform(ROUGH_THRESHOLD),
        cvscore.MagsacPlusPlus(ROUGH_THRESHOLD),
        cvscore.MarginalScore(label_prior=cvscore.BetaPrior(1.0, 1.0)),
    )
    counting = _estimates(score=cvscore.InlierCount(ROUGH_THRESHOLD), options=ROUGH)
    return [
        *((f"{name}, interpreted", call) for name, call in counting),
        *(
            (
                type(score).__name__,
                partial(
                    cvscore.estimate_homography, x1, x2, score=score, options=ROUGH
                ),
            )
            for score in scores
        ),
    ]


def _other_solvers() -> list[tuple[str, Callable[[], Any]]]:
    import cvscore

    if importlib.util.find_spec("cv2") is None:
        return []
    choices: dict[str, Any] = {"solver": "opencv", "options": ROUGH}
    x1, x2 = _matches()
    return [
        ("OpenCV's solver, H", partial(cvscore.estimate_homography, x1, x2, **choices)),
        (
            "OpenCV's solver, F",
            partial(cvscore.estimate_fundamental, x1, x2, **choices),
        ),
        (
            "OpenCV's solver, E",
            partial(cvscore.estimate_essential, x1, x2, CAMERA, **choices),
        ),
    ]


def _run_own_model() -> Estimate:
    """Estimate with a model that has no kernels, as those of users."""
    from cvscore.estimators.fundamental import ESTIMATOR
    from cvscore.models.fundamental import fundamental_model

    model = replace(fundamental_model(), kernels=None)
    points = ESTIMATOR.data.pack(*_matches())
    return _asked(ESTIMATOR.run(model, points, options=ROUGH))


def _score_residuals() -> None:
    """Call what only own code calls of the score."""
    import cvscore

    sq_residuals = np.linspace(0.0, 40.0, NUM_MATCHES)[None] ** 2
    for labels in (None, cvscore.BetaPrior()):
        score = cvscore.MarginalScore(half_width=20.0, label_prior=labels)
        score.best_prefix(sq_residuals, dim=2, num_params=8)
        score.best_prefix_by_sorting(sq_residuals, dim=2, num_params=8)


def _sets(dims: tuple[int, ...]) -> tuple[Array, Array]:
    """Points of so many coordinates each, of images or of clouds.

    So few points of the clouds match that samplers that look at them have a reason to.
    """
    if dims == (2, 2):
        return _matches()
    rng = np.random.default_rng(0)
    cloud = rng.uniform(0.0, 1000.0, (NUM_MATCHES, 3))
    wrong = slice(None, (2 * NUM_MATCHES) // 3)
    if dims == (2, 3):
        depths = 1500.0 + cloud[:, 2:]
        seen = 1000.0 * (cloud[:, :2] - 500.0) / depths + 500.0
        seen[wrong] = rng.uniform(0.0, 1000.0, seen[wrong].shape)
        return seen + rng.normal(0.0, 0.5, seen.shape), cloud
    moved = cloud + 50.0
    moved[wrong] = rng.uniform(0.0, 1000.0, moved[wrong].shape)
    moved += rng.normal(0.0, 0.5, moved.shape)
    return cloud, moved


def _refine_a_guess() -> None:
    import cvscore

    guess = np.column_stack([np.eye(3), [-500.0, -500.0, 1500.0]])
    options = cvscore.RansacOptions(max_iterations=1)
    seen, scene = _sets((2, 3))
    cvscore.estimate_absolute_pose(seen, scene, CAMERA, start=guess, options=options)


def _measure_points() -> None:
    """Measure the scene of matches, as calibration does, and bound them as drop-ins."""
    from cvscore.data.point_sets import are_within
    from cvscore.data.scene_region import scene_of
    from cvscore.two_view.image_pairs import SCENE_MATCHES

    x1, x2 = _matches()
    points = SCENE_MATCHES.pack(x1, x2)
    SCENE_MATCHES.size_of(scene_of(points, SCENE_MATCHES.dims))
    are_within(x1, 1.0)


def _verify() -> None:
    """Run what a pair of a COLMAP database goes through; pycolmap is not needed."""
    import cvscore
    from cvscore.colmap.cameras import PinholeView
    from cvscore.colmap.cleaning import clean_matches
    from cvscore.estimators.pair_geometry import PairOptions, estimate_pair

    indices = np.repeat(np.arange(NUM_MATCHES)[:, None], 2, axis=1)
    indices[0] = 1, 2  # a keypoint with two matches, as databases have them
    options = PairOptions(cvscore.RansacOptions(), 15)
    for calibrated, share_on_plane in ((True, 0.5), (True, 1.0), (False, 0.5)):
        views = (PinholeView(x, CAMERA, calibrated) for x in _matches(share_on_plane))
        estimate_pair(clean_matches(indices, *views).matches, options)


def _find_other_poses() -> None:
    """Look for the other pose of a plane, and for what is among the outliers."""
    import cvscore
    from cvscore.estimators.likeliest_pose import likeliest_pose

    found = cvscore.estimate_essential(*_matches(share_on_plane=1.0), CAMERA)
    assert isinstance(found.alternatives, tuple)
    likeliest_pose(found)


def _matches(share_on_plane: float = 0.5, noise: float = 0.5) -> tuple[Array, Array]:
    """Points on one plane and off it, with wrong matches, so that every step is run."""
    rng = np.random.default_rng(0)
    scene = rng.uniform([-2.0, -2.0, 4.0], [2.0, 2.0, 8.0], (NUM_MATCHES, 3))
    scene[: int(share_on_plane * NUM_MATCHES), 2] = 6.0
    moved = scene + np.array([1.0, 0.1, 0.2])
    x1, x2 = (1000.0 * X[:, :2] / X[:, 2:] + 500.0 for X in (scene, moved))
    wrong = slice(None, None, 3)
    x2[wrong] = rng.uniform(0.0, 1000.0, x2[wrong].shape)
    errors = rng.normal(0.0, noise, (2, NUM_MATCHES, 2))
    return x1 + errors[0], x2 + errors[1]
