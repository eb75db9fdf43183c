"""The likelihood of matches about a plane and epipolar lines."""

import itertools

import numpy as np

from cvscore.inference.inlier_mixture import fit_mixture
from cvscore.two_view.plane_line_mixture import (
    LayerMixture,
    fit_layers,
    log_likelihoods,
)


def test_plane_is_a_limit_of_the_general_model(rng):
    e = rng.normal(0, 1, (200, 2))
    e[100:] *= 100
    sq = (e**2).sum(axis=1)
    planar = fit_mixture(sq, 2, 1e-4, 0.5, 1.0).log_likelihood
    starts = np.array([[0.5, 0.0, 1.0, 1.0]])
    general = fit_layers(sq, e[:, 1] ** 2, 1e-4, 1e-2, starts)
    assert general.log_likelihood >= planar - 0.02


def test_mixture_is_at_its_maximum(rng):
    """No mixture on a grid around the truth is likelier."""
    e = rng.normal(0, [6.0, 2.0], (600, 2))
    e[200:400, 0] = rng.uniform(-50, 50, 200)
    e[400:] = rng.uniform(-50, 50, (200, 2))
    sq_along, sq_across = e.T**2
    starts = np.array([[0.3, 0.3, 4.0, 4.0]])
    given = sq_along + sq_across, sq_across, 1e-4, 1e-2
    found = fit_layers(*given, starts)

    def ratio(on_plane, on_line, scale, spread):
        near = np.exp(-0.5 * sq_across / scale**2) / (np.sqrt(2 * np.pi) * scale)
        there = np.exp(-0.5 * sq_along / spread**2) / (np.sqrt(2 * np.pi) * spread)
        total = on_plane * near * there / 1e-4 + on_line * near / 1e-2
        return np.log(total + 1 - on_plane - on_line).sum()

    grid = itertools.product(
        np.linspace(0.25, 0.42, 9),
        np.linspace(0.25, 0.42, 9),
        np.linspace(1.7, 2.3, 9),
        np.linspace(5.0, 7.0, 9),
    )
    best = max(ratio(*mixture) for mixture in grid)
    assert best - 0.1 <= found.log_likelihood <= best + 0.5
    # One by one they add up to it, for the mixture that it is of.
    by_match = log_likelihoods(*given, found)
    np.testing.assert_allclose(by_match.sum(), found.log_likelihood, rtol=1e-9)
    np.testing.assert_allclose(ratio(*found[1:]), found.log_likelihood, rtol=1e-9)


def test_a_match_far_from_everything_is_by_chance():
    mixture = LayerMixture(0.0, 0.5, 0.5, 1.0, 1.0)
    far, on_both = log_likelihoods(
        np.array([np.inf, 0.0]), np.array([np.inf, 0.0]), 1e-4, 1e-2, mixture
    )
    assert np.isfinite(far)
    assert far < -20.0
    assert np.isclose(on_both, np.log(0.5 / (2 * np.pi) / 1e-4 + 0.2 / 1e-2), rtol=0.01)
