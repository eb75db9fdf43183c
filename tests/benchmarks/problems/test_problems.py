"""The registry of problems: every entry is complete, and known to the package."""

import pytest

from benchmarks.data import splits
from benchmarks.methods import METHODS
from benchmarks.problems import PROBLEMS, TWO_VIEW
from benchmarks.studies.evidence import random_matches, seed_of
from benchmarks.studies.variants import estimator_of, variants_of
from cvscore.estimators import ESTIMATORS

every_problem = pytest.mark.parametrize("name", PROBLEMS)


@every_problem
def test_the_estimator_of_a_problem_takes_its_data(name):
    problem = PROBLEMS[name]
    assert problem.name == name
    forms = ESTIMATORS[problem.model].forms
    (form,) = [form for form in forms if form.data.dims == problem.dims]
    assert form.counts.num_params == problem.num_params
    assert estimator_of(name).data.dims == problem.dims
    assert "without polish" in variants_of(name)


@every_problem
def test_every_problem_has_data_and_peers(name):
    problem = PROBLEMS[name]
    assert {"easy", "typical", "mixed"} <= set(problem.regimes)
    assert set(problem.wanted) <= set(problem.regimes)
    assert {"val", "test"} <= set(problem.splits)
    assert set(problem.paces) <= set(METHODS)
    assert splits.all_regimes_of(name, "test") == list(problem.regimes)
    assert splits.all_regimes_of(name, "nowhere") == []
    for method in ("cvscore", "oracle"):
        assert name in METHODS[method].thresholds


def test_the_problems_of_two_views_are_those_of_real_pairs():
    assert TWO_VIEW == ("E", "F", "H")
    assert all(splits.all_regimes_of(name, "real") for name in TWO_VIEW)


def test_seeds_differ():
    assert len({seed_of(name) for name in PROBLEMS}) == len(PROBLEMS)


@pytest.mark.parametrize("dims", [(2, 2), (3, 3), (2, 3)])
def test_random_matches_have_the_dimensions_asked_for(dims, rng):
    kinds = set()
    for _ in range(60):
        pair, kind = random_matches(rng, dims)
        assert (pair.x1.shape[1], pair.x2.shape[1]) == dims
        assert len(pair.x1) == len(pair.x2)
        kinds.add(kind)
    assert len(kinds) == 6
