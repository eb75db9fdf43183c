"""The objective of a part of the points, as Python and as kernels make it."""

import numpy as np
import pytest

from cvscore._numba.bound import bind_model, bound_kernel
from cvscore.models.fundamental import fundamental_model
from cvscore.models.homography import homography_model
from cvscore.ransac.objective import Objective, among
from cvscore.scores.baselines import InlierCount, Msac
from cvscore.scores.marginal_score import MarginalScore


@bound_kernel
def _parts_among(objective, chosen, model):
    part = among(objective, chosen, model)
    return (
        part.points,
        part.preview_points,
        part.weights,
        part.preview_weights,
        part.score.constants,
        part.model.sample_size,
    )


@pytest.mark.parametrize("score", [MarginalScore(half_width=0.1), Msac(0.1)])
@pytest.mark.parametrize("num", [40, 900])  # without and with a preview
@pytest.mark.parametrize("weighted", [False, True])
def test_kernels_choose_points_as_python_does(rng, score, num, weighted):
    points = rng.uniform(-1, 1, (4, num))
    weights = rng.uniform(0.5, 2.0, num) if weighted else None
    chosen = rng.uniform(size=num) < 0.6
    model = homography_model()
    objective = Objective(fundamental_model(), points, score, weights=weights)
    expected = objective.among(chosen, model).bound
    bound = bind_model(model, compiled=objective.is_compiled)
    found = objective.run(_parts_among, chosen, bound)
    assert objective.is_compiled
    np.testing.assert_array_equal(found[0], points[:, chosen])
    np.testing.assert_array_equal(found[1], expected.preview_points)
    np.testing.assert_array_equal(found[2], expected.weights)
    np.testing.assert_array_equal(found[3], expected.preview_weights)
    np.testing.assert_array_equal(found[4], expected.score.constants)
    assert found[5] == 4


def test_scores_without_kernels_are_told_the_counts_of_the_other_model(rng):
    points, chosen = rng.uniform(-1, 1, (4, 30)), np.arange(30) < 20
    objective = Objective(fundamental_model(), points, InlierCount(0.1))
    assert not objective.is_compiled
    model = homography_model()
    bound = bind_model(model, compiled=False)
    found = objective.run(_parts_among, chosen, bound)
    np.testing.assert_array_equal(found[0], points[:, :20])
    np.testing.assert_array_equal(found[4], [model.residual_dim, model.num_params])
