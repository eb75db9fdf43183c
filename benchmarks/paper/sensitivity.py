"""Sensitivity: the test error when everything is tuned on a few validation pairs.

Each trial draws some validation pairs with replacement, refits the prior to their
variances, and takes the hyper-parameter with the least median error on them.  What
counts is the error that this choice has on the test pairs.

The errors for a prior are computed once for all trials with that prior, after rounding
priors to a logarithmic grid; the grid is made finer until nothing printed changes.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchmarks.methods.scores import BASELINES, SCORES
from benchmarks.paper.anchors import middle_of_best
from benchmarks.paper.bootstrap import (
    Indices,
    bca_interval,
    medians_of_draws,
    scene_groups,
    statistic,
)
from benchmarks.paper.datasets.pairs import PairKey
from benchmarks.paper.grid import Grid
from benchmarks.paper.profile import Profile
from benchmarks.paper.results import Results, fit_prior
from cvscore.scores.priors import InverseGamma
from cvscore.types import Array

NUM_TRIALS = 1000
MAX_SIZE = {"heb": 2048}
DEFAULT_MAX_SIZE = 1024
DIGITS = 3  # after the point, of every printed error in degrees
# Points a decade of the grids of priors that are tried in turn; None is no rounding.
PRIOR_GRIDS: tuple[int | None, ...] = (16, 64, 256, None)


@dataclass(frozen=True)
class Outcome:
    """One method at one validation size: mean and spread over trials, degrees.

    Intervals are BCa, 95 %.
    """

    mean: float
    mean_interval: tuple[float, float]
    std: float
    std_interval: tuple[float, float]

    def printed(self) -> str:
        """Return mean and spread as tables show them."""
        return f"{self.mean:.{DIGITS}f} ± {self.std:.{DIGITS}f}"


@dataclass(frozen=True)
class Sensitivity:
    """Outcomes by method and validation size.

    Attributes
    ----------
    outcomes : dict
        By method, then by size.
    asymptotes : dict
        Error when tuned on all validation pairs at once, degrees.
    num_validation, num_test : int
        Pairs.
    grid_note : str
        How fine the grid of priors is, and how that was found to be enough.
    """

    outcomes: dict[str, dict[int, Outcome]]
    asymptotes: dict[str, float]
    num_validation: int
    num_test: int
    grid_note: str


def split(keys: list[PairKey]) -> tuple[Indices, Indices]:
    """Rows for validation and for test: half of each scene, by a hash of the names."""
    validation: list[int] = []
    for rows in scene_groups([key.scene for key in keys]):
        names = [f"split\0{keys[row].scene}\0{keys[row].name}" for row in rows]
        digests = [hashlib.sha256(name.encode()).digest() for name in names]
        order = sorted(range(len(rows)), key=digests.__getitem__)
        validation += [int(rows[i]) for i in order[: (len(rows) + 1) // 2]]
    chosen = np.zeros(len(keys), dtype=np.bool_)
    chosen[validation] = True
    return np.flatnonzero(chosen), np.flatnonzero(~chosen)


def draw_trials(
    size: int,
    num_pairs: int,
    groups: list[Indices] | None,
    num_trials: int,
    rng: np.random.Generator,
) -> Indices:
    """Rows (num_trials, size) of validation pairs, drawn with replacement.

    With groups, scenes are drawn first, and each scene drawn gives its share of pairs.
    """
    if groups is None:
        return rng.integers(num_pairs, size=(num_trials, size))
    scenes = rng.integers(len(groups), size=(num_trials, len(groups)))
    of_pick = scenes[:, np.arange(size) % len(groups)]
    lengths = np.array([len(rows) for rows in groups])
    places = (rng.random(of_pick.shape) * lengths[of_pick]).astype(np.int64)
    padded = np.zeros((len(groups), lengths.max()), dtype=np.int64)
    for scene, rows in enumerate(groups):
        padded[scene, : len(rows)] = rows
    return padded[of_pick, places]


def validation_sizes(largest: int) -> list[int]:
    """Return 2, 4, ..., largest."""
    return [2**i for i in range(1, int(math.log2(largest)) + 1)]


def rounded_prior(prior: InverseGamma, per_decade: int | None) -> InverseGamma:
    """Return the nearest prior with alpha and beta/alpha on a logarithmic grid."""
    if per_decade is None or prior.alpha == 0.0 or prior.beta == 0.0:
        return prior

    def nearest(value: float) -> float:
        return 10.0 ** (round(per_decade * math.log10(value)) / per_decade)

    alpha = nearest(prior.alpha)
    return InverseGamma(alpha, alpha * nearest(prior.beta / prior.alpha), prior.unit)


@dataclass(frozen=True)
class _Halves:
    """Both halves of the results, and the half-widths of each marginal score."""

    validation: Results
    test: Results
    half_widths: dict[str, Array]

    def test_errors(self, test: Array, choices: Indices) -> Array:
        """Test errors (T,) of choices (T,) among the columns of (P, G)."""
        columns, which = np.unique(choices, return_inverse=True)
        return statistic(test[:, columns], self.test.groups)[which]

    def baseline(self, method: str, draws: Indices) -> Array:
        """Test errors (T,) of a method without a prior to fit."""
        choices = choose(self.validation.baseline_errors(method), draws)
        return self.test_errors(self.test.baseline_errors(method), choices)

    def with_priors(
        self,
        method: str,
        priors: dict[int, list[InverseGamma]],
        draws: dict[int, Indices],
    ) -> dict[int, Array]:
        """Test errors (T,) of a marginal score by size; one prior a trial."""
        widths = self.half_widths[method]
        errors = {size: np.empty(len(drawn)) for size, drawn in draws.items()}
        trials: dict[InverseGamma, dict[int, list[int]]] = {}
        for size, fitted in priors.items():
            for trial, prior in enumerate(fitted):
                trials.setdefault(prior, {}).setdefault(size, []).append(trial)
        for prior, by_size in trials.items():
            test = self.test.marginal_errors(prior, widths)
            for size, rows in by_size.items():
                # A trial of two pairs needs the errors of two pairs, not of all.
                needed, places = np.unique(draws[size][rows], return_inverse=True)
                drawn = self.validation.subset(needed).marginal_errors(prior, widths)
                choices = choose(drawn, places.reshape(len(rows), size))
                errors[size][rows] = self.test_errors(test, choices)
        return errors


def choose(validation: Array, draws: Indices) -> Indices:
    """Columns (T,) of validation errors (V, G) with the least median of the draws."""
    medians = medians_of_draws(validation, draws)
    return np.array([middle_of_best(median) for median in medians])


def make_sensitivity(
    results: Results,
    profile: Profile,
    largest: int = DEFAULT_MAX_SIZE,
    num_trials: int = NUM_TRIALS,
    seed: int = 0,
) -> Sensitivity:
    """Run all trials of all sizes for all methods."""
    rows, test_rows = split(results.keys)
    widths = {
        method: Grid.around(curve.anchor).values
        for method, curve in profile.curves.items()
        if method not in BASELINES
    }
    halves = _Halves(results.subset(rows), results.subset(test_rows), widths)
    rng = np.random.default_rng(seed)
    groups = halves.validation.groups
    draws = {
        size: draw_trials(size, len(rows), groups, num_trials, rng)
        for size in validation_sizes(largest)
    }
    outcomes, notes = {}, []
    for method in SCORES:
        if method in BASELINES:
            errors = {s: halves.baseline(method, drawn) for s, drawn in draws.items()}
            outcomes[method] = _summarise(errors, seed)
            continue
        outcomes[method], note = _refine(halves, method, draws, seed)
        notes += [note] * bool(note)
    return Sensitivity(
        outcomes=outcomes,
        asymptotes=_asymptotes(halves),
        num_validation=len(rows),
        num_test=len(test_rows),
        grid_note=" ".join(notes),
    )


def _refine(
    halves: _Halves, method: str, draws: dict[int, Indices], seed: int
) -> tuple[dict[int, Outcome], str]:
    """Make the grid of priors finer until nothing printed changes."""
    variances = halves.validation.variances
    priors = {
        size: [fit_prior(method, variances[draw]) for draw in drawn]
        for size, drawn in draws.items()
    }

    def outcomes_at(per_decade: int | None) -> dict[int, Outcome]:
        rounded = {
            size: [rounded_prior(prior, per_decade) for prior in fitted]
            for size, fitted in priors.items()
        }
        return _summarise(halves.with_priors(method, rounded, draws), seed)

    if method == "Jeffreys":
        return outcomes_at(None), ""
    return refine_until_settled(method, outcomes_at)


def refine_until_settled(
    method: str, outcomes_at: Callable[[int | None], dict[int, Outcome]]
) -> tuple[dict[int, Outcome], str]:
    """Return the outcomes at the first grid that a finer one prints alike."""
    before = outcomes_at(PRIOR_GRIDS[0])
    for coarse, fine in pairwise(PRIOR_GRIDS):
        after = outcomes_at(fine)
        same = sum(before[s].printed() == after[s].printed() for s in before)
        if fine is None:
            return after, f"{method}: the prior of every trial itself, not rounded."
        if same == len(before):
            return after, (
                f"{method}: priors on a grid of {coarse} points a decade and on one of "
                f"{fine} print the same {2 * same} numbers."
            )
        before = after
    raise AssertionError("the last grid rounds nothing")


def _summarise(errors: dict[int, Array], seed: int) -> dict[int, Outcome]:
    outcomes = {}
    for size, values in errors.items():
        rng = np.random.default_rng([seed, size])
        outcomes[size] = Outcome(
            mean=float(values.mean()),
            mean_interval=bca_interval(values, "mean", rng),
            std=float(values.std(ddof=1)),
            std_interval=bca_interval(values, "std", rng),
        )
    return outcomes


def _asymptotes(halves: _Halves) -> dict[str, float]:
    """Test error of every method when tuned on all validation pairs."""
    errors = {}
    for method in SCORES:
        if method in BASELINES:
            validation = halves.validation.baseline_errors(method)
            test = halves.test.baseline_errors(method)
        else:
            prior = fit_prior(method, halves.validation.variances)
            widths = halves.half_widths[method]
            validation = halves.validation.marginal_errors(prior, widths)
            test = halves.test.marginal_errors(prior, widths)
        best = middle_of_best(statistic(validation, halves.validation.groups))
        errors[method] = float(statistic(test, halves.test.groups)[best])
    return errors
