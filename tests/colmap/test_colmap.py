"""Verification of COLMAP databases: what is written of each pair."""

import numpy as np
import pytest
from synthetic import cross_matrix, pose_error, rotation_angle

pycolmap = pytest.importorskip("pycolmap")

from colmap_scenes import (  # noqa: E402
    CALIBRATED,
    PANORAMIC,
    PLANAR,
    UNCALIBRATED,
    VERSION,
    check_labels,
    contents,
    make_camera,
    open_database,
    read_geometries,
    write_scene,
)

import cvscore  # noqa: E402
from cvscore.colmap import (  # noqa: E402
    colmap_from_opencv,
    two_view_geometry,
    verify_matches,
)

MODELS = ["SIMPLE_RADIAL", "OPENCV", "OPENCV_FISHEYE", "FULL_OPENCV"]
MODELS += ["EQUIRECTANGULAR"] if VERSION >= (4, 2) else []


def homogeneous_rays(camera, points):
    rays = np.asarray(camera.cam_from_img(np.asarray(points, dtype=np.float64)))
    return np.hstack([rays, np.ones((len(rays), 1))])


@pytest.mark.parametrize("planar", [False, True], ids=["general", "planar"])
@pytest.mark.parametrize("model", MODELS)
def test_any_camera_model(path, rng, model, planar):
    camera = make_camera(model)
    # A spherical camera spreads all around over as many pixels: a fifth of the focal.
    noise = 0.1 if model == "EQUIRECTANGULAR" else 0.5
    truth = write_scene(
        path, rng, num_images=2, camera=camera, planar=planar, noise=noise
    )
    summary = verify_matches(path, progress=False)
    assert summary.num_accepted == summary.num_pairs == 1
    ((pair, geometry),) = read_geometries(path).items()
    check_labels(geometry, truth.matches[pair])
    R, t = truth.relative(*pair)
    pose = geometry.cam2_from_cam1
    assert rotation_angle(pose.rotation.matrix() @ R.T) < 2.0
    assert pose.translation @ t > np.cos(np.radians(6.0))
    has_plane = planar and model != "EQUIRECTANGULAR"
    assert geometry.config == (PLANAR if has_plane else CALIBRATED)


def test_matrices_hold_for_the_inliers(path, rng):
    write_scene(path, rng, num_images=2, noise=0.01, camera=make_camera("OPENCV"))
    verify_matches(path, progress=False)
    ((pair, geometry),) = read_geometries(path).items()
    database = open_database(path)
    (camera,) = database.read_all_cameras()
    chosen = geometry.inlier_matches.T
    x1, x2 = (
        database.read_keypoints(image)[rows, :2]
        for image, rows in zip(pair, chosen, strict=True)
    )
    database.close()
    n1, n2 = homogeneous_rays(camera, x1), homogeneous_rays(camera, x2)
    K = camera.calibration_matrix()
    u1, u2 = n1 @ K.T, n2 @ K.T  # pixels without distortion
    assert geometry.inlier_matches.dtype == np.uint32
    E, F = geometry.E, geometry.F
    np.testing.assert_allclose(np.einsum("ni,ij,nj->n", n2, E, n1), 0, atol=2e-4)
    lines = u1 @ F.T
    distances = np.einsum("ni,ni->n", u2, lines) / np.hypot(*lines.T[:2])
    assert np.abs(distances).max() < 0.2
    pose = geometry.cam2_from_cam1
    product = cross_matrix(pose.translation) @ pose.rotation.matrix()
    cosine = (E * product).sum() / np.linalg.norm(E) / np.linalg.norm(product)
    assert abs(cosine) > 1 - 1e-8


def test_without_a_focal_length_it_is_the_fundamental_matrix(path, rng):
    camera = make_camera("SIMPLE_PINHOLE", prior=False)
    truth = write_scene(path, rng, num_images=2, camera=camera)
    summary = verify_matches(path, progress=False)
    assert summary.accepted == {"UNCALIBRATED": 1}
    ((pair, geometry),) = read_geometries(path).items()
    assert geometry.config == UNCALIBRATED
    assert np.linalg.norm(geometry.F) > 0
    check_labels(geometry, truth.matches[pair])


def test_rotation_about_the_camera_is_panoramic(rng):
    camera = make_camera("SIMPLE_PINHOLE")
    K = camera.calibration_matrix()
    x1 = rng.uniform([200, 200], [1000, 700], (200, 2))
    angle = 0.1
    R = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0],
                  [-np.sin(angle), 0, np.cos(angle)]])  # fmt: skip
    y = np.hstack([x1, np.ones((200, 1))]) @ (K @ R @ np.linalg.inv(K)).T
    x2 = y[:, :2] / y[:, 2:] + rng.normal(0, 0.5, (200, 2))
    x2[150:] = rng.uniform([0, 0], [1280, 960], (50, 2))
    geometry = two_view_geometry(camera, x1, camera, x2)
    assert geometry.config == PANORAMIC
    assert geometry.tri_angle == 0.0
    assert rotation_angle(geometry.cam2_from_cam1.rotation.matrix() @ R.T) < 0.1
    assert len(geometry.inlier_matches) >= 145


@pytest.mark.parametrize("model", MODELS)
def test_a_pair_whose_pose_is_open_is_never_calibrated(path, model):
    # Chance calls a few rotations planar: none of spherical cameras with this seed.
    rng = np.random.default_rng(0)
    write_scene(path, rng, turning=True, wrong=0.2, camera=make_camera(model))
    verify_matches(path, progress=False)
    geometries = read_geometries(path).values()
    assert CALIBRATED not in {geometry.config for geometry in geometries}
    turned = [one for one in geometries if one.config == PANORAMIC]
    assert len(turned) >= len(geometries) - 1
    for geometry in turned:
        np.testing.assert_array_equal(geometry.cam2_from_cam1.translation, 0.0)


def test_random_matches_are_rejected(rng):
    camera = make_camera()
    accepted = 0
    for _ in range(20):
        x1, x2 = rng.uniform([0, 0], [1280, 960], (2, 300, 2))
        geometry = two_view_geometry(camera, x1, camera, x2)
        accepted += geometry.config > 1
        assert geometry.config > 1 or len(geometry.inlier_matches) == 0
    assert accepted <= 1  # at one in a hundred, three have a chance of 1e-3


def test_pair_function_agrees_with_pycolmap_where_that_is_easy(rng, path):
    write_scene(path, rng, num_images=2, wrong=0.1)
    database = open_database(path)
    (camera,) = database.read_all_cameras()
    x1, x2 = (database.read_keypoints(i)[:, :2].astype(float) for i in (1, 2))
    matches = database.read_matches(1, 2)
    database.close()
    ours = two_view_geometry(camera, x1, camera, x2, matches)
    theirs = pycolmap.estimate_two_view_geometry(camera, x1, camera, x2, matches)
    pycolmap.estimate_two_view_geometry_pose(camera, x1, camera, x2, theirs)
    assert ours.config == theirs.config == CALIBRATED
    first, second = ours.cam2_from_cam1, theirs.cam2_from_cam1
    turn = first.rotation.matrix() @ second.rotation.matrix().T
    assert rotation_angle(turn) < 1.0
    assert first.translation @ second.translation > np.cos(np.radians(3.0))
    assert ours.tri_angle == pytest.approx(theirs.tri_angle, rel=0.05)


def test_pair_function_rejects_points_that_can_not_match(rng):
    camera = make_camera()
    with pytest.raises(ValueError, match="as many points1 as points2, got 5 and 6"):
        two_view_geometry(camera, rng.random((5, 2)), camera, rng.random((6, 2)))


def test_convention_first_pixel_is_centred_at_one_half():
    np.testing.assert_array_equal(colmap_from_opencv([[0, 0]]), [[0.5, 0.5]])


def test_calibration_is_used_for_its_model_alone(path, rng):
    write_scene(path, rng, num_images=2, num_points=60, noise=2.0)
    calibrations = [
        cvscore.Calibration(
            model=model,
            prior=cvscore.InverseGamma(50.0, 0.5),  # noise of a tenth of a pixel
            half_width_fraction=0.02,
            half_width=10.0,
            num_pairs=2,
        )
        for model in ("essential", "fundamental")
    ]
    written = []
    for calibration in (None, *calibrations):
        verify_matches(path, overwrite=True, calibration=calibration, progress=False)
        written.append(contents(path))
    assert written[0] == written[2] != written[1]


def test_pose_of_general_pair_is_accurate(path, rng):
    truth = write_scene(path, rng, num_images=3, num_points=200, wrong=0.7)
    verify_matches(path, progress=False)
    for pair, geometry in read_geometries(path).items():
        pose = geometry.cam2_from_cam1
        R, t = truth.relative(*pair)
        relative = type("Relative", (), {"R": R, "t": t})
        error = pose_error(pose.rotation.matrix(), pose.translation, relative)
        assert error < 2.0
