"""Which matches a mapper gets."""

import numpy as np

from cvscore.two_view.labelling.match_labels import (
    MAX_ODDS_AGAINST,
    beliefs,
    may_be_right,
)


def test_a_match_goes_where_chance_is_far_likelier_or_a_rival_likelier():
    keypoints = np.array([[0, 0], [0, 1], [1, 2], [2, 2], [3, 3], [4, 4]])
    least = 1.0 / MAX_ODDS_AGAINST
    # Rivals in the first image, rivals in the second, and against chance alone.
    odds = np.array([9.0, 8.0, 0.5, 0.6, 1.1 * least, 0.9 * least])
    expected = [True, False, False, True, True, False]
    np.testing.assert_array_equal(may_be_right(np.log(odds), keypoints), expected)
    # What is behind a camera is no rival to anybody.
    log_odds = np.where(np.arange(6) == 0, -np.inf, np.log(odds))
    expected[:2] = False, True
    np.testing.assert_array_equal(may_be_right(log_odds, keypoints), expected)
    shares = beliefs(np.log(odds), keypoints)
    expected = [9 / 18, 8 / 18, 0.5 / 2.1, 0.6 / 2.1]
    np.testing.assert_allclose(shares[:4], expected)
