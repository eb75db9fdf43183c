"""MSAC's kernels are its Python functions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from synthetic import packed, planar_scene

from cvscore.models.homography import homography_model
from cvscore.ransac.objective import Objective
from cvscore.ransac.samplers import UniformSampler
from cvscore.scores.baselines import Msac
from cvscore.types import Summary

# (d, n) of a plane, a homography and a rigid motion.
COUNTS = [(1, 3), (2, 8), (3, 6)]


def residual_rows(rng):
    """Squared residuals on both sides of a threshold of 2, and some exactly on it."""
    q = rng.exponential(4.0, (9, 60))
    q[:, 0], q[:, 1], q[:, 2] = 4.0, 0.0, np.inf
    q[-1] = 9.0  # without an inlier
    return q


@pytest.mark.parametrize(("dim", "num_params"), COUNTS)
def test_kernels_do_what_the_functions_do(dim, num_params, rng):
    q, score = residual_rows(rng), Msac(2.0)
    kernels = score.kernels(60, dim, num_params)
    own = kernels.constants
    expected = score.evaluate(q, dim, num_params)
    assert_allclose(kernels.evaluate(q, -np.inf, own), expected, rtol=1e-14)
    # A score to beat spares nothing: all rows are scored.
    assert_allclose(kernels.evaluate(q, 1e9, own), expected, rtol=1e-14)
    assert_allclose(
        kernels.preview(q, own), score.preview(q, dim, num_params), rtol=1e-14
    )
    for row in q:
        value, weights = kernels.assess(row, own)
        expected_value, expected_weights = score.assess(row, dim, num_params)
        assert value == pytest.approx(expected_value, rel=1e-14)
        assert_array_equal(weights, expected_weights)
        inliers = score.inliers(row, dim, num_params)
        assert_array_equal(kernels.inliers(row, own), inliers)
        summary = Summary(*kernels.summarise(row, own))
        expected_summary = score.summarise(row, dim, num_params)
        assert summary == pytest.approx(expected_summary, rel=1e-12, nan_ok=True)


class Interpreted(Msac):
    """The same score without its kernels."""

    def kernels(self, num_points, dim, num_params):
        return None


def test_the_compiled_search_ranks_as_the_interpreted_one(rng):
    scene = planar_scene(rng, num=80, inlier_ratio=0.6)
    points, model = packed(scene.x1, scene.x2), homography_model()
    models = model.solve(points, UniformSampler(80, 4).draw(60))
    found = []
    for kind in (Msac, Interpreted):
        objective = Objective(model, points, kind(3.0))
        assert objective.is_compiled == (kind is Msac)
        found.append(objective.best_of(models))
    assert_array_equal(found[0].model, found[1].model)
    assert found[0].score == pytest.approx(found[1].score, rel=1e-14)
