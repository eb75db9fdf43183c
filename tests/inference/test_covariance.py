"""Covariances of an M-estimate against least squares and against many fits."""

import numpy as np
import pytest

from cvscore.inference.covariance import (
    CUT,
    Linearised,
    fit_spread,
    orthonormal_coordinates,
    reach_of,
)
from cvscore.inference.leverage_beliefs import believe_by_leverage
from cvscore.inference.tukey_weights import biweights, of_normal
from cvscore.types import NoisePosterior

WELL_KNOWN = NoisePosterior(1e6, 1e6)


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


def covariance_of(near, core=1.0, noise=WELL_KNOWN):
    """At a noise of one."""
    return fit_spread(near, core, 1.0, noise).covariance


def test_clean_residuals_have_the_covariance_of_least_squares():
    ratios = []
    for seed in range(20):
        jacobian, residuals, places = linear_problem(seed)
        found = covariance_of(near_of(jacobian, residuals, places))
        rows = jacobian.reshape(-1, 4)
        ratios.append(np.trace(found @ (rows.T @ rows)) / 4 * of_normal(2).efficiency)
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.2)


def test_that_any_match_may_be_wrong_is_what_leaving_each_out_says():
    jacobian, residuals, places = linear_problem(6, num=40, dim=1)
    jacobian[:, 7] *= 20.0
    near = near_of(jacobian, residuals, places)._replace(weights=np.ones(40))
    change = orthonormal_coordinates(jacobian, np.ones(40))
    nothing = (jacobian @ change)[:, :0]
    beliefs = believe_by_leverage(jacobian @ change, nothing, np.ones(40)).beliefs
    rows, noise = jacobian[0], 1.0 / of_normal(1).efficiency
    information = rows.T @ (beliefs[:, None] * rows)
    expected = noise * np.linalg.inv(information)
    for i in range(40):
        without = information - beliefs[i] * np.outer(rows[i], rows[i])
        moved = np.linalg.solve(without, rows[i] * residuals[0, i])
        less_sure = noise * (np.linalg.inv(without) - np.linalg.inv(information))
        expected += (1.0 - beliefs[i]) * (np.outer(moved, moved) + less_sure)
    found = covariance_of(near, core=0.0)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_the_fewer_residuals_tell_the_noise_the_wider_are_the_tails():
    near = near_of(*linear_problem(0, num=40))
    known = fit_spread(near, 1.0, 1.0, WELL_KNOWN)
    guessed = fit_spread(near, 1.0, 1.0, NoisePosterior(5.0, 5.0))
    assert guessed.freedom == 10.0
    widened = guessed.covariance / known.covariance
    np.testing.assert_allclose(widened, 10.0 / 8.0, rtol=1e-4)
    unknown = fit_spread(near, 1.0, 1.0, NoisePosterior(1.0, 1.0))
    assert np.isinf(unknown.covariance).all()


def test_the_unit_of_a_coordinate_does_not_matter():
    jacobian, residuals, places = linear_problem(0)
    units = np.array([1e-5, 1.0, 1e4, 3.0])
    one = covariance_of(near_of(jacobian, residuals, places))
    other = covariance_of(near_of(jacobian * units, residuals, places))
    np.testing.assert_allclose(other * np.outer(units, units), one, rtol=1e-6)


def test_a_wrong_match_of_large_leverage_says_nothing():
    jacobian, residuals, places = linear_problem(1, dim=1)
    rng = np.random.default_rng(2)
    right = covariance_of(near_of(jacobian, residuals, places))
    # Five wrong matches that would tell a hundred times more than all right ones.
    wild = 200.0 * rng.normal(size=(1, 5, 4))
    with_wrong = (
        np.concatenate([jacobian, wild], axis=1),
        np.concatenate([residuals, rng.normal(size=(1, 5))], axis=1),
        np.concatenate([places, rng.uniform(size=(2, 5))], axis=1),
    )
    believed = covariance_of(near_of(*with_wrong))
    beside = 200.0 * rng.normal(size=(1, 15, 4))
    doubted = covariance_of(near_of(*with_wrong, beside))
    assert np.trace(believed) < 0.1 * np.trace(right)
    assert np.trace(doubted) > np.trace(right)


def test_what_is_open_has_no_covariance():
    jacobian, residuals, places = linear_problem(3)
    jacobian[:, :, 3] = jacobian[:, :, 0]
    assert orthonormal_coordinates(jacobian, np.ones(300)) is None
    found = covariance_of(near_of(jacobian, residuals, places))
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
