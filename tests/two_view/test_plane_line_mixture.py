"""The likelihood of matches about a plane and epipolar lines."""

import itertools

import numpy as np

from cvscore.inference.inlier_mixture import fit_mixture
from cvscore.two_view.plane_line_mixture import log_likelihood


def test_plane_is_a_limit_of_the_general_model(rng):
    e = rng.normal(0, 1, (200, 2))
    e[100:] *= 100
    sq = (e**2).sum(axis=1)
    planar = fit_mixture(sq, 2, 1e-4, 0.5, 1.0).log_likelihood
    starts = np.array([[0.5, 0.0, 1.0, 1.0]])
    general = log_likelihood(sq, e[:, 1] ** 2, 1e-4, 1e-2, starts)
    assert general >= planar - 0.02


def test_mixture_is_at_its_maximum(rng):
    """No mixture on a grid around the truth is likelier."""
    e = rng.normal(0, [6.0, 2.0], (600, 2))
    e[200:400, 0] = rng.uniform(-50, 50, 200)
    e[400:] = rng.uniform(-50, 50, (200, 2))
    sq_along, sq_across = e.T**2
    starts = np.array([[0.3, 0.3, 4.0, 4.0]])
    reached = log_likelihood(sq_along + sq_across, sq_across, 1e-4, 1e-2, starts)

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
    assert best - 0.1 <= reached <= best + 0.5
