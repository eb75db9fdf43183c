"""What the shell refuses, with the words that say why."""

import numpy as np
import pytest

from cvscore.data.validation import as_distortion, as_intrinsics, as_quality
from cvscore.types import RansacOptions


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.eye(4), r"K1 must have shape \(3, 3\), got \(4, 4\)"),
        (np.eye(3) * np.nan, "K1 has NaN"),
        (np.diag([-1.0, 1.0, 1.0]), "positive focal lengths, got -1 and 1"),
        (np.diag([1.0, 1.0, 0.0]), "upper triangular"),
        (np.ones((3, 3)), "upper triangular"),
        (np.eye(3, dtype=complex), "real numbers"),
    ],
)
def test_intrinsics_that_are_none(K, message):
    with pytest.raises(ValueError, match=message):
        as_intrinsics(K, "K1")


def test_intrinsics_of_any_scale():
    np.testing.assert_array_equal(as_intrinsics(2 * np.eye(3), "K"), np.eye(3))


def test_distortion_of_a_wrong_length_or_value():
    with pytest.raises(ValueError, match=r"dist2 must have one of .* got 3"):
        as_distortion([1, 2, 3], "dist2")
    with pytest.raises(ValueError, match="dist2 has NaN"):
        as_distortion([1, 2, 3, np.nan], "dist2")


def test_quality_of_a_wrong_length_or_value():
    with pytest.raises(ValueError, match="quality must have 6 entries, got 5"):
        as_quality(np.zeros(5), 6)
    with pytest.raises(ValueError, match="quality has 1 NaN"):
        as_quality([0, np.nan], 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_iterations": 0}, "max_iterations must be at least 1, got 0"),
        ({"max_iterations": 5, "min_iterations": 6}, "min_iterations must be in"),
        ({"confidence": 1.0}, r"confidence must be in \(0, 1\), got 1.0"),
        ({"seed": -1}, "seed must not be negative, got -1"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(ValueError, match=message):
        RansacOptions(**options)


def test_a_misspelt_option_fails():
    with pytest.raises(TypeError):
        RansacOptions(max_iteration=10)
