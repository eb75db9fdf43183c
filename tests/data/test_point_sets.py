"""What is no set of points is refused, with the words that say why."""

import numpy as np
import pytest

from cvscore.two_view.image_pairs import SCENE_MATCHES

GOOD = np.zeros((6, 2))


@pytest.mark.parametrize(
    ("x1", "x2", "message"),
    [
        (np.zeros((6, 3)), GOOD, r"x1 must have shape \(N, 2\), got \(6, 3\)"),
        (GOOD, np.zeros(12), r"x2 must have shape \(N, 2\), got \(12,\)"),
        (GOOD, np.zeros((5, 2)), "same length, got 6 and 5"),
        (GOOD, GOOD.astype(complex), "x2 must hold real numbers, got dtype complex"),
        (np.full((6, 2), "a"), GOOD, "x1 must hold real numbers"),
    ],
)
def test_points_that_are_no_points(x1, x2, message):
    with pytest.raises(ValueError, match=message):
        SCENE_MATCHES.pack(x1, x2)


def test_bad_rows_are_counted():
    x = np.zeros((6, 2))
    x[1] = np.nan
    x[4, 0] = np.inf
    with pytest.raises(ValueError, match=r"x2 has NaN or infinite .* in 2 of 6 rows"):
        SCENE_MATCHES.pack(GOOD, x)


def test_points_are_packed_as_contiguous_rows(rng):
    x1, x2 = rng.random((7, 2)).astype(np.float32), rng.integers(0, 9, (7, 2))
    points = SCENE_MATCHES.pack(x1.tolist(), x2[::-1])
    assert points.dtype == np.float64
    assert points.flags.c_contiguous
    np.testing.assert_array_equal(points[:2].T, x1)
    np.testing.assert_array_equal(points[2:].T, x2[::-1])
