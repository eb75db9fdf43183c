"""Matrices and cameras inside a frame of two images."""

import numpy as np
import pytest
from synthetic import camera, homogeneous

from cvscore.data.normalization import frame_of, region_of
from cvscore.two_view.image_frames import camera_inside, frame_of_cameras, matrix_into


def test_the_matrix_does_what_the_frame_does(rng):
    points = rng.uniform(100, 900, (4, 50))
    frame = frame_of(region_of(points))
    inside = frame.enter(points)
    for image, rows in ((0, slice(0, 2)), (1, slice(2, 4))):
        h = homogeneous(points[rows].T) @ matrix_into(frame, image).T
        np.testing.assert_allclose(h[:, :2] / h[:, 2:], inside[rows].T, rtol=1e-12)


def test_cameras_inside_their_frame(rng):
    K1, K2 = camera(900.0), camera(1100.0)
    frame = frame_of_cameras(K1, K2)
    for image, K in ((0, K1), (1, K2)):
        inside = camera_inside(frame, K, image)
        assert inside[2, 2] == 1.0
        np.testing.assert_allclose(inside[:2, 2], 0.0, atol=1e-12)
        assert inside[0, 0] == pytest.approx(K[0, 0] / frame.unit)
