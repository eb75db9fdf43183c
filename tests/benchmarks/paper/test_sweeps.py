"""Sweeps over thresholds and half-widths choose what brute force chooses."""

import numba
import numpy as np
import pytest
from paper_pairs import pair_for
from processes import run_python

from benchmarks.paper.envelope import Envelopes, SortedSweep
from benchmarks.paper.pool import draw_models, prepare
from benchmarks.paper.rotations import FAILURE
from benchmarks.paper.tables import SMOOTH, TableSweep
from cvscore.scores.baselines import InlierCount, Msac
from cvscore.scores.marginal_score import MarginalScore
from cvscore.scores.priors import InverseGamma

JIT = not numba.config.DISABLE_JIT
PRIORS = [
    InverseGamma.jeffreys(),
    InverseGamma(1.0, 0.5),
    InverseGamma(0.3, 20.0),
    InverseGamma(500.0, 300.0),
]


def tied_residuals(rng):
    """Few distinct values, zeros, infinities: everything that ties."""
    return rng.choice([0.0, 0.25, 1.0, 4.0, np.inf], size=(60, 40))


def pool_residuals(problem, rng, num_points, num_samples):
    """Squared residuals of a pool, with the dimension and parameters of its model."""
    if problem == "ties":
        return tied_residuals(rng), 1, 5
    pair = pair_for(problem, rng, num_points)
    prepared = prepare(pair, problem)
    models = draw_models(pair, prepared, num_samples, seed=0)
    geometry = prepared.geometry
    return prepared.sq_residuals(models), geometry.residual_dim, geometry.num_params


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


@pytest.mark.parametrize("problem", ["E", "F", "H", "ties"])
def test_sorting_serves_every_threshold(rng, problem):
    sq_residuals, _, _ = pool_residuals(problem, rng, 120, 60)
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
    sq_residuals, dim, num_params = pool_residuals(problem, rng, 90, 50)
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
    sq_residuals, dim, num_params = pool_residuals(problem, rng, 120, 60)
    grids = {"GaU": np.geomspace(0.1, 10, 25), "MAGSAC++": np.geomspace(0.3, 30, 25)}
    sweep = TableSweep(len(sq_residuals), grids, dim, num_params)
    for first in range(0, len(sq_residuals), 50):
        sweep.absorb(sq_residuals[first : first + 50], first)
    num_points = sq_residuals.shape[1]
    winners = sweep.winners(lambda rows: sq_residuals[rows], num_points)
    bounds = sweep._table.bound.reshape(2, -1) * num_points
    for row, (name, score) in enumerate(SMOOTH.items()):
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
    done = run_python("-c", f"{lines}; print(*g())")
    by_sorting, by_table = map(float, done.stdout.split())
    assert by_sorting < 3
    assert by_table < 20
