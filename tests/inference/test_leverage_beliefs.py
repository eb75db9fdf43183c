"""Matches of a leverage that wrong ones have are not believed."""

import numpy as np
import pytest

from cvscore.inference.leverage_beliefs import (
    believe_by_leverage,
    sq_lengths,
    weighted_gram,
    wrong_within,
)


def orthonormal(jacobian):
    factor = np.linalg.qr(jacobian.reshape(-1, jacobian.shape[2]), mode="r")
    return np.linalg.inv(factor)


def scene(num_wrong, num_beside, dim=1):
    """200 matches of leverage one, and wrong ones that have a thousand times that."""
    rng = np.random.default_rng(0)
    right = rng.normal(size=(dim, 200, 3))
    wrong, beside = (
        30.0 * rng.normal(size=(dim, num, 3)) for num in (num_wrong, num_beside)
    )
    within = np.concatenate([right, wrong], axis=1)
    change = orthonormal(within)
    return within @ change, beside @ change


def test_without_any_beside_nearly_all_are_believed():
    within, beside = scene(num_wrong=0, num_beside=0)
    beliefs = believe_by_leverage(within, beside, np.ones(200)).beliefs
    assert beliefs.min() == pytest.approx(1.0 - wrong_within(1))
    assert beliefs.mean() > 0.98


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_wrong_ones_are_known_by_those_beside(dim):
    num_wrong = 6
    num_beside = round(num_wrong / wrong_within(dim))
    within, beside = scene(num_wrong, num_beside, dim)
    beliefs = believe_by_leverage(within, beside, np.ones(206)).beliefs
    assert beliefs[:200].mean() > 0.85
    assert beliefs[200:].mean() < 0.5


def test_what_is_believed_is_orthonormal_in_the_new_coordinates():
    within, beside = scene(num_wrong=3, num_beside=9)
    weights = np.random.default_rng(1).uniform(0.5, 1.0, 203)
    found = believe_by_leverage(within, beside, weights)
    gram = weighted_gram(found.within, found.beliefs * weights)
    np.testing.assert_allclose(gram, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(within @ found.change, found.within, atol=1e-12)


def test_lengths_and_grams_are_sums_over_residuals():
    jacobian = np.random.default_rng(2).normal(size=(2, 5, 3))
    weights = np.arange(5.0)
    expected = sum(
        weights[i] * jacobian[:, i].T @ jacobian[:, i] for i in range(len(weights))
    )
    np.testing.assert_allclose(weighted_gram(jacobian, weights), expected)
    np.testing.assert_allclose(
        sq_lengths(jacobian), [(jacobian[:, i] ** 2).sum() for i in range(5)]
    )
