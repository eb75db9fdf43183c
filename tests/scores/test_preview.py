"""The cheap guess orders models as the score does."""

import numpy as np

from cvscore.scores.marginal_score import MarginalScore


def test_the_preview_ranks_like_the_score(rng):
    # Rows with more inliers, and with smaller residuals, are better under both.
    rows = [
        np.concatenate([rng.normal(0, s, k) ** 2, rng.uniform(-60, 60, 300 - k) ** 2])
        for k, s in ((20, 1.0), (60, 1.0), (120, 1.0), (120, 0.3), (200, 0.3))
    ]
    score = MarginalScore(half_width=20.0)
    order = np.argsort(score.evaluate(np.array(rows), 1, 5))
    np.testing.assert_array_equal(order, np.arange(5))
    np.testing.assert_array_equal(
        np.argsort(score.preview(np.array(rows), 1, 5)), np.arange(5)
    )


def test_the_preview_is_a_sum_of_logarithms(rng):
    rows = rng.uniform(0, 50, (20, 300)) ** 2
    rows[:, 0] = 0.0
    rows[:, 1] = np.inf
    octaves = np.log2(20.0**2) - np.log2(np.clip(rows, 1e-300, 1e300))
    expected = np.clip(octaves, 0, 24).sum(axis=1)
    # Linear between powers of two: off by at most 0.0861 a point.
    found = MarginalScore(half_width=20.0).preview(rows, 1, 5)
    assert np.abs(found - expected).max() < 0.0861 * 300
    assert np.corrcoef(found, expected)[0, 1] > 0.99


def test_a_width_whose_square_is_no_number_orders_all_the_same():
    score = MarginalScore(half_width=1e200)
    guesses = score.preview(np.array([[1.0, 2.0, 3.0], [1e4, 2e4, 3e4]]), 1, 1)
    assert np.isfinite(guesses).all()
