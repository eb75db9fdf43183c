"""The last fit in one kernel is what its parts are one by one."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic import planar_scene, two_view_scene

from cvscore.estimators import fundamental, homography
from cvscore.inference.last_fit import NOTHING_MORE, WIDEN_AND_POLISH
from cvscore.inference.outlier_width import widen_outlier_width
from cvscore.models.fundamental import fundamental_model
from cvscore.models.homography import homography_model
from cvscore.ransac.irls import polish

BY_STEPS = {
    module: replace(
        module.ESTIMATOR,
        steps=(*module.ESTIMATOR.steps, widen_outlier_width, polish),
        last_fit=NOTHING_MORE,
    )
    for module in (homography, fundamental)
}


@pytest.mark.parametrize("noise", [0.5, 12.0])  # with the larger it is widened
@pytest.mark.parametrize(
    ("module", "model", "make"),
    [
        (homography, homography_model, planar_scene),
        (fundamental, fundamental_model, two_view_scene),
    ],
    ids=["H", "F"],
)
def test_it_is_what_its_parts_are(rng, module, model, make, noise):
    scene = make(rng, num=500, inlier_ratio=0.9, noise=noise)
    points = module.ESTIMATOR.data.pack(scene.x1, scene.x2)
    assert module.ESTIMATOR.last_fit == WIDEN_AND_POLISH
    found = module.ESTIMATOR.run(model(), points)
    by_steps = BY_STEPS[module].run(model(), points)
    np.testing.assert_array_equal(found.model, by_steps.model)
    np.testing.assert_array_equal(found.inliers, by_steps.inliers)
    np.testing.assert_array_equal(found.residuals, by_steps.residuals)
    for name in ("score", "scale", "threshold", "half_width", "iterations"):
        assert getattr(found, name) == getattr(by_steps, name), name
    searched = replace(BY_STEPS[module], steps=()).run(model(), points)
    assert (found.half_width > searched.half_width) == (noise > 1.0)
    assert not np.array_equal(found.model, searched.model)
