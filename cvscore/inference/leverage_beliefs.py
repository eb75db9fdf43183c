"""How far matches near a model are believed, by their leverage.

Right matches are not alone within reach of a model: some wrong ones are there by
chance.  They are few, but may say more of the model than all right ones together, as a
match of a parallax that nothing in the scene has does of an epipole; and what they say
is nothing.  Their residuals do not give them away: the fit went along.

The matches *beside*, just out of reach, do: all of these are wrong, and as residuals of
wrong matches are spread evenly, they tell how many within reach are wrong at any
leverage.  So a match is believed by what the share of wrong ones is among those that
have at least its leverage (a false discovery rate, Efron 2010).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cvscore.types import Array

# How far matches beside a model are looked at, in reaches: farther off they are more,
# but not as those within reach.
REACH_OF_BESIDE = 4.0
# Added to the number of wrong ones: that none is seen beside does not mean there are
# none (the mean of their rate, where any was as likely before).
PRIOR_WRONG = 1.0


class Believed(NamedTuple):
    """Beliefs (M,), and derivatives in coordinates in which they are orthonormal.

    That is the sum of beliefs times weights times ``J' J`` of those ``within`` is one;
    old coordinates are ``change`` (n, n) times these.
    """

    beliefs: Array
    within: Array
    change: Array


def wrong_within(dim: int) -> float:
    """Return how many wrong matches are within reach, for one beside, by volume."""
    return 1.0 / (REACH_OF_BESIDE**dim - 1.0)


def believe_by_leverage(within: Array, beside: Array, weights: Array) -> Believed:
    """Return the probability that matches within reach are right.

    Parameters
    ----------
    within, beside : (d, M, n) and (d, L, n) arrays
        Derivatives of the d residuals of matches by the n coordinates of the model, in
        coordinates in which weighted ones within are orthonormal.
    weights : (M,) array
        In the fit.

    Raises
    ------
    numpy.linalg.LinAlgError
        Where too few are believed to determine the model.
    """
    leverages, others = sq_lengths(within), np.sort(sq_lengths(beside))
    order = np.argsort(leverages)
    num_wrong = len(others) - np.searchsorted(others, leverages[order])
    num = np.arange(len(order), 0.0, -1.0)  # of those with at least this leverage
    expected = wrong_within(len(within)) * (num_wrong + PRIOR_WRONG)
    beliefs = np.empty(len(weights))
    beliefs[order] = np.maximum(1.0 - expected / num, 0.0)
    factor = np.linalg.cholesky(weighted_gram(within, beliefs * weights))
    change = np.linalg.inv(factor).T
    return Believed(beliefs, within @ change, change)


def weighted_gram(jacobian: Array, weights: Array) -> Array:
    """Return the sum (n, n) over points of weights (M,) times ``J' J`` of (d, M, n)."""
    num_params = jacobian.shape[2]
    weighted = (weights[:, None] * jacobian).reshape(-1, num_params)
    gram: Array = weighted.T @ jacobian.reshape(-1, num_params)
    return gram


def sq_lengths(jacobian: Array) -> Array:
    """Return the sums (M,) of the squares of all derivatives (d, M, n) of a point."""
    lengths: Array = np.einsum("dij,dij->i", jacobian, jacobian)
    return lengths
