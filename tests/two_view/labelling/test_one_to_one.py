"""Odds of matches of which a keypoint has at most one, against all sets of them."""

from itertools import combinations

import numpy as np
import pytest

from cvscore.two_view.labelling.one_to_one import (
    likeliest_of_keypoints,
    odds_among_rivals,
)

# Chains of rivals, as rows of keypoints in the two images; none of them has a cycle.
CHAINS = {
    "alone": [[0, 0], [1, 1]],
    "two of a keypoint": [[0, 0], [0, 1]],
    "star": [[0, 0], [0, 1], [0, 2], [0, 3]],
    "one that takes the place of two": [[0, 0], [0, 1], [1, 1]],
    "chain of five": [[0, 0], [0, 1], [1, 1], [1, 2], [2, 2]],
    "tree": [[0, 0], [0, 1], [1, 0], [1, 2], [2, 1], [3, 1], [4, 4]],
}


def odds_by_enumeration(odds, keypoints):
    """Weigh every set of matches in which no two share a keypoint."""
    num = len(odds)
    with_it, total = np.zeros(num), 0.0
    for size in range(num + 1):
        for chosen in map(list, combinations(range(num), size)):
            rows = keypoints[chosen]
            if len(set(rows[:, 0])) == len(set(rows[:, 1])) == size:
                weight = np.prod(odds[chosen])
                total += weight
                with_it[chosen] += weight
    return with_it / (total - with_it)


@pytest.mark.parametrize("name", CHAINS)
def test_odds_are_exact_without_cycles(name, rng):
    keypoints = np.array(CHAINS[name])
    for _ in range(20):
        log_odds = rng.normal(0, 3, len(keypoints))
        expected = odds_by_enumeration(np.exp(log_odds), keypoints)
        found = odds_among_rivals(log_odds, keypoints)
        np.testing.assert_allclose(found, expected, rtol=2e-3)


def test_odds_are_close_with_cycles(rng):
    keypoints = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 1]])
    for _ in range(20):
        log_odds = rng.normal(0, 1, len(keypoints))
        expected = odds_by_enumeration(np.exp(log_odds), keypoints)
        found = odds_among_rivals(log_odds, keypoints)
        np.testing.assert_allclose(
            found / (1 + found), expected / (1 + expected), atol=0.1
        )


def test_two_right_matches_beat_the_wrong_one_between_them():
    keypoints = np.array(CHAINS["one that takes the place of two"])
    # The one in the middle fits better than either of the others.
    found = odds_among_rivals(np.log([50.0, 200.0, 50.0]), keypoints)
    assert found[0] > 1
    assert found[2] > 1
    assert found[1] < 0.1
    chosen = likeliest_of_keypoints(found, keypoints)
    np.testing.assert_array_equal(chosen, [True, False, True])


def test_certain_and_impossible_matches_leave_no_rounding_errors():
    keypoints = np.array([[0, 0], [0, 1], [1, 2], [1, 3]])
    found = odds_among_rivals(np.array([1e4, 0.0, -np.inf, 2.0]), keypoints)
    assert np.isfinite(found).all()
    assert found[1] < 1e-9
    assert found[2] == 0.0
    assert found[3] == pytest.approx(np.exp(2.0))


def test_of_equals_one_is_chosen(rng):
    keypoints = rng.integers(0, 12, (60, 2))
    chosen = likeliest_of_keypoints(np.ones(60), keypoints)
    assert chosen[0]
    for image in range(2):
        kept = keypoints[chosen, image]
        assert len(set(kept)) == len(kept)
