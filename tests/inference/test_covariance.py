"""Covariances of an M-estimate against least squares and against many fits."""

import numpy as np
import pytest

from cvscore.inference.covariance import (
    CUT,
    Linearised,
    biweights,
    efficiency,
    fit_covariance,
    mean_sq_pull,
    orthonormal_coordinates,
    reach_of,
)


def linear_problem(seed, num=300, dim=2, num_params=4):
    """Residuals of a linear fit with noise of one, at its least squares."""
    rng = np.random.default_rng(seed)
    jacobian = rng.normal(size=(dim, num, num_params)) * [1.0, 10.0, 0.1, 1.0]
    rows = jacobian.reshape(-1, num_params)
    noise = rng.normal(size=dim * num)
    residuals = noise - rows @ np.linalg.lstsq(rows, noise, rcond=None)[0]
    return jacobian, residuals.reshape(dim, num), rng.uniform(size=(2, num))


def near_of(jacobian, residuals, places, beside=None):
    weights = biweights((residuals**2).sum(axis=0), 1.0)
    if beside is None:
        beside = jacobian[:, :0]
    roots = np.ones(len(weights))
    return Linearised(jacobian, residuals, weights, roots, places, beside)


def test_clean_residuals_have_the_covariance_of_least_squares():
    ratios = []
    for seed in range(20):
        jacobian, residuals, places = linear_problem(seed)
        found = fit_covariance(near_of(jacobian, residuals, places), 1.0, 1.0)
        rows = jacobian.reshape(-1, 4)
        ratios.append(np.trace(found @ (rows.T @ rows)) / 4 * efficiency(2))
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.2)


def test_the_unit_of_a_coordinate_does_not_matter():
    jacobian, residuals, places = linear_problem(0)
    units = np.array([1e-5, 1.0, 1e4, 3.0])
    one = fit_covariance(near_of(jacobian, residuals, places), 1.0, 1.0)
    other = fit_covariance(near_of(jacobian * units, residuals, places), 1.0, 1.0)
    np.testing.assert_allclose(other * np.outer(units, units), one, rtol=1e-6)


def test_a_wrong_match_of_large_leverage_says_nothing():
    jacobian, residuals, places = linear_problem(1, dim=1)
    rng = np.random.default_rng(2)
    right = fit_covariance(near_of(jacobian, residuals, places), 1.0, 1.0)
    # Five wrong matches that would tell a hundred times more than all right ones.
    wild = 200.0 * rng.normal(size=(1, 5, 4))
    with_wrong = (
        np.concatenate([jacobian, wild], axis=1),
        np.concatenate([residuals, rng.normal(size=(1, 5))], axis=1),
        np.concatenate([places, rng.uniform(size=(2, 5))], axis=1),
    )
    believed = fit_covariance(near_of(*with_wrong), 1.0, 1.0)
    beside = 200.0 * rng.normal(size=(1, 15, 4))
    doubted = fit_covariance(near_of(*with_wrong, beside), 1.0, 1.0)
    assert np.trace(believed) < 0.1 * np.trace(right)
    assert np.trace(doubted) > np.trace(right)


def test_what_is_open_has_no_covariance():
    jacobian, residuals, places = linear_problem(3)
    jacobian[:, :, 3] = jacobian[:, :, 0]
    assert orthonormal_coordinates(jacobian, np.ones(300)) is None
    found = fit_covariance(near_of(jacobian, residuals, places), 1.0, 1.0)
    assert np.isinf(found).all()


def test_reach_and_beside_are_by_the_scale_of_the_core():
    rng = np.random.default_rng(4)
    residuals = np.concatenate([rng.normal(size=400), np.linspace(0, 60, 100)])
    reach = reach_of(residuals**2, np.arange(500) < 400, 1, 0)
    assert reach.variance == pytest.approx(1.0, rel=0.2)
    edge = CUT * np.sqrt(reach.variance)
    np.testing.assert_array_equal(reach.within, np.abs(residuals) < edge)
    assert not (reach.within & reach.beside).any()
    assert np.abs(residuals[reach.beside]).max() < 4.0 * edge


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_constants_of_tukeys_weights_are_those_of_samples(dim):
    rng = np.random.default_rng(5)
    r = rng.normal(size=(400_000, dim))
    sq = (r**2).sum(axis=1)
    u = np.minimum(sq / CUT**2, 1.0)
    weights = (1.0 - u) ** 2
    slope = np.mean(weights - 4.0 * u * (1.0 - u) / dim)
    pull = np.mean(weights**2 * sq) / dim
    assert efficiency(dim) == pytest.approx(slope**2 / pull, abs=0.01)
    radii = rng.uniform(size=400_000) ** (1.0 / dim)
    even = np.mean((1.0 - radii**2) ** 4 * radii**2) / dim
    assert mean_sq_pull(dim) == pytest.approx(even, rel=0.01)
