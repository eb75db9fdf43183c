"""The methods: the ceiling is one, and every library solves an easy problem."""

from dataclasses import replace

import numpy as np
import pytest
from benchmark_residuals import residuals
from conftest import ROOT

from benchmarks.data import synthetic
from benchmarks.methods import METHODS, SCORES, Settings, available
from benchmarks.methods.listing import thresholds_table
from benchmarks.methods.scores import BASELINES, MARGINAL
from benchmarks.protocols import error_of

# Their answers vary from run to run, and are far off now and then.
WITHOUT_A_SEED = ("pymagsac", "pysuperansac", "vsac")


@pytest.mark.parametrize("problem", "EFH")
def test_oracle_is_a_minimum_that_beats_the_truth_on_its_own_matches(problem):
    pair = synthetic.generate(problem, "sig1", 0)
    fit = METHODS["oracle"].run(pair, Settings(0.0))
    at_truth = np.sum(residuals(pair, pair.is_inlier) ** 2)
    fitted = replace(pair, model=fit.model)
    at_fit = np.sum(residuals(fitted, pair.is_inlier) ** 2)
    assert at_fit <= at_truth
    # As many degrees of freedom as the model has are absorbed, no more.
    dof = {"E": 5, "F": 7, "H": 8}[problem]
    assert at_truth - at_fit < 8 * dof + 40
    assert error_of(pair, fit) < 3


@pytest.mark.parametrize("problem", "EFH")
def test_every_installed_method_solves_an_easy_problem(problem):
    pair = synthetic.generate(problem, "easy", 7)
    names = [n for n in available(problem) if not n.startswith("cvscore")]
    assert {"oracle", "cv2 USAC_MAGSAC"} <= set(names)
    for name in names:
        method = METHODS[name]
        fit = method.run(pair, Settings(method.thresholds[problem], seed=1))
        assert fit is not None, name
        assert fit.inliers.shape == (len(pair.x1),)
        if name.split()[0] not in WITHOUT_A_SEED:
            assert error_of(pair, fit) < 10, name


def test_a_score_is_a_baseline_or_marginal():
    assert tuple(SCORES) == BASELINES + MARGINAL
    assert not set(BASELINES) & set(MARGINAL)


def test_the_page_shows_the_thresholds_of_the_methods():
    assert thresholds_table() in (ROOT / "benchmarks" / "README.md").read_text()
