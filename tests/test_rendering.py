import numpy as np
import pytest
from synthetic import project

from cvscore.draw import INLIER_COLOUR, MAX_LINES, OUTLIER_COLOUR, draw_matches
from cvscore.rendering import render_pair


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


def test_matches_are_drawn_where_they_are(rng):
    image = np.zeros((100, 100), np.uint8)
    x1 = np.array([[20.0, 20.0], [70.0, 70.0]])
    picture = draw_matches(image, image, x1, x1, np.array([True, False]))
    assert picture.shape == (100, 200, 3)
    assert tuple(picture[70, 70]) == OUTLIER_COLOUR
    assert tuple(picture[70, 170]) == OUTLIER_COLOUR
    assert np.abs(picture[20, 70] - np.array(INLIER_COLOUR)).max() < 40


def test_many_matches_do_not_hide_the_images(rng):
    image = np.zeros((400, 400, 3), np.uint8)
    x1 = rng.uniform(0, 399, (5000, 2))
    picture = draw_matches(
        image, image, x1, project(np.eye(3), x1), np.ones(5000, bool)
    )
    assert MAX_LINES < 5000
    assert (picture == 0).all(axis=2).mean() > 0.2
