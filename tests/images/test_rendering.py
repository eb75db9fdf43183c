"""Rendered pairs have the geometry that they say they have."""

import numpy as np
import pytest

from cvscore.images.rendering import render_pair


def test_a_planar_pair_is_related_by_the_homography_of_its_wall():
    import cv2

    pair = render_pair(1, width=320, height=240, planar=True)
    # The wall is z = 8 in the first camera: H = K (R + t n' / 8) K^-1 with the length
    # of t restored from the only unknown, so compare over candidate lengths.
    best = np.inf
    for length in np.linspace(0.5, 1.5, 101):
        plane = np.outer(pair.t * length, [0, 0, 1 / 8])
        H = pair.K @ (pair.R + plane) @ np.linalg.inv(pair.K)
        warped = cv2.warpPerspective(pair.image1, H, (320, 240))
        seen = cv2.warpPerspective(np.full((240, 320), 255, np.uint8), H, (320, 240))
        difference = np.abs(warped.astype(float) - pair.image2)[seen == 255].mean()
        best = min(best, difference)
    assert best < 10  # of grey levels that vary by about 30
    assert pair.image1.std() > 15


def test_rendering_is_deterministic_and_seeds_differ():
    first = render_pair(3, width=80, height=60)
    second = render_pair(3, width=80, height=60)
    np.testing.assert_array_equal(first.image2, second.image2)
    assert (render_pair(4, width=80, height=60).image1 != first.image1).any()
    assert np.linalg.norm(first.t) == pytest.approx(1)
    np.testing.assert_allclose(first.R @ first.R.T, np.eye(3), atol=1e-12)
