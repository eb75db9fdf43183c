"""The loop with a line and with a mock: what it does is counted, not believed."""

import importlib.util
import time
from dataclasses import replace

import numpy as np
import pytest
from conftest import ROOT
from numba.core import config as numba_config
from synthetic import planar_scene, two_view_scene

from cvscore._numba import bound
from cvscore.models.essential import essential_model
from cvscore.models.fundamental import fundamental_model
from cvscore.models.homography import homography_model
from cvscore.ransac import loop
from cvscore.ransac.local_optimization import optimise
from cvscore.ransac.loop import LAST_BATCH, ransac, search
from cvscore.ransac.objective import Candidate, Objective
from cvscore.ransac.samplers import ProsacSampler, UniformSampler
from cvscore.ransac.stopping import (
    ENOUGH_CLEAN,
    MIN_SAMPLES,
    SECOND_LOOK,
    SearchStyle,
    trials_needed,
)
from cvscore.scores.baselines import InlierCount, Msac
from cvscore.scores.marginal_score import MarginalScore
from cvscore.types import RansacOptions

EXAMPLE = ROOT / "examples" / "fit_a_line.py"
spec = importlib.util.spec_from_file_location("fit_a_line", EXAMPLE)
fit_a_line = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fit_a_line)
LINE = fit_a_line.LINE


def line_scene(rng, num_inliers, num_outliers, noise):
    x = rng.uniform(0, 100, num_inliers)
    good = np.stack([x, 20 + 0.5 * x])
    normal = np.array([-0.5, 1.0]) / np.hypot(0.5, 1.0)
    good += normal[:, None] * rng.normal(0, noise, num_inliers)
    return np.hstack([good, rng.uniform(0, 100, (2, num_outliers))])


SCORES = [
    MarginalScore(half_width=30.0),
    Msac(threshold=1.5),
    InlierCount(threshold=1.5),
]


@pytest.mark.parametrize("score", SCORES, ids=lambda score: type(score).__name__)
def test_the_same_loop_fits_a_line_with_any_score(rng, score):
    points = line_scene(rng, 60, 60, 0.5)
    sampler = UniformSampler(120, 2)
    best, _ = ransac(LINE, points, score, sampler, RansacOptions())
    line = best.model / best.model[1]
    assert abs(line[0] + 0.5) < 0.02
    assert abs(line[2] + 20) < 0.8
    inliers = score.inliers(best.sq_residuals, 1, 2)
    assert inliers[:60].mean() > 0.8
    assert inliers[60:].mean() < 0.2


@pytest.mark.parametrize("noise", [0.01, 0.1, 1.0])
def test_the_scale_is_found_over_decades(rng, noise):
    points = line_scene(rng, 150, 50, noise)
    score = MarginalScore(half_width=30.0)
    best, _ = ransac(LINE, points, score, UniformSampler(200, 2), RansacOptions())
    assert score.scale(best.sq_residuals, 1, 2) == pytest.approx(noise, rel=0.3)


def counting(model):
    """A model that counts the samples it was asked to solve."""
    counts = {"samples": 0, "refits": 0}

    def solve(points, samples):
        counts["samples"] += len(samples)
        return model.solve(points, samples)

    def refit(one, points, weights):
        counts["refits"] += 1
        return model.refit(one, points, weights)

    return replace(model, solve=solve, refit=refit), counts


def test_iterations_are_the_samples_solved_and_never_more_than_allowed(rng):
    points = rng.uniform(0, 100, (2, 300))  # no line at all: the cap ends it
    for cap in (1, 7, 16, 100, 333):
        model, counts = counting(LINE)
        _, iterations = ransac(
            model,
            points,
            Msac(threshold=0.5),
            UniformSampler(300, 2),
            RansacOptions(max_iterations=cap),
        )
        assert iterations == cap == counts["samples"]


def test_better_samples_only_are_optimised_or_one_of_every_batch(rng):
    points = rng.uniform(0, 100, (2, 300))
    refits = []
    for often in (False, True):
        model, counts = counting(LINE)
        options = RansacOptions(max_iterations=2000)
        objective = Objective(model, points, Msac(threshold=0.5), options)
        style = SearchStyle(optimises_every_batch=often)
        search(objective, UniformSampler(300, 2), style)
        refits.append(counts["refits"])
    num_batches = 2000 // LAST_BATCH
    assert refits[0] < num_batches / 2
    assert refits[1] >= num_batches


def test_an_easy_scene_gets_a_second_look_if_allowed(rng):
    points = line_scene(rng, 140, 60, 0.1)
    assert SECOND_LOOK * trials_needed(140, 200, 2, 0.999) > MIN_SAMPLES
    for allowed, least in ((1000, MIN_SAMPLES), (10, 10)):
        options = RansacOptions(max_iterations=allowed)
        _, iterations = ransac(
            LINE, points, Msac(threshold=0.5), UniformSampler(200, 2), options
        )
        assert least <= iterations <= min(allowed, least + LAST_BATCH)


def test_a_clean_scene_gets_a_short_one(rng):
    points = line_scene(rng, 200, 0, 0.1)
    options, sampler = RansacOptions(), UniformSampler(200, 2)
    best, iterations = ransac(LINE, points, Msac(threshold=0.5), sampler, options)
    inliers = int(Msac(threshold=0.5).inliers(best.sq_residuals, 1, 2).sum())
    least = SECOND_LOOK * trials_needed(inliers, 200, 2, options.confidence)
    assert least <= iterations < MIN_SAMPLES


def test_stopping_follows_the_inlier_count(rng):
    points = line_scene(rng, 100, 100, 0.1)
    score = Msac(threshold=0.5)
    options = RansacOptions(max_iterations=10_000, confidence=0.9999)
    best, iterations = ransac(LINE, points, score, UniformSampler(200, 2), options)
    inliers = int(score.inliers(best.sq_residuals, 1, 2).sum())
    needed = trials_needed(inliers, 200, 2, options.confidence)
    assert needed <= iterations <= needed + 2 * LAST_BATCH


@pytest.mark.parametrize("min_iterations", [0, 400])
def test_clean_samples_in_vain_end_a_search_where_right_matches_come_first(
    rng, min_iterations
):
    points = line_scene(rng, 40, 260, 0.1)
    options = RansacOptions(max_iterations=5000, min_iterations=min_iterations)
    objective = Objective(LINE, points, Msac(threshold=0.5), options)
    order = np.arange(300.0, 0.0, -1.0)
    num_drawn = {}
    for share in (np.inf, ENOUGH_CLEAN):
        for sampler in (ProsacSampler(order, 2, 5000), UniformSampler(300, 2)):
            found = search(objective, sampler, SearchStyle(clean_share=share))
            num_drawn[share, type(sampler)] = found[1]
            num_inliers = int(objective.inliers(found[0]).sum())
            assert num_inliers == pytest.approx(40, abs=4)
    needed = trials_needed(num_inliers, 300, 2, options.confidence)
    assert (
        min(num_drawn[np.inf, s] for s in (ProsacSampler, UniformSampler))
        >= 0.9 * needed
    )
    assert num_drawn[ENOUGH_CLEAN, UniformSampler] >= 0.9 * needed
    least = max(MIN_SAMPLES, min_iterations)
    assert least <= num_drawn[ENOUGH_CLEAN, ProsacSampler] <= least + 2 * LAST_BATCH


def test_min_iterations_are_drawn(rng):
    points = line_scene(rng, 200, 0, 0.1)
    options = RansacOptions(min_iterations=400)
    _, iterations = ransac(
        LINE, points, Msac(threshold=1.0), UniformSampler(200, 2), options
    )
    assert iterations >= 400


def test_same_seed_same_bits_and_another_seed_another_search(rng):
    points = line_scene(rng, 40, 160, 1.0)

    def run(seed):
        return ransac(
            LINE,
            points,
            MarginalScore(half_width=30.0),
            UniformSampler(200, 2, seed),
            RansacOptions(seed=seed, max_iterations=64),
        )[0]

    assert (run(1).model == run(1).model).all()
    assert run(1).score == run(1).score


def test_a_search_in_slices_finds_the_same(rng, monkeypatch):
    points = line_scene(rng, 20, 100, 0.5)
    found, num_slices = [], []
    for work in (np.inf, 1.0):
        monkeypatch.setattr(loop, "WORK_OF_A_SLICE", work)
        score = MarginalScore(half_width=30.0)
        objective = Objective(LINE, points, score, RansacOptions(max_iterations=500))
        slices = []
        run = objective.run
        objective.run = lambda *given, run=run, slices=slices: (
            slices.append(given) or run(*given)
        )
        found.append(search(objective, UniformSampler(120, 2, 3)))
        num_slices.append(len(slices))
    (whole, num_whole), (sliced, num_sliced) = found
    assert num_whole == num_sliced
    assert np.array_equal(whole.model, sliced.model)
    assert whole.score == sliced.score
    assert num_slices[0] == 1
    assert num_slices[1] > 3


def test_the_best_of_a_batch_is_the_best(rng):
    points = line_scene(rng, 50, 50, 0.5)
    lines = LINE.solve(points, UniformSampler(100, 2).draw(500))
    score = MarginalScore(half_width=30.0)
    best = Objective(LINE, points, score).best_of(lines)
    each = [score.sweep(q, 1, 2).max() for q in LINE.residuals(lines, points)]
    assert best.score == pytest.approx(max(each), rel=1e-9)
    np.testing.assert_array_equal(best.model, lines[int(np.argmax(each))])


def test_local_optimisation_never_lowers_the_score(rng):
    points = line_scene(rng, 50, 50, 0.5)
    score = MarginalScore(half_width=30.0)
    for line in LINE.solve(points, UniformSampler(100, 2).draw(100)):
        objective = Objective(LINE, points, score)
        start = objective.best_of(line[None])
        end = optimise(objective, start)
        assert end.score >= start.score


def test_a_refit_that_makes_things_worse_is_not_taken(rng):
    points = line_scene(rng, 50, 50, 0.5)
    spoilt = replace(LINE, refit=lambda line, points, weights: line + 1e3)
    score = MarginalScore(half_width=30.0)
    objective = Objective(spoilt, points, score)
    start = objective.best_of(LINE.solve(points, UniformSampler(100, 2).draw(50)))
    assert optimise(objective, start) is start


def test_no_model_is_none():
    same = np.zeros((2, 30))
    best, iterations = ransac(
        LINE,
        same,
        MarginalScore(half_width=1.0),
        UniformSampler(30, 2),
        RansacOptions(max_iterations=50),
    )
    assert best is None
    assert iterations == 50
    objective = Objective(LINE, same, Msac(threshold=1.0))
    assert objective.best_of(np.zeros((0, 3))) is None


def test_points_in_any_form_are_read_by_value(rng):
    points = rng.uniform(-1, 1, (4, 200)).astype(np.float32)

    def search_among(given):
        score, options = MarginalScore(half_width=0.1), RansacOptions(max_iterations=64)
        sampler = UniformSampler(100, 4)
        return ransac(homography_model(), given, score, sampler, options)[0]

    some = points[:, ::2]
    found = [search_among(given) for given in (some, np.asfortranarray(some, float))]
    assert found[0].score == found[1].score
    with pytest.raises(ValueError, match="array, got shape"):
        search_among(points[0])


def test_a_candidate_keeps_its_own_residuals(rng):
    points = line_scene(rng, 50, 50, 0.5)
    score = MarginalScore(half_width=30.0)
    lines = LINE.solve(points, UniformSampler(100, 2).draw(50))
    best = Objective(LINE, points, score).best_of(lines)
    assert isinstance(best, Candidate)
    alone = LINE.residuals(best.model[None], points)[0]
    np.testing.assert_allclose(best.sq_residuals, alone, rtol=1e-6, atol=1e-9)


class Uncompiled:
    """A score without kernels of its own."""

    def __init__(self, score):
        self._score = score

    def kernels(self, num_points, dim, num_params):
        return None

    def __getattr__(self, name):
        return getattr(self._score, name)


@pytest.mark.parametrize("problem", ["homography", "fundamental", "essential"])
def test_the_loop_does_the_same_interpreted_and_compiled(rng, problem):
    if problem == "homography":
        scene, model = planar_scene(rng, num=450, inlier_ratio=0.4), homography_model()
    else:
        scene = two_view_scene(rng, num=450, inlier_ratio=0.5)
        model = fundamental_model()
    points = np.hstack([scene.x1, scene.x2]).T
    if problem == "essential":
        model = essential_model(scene.K1, scene.K2)
    points = np.ascontiguousarray(points)
    found = []
    marginal = MarginalScore(half_width=30.0)
    for score in (marginal, Uncompiled(marginal)):
        sampler = UniformSampler(450, model.sample_size, 5)
        options = RansacOptions(max_iterations=150)
        objective = Objective(model, points, score, options)
        assert objective.is_compiled == (score is marginal)
        found.append(search(objective, sampler))
    (compiled, num_compiled), (interpreted, num_interpreted) = found
    assert num_compiled == num_interpreted
    # But for refits, which the interpreted loop takes to their end each time; and for
    # the sign, which depends on the sample that was climbed from.
    sign = np.sign((compiled.model * interpreted.model).sum())
    np.testing.assert_allclose(compiled.model, sign * interpreted.model, atol=1e-5)
    assert compiled.score == pytest.approx(interpreted.score, rel=1e-7)


@pytest.mark.skipif(numba_config.DISABLE_JIT, reason="without kernels there is no time")
@pytest.mark.parametrize("num", [500, 2000, 20_000])
@pytest.mark.parametrize("model", ["homography", "fundamental"])
def test_slices_cost_less_than_a_hundredth(rng, monkeypatch, model, num):
    """A slice that has nothing to do takes next to nothing of one that has."""
    monkeypatch.setattr(bound, "_entries", {})  # without the checks of tests
    make = {"homography": homography_model, "fundamental": fundamental_model}[model]
    points = rng.uniform(-1, 1, (4, num))
    objective = Objective(
        make(),
        points,
        MarginalScore(half_width=0.1),
        RansacOptions(max_iterations=10**6),
    )
    sampler = UniformSampler(num, objective.model.sample_size)
    given = (
        loop._bound_sampler(sampler, compiled=objective.is_compiled),
        loop.generator(0),
        loop.limits_of(objective.options, loop.PLAIN),
    )

    def seconds(state):
        start = time.thread_time()
        end, _ = objective.run(loop._search, *given, state)
        assert end.is_over == (state.budget == 0)
        return time.thread_time() - start

    seconds(loop.new_search(0))  # compiles
    nothing = min(seconds(loop.new_search(0)) for _ in range(20))
    slice_of_work = min(seconds(loop.new_search(10**6)) for _ in range(3))
    print(f"{model} {num}: {1e6 * nothing:.0f} us of {1e3 * slice_of_work:.1f} ms")
    assert nothing < 0.01 * slice_of_work
