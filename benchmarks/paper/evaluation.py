"""One pair to its record: load it, draw a pool, let every score choose."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.methods.pool_score import PoolScore
from benchmarks.methods.scores import BASELINES, SCORES
from benchmarks.paper.datasets.pairs import Dataset, PairKey, PaperPair
from benchmarks.paper.envelope import SortedSweep
from benchmarks.paper.grid import Grid
from benchmarks.paper.pool import Problem, chunks, draw_models, prepare
from benchmarks.paper.record import Record, Settings
from benchmarks.paper.rotations import FAILURE
from benchmarks.paper.tables import SMOOTH, TableSweep
from benchmarks.paper.truth import noise_variance, right_matches
from cvscore.data.normalization import region_of
from cvscore.types import Array

SWEPT = ("RANSAC", "MSAC", *SMOOTH)  # at all thresholds at once


def evaluate(
    dataset: Dataset,
    key: PairKey,
    settings: Settings,
    grids: dict[str, Grid],
    stamp: str,
) -> Record:
    """Load one pair, draw its pool and let every method choose."""
    pair = dataset.load(key)
    problem = prepare(pair, settings.problem, settings.solver)
    models = draw_models(pair, problem, settings.num_samples, settings.seed)
    is_right = right_matches(pair, problem)
    num_points = problem.points.shape[1]
    sweeps = _sweep(problem, models, grids) if len(models) else None
    errors = problem.errors(models, pair.R)
    if sweeps is None:
        baselines = np.full((len(BASELINES), grids[BASELINES[0]].num), FAILURE)
        rss, holders_errors = np.full(num_points, np.inf), np.full(num_points, FAILURE)
    else:
        winners, envelope = sweeps
        baselines, rss = errors[winners], envelope.rss
        holders_errors = errors[envelope.holder]
    return Record(
        scene=key.scene,
        name=key.name,
        stamp=stamp,
        num_matches=num_points,
        num_models=len(models),
        num_right=int(is_right.sum()),
        variance=noise_variance(pair, problem, is_right),
        oracle=float(errors.min(initial=FAILURE)),
        # A thousandth of a degree is printed; single precision keeps seven digits.
        baselines=baselines.astype(np.float32),
        rss=rss,
        errors=holders_errors.astype(np.float32),
        floor=_rounding(pair, problem),
    )


def _rounding(pair: PaperPair, problem: Problem) -> float:
    """As the estimators of the package set the floor of the sum of squares."""
    if not len(problem.rows):
        return math.ulp(0.0)
    points = np.hstack([pair.x1[problem.rows], pair.x2[problem.rows]]).T
    return len(problem.rows) * region_of(points).precision() ** 2


def _sweep(
    problem: Problem, models: Array, grids: dict[str, Grid]
) -> tuple[np.ndarray, SortedSweep]:
    """Winners (B, G) of the baselines, and the envelope."""
    geometry, num_points = problem.geometry, problem.points.shape[1]
    thresholds = {name: grids[name].values for name in BASELINES}
    by_sorting = np.stack([thresholds["RANSAC"], thresholds["MSAC"]]) ** 2
    sorted_sweep = SortedSweep.of(num_points, by_sorting)
    counts = geometry.residual_dim, geometry.num_params
    table_sweep = TableSweep(len(models), thresholds, *counts)
    for first, sq_residuals in chunks(problem, models):
        sorted_sweep.absorb(sq_residuals, first)
        table_sweep.absorb(sq_residuals, first)
    by_table = table_sweep.winners(
        lambda numbers: problem.sq_residuals(models[numbers]), num_points
    )
    others = [
        _by_definition(problem, models, SCORES[name], thresholds[name])
        for name in BASELINES
        if name not in SWEPT
    ]
    return np.vstack([sorted_sweep.winner, by_table, *others]), sorted_sweep


def _by_definition(
    problem: Problem, models: Array, score: PoolScore, thresholds: Array
) -> np.ndarray:
    """Winners (G,) of a score that no sweep knows, threshold by threshold."""
    counts = problem.geometry.residual_dim, problem.geometry.num_params
    at_thresholds = [score.at_threshold(x) for x in thresholds]
    values = np.concatenate(
        [
            np.stack([s.evaluate(sq_residuals, *counts) for s in at_thresholds])
            for _, sq_residuals in chunks(problem, models)
        ],
        axis=1,
    )
    return values.argmax(axis=1)
