"""A narrower fit shows the bias of matches that pull one way, and not noise."""

import numpy as np

from cvscore.inference.tukey_weights import biweights
from cvscore.inference.width_bias import width_bias

NUM = 4000


def added(seed, num_wrong):
    """What is added to the covariance of a mean, and by how much that is off.

    In units of the standard deviation of the mean.
    """
    rng = np.random.default_rng(seed)
    off = rng.uniform(0.0, 15.0, num_wrong)
    given = np.concatenate([rng.normal(size=NUM), off])
    mean = 0.0
    for _ in range(50):
        weights = biweights((given - mean) ** 2, 1.0)
        mean = (weights @ given) / weights.sum()
    residuals = (given - mean)[None]
    deviation = np.sqrt(weights.sum())
    jacobian = np.full((1, len(given), 1), 1.0 / deviation)
    beliefs = np.ones(len(given))
    given = jacobian, residuals, biweights(residuals[0] ** 2, 1.0), beliefs
    found = width_bias(*given, 1.0, np.eye(1))
    return float(found[0, 0]), mean * deviation


def test_noise_is_hardly_taken_for_bias():
    assert np.mean([added(seed, 0)[0] for seed in range(100)]) < 1.0


def test_what_pulls_one_way_is_seen():
    squares, errors = np.array([added(seed, 1500) for seed in range(100)]).T
    assert np.mean(errors) > 5.0  # or there was nothing to see
    seen = np.mean(squares)
    assert 0.5 * np.mean(errors**2) < seen < 2.0 * np.mean(errors**2)
