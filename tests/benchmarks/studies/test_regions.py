"""Regions hold the truth, and the study counts it."""

import numpy as np
import pytest

from benchmarks.problems import PROBLEMS
from benchmarks.studies.regions import coverage, found_models, main, truth_of
from cvscore.types.uncertainty import Uncertainty


@pytest.mark.parametrize("model", PROBLEMS)
def test_the_truth_is_at_no_distance_from_an_estimate_without_noise(model):
    pair = PROBLEMS[model].generate("sig0.1", 0, "val")
    ((_, found),) = found_models([pair])
    here = found.model if found.pose is None else np.column_stack(found.pose)
    offset = found.posterior.offset(here, truth_of(pair))
    relative = offset / found.uncertainty.standard_deviations
    assert np.abs(relative).max() < 8.0


def test_coverage_is_that_of_the_regions(monkeypatch):
    pairs = [PROBLEMS["affine2d"].generate("typical", k, "val") for k in range(20)]
    share, count = coverage(pairs)
    assert count == 20
    assert share >= 75.0
    monkeypatch.setattr(Uncertainty, "distance", lambda self, offset: np.inf)
    assert coverage(pairs) == (0.0, 20)


def test_times_are_printed(capsys):
    main(["--time", "--models", "translation2d"])
    assert "inliers: covariance" in capsys.readouterr().out
