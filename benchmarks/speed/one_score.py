"""How long one hypothesis takes to score: the search by bins against sorting.

    python -m benchmarks score-speed

One thread, warm, the methods interleaved in one run; the shortest of the rounds, which
is what a busy machine disturbs least, in microseconds per hypothesis (squared residuals
in, score and prefix out).
Three kinds of residuals, because the search by bins depends on how flat the score is:

good    half Gaussian inliers of scale 1, half uniform outliers: a good hypothesis
bad     one broad Gaussian, as a sample with an outlier in it leaves behind
mixed   scales spread over three orders of magnitude: no clear boundary anywhere

"fast" is the search by bins without a score to beat, "pruned" the same with one that
no row can beat, which is how all but a few hypotheses of a run are scored.  "sort" is
the plain sort-and-sweep, and "ratio" its time over that of "fast".  "simd sort" is the
best that sorting can do here: NumPy's vectorised sort and logarithm over the whole
batch, and the tabulated logGamma of the fast path.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.command_line import parser_of
from cvscore.scores.marginal_score import MarginalScore
from cvscore.types import Array

NUM_MODELS = 64  # a batch of the robust loop
ROUNDS = 31
DIM, NUM_PARAMS = 1, 7  # the fundamental matrix
HALF_WIDTH = 100.0  # of the outliers, in units of the inliers' scale


def residuals(kind: str, num_points: int, rng: np.random.Generator) -> Array:
    """Return squared residuals (NUM_MODELS, num_points) of one kind."""
    shape = NUM_MODELS, num_points
    gaussian = rng.standard_normal(shape)
    if kind == "good":
        outliers = rng.uniform(-3.0 * HALF_WIDTH, 3.0 * HALF_WIDTH, shape)
        plain = np.where(rng.random(shape) < 0.5, gaussian, outliers)
    elif kind == "bad":
        plain = HALF_WIDTH * gaussian
    else:
        plain = gaussian * np.exp(rng.uniform(-2.0, 5.0, shape))
    return plain**2


def simd_sort(score: MarginalScore, sq_residuals: Array) -> Array:
    """Sort and sweep with NumPy alone, a whole batch at a time."""
    num_points = sq_residuals.shape[1]
    k = np.arange(NUM_PARAMS // DIM + 1, num_points + 1)
    shapes = 0.5 * (k * DIM - NUM_PARAMS)
    # With all residuals zero and a floor of 2, the sweep is what depends on k alone.
    unit = MarginalScore(half_width=score.half_width, rss_floor=2.0)
    terms = unit.sweep(np.zeros(num_points), DIM, NUM_PARAMS)[k - 1]
    rss = np.cumsum(np.sort(sq_residuals, axis=1), axis=1)[:, k - 1]
    return (terms - shapes * np.log(0.5 * rss)).max(axis=1)


def shortest(methods: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the microseconds per hypothesis of each method, called in turn."""
    seconds = dict.fromkeys(methods, np.inf)
    for _ in range(ROUNDS):
        for name, method in methods.items():
            start = time.perf_counter()
            method()
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    return {name: 1e6 * value / NUM_MODELS for name, value in seconds.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one line per number of points and kind of residuals."""
    parser_of("score-speed", __doc__).parse_args(arguments)
    rng = np.random.default_rng(0)
    score = MarginalScore(half_width=HALF_WIDTH)
    print(
        f"{'N':>6} {'kind':>6} {'sort':>8} {'simd sort':>10} {'fast':>7} {'pruned':>7}"
    )
    for num_points in (1000, 10_000):
        for kind in ("good", "bad", "mixed"):
            given = residuals(kind, num_points, rng), DIM, NUM_PARAMS
            us = shortest(
                {
                    "sort": lambda given=given: score.best_prefix_by_sorting(*given),
                    "simd": lambda given=given: simd_sort(score, given[0]),
                    "fast": lambda given=given: score.best_prefix(*given),
                    "pruned": lambda given=given: score.best_prefix(*given, best=1e9),
                }
            )
            print(
                f"{num_points:>6} {kind:>6} {us['sort']:8.1f} {us['simd']:10.1f} "
                f"{us['fast']:7.2f} {us['pruned']:7.2f}  "
                f"ratio {us['sort'] / us['fast']:5.1f}, "
                f"pruned {us['sort'] / us['pruned']:5.1f}"
            )
