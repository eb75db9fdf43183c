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

import numpy as np

from cvscore.types import Array

# How far matches beside a model are looked at, in reaches: farther off they are more,
# but not as those within reach.
REACH_OF_BESIDE = 4.0
# Added to the number of wrong ones: that none is seen beside does not mean there are
# none (the prior of Jeffreys).
PRIOR_WRONG = 0.5
# Leverage is relative to the matches that are believed, and settles as fast as this.
NUM_BELIEF_ROUNDS = 3


def wrong_within(dim: int) -> float:
    """Return how many wrong matches are within reach, for one beside, by volume."""
    return 1.0 / (REACH_OF_BESIDE**dim - 1.0)


def beliefs_by_leverage(within: Array, beside: Array, weights: Array) -> Array:
    """Return the probability (M,) that matches within reach are right.

    Parameters
    ----------
    within, beside : (d, M, n) and (d, L, n) arrays
        Derivatives of the d residuals of matches by the n coordinates of the model, in
        coordinates in which weighted ones within are about orthonormal.
    weights : (M,) array
        In the fit.

    Raises
    ------
    numpy.linalg.LinAlgError
        Where too few are believed to determine the model.
    """
    share = wrong_within(len(within))
    beliefs = np.ones(len(weights))
    for _ in range(NUM_BELIEF_ROUNDS):
        factor = np.linalg.cholesky(weighted_gram(within, beliefs * weights))
        unmix = np.linalg.inv(factor).T
        leverages, others = (
            ((x @ unmix) ** 2).sum(axis=(0, 2)) for x in (within, beside)
        )
        num = _num_at_least(leverages, leverages)
        num_wrong = share * (_num_at_least(others, leverages) + PRIOR_WRONG)
        beliefs = np.maximum(1.0 - num_wrong / num, 0.0)
    return beliefs


def weighted_gram(jacobian: Array, weights: Array) -> Array:
    """Return the sum (n, n) over points of weights (M,) times ``J' J`` of (d, M, n)."""
    gram: Array = np.einsum(
        "dij,dik->jk", weights[:, None] * jacobian, jacobian, optimize=True
    )
    return gram


def _num_at_least(values: Array, limits: Array) -> Array:
    """How many values are at least as large as each limit."""
    num: Array = len(values) - np.searchsorted(np.sort(values), limits, side="left")
    return num
