"""Profile, Sensitivity, and what is written of them, on results made by hand."""

import dataclasses
import math
import re

import numpy as np
import pytest

from benchmarks.methods.scores import BASELINES, MARGINAL, SCORES
from benchmarks.paper import sensitivity as sens
from benchmarks.paper.anchors import middle_of_best
from benchmarks.paper.datasets.pairs import PairKey
from benchmarks.paper.envelope import Envelopes
from benchmarks.paper.findings import findings_of
from benchmarks.paper.grid import NUM_POINTS, Grid
from benchmarks.paper.output import (
    load_finished,
    profile_table,
    save_profile,
    save_sensitivity,
    sensitivity_table,
)
from benchmarks.paper.page import report_text, save_report
from benchmarks.paper.profile import make_profile
from benchmarks.paper.results import COUNTS, Results, fit_prior
from cvscore.models.essential import essential_model
from cvscore.models.fundamental import fundamental_model
from cvscore.models.homography import homography_model
from cvscore.scores.priors import InverseGamma, fit_mle, fit_robust


def made_results(rng, num_pairs=24, by_scene=False):
    """Pairs whose models hold prefixes: the error is small where k is right."""
    num_points = 60
    rss = np.cumsum(np.sort(rng.exponential(1, (num_pairs, num_points)), 1), 1)
    errors = np.abs(np.arange(num_points) - 35) / 10 + rng.uniform(
        0, 0.3, (num_pairs, num_points)
    )
    starts = np.arange(num_pairs + 1) * num_points
    envelopes = Envelopes(
        starts, rss.ravel(), errors.ravel(), np.full(num_pairs, 1e-9), 1, 5
    )
    grids = {name: Grid.around(1.0) for name in BASELINES}
    steps = np.abs(np.linspace(-1, 1, NUM_POINTS)) * rng.uniform(
        1, 3, (num_pairs, 4, 1)
    )
    return Results(
        keys=[PairKey(f"scene{i % 3}", f"pair{i}") for i in range(num_pairs)],
        by_scene=by_scene,
        grids=grids,
        baselines=0.3 + steps + rng.uniform(0, 0.2, (num_pairs, 4, 1)),
        oracle=np.full(num_pairs, 0.05),
        variances=np.append(rng.gamma(3, 0.3, num_pairs - 1), np.nan),
        envelopes=envelopes,
        num_models=np.full(num_pairs, 9),
    )


@pytest.fixture(scope="module")
def made():
    results = made_results(np.random.default_rng(5))
    profile = make_profile(results)
    return results, profile, sens.make_sensitivity(results, profile, 16, 60)


def test_counts_are_those_of_the_models():
    K = np.eye(3)
    models = {"E": essential_model(K, K), "F": fundamental_model()}
    models["H"] = homography_model()
    for problem, model in models.items():
        assert COUNTS[problem] == (model.residual_dim, model.num_params)


def test_a_profile_is_the_median_over_pairs(made):
    results, profile, _ = made
    assert list(profile.curves) == list(SCORES)
    for row, name in enumerate(BASELINES):
        curve = profile.curves[name]
        errors = results.baselines[:, row]
        assert np.array_equal(curve.errors, np.median(errors, axis=0))
        assert curve.per_pair_best == np.median(errors.min(axis=1))
        assert (curve.low <= curve.errors).all()
        assert (curve.errors <= curve.high).all()
    assert profile.oracle == pytest.approx(0.05)


def test_scenes_count_alike_where_they_should(rng):
    results = made_results(rng, by_scene=True)
    curve = make_profile(results).curves["RANSAC"]
    scenes = [key.scene for key in results.keys]
    medians = [
        np.median(results.baselines[[s == name for s in scenes], 0], axis=0)
        for name in sorted(set(scenes))
    ]
    assert np.allclose(curve.errors, np.mean(medians, axis=0))


def test_subsets_keep_their_envelopes(rng):
    results = made_results(rng)
    rows = np.array([3, 4, 11])
    widths = np.geomspace(0.1, 100, 9)
    prior = InverseGamma(1.0, 0.5)
    whole = results.marginal_errors(prior, widths)
    assert np.array_equal(
        results.subset(rows).marginal_errors(prior, widths), whole[rows]
    )


def test_priors_come_from_the_variances_there_are():
    known = np.array([0.2, 0.5, 0.9])
    with_gap = np.append(known, np.nan)
    assert fit_prior("IG-Robust", with_gap) == fit_robust(known)
    assert fit_prior("IG-MLE", with_gap) == fit_mle(known)
    assert fit_prior("Jeffreys", with_gap) == InverseGamma.jeffreys()
    # One value, or one twice, has no likelihood with a maximum.
    assert fit_prior("IG-MLE", known[:1]) == fit_robust(known[:1])
    assert fit_prior("IG-MLE", known[[1, 1]]) == fit_robust(known[[1, 1]])
    assert fit_prior("IG-MLE", np.full(2, np.nan)) == InverseGamma.jeffreys()


# Sensitivity


def test_validation_and_test_share_no_pair_and_halve_every_scene(rng):
    keys = [PairKey(f"s{i % 4}", f"{i}") for i in range(41)]
    validation, test = sens.split(keys)
    assert sorted([*validation, *test]) == list(range(41))
    for scene in {key.scene for key in keys}:
        counts = [
            sum(keys[i].scene == scene for i in part) for part in (validation, test)
        ]
        assert counts[0] - counts[1] in (0, 1)
    shuffled = keys[::-1]
    again, _ = sens.split(shuffled)
    assert {shuffled[i] for i in again} == {keys[i] for i in validation}


def test_trials_of_scenes_take_equal_shares(rng):
    groups = [np.arange(0, 50), np.arange(50, 53)]
    draws = sens.draw_trials(64, 53, groups, 4000, rng)
    of_small = draws >= 50
    # A trial draws two scenes, each gives half of the pairs.
    assert set(np.unique(of_small.mean(axis=1))) <= {0.0, 0.5, 1.0}
    assert of_small.mean() == pytest.approx(0.5, abs=0.05)
    flat = sens.draw_trials(8, 53, None, 4000, rng)
    assert (flat >= 50).mean() == pytest.approx(3 / 53, abs=0.01)


def test_sizes():
    assert sens.validation_sizes(1024) == [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
    assert sens.validation_sizes(2048)[-1] == 2048
    assert sens.MAX_SIZE["heb"] == 2048


def test_one_trial_by_hand(made):
    results, profile, result = made
    rows, test_rows = sens.split(results.keys)
    rng = np.random.default_rng(0)
    draws = sens.draw_trials(2, len(rows), None, 60, rng)
    expected = {name: [] for name in SCORES}
    for draw in draws:
        for name in SCORES:
            if name in BASELINES:
                errors = results.baseline_errors(name)
            else:
                prior = fit_prior(name, results.variances[rows[draw]])
                widths = Grid.around(profile.curves[name].anchor).values
                errors = results.marginal_errors(prior, widths)
            best = middle_of_best(np.median(errors[rows[draw]], axis=0))
            expected[name].append(np.median(errors[test_rows, best]))
    for name in SCORES:
        outcome = result.outcomes[name][2]
        # The grid of priors changes nothing that is printed.
        digits = 10.0**-sens.DIGITS
        tolerance = digits if name in MARGINAL else 1e-9
        assert outcome.mean == pytest.approx(np.mean(expected[name]), abs=tolerance)
        assert outcome.std == pytest.approx(
            np.std(expected[name], ddof=1), abs=tolerance
        )


def test_the_grid_of_priors_is_refined_until_nothing_printed_changes():
    asked = []

    def outcomes_at(per_decade):
        asked.append(per_decade)
        mean = 1.0 if per_decade is None else 1.0 + 0.3 / per_decade**2
        return {2: sens.Outcome(mean, (0, 0), 0.5, (0, 0))}

    found, note = sens.refine_until_settled("IG-MLE", outcomes_at)
    # 1.0012, 1.00007 and 1.000005 print as 1.001, 1.000 and 1.000.
    assert asked == [16, 64, 256]
    assert found[2].mean == 1.0 + 0.3 / 256**2
    assert "64 points a decade" in note
    assert "256" in note


def test_a_grid_that_never_settles_ends_with_no_rounding():
    values = iter(range(100))
    _, note = sens.refine_until_settled(
        "IG-MLE", lambda _: {2: sens.Outcome(next(values), (0, 0), 0.5, (0, 0))}
    )
    assert "not rounded" in note


def test_priors_are_rounded_to_a_logarithmic_grid():
    prior = InverseGamma(1.0, 0.37)
    for per_decade in (8, 64):
        rounded = sens.rounded_prior(prior, per_decade)
        assert abs(math.log10(rounded.beta / prior.beta)) <= 0.5 / per_decade + 1e-12
        assert rounded.alpha == 1.0
        steps = per_decade * math.log10(rounded.beta)
        assert steps == pytest.approx(round(steps), abs=1e-9)
    assert sens.rounded_prior(prior, None) == prior
    assert sens.rounded_prior(InverseGamma.jeffreys(), 8) == InverseGamma.jeffreys()


# What is written


def test_files_round_trip_to_figures_and_page(made, tmp_path):
    _, profile, result = made
    save_profile(tmp_path, "phototourism", "PhotoTourism", profile)
    save_sensitivity(tmp_path, result)
    finished = load_finished(tmp_path)
    assert profile_table(finished.profile) == profile_table(profile)
    assert sensitivity_table(finished.sensitivity) == sensitivity_table(result)
    page = save_report([finished, finished], tmp_path / "report")
    for name in ("profile", "sensitivity"):
        for suffix, start in ((".png", b"\x89PNG"), (".pdf", b"%PDF")):
            data = (tmp_path / "report" / f"{name}{suffix}").read_bytes()
            assert data.startswith(start)
            assert len(data) > 5000
    html = page.read_text()
    assert html.count("data:image/png;base64,") == 2
    # Self-contained: nothing is loaded from anywhere.
    assert not re.search(r"(src|href)=[\"'](?!data:)", html)
    for row in profile_table(profile)[1:]:
        assert all(cell in html for cell in row)
    for finding in findings_of(finished):
        assert finding.cells()[-1] in html
        assert finding.cells()[-1] in report_text(finished)


def test_findings_are_judged_by_their_numbers(made):
    _, profile, result = made
    finished_of = dataclasses.make_dataclass(
        "F", ["name", "title", "profile", "sensitivity"]
    )

    def with_spans(ours, theirs):
        curves = {
            name: dataclasses.replace(
                curve,
                errors=np.linspace(1, 1 + (ours if name in MARGINAL else theirs), 200),
            )
            for name, curve in profile.curves.items()
        }
        return finished_of(
            "phototourism", "", dataclasses.replace(profile, curves=curves), result
        )

    flat, equal_best, below, *_ = findings_of(with_spans(0.01, 0.5))
    assert flat.holds
    assert "0.020" in flat.paper
    assert equal_best.holds
    assert below.holds
    flat, _, below, *_ = findings_of(with_spans(0.1, 0.5))
    assert flat.holds
    assert not below.holds
    flat, *_ = findings_of(with_spans(0.9, 0.5))
    assert not flat.holds
    assert "DOES NOT HOLD" in flat.cells()
