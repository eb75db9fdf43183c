"""One test per sentence of docs/conventions.md, in its order."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from map_scenes import KINDS, apply, map_distances, map_scene
from seen_points import projected, seen_points
from synthetic import (
    homogeneous,
    planar_scene,
    project,
    sampson_epipolar,
    sampson_homography,
    two_view_scene,
)

import cvscore


def test_convention_models_lead_from_the_first_image_to_the_second(rng):
    plane = planar_scene(rng, noise=0.0)
    H = cvscore.estimate_homography(plane.x1, plane.x2).model
    good = plane.is_inlier
    np.testing.assert_allclose(project(H, plane.x1)[good], plane.x2[good], atol=1e-6)
    scene = two_view_scene(rng, noise=0.0)
    F = cvscore.estimate_fundamental(scene.x1, scene.x2).model
    products = np.einsum("ni,ij,nj->n", homogeneous(scene.x2), F, homogeneous(scene.x1))
    np.testing.assert_allclose(products[scene.is_inlier], 0.0, atol=1e-6)


def test_convention_essential_is_for_normalised_coordinates(rng):
    scene = two_view_scene(rng, noise=0.0, focals=(900.0, 1300.0))
    E = cvscore.estimate_essential(scene.x1, scene.x2, scene.K1, scene.K2).model
    n1 = homogeneous(scene.x1) @ np.linalg.inv(scene.K1).T
    n2 = homogeneous(scene.x2) @ np.linalg.inv(scene.K2).T
    products = np.einsum("ni,ij,nj->n", n2, E, n1)[scene.is_inlier]
    np.testing.assert_allclose(products, 0.0, atol=1e-9)
    F = np.linalg.inv(scene.K2).T @ E @ np.linalg.inv(scene.K1)
    distances = sampson_epipolar(F, scene.x1, scene.x2)[scene.is_inlier]
    assert distances.max() < 1e-6


def test_convention_pose_takes_camera_1_to_camera_2(rng):
    scene = two_view_scene(rng, noise=0.0)
    found = cvscore.estimate_essential(scene.x1, scene.x2, scene.K1, scene.K2)
    R, t = found.pose
    np.testing.assert_allclose(R, scene.R, atol=1e-7)
    np.testing.assert_allclose(t, scene.t, atol=1e-7)
    assert np.linalg.norm(t) == pytest.approx(1.0)
    x1, x2 = scene.x1[found.inliers], scene.x2[found.inliers]
    _, R_cv, t_cv, _ = cv2.recoverPose(found.model, x1, x2, scene.K1)
    np.testing.assert_allclose(R_cv, R, atol=1e-9)
    np.testing.assert_allclose(t_cv[:, 0], t, atol=1e-9)


def test_convention_unit_of_the_points_not_squared(rng):
    scene = planar_scene(rng, num=1000, inlier_ratio=0.8, noise=2.0)
    found = cvscore.estimate_homography(scene.x1, scene.x2)
    assert found.scale == pytest.approx(2.0, rel=0.1)
    assert found.residuals[found.inliers].max() <= found.threshold
    assert found.residuals[~found.inliers].min() >= found.threshold
    in_half_pixels = cvscore.estimate_homography(2 * scene.x1, 2 * scene.x2)
    assert in_half_pixels.scale == pytest.approx(2 * found.scale, rel=1e-9)


def test_convention_residual_is_the_sampson_distance(rng):
    plane = planar_scene(rng)
    found = cvscore.estimate_homography(plane.x1, plane.x2)
    np.testing.assert_allclose(
        found.residuals[found.inliers],
        sampson_homography(found.model, plane.x1, plane.x2)[found.inliers],
        rtol=1e-6,
        atol=1e-9,
    )
    scene = two_view_scene(rng)
    found = cvscore.estimate_fundamental(scene.x1, scene.x2)
    np.testing.assert_allclose(
        found.residuals,
        sampson_epipolar(found.model, scene.x1, scene.x2),
        rtol=1e-6,
        atol=1e-9,
    )


def test_convention_identical_matches_count_once(rng):
    scene = planar_scene(rng, num=100)
    rows = np.concatenate([np.arange(100), np.repeat(np.arange(10), 30)])
    plain = cvscore.estimate_homography(scene.x1, scene.x2)
    copied = cvscore.estimate_homography(scene.x1[rows], scene.x2[rows])
    np.testing.assert_array_equal(copied.inliers, plain.inliers[rows])
    assert copied.score == plain.score


def test_convention_two_of_those_that_share_a_point_have_a_say(rng):
    scene = two_view_scene(rng, num=200)
    crowd = np.flatnonzero(~scene.is_inlier)[:30]
    x2 = scene.x2.copy()
    x2[crowd] = x2[crowd[0]]
    quality = np.zeros(len(x2))
    quality[crowd[-2:]] = 1.0
    for given, best in ((None, crowd[:2]), (quality, crowd[-2:])):
        found = cvscore.estimate_fundamental(scene.x1, x2, quality=given)
        said = np.setdiff1d(np.arange(len(x2)), np.setdiff1d(crowd, best))
        alone = cvscore.estimate_fundamental(
            scene.x1[said], x2[said], quality=None if given is None else given[said]
        )
        np.testing.assert_allclose(found.model, alone.model)
        np.testing.assert_array_equal(found.inliers, found.residuals <= found.threshold)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [2, 3])
def test_convention_maps_are_a_matrix_and_a_shift(kind, dim, rng):
    """``x2 = A x1 + t`` as [A | t], from the first set to the second."""
    scene = map_scene(rng, kind, dim, noise=0.0)
    found = getattr(cvscore, f"estimate_{kind}")(scene.x1, scene.x2)
    assert found.model.shape == (dim, dim + 1)
    good = scene.is_right
    moved = apply(found.model, scene.x1)[good]
    np.testing.assert_allclose(moved, scene.x2[good], atol=1e-6)


@pytest.mark.parametrize("dim", [2, 3])
def test_convention_residuals_of_maps_are_symmetric_distances(dim, rng):
    """Noise is in both sets: the distance to the nearest match of the map."""
    scene = map_scene(rng, "similarity", dim, num=1000, noise=2.0)
    found = cvscore.estimate_similarity(scene.x1, scene.x2)
    distances = map_distances(found.model, scene.x1, scene.x2)
    np.testing.assert_allclose(found.residuals, distances, rtol=1e-6, atol=1e-9)
    assert found.scale == pytest.approx(2.0, rel=0.1)


def test_convention_an_absolute_pose_is_camera_from_world(rng):
    """``x ~ K (R X + t)``, with t in the unit of the scene."""
    seen = seen_points(rng, noise=0.0, unit=1000.0)
    found = cvscore.estimate_absolute_pose(seen.x, seen.X, seen.K)
    assert found.model.shape == (3, 4)
    np.testing.assert_allclose(found.pose.R, seen.R, atol=1e-8)
    np.testing.assert_allclose(found.pose.t, seen.t, atol=1e-4)
    shown = projected(found.model, seen)
    np.testing.assert_allclose(shown[found.inliers], seen.x[found.inliers], atol=1e-6)


def test_convention_residuals_of_a_pose_are_reprojection_errors(rng):
    """In pixels of the image, which alone has noise; infinite behind the camera."""
    seen = seen_points(rng, num=1000, noise=2.0)
    X = seen.X.copy()
    X[0] = 2.0 * (-seen.R.T @ seen.t) - X[0]  # through the camera, to its back
    seen = replace(seen, X=X)
    found = cvscore.estimate_absolute_pose(seen.x, seen.X, seen.K)
    distances = np.linalg.norm(projected(found.model, seen) - seen.x, axis=1)
    distances[np.isnan(distances)] = np.inf
    np.testing.assert_allclose(found.residuals, distances, rtol=1e-6, atol=1e-9)
    assert np.isinf(found.residuals[0])
    assert not found.inliers[0]
    assert found.scale == pytest.approx(2.0, rel=0.1)
