"""Every kernel, on small data: for runs without the JIT and with bounds checks.

`.ci/` runs this file with ``NUMBA_DISABLE_JIT=1``, where the sources of the kernels
are interpreted, and with ``NUMBA_BOUNDSCHECK=1``, where an index out of bounds raises
instead of reading elsewhere.  What is called are the public functions, each asserted
against the truth of its scene; without the JIT the last test names the kernels that
none of these calls has run.
"""

import sys
from dataclasses import replace

import cv2
import numba
import numpy as np
import pytest
from facade import Facade
from kernel_calls import in_words, kernels_of_codes, kernels_of_sources, recorded_calls
from map_scenes import KINDS, map_scene
from map_scenes import corner_error as map_error
from seen_points import pose_error as placement_error
from seen_points import seen_points
from synthetic import (
    corner_error,
    packed,
    planar_scene,
    pose_error,
    project,
    rotation,
    two_view_scene,
)
from walls import Wall

import cvscore
from cvscore.calibration.calibrate import calibrate
from cvscore.calibration.labelled_pairs import LabelledPair
from cvscore.colmap.cameras import PinholeView
from cvscore.colmap.cleaning import clean_matches
from cvscore.data.normalization import region_of
from cvscore.estimators.likeliest_pose import likeliest_pose
from cvscore.estimators.pair_geometry import PairOptions, estimate_pair
from cvscore.models.solvers.five_point import essential_5pt
from cvscore.scores.marginal_kernels import unpacked
from cvscore.scores.marginal_score import MarginalScore
from cvscore.scores.residual_bins import sorted_between
from cvscore.two_view.plane_check import check_for_plane
from cvscore.types import RansacOptions

INTERPRETED = bool(numba.config.DISABLE_JIT)
QUICK = RansacOptions(max_iterations=60)
NOISE = 0.5
# Candidates are previewed on some of the points from 320 points on.
MANY = 330

codes_run = set()


@pytest.fixture(autouse=True, scope="module")
def _nothing_remembered():
    """Forget results of kernels that other tests have run."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "cvscore":
            for value in list(vars(module).values()):
                if callable(getattr(value, "cache_clear", None)):
                    value.cache_clear()


@pytest.fixture(autouse=True)
def _recorded():
    with recorded_calls(codes_run):
        yield


def homography_scene(rng, num=80, **choices):
    return planar_scene(rng, num, inlier_ratio=0.7, noise=NOISE, **choices)


def general_scene(rng, num=80, **choices):
    return two_view_scene(rng, num, inlier_ratio=0.7, noise=NOISE, **choices)


def check(found, scene):
    """The model has the right matches, and their noise."""
    assert found.inliers[scene.is_inlier].mean() > 0.8
    assert found.scale == pytest.approx(NOISE, rel=0.6)
    assert found.is_significant


# Estimators.


def test_wild_coordinates(rng):
    scene = homography_scene(rng)
    wild = np.flatnonzero(~scene.is_inlier)[:3]
    scene.x2[wild] = 1e40
    found = cvscore.estimate_homography(scene.x1, scene.x2, options=QUICK)
    check(found, scene)


def test_most_matches_are_wild_in_some_coordinate(rng):
    points = rng.uniform(0, 1, (4, 200))
    for row, values in enumerate(points):
        values[40 * row : 40 * (row + 1)] = rng.uniform(-1e6, 1e6, 40)
    assert (region_of(points).spreads < 1.5).all()


@pytest.mark.parametrize("num", [80, MANY])
def test_homography(num, rng):
    scene = homography_scene(rng, num)
    found = cvscore.estimate_homography(scene.x1, scene.x2, options=QUICK)
    check(found, scene)
    assert corner_error(found.model, scene) < 4.0
    assert ((found.probabilities > 0.5) == found.inliers).mean() > 0.9


def test_fundamental(rng):
    scene = general_scene(rng)
    found = cvscore.estimate_fundamental(scene.x1, scene.x2, options=QUICK)
    check(found, scene)


def test_both_poses_of_a_wall():
    wall = Wall(0, num=60)
    found = wall.estimate()
    errors = [pose_error(*one.pose, wall) for one in (found, *found.alternatives)]
    assert len(errors) == 2
    assert pose_error(*likeliest_pose(found).pose, wall) == min(errors) < 3.0


def test_essential(rng):
    scene = general_scene(rng)
    cameras = scene.K1, scene.K2
    found = cvscore.estimate_essential(scene.x1, scene.x2, *cameras, options=QUICK)
    check(found, scene)
    assert np.degrees(np.arccos(min(found.pose.t @ scene.t, 1.0))) < 20.0


@pytest.mark.parametrize("num", [80, MANY])
def test_absolute_pose(num, rng):
    seen = seen_points(rng, num, 0.4, noise=NOISE)
    options = RansacOptions(max_iterations=150, min_iterations=150)
    found = cvscore.estimate_absolute_pose(seen.x, seen.X, seen.K, options=options)
    check(found, seen)
    assert placement_error(found.model, seen) < 2.0


def test_absolute_pose_from_a_guess(rng):
    seen = seen_points(rng, 60, 0.2, noise=NOISE)
    answer = cvscore.solvePnPRansac(
        *(seen.X, seen.x, seen.K, None),
        *(cv2.Rodrigues(seen.R)[0], seen.t[:, None].copy()),
        useExtrinsicGuess=True,
        iterationsCount=1,
    )
    assert answer[0]
    assert len(answer[3]) >= 0.8 * seen.is_inlier.sum()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [2, 3])
def test_maps(kind, dim, rng):
    scene = map_scene(rng, kind, dim, 80, noise=NOISE)
    estimate = getattr(cvscore, f"estimate_{kind}")
    found = estimate(scene.x1, scene.x2, options=QUICK)
    assert found.inliers[scene.is_right].mean() > 0.8
    assert found.scale == pytest.approx(NOISE, rel=0.6)
    assert found.is_significant


@pytest.mark.parametrize("kind", ["rigid", "similarity"])
def test_samples_that_keep_their_distances(kind, rng):
    scene = map_scene(rng, kind, 3, 60, share_right=0.3, noise=NOISE)
    estimate = getattr(cvscore, f"estimate_{kind}")
    found = estimate(scene.x1, scene.x2, options=RansacOptions(max_iterations=100))
    assert found.iterations > 50
    assert found.inliers[scene.is_right].mean() > 0.8


def test_copies_and_many_to_one_matches(rng):
    scene = homography_scene(rng)
    x1, x2 = np.vstack([scene.x1, scene.x1[:9]]), np.vstack([scene.x2, scene.x2[:9]])
    x2[70:78] = x2[70]
    quality = np.linspace(1.0, 0.0, len(x1))
    found = cvscore.estimate_homography(x1, x2, quality=quality, options=QUICK)
    np.testing.assert_array_equal(found.inliers[80:], found.inliers[:9])


@pytest.mark.parametrize(
    "score",
    [
        cvscore.InlierCount(2.0),
        cvscore.Msac(2.0),
        cvscore.GaussianUniform(2.0),
        cvscore.MagsacPlusPlus(2.0),
        MarginalScore(label_prior=cvscore.BetaPrior(1.0, 1.0)),
    ],
    ids=lambda score: type(score).__name__,
)
def test_other_scores(score, rng):
    scene = homography_scene(rng)
    found = cvscore.estimate_homography(
        scene.x1, scene.x2, score=score, options=RansacOptions(max_iterations=32)
    )
    assert found.inliers[scene.is_inlier].mean() > 0.6


@pytest.mark.parametrize("model", ["homography", "fundamental"])
def test_few_right_matches_are_sampled_by_coherence(model, rng):
    make = planar_scene if model == "homography" else two_view_scene
    scene = make(rng, 70, inlier_ratio=0.25, noise=NOISE)
    estimate = getattr(cvscore, f"estimate_{model}")
    found = estimate(scene.x1, scene.x2, options=RansacOptions(max_iterations=200))
    assert found.iterations > 100


def test_large_noise_widens_the_half_width(rng):
    scene = planar_scene(rng, 120, inlier_ratio=0.8, noise=12.0)
    found = cvscore.estimate_homography(scene.x1, scene.x2, options=QUICK)
    assert found.inliers[scene.is_inlier].mean() > 0.5
    # Noise as wide as near misses would be, and no narrower group among them.
    assert found.probabilities[found.inliers].mean() > 0.5


def test_a_facade_with_repeats(rng):
    facade = Facade(rng)
    found = cvscore.estimate_fundamental(facade.x1, facade.x2, options=QUICK)
    assert found.is_significant
    assert found.is_determined == (not found.reason_undetermined)


def test_a_plane_is_looked_for_by_a_score_with_a_threshold(rng):
    scene, score = general_scene(rng, planar=True), cvscore.Msac(6.0 * NOISE)
    found = cvscore.estimate_fundamental(scene.x1, scene.x2, score=score, options=QUICK)
    assert found.inliers[scene.is_inlier].mean() > 0.8


def test_matches_from_behind_the_cameras(rng):
    """A few right-looking matches of points behind, which cheirality rules out."""
    scene = general_scene(rng, 160)
    rays = np.column_stack([rng.uniform(-0.4, 0.4, (12, 2)), np.ones(12)])
    X = -rng.uniform(4.0, 9.0, (12, 1)) * rays
    Y = X @ scene.R.T + scene.t
    x1 = np.vstack([scene.x1, project(scene.K1, X[:, :2] / X[:, 2:])])
    x2 = np.vstack([scene.x2, project(scene.K2, Y[:, :2] / Y[:, 2:])])
    found = cvscore.estimate_essential(x1, x2, scene.K1, scene.K2, options=QUICK)
    assert found.inliers[:160][scene.is_inlier].mean() > 0.8


# Model selection.


def turned(rng, scene):
    """The same scene seen by a camera that only turned."""
    R = rotation(rng.normal(0, 0.1, 3))
    x2 = project(scene.K2 @ R @ np.linalg.inv(scene.K1), scene.x1)
    x2 += rng.normal(0, NOISE, x2.shape)
    return replace(scene, x2=np.where(scene.is_inlier[:, None], x2, scene.x2))


@pytest.mark.parametrize("kind", ["general", "planar", "rotation"])
def test_select_model(kind, rng):
    scene = general_scene(rng, planar=kind == "planar")
    if kind == "rotation":
        scene = turned(rng, scene)
    cameras = scene.K1, scene.K2
    found = cvscore.select_model(scene.x1, scene.x2, *cameras, options=QUICK)
    assert found.kind == kind


# The drop-in.


def test_drop_in(rng):
    plane, scene = homography_scene(rng, 40), general_scene(rng, 40)
    H, mask = cvscore.findHomography(plane.x1, plane.x2, cv2.RANSAC, 3.0, None, 40)
    assert corner_error(H, plane) < 8.0
    assert mask[plane.is_inlier].mean() > 0.8
    F, mask = cvscore.findFundamentalMat(scene.x1, scene.x2, cv2.RANSAC, 3.0, 0.99, 40)
    assert F.shape == (3, 3)
    E, mask = cvscore.findEssentialMat(scene.x1, scene.x2, scene.K1, maxIters=40)
    assert E.shape == (3, 3)
    scene = map_scene(rng, "similarity", 2, 40)
    model, mask = cvscore.estimateAffinePartial2D(scene.x1, scene.x2, maxIters=40)
    assert map_error(model, scene) < 8.0


@pytest.mark.parametrize("model", ["homography", "fundamental", "essential"])
def test_solvers_of_opencv(model, rng):
    scene = (homography_scene if model == "homography" else general_scene)(rng, 40)
    cameras = (scene.K1, scene.K2) if model == "essential" else ()
    found = getattr(cvscore, f"estimate_{model}")(
        scene.x1,
        scene.x2,
        *cameras,
        solver="opencv",
        options=RansacOptions(max_iterations=16),
    )
    assert found.model is not None


# COLMAP's pairs.


def pair_of(scene, *, calibrated):
    num = len(scene.x1)
    indices = np.repeat(np.arange(num)[:, None], 2, axis=1)
    rival = np.array([[0, 1], [2, 1]])  # keypoints with more than one match
    views = (
        PinholeView(x, K, calibrated)
        for x, K in ((scene.x1, scene.K1), (scene.x2, scene.K2))
    )
    return clean_matches(np.vstack([indices, rival]), *views).matches


@pytest.mark.parametrize("calibrated", [False, True])
@pytest.mark.parametrize("planar", [False, True])
def test_colmap_pair(calibrated, planar, rng):
    scene = general_scene(rng, 100, planar=planar)
    found = estimate_pair(
        pair_of(scene, calibrated=calibrated), PairOptions(QUICK, min_inliers=15)
    )
    assert found.configuration != "DEGENERATE"
    assert found.inliers[:100][scene.is_inlier].mean() > 0.8


def test_plane_check(rng):
    scene = planar_scene(rng, MANY, inlier_ratio=1.0, noise=NOISE)
    points = packed(scene.x1, scene.x2)
    found = check_for_plane(points, scene.is_inlier, 3.0 * NOISE, seed=0)
    assert found.scale == pytest.approx(NOISE, rel=0.3)


# Calibration.


@pytest.mark.parametrize("model", ["homography", "fundamental", "essential"])
def test_calibration(model, rng):
    make = homography_scene if model == "homography" else general_scene
    scenes = [make(rng, 40) for _ in range(2)]
    pairs = [labelled(model, scene) for scene in scenes]
    learned = calibrate(
        pairs,
        model=model,
        half_widths=[0.025],
        options=RansacOptions(max_iterations=32),
    )
    assert learned.prior.beta > 0.0


def labelled(model, scene):
    given = {"x1": scene.x1, "x2": scene.x2, "inliers": scene.is_inlier}
    if model == "homography":
        return LabelledPair(**given, H=scene.H)
    return LabelledPair(**given, K1=scene.K1, K2=scene.K2, R=scene.R, t=scene.t)


# What only tests and benchmarks call.


def test_definitions(rng):
    q = rng.exponential(1.0, (3, 20))
    score = MarginalScore(half_width=30.0)
    fast, slow = score.best_prefix(q, 2, 8), score.best_prefix_by_sorting(q, 2, 8)
    np.testing.assert_allclose(fast[0], slow[0])
    scene = general_scene(rng, 5)
    x1, x2 = (
        np.column_stack([x, np.ones(5)]) @ np.linalg.inv(K).T
        for x, K in ((scene.x1, scene.K1), (scene.x2, scene.K2))
    )
    rays = np.hstack([x / np.linalg.norm(x, axis=1)[:, None] for x in (x1, x2)])
    for E in essential_5pt(rays[None]):
        np.testing.assert_allclose((x2 @ E * x1).sum(axis=1), 0.0, atol=1e-9)


@pytest.mark.parametrize("num", [20, 900])
def test_residuals_of_a_bin_are_sorted(num, rng):
    """Few and many of them; real rows seldom have many in one bin."""
    row, scratch, ordered = rng.uniform(0.0, 2.0, num), np.empty(num + 1), np.empty(num)
    num_between = sorted_between(row, 0.5, 1.5, scratch, ordered)
    between = np.sort(row[(row >= 0.5) & (row < 1.5)])
    np.testing.assert_array_equal(ordered[:num_between], between)


@pytest.mark.skipif(
    not numba.config.BOUNDSCHECK or INTERPRETED, reason="bounds are not checked"
)
def test_bounds_are_checked():
    with pytest.raises(IndexError, match="out of bounds"):
        unpacked(np.zeros(3))


@pytest.mark.skipif(not INTERPRETED, reason="compiled kernels cannot be counted")
def test_every_kernel_was_run():
    """By the tests above; this one has to be the last."""
    missed = kernels_of_sources() - kernels_of_codes(codes_run)
    assert not missed, "\n".join(["these were not run:", *in_words(missed)])
