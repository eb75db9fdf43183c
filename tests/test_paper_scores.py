"""Pools, rotation errors, and sweeps that must choose what brute force chooses."""

import subprocess
import sys

import cv2
import numba
import numpy as np
import pytest
from conftest import ROOT
from synthetic import rotation, rotation_angle, two_view_scene

from benchmarks.paper import record as records
from benchmarks.paper.envelope import Envelopes, SortedSweep
from benchmarks.paper.methods import BASELINES, START, Grid
from benchmarks.paper.pairs import PairKey, PaperPair
from benchmarks.paper.pool import chunks, draw_models, prepare
from benchmarks.paper.rotations import FAILURE, essential_errors, homography_errors
from benchmarks.paper.tables import SCORES, TableSweep
from benchmarks.paper.truth import noise_variance, right_matches
from cvscore.priors import InverseGamma
from cvscore.scores.baselines import InlierCount, Msac
from cvscore.scores.marginal import MarginalScore

JIT = not numba.config.DISABLE_JIT
PRIORS = [
    InverseGamma.jeffreys(),
    InverseGamma(1.0, 0.5),
    InverseGamma(0.3, 20.0),
    InverseGamma(500.0, 300.0),
]


def pair_of(scene, with_labels=True):
    return PaperPair(
        key=PairKey("scene", "pair"),
        x1=scene.x1,
        x2=scene.x2,
        K1=scene.K1,
        K2=scene.K2,
        R=scene.R,
        t=scene.t,
        confidence=np.ones(len(scene.x1)),
        is_inlier=scene.is_inlier if with_labels else None,
    )


def pair_for(problem, rng, num=300, noise=0.7, inlier_ratio=0.5):
    """Two views with their pose; of a plane, and labelled, as HEB has them, for H."""
    is_plane = problem == "H"
    scene = two_view_scene(rng, num, inlier_ratio, noise, planar=is_plane)
    return pair_of(scene, with_labels=is_plane)


# Errors


def true_homography(rng):
    R, t = rotation(rng.normal(0, 0.3, 3)), rng.normal(0, 0.3, 3)
    normal = np.append(rng.normal(0, 0.3, 2), 1.0)
    return R, R + np.outer(t, normal)


def test_rotation_of_a_homography_is_found_and_measured(rng):
    for _ in range(50):
        R, H = true_homography(rng)
        turn = rotation(rng.normal(0, 0.1, 3))
        found = homography_errors(rng.uniform(0.1, 9) * H[None], turn @ R)
        # Of the two rotations of H one is R; the other may be nearer by chance.
        assert found[0] <= rotation_angle(turn) + 1e-6
        assert homography_errors(-H[None], R)[0] < 1e-6


def test_rotations_of_homographies_agree_with_opencv(rng):
    for _ in range(100):
        H, truth = rng.normal(size=(3, 3)), rotation(rng.normal(size=3))
        if np.linalg.det(H) < 0:
            H = -H
        _, theirs, _, _ = cv2.decomposeHomographyMat(H, np.eye(3))
        expected = min(rotation_angle(R @ truth.T) for R in theirs)
        assert abs(homography_errors(H[None], truth)[0] - expected) < 1e-4


def test_a_homography_without_parallax_is_its_rotation(rng):
    R = rotation(rng.normal(0, 0.3, 3))
    assert homography_errors(3.0 * R[None], R)[0] < 1e-6


def test_rotations_of_essential_matrices_agree_with_opencv(rng):
    for _ in range(100):
        x, y, z = rng.normal(size=3)
        E = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ rotation(
            rng.normal(size=3)
        )
        truth = rotation(rng.normal(size=3))
        one, two, _ = cv2.decomposeEssentialMat(E)
        expected = min(rotation_angle(one @ truth.T), rotation_angle(two @ truth.T))
        assert abs(essential_errors(E[None], truth)[0] - expected) < 1e-4
        assert essential_errors(-E[None], truth)[0] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("problem", ["E", "F", "H"])
def test_pools_without_noise_hold_the_truth(rng, problem):
    pair = pair_for(problem, rng, num=60, noise=0.0)
    prepared = prepare(pair, problem)
    models = draw_models(pair, prepared, 300, seed=0)
    errors = prepared.errors(models, pair.R)
    assert errors.min() < 1e-4
    # The model with the least residuals is the right one, seen in pixels.
    if problem != "H":
        best = np.argmin(np.median(prepared.sq_residuals(models), axis=1))
        assert errors[best] < 0.1


@pytest.mark.parametrize("problem", ["E", "F", "H"])
def test_pools_depend_on_seed_and_pair_alone(rng, problem):
    pair = pair_for(problem, rng)
    prepared = prepare(pair, problem)
    one = draw_models(pair, prepared, 50, seed=3)
    assert np.array_equal(one, draw_models(pair, prepared, 50, seed=3))
    assert not np.array_equal(one[0], draw_models(pair, prepared, 50, seed=4)[0])


@pytest.mark.parametrize("problem", ["E", "F", "H"])
def test_the_solvers_of_opencv_give_the_same_best_models(rng, problem):
    pair = pair_for(problem, rng, num=40, noise=0.0, inlier_ratio=1.0)
    errors = []
    for solver in ("native", "opencv"):
        prepared = prepare(pair, problem, solver)
        models = draw_models(pair, prepared, 30, seed=1)
        errors.append(prepared.errors(models, pair.R).min())
    assert max(errors) < 0.05


def test_copies_are_collapsed(rng):
    scene = two_view_scene(rng, num=50)
    pair = pair_of(scene)
    twice = PaperPair(
        **{**vars(pair), "x1": np.repeat(pair.x1, 2, 0), "x2": np.repeat(pair.x2, 2, 0),
           "is_inlier": np.repeat(scene.is_inlier, 2)}
    )  # fmt: skip
    prepared = prepare(twice, "F")
    assert prepared.points.shape[1] == 50
    assert right_matches(twice, prepared).sum() == scene.is_inlier.sum()


# Sweeps


def pool_residuals(problem, rng, num_points, num_samples):
    pair = pair_for(problem, rng, num_points)
    prepared = prepare(pair, problem)
    models = draw_models(pair, prepared, num_samples, seed=0)
    return prepared, models, prepared.sq_residuals(models)


def swept(sq_residuals, sq_thresholds):
    sweep = SortedSweep.of(sq_residuals.shape[1], sq_thresholds)
    for first in range(0, len(sq_residuals), 50):
        sweep.absorb(sq_residuals[first : first + 50], first)
    return sweep


def scores_agree(values, winners):
    """The chosen models are the best ones, up to the rounding of a sum."""
    best = values.max(axis=0)
    chosen = values[winners, np.arange(values.shape[1])]
    return np.all(chosen >= best - 1e-9 * np.maximum(1.0, np.abs(best)))


def tied_residuals(rng):
    """Few distinct values, zeros, infinities: everything that ties."""
    return rng.choice([0.0, 0.25, 1.0, 4.0, np.inf], size=(60, 40))


@pytest.mark.parametrize("problem", ["E", "F", "H", "ties"])
def test_sorting_serves_every_threshold(rng, problem):
    if problem == "ties":
        sq_residuals = tied_residuals(rng)
    else:
        _, _, sq_residuals = pool_residuals(problem, rng, 120, 60)
    grid = np.geomspace(0.05, 50, 60)
    sweep = swept(sq_residuals, np.stack([grid, grid]) ** 2)
    counts = np.stack(
        [InlierCount(tau).evaluate(sq_residuals, 1, 5) for tau in grid], axis=1
    )
    # A count is an integer: the very first of the best models wins.
    assert np.array_equal(sweep.winner[0], counts.argmax(axis=0))
    assert np.array_equal(sweep.best[0], counts.max(axis=0))
    gains = np.stack([Msac(tau).evaluate(sq_residuals, 1, 5) for tau in grid], axis=1)
    assert scores_agree(gains, sweep.winner[1])
    assert np.allclose(sweep.best[1], gains.max(axis=0), rtol=1e-12)


@pytest.mark.parametrize("problem", ["E", "F", "H", "ties"])
@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_one_envelope_serves_every_half_width_and_prior(rng, problem, prior):
    if problem == "ties":
        sq_residuals, dim, num_params = tied_residuals(rng), 1, 5
    else:
        prepared, _, sq_residuals = pool_residuals(problem, rng, 90, 50)
        dim = prepared.geometry.residual_dim
        num_params = prepared.geometry.num_params
    floor = 1e-9
    sweep = swept(sq_residuals, np.ones((2, 1)))
    num_models, num_points = sq_residuals.shape
    errors = np.arange(num_models, dtype=np.float64)  # so that an error names a model
    envelopes = Envelopes(
        starts=np.array([0, num_points]),
        rss=sweep.rss,
        errors=errors[sweep.holder],
        floors=np.array([floor]),
        dim=dim,
        num_params=num_params,
    )
    widths = np.geomspace(0.01, 1e5, 80)
    winners = envelopes.sweep(prior, widths, FAILURE)[0].astype(int)
    values = np.stack(
        [
            MarginalScore(
                prior=prior, half_width=a, rss_floor=floor
            ).best_prefix_by_sorting(sq_residuals, dim, num_params)[0]
            for a in widths
        ],
        axis=1,
    )
    assert scores_agree(values, winners)


def test_envelopes_of_several_pairs_do_not_mix(rng):
    sizes = (30, 50, 20)
    rss = [np.cumsum(np.sort(rng.exponential(1, n))) for n in sizes]
    errors = [rng.uniform(0, 10, n) for n in sizes]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    widths = np.geomspace(0.1, 100, 17)
    prior = InverseGamma(1.0, 0.2)
    together = Envelopes(
        starts, np.concatenate(rss), np.concatenate(errors), np.full(3, 1e-9), 2, 8
    ).sweep(prior, widths, FAILURE)
    for i, n in enumerate(sizes):
        alone = Envelopes(np.array([0, n]), rss[i], errors[i], np.full(1, 1e-9), 2, 8)
        assert np.array_equal(together[i], alone.sweep(prior, widths, FAILURE)[0])


def test_a_pair_without_models_has_failed():
    nothing = np.full(5, np.inf)
    envelopes = Envelopes(np.array([0, 5]), nothing, nothing, np.zeros(1), 1, 5)
    chosen = envelopes.sweep(InverseGamma.jeffreys(), np.array([1.0]), FAILURE)
    assert chosen.tolist() == [[FAILURE]]


@pytest.mark.parametrize("problem", ["E", "F", "H", "ties"])
def test_tables_choose_what_the_definition_chooses(rng, problem):
    if problem == "ties":
        sq_residuals, dim, num_params = tied_residuals(rng), 1, 5
    else:
        prepared, _, sq_residuals = pool_residuals(problem, rng, 120, 60)
        dim = prepared.geometry.residual_dim
        num_params = prepared.geometry.num_params
    grids = {"GaU": np.geomspace(0.1, 10, 25), "MAGSAC++": np.geomspace(0.3, 30, 25)}
    sweep = TableSweep(len(sq_residuals), grids, dim, num_params)
    for first in range(0, len(sq_residuals), 50):
        sweep.absorb(sq_residuals[first : first + 50], first)
    num_points = sq_residuals.shape[1]
    winners = sweep.winners(lambda rows: sq_residuals[rows], num_points)
    bounds = sweep._table.bound.reshape(2, -1) * num_points
    for row, (name, score) in enumerate(SCORES.items()):
        values = np.stack(
            [score(t).evaluate(sq_residuals, dim, num_params) for t in grids[name]],
            axis=1,
        )
        assert np.array_equal(winners[row], values.argmax(axis=0))
        part = sweep._scores[:, row * 25 : (row + 1) * 25]
        assert np.all(np.abs(part - values) <= bounds[row])


@pytest.mark.skipif(not JIT, reason="speed without the compiler says nothing")
def test_a_grid_costs_little_more_than_an_evaluation():
    # In a process of its own, where one thread multiplies matrices.
    lines = "import benchmarks; from benchmarks.paper.cost import grid_ratios as g"
    done = subprocess.run(
        [sys.executable, "-c", f"{lines}; print(*g())"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    by_sorting, by_table = map(float, done.stdout.split())
    assert by_sorting < 3
    assert by_table < 20


# Truth and records


@pytest.mark.parametrize("problem", ["E", "F"])
def test_right_matches_of_a_known_pose_need_no_threshold(rng, problem):
    for noise in (0.1, 1.0, 4.0):
        scene = two_view_scene(rng, num=400, noise=noise)
        pair = pair_of(scene, with_labels=False)
        prepared = prepare(pair, problem)
        found = right_matches(pair, prepared)
        assert found[scene.is_inlier].mean() > 0.8
        assert noise_variance(pair, prepared, found) == pytest.approx(noise**2, rel=0.5)


def test_variance_of_a_plane_is_that_of_its_noise(rng):
    pair = pair_for("H", rng, num=800, noise=0.6)
    prepared = prepare(pair, "H")
    variance = noise_variance(pair, prepared, right_matches(pair, prepared))
    # 400 matches of two dimensions: the standard error is five percent.
    assert variance == pytest.approx(0.36, rel=0.3)


class OnePair:
    def __init__(self, pair):
        self.pair = pair

    def keys(self):
        return [self.pair.key]

    def load(self, key):
        return self.pair


def small_grids(num=12):
    return {name: Grid.around(START[name], num) for name in BASELINES}


@pytest.mark.parametrize("problem", ["E", "F", "H"])
def test_a_record_holds_what_brute_force_finds(rng, problem):
    pair = pair_for(problem, rng, num=150)
    settings = records.Settings(problem, num_samples=80)
    grids = small_grids()
    record = records.evaluate(OnePair(pair), pair.key, settings, grids, "stamp")
    prepared = prepare(pair, problem)
    models = draw_models(pair, prepared, 80, seed=0)
    errors = prepared.errors(models, pair.R)
    assert record.num_models == len(models)
    assert record.oracle == errors.min()
    sq_residuals = np.vstack([r for _, r in chunks(prepared, models)])
    counts = prepared.geometry.residual_dim, prepared.geometry.num_params
    scores = {"RANSAC": InlierCount, "MSAC": Msac, **SCORES}
    for row, name in enumerate(BASELINES):
        for g, tau in enumerate(grids[name].values):
            best = np.argmax(scores[name](tau).evaluate(sq_residuals, *counts))
            assert record.baselines[row, g] == np.float32(errors[best])


def test_too_few_matches_are_a_failure(rng):
    pair = pair_of(two_view_scene(rng, num=4, inlier_ratio=1.0), with_labels=False)
    settings = records.Settings("E", num_samples=20)
    record = records.evaluate(OnePair(pair), pair.key, settings, small_grids(), "stamp")
    assert record.num_models == 0
    assert (record.baselines == FAILURE).all()
    assert record.oracle == FAILURE
    assert np.isnan(record.variance)


def test_records_round_trip_and_every_flipped_byte_is_noticed(rng):
    pair = pair_for("F", rng, num=60)
    settings = records.Settings("F", num_samples=20)
    record = records.evaluate(OnePair(pair), pair.key, settings, small_grids(3), "s")
    data = records.to_bytes(record)
    assert data == records.to_bytes(record)
    again = records.from_bytes(data)
    for name, value in vars(record).items():
        assert np.array_equal(getattr(again, name), value, equal_nan=name == "variance")
    for place in rng.integers(0, len(data), 50):
        broken = bytearray(data)
        broken[place] ^= 1
        with pytest.raises(records.CorruptRecord):
            records.from_bytes(bytes(broken))
    for length in (0, 5, len(data) // 2, len(data) - 1):
        with pytest.raises(records.CorruptRecord):
            records.from_bytes(data[:length])
