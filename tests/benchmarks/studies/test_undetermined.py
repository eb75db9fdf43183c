"""What is open is named, and the study counts it."""

import numpy as np
import pytest

from benchmarks.studies.undetermined import DETERMINED, NEARLY, OPEN, Outcome, count


@pytest.mark.parametrize("name", OPEN)
def test_what_is_open_is_named(name):
    assert OPEN[name](np.random.default_rng(0), "clouds").is_named


@pytest.mark.parametrize("name", DETERMINED)
@pytest.mark.parametrize("scene", ["surfaces", "street"])
def test_what_is_not_is_not(name, scene):
    assert not DETERMINED[name](np.random.default_rng(1), scene).is_named


def test_nearly_flat_scenes_are_named_where_they_are_wrong_rather_than_where_right():
    case = NEARLY["F, nearly flat"]
    found = [case(np.random.default_rng([3, k]), "clouds") for k in range(40)]
    right, wrong = (
        [f.is_named for f in found if f.is_wrong == is_wrong]
        for is_wrong in (False, True)
    )
    assert np.mean(wrong) > np.mean(right) + 0.2


def test_counts_are_named_of_right_and_of_wrong():
    outcomes = [Outcome(True, True)] * 3 + [Outcome(False, True), Outcome(False)]
    assert count(outcomes).split() == ["0", "of", "1", "3", "of", "4"]
