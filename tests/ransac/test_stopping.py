"""As many samples as are needed, by the textbook and by counting."""

from math import comb, log

import numpy as np
import pytest

from cvscore.ransac.stopping import trials_needed


@pytest.mark.parametrize(
    ("size", "outlier_percent", "expected"),
    # Hartley and Zisserman, table 4.3: confidence 0.99.
    [(4, 5, 3), (4, 50, 72), (7, 30, 54), (7, 50, 588), (5, 40, 57), (8, 50, 1177)],
)
def test_trials_agree_with_the_textbook_for_many_points(
    size, outlier_percent, expected
):
    num = 10_000_000
    inliers = num * (100 - outlier_percent) // 100
    assert np.ceil(trials_needed(inliers, num, size, 0.99)) == expected


def test_trials_are_hypergeometric_for_few_points():
    clean = comb(6, 4) / comb(10, 4)
    assert trials_needed(6, 10, 4, 0.99) == pytest.approx(log(0.01) / log(1 - clean))
    assert trials_needed(10, 10, 4, 0.99) == 1
    assert trials_needed(3, 10, 4, 0.99) == np.inf
