"""Depths tell right matches from those that are on their lines by chance."""

import numpy as np
import pytest
from synthetic import packed, two_view_scene

from cvscore.models.sampson import sampson_residuals
from cvscore.models.triangulation import parallax_of
from cvscore.two_view.labelling.depth_evidence import NUM_BY_CHANCE, depth_log_ratios
from cvscore.two_view.model_selection import Matches, fundamental_of


def test_depths_tell_right_matches_from_those_that_lie_on_lines_by_chance(rng):
    s = two_view_scene(rng, 400, inlier_ratio=0.5, noise=0.3)
    points, cameras = packed(s.x1, s.x2), (s.K1, s.K2)
    F = fundamental_of(s.E, cameras)
    matches = Matches(points)
    parallax = parallax_of(points, *cameras, s.R, s.t)
    given = matches.redrawn, F, *cameras, s.R, s.t, parallax.turns
    right = s.is_inlier.astype(float)
    log_ratios = depth_log_ratios(*given, right)
    assert log_ratios[s.is_inlier].mean() > log_ratios[~s.is_inlier].mean() + 0.5
    # Right matches are likelier here by as much as they are less likely elsewhere.
    q = sampson_residuals(F[None], matches.redrawn)[0]
    closest = np.argsort(q)[:NUM_BY_CHANCE]
    chance = parallax_of(
        np.ascontiguousarray(matches.redrawn[:, closest]), *cameras, s.R, s.t
    )
    values, log_values = _step_function(parallax.turns, log_ratios)
    at_chance = log_values[
        np.searchsorted(values, chance.turns).clip(0, len(values) - 1)
    ]
    assert np.exp(at_chance).mean() == pytest.approx(1.0, abs=0.25)
    # Who believes in nobody learns nothing.
    np.testing.assert_allclose(depth_log_ratios(*given, 0 * right), 0.0)


def _step_function(x, y):
    order = np.argsort(x)
    return x[order], y[order]
