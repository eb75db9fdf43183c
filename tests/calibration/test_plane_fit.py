"""The homography of labelled matches."""

import numpy as np
import pytest
from synthetic import planar_scene, sampson_homography

from cvscore.calibration.plane_fit import whitened_transfer


def test_whitened_residuals_are_sampson_residuals(rng):
    s = planar_scene(rng, 30)
    residuals = whitened_transfer(s.H, np.vstack([s.x1.T, s.x2.T])).reshape(2, -1)
    expected = sampson_homography(s.H, s.x1, s.x2)
    assert np.hypot(*residuals) == pytest.approx(expected, rel=1e-9)
