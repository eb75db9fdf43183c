"""Verification of COLMAP databases: what is written, and what is left alone."""

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from synthetic import pose_error, rotation_angle

pycolmap = pytest.importorskip("pycolmap")

from colmap_scenes import (  # noqa: E402
    VERSION,
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

ROOT = Path(__file__).resolve().parent.parent
MODELS = ["SIMPLE_RADIAL", "OPENCV", "OPENCV_FISHEYE", "FULL_OPENCV"]
MODELS += ["EQUIRECTANGULAR"] if VERSION >= (4, 2) else []
CALIBRATED, UNCALIBRATED, PLANAR = 2, 3, 4


@pytest.fixture
def path(tmp_path):
    return tmp_path / "database.db"


def plain(geometry):
    """Every stored field, to compare runs bit by bit."""
    fields = [geometry.config, geometry.inlier_matches.tolist()]
    for name in ("E", "F", "H"):
        matrix = getattr(geometry, name)
        fields.append(None if matrix is None else matrix.tolist())
    pose = geometry.cam2_from_cam1
    return [*fields, None if pose is None else pose.matrix().tolist()]


def contents(path):
    return {pair: plain(g) for pair, g in read_geometries(path).items()}


def checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_labels(geometry, right, precision=0.95, recall=0.9):
    found = {tuple(row) for row in geometry.inlier_matches.tolist()}
    assert len(found & right) >= precision * len(found)
    assert len(found & right) >= recall * len(right)


def homogeneous_rays(camera, points):
    rays = np.asarray(camera.cam_from_img(np.asarray(points, dtype=np.float64)))
    return np.hstack([rays, np.ones((len(rays), 1))])


# What is written.


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
    t = pose.translation
    cross = np.array([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0]])
    product = cross @ pose.rotation.matrix()
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
    assert geometry.config == 5
    assert geometry.tri_angle == 0.0
    assert rotation_angle(geometry.cam2_from_cam1.rotation.matrix() @ R.T) < 0.1
    assert len(geometry.inlier_matches) >= 145


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


# Bad input is counted.


def test_bad_matches_and_pairs_are_counted(path, rng):
    truth = write_scene(path, rng, num_images=6, num_points=80)
    database = open_database(path)
    matches = database.read_matches(1, 2)
    database.clear_matches()
    far = np.array([[500, 0], [0, 4_000_000_000]], dtype=np.uint32)
    database.write_matches(1, 2, np.vstack([matches, matches[:7], far]))
    database.write_matches(1, 3, np.empty((0, 2), dtype=np.uint32))
    database.write_matches(1, 4, matches[:1])
    database.write_matches(1, 99, matches)
    database.close()
    connection = sqlite3.connect(path)
    with connection:
        # As programs do that don't know COLMAP's order: (6, 5) in place of (5, 6).
        right = np.array(sorted(truth.matches[5, 6]), dtype=np.uint32)[:, ::-1].copy()
        for pair_id, rows in ((6 * 2147483647 + 5, right), (2 * 2147483647 + 2, right)):
            connection.execute(
                "INSERT INTO matches VALUES (?, ?, 2, ?)",
                (pair_id, len(rows), rows.tobytes()),
            )
    connection.close()
    summary = verify_matches(path, progress=False)
    assert summary.num_pairs == 5
    assert summary.accepted == {"CALIBRATED": 2}
    assert summary.rejected == {"too few matches": 2}
    assert summary.skipped == {"missing image": 1, "image with itself": 1}
    assert summary.dropped == {"index out of range": 2, "duplicate": 7}
    assert summary.num_reversed == 1
    assert num_verified(path) == 4  # a rejected pair has an entry without inliers
    written = read_geometries(path)
    assert {pair for pair, g in written.items() if g.config > 1} == {(1, 2), (5, 6)}
    check_labels(written[1, 2], truth.matches[1, 2])
    check_labels(written[5, 6], truth.matches[5, 6])
    text = str(summary)
    for part in ("accepted", "too few matches", "missing image", "stored in reverse"):
        assert part in text


def test_pairs_file_in_either_order(path, tmp_path, rng):
    write_scene(path, rng)
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("1.png 0.png\n0.png 1.png\n\n2.png 3.png\n0.png none.png\n")
    summary = verify_matches(path, pairs, progress=False)
    assert summary.num_pairs == summary.num_accepted == 2
    assert summary.skipped == {"name of no image": 1}
    assert set(read_geometries(path)) == {(1, 2), (3, 4)}
    pairs.write_text("0.png\n")
    with pytest.raises(ValueError, match="line 1: two image names"):
        verify_matches(path, pairs)


# Nothing is lost.


def test_existing_geometries_are_kept_unless_overwritten(path, rng):
    write_scene(path, rng)
    database = open_database(path)
    mine = pycolmap.TwoViewGeometry(
        config=UNCALIBRATED, inlier_matches=np.array([[3, 4]], dtype=np.uint32)
    )
    database.write_two_view_geometry(1, 2, mine)
    database.close()
    kept = contents(path)[1, 2]
    summary = verify_matches(path, progress=False)
    assert (summary.num_kept, summary.num_accepted) == (1, 5)
    assert contents(path)[1, 2] == kept
    assert verify_matches(path, progress=False).num_kept == 6
    summary = verify_matches(path, overwrite=True, progress=False)
    assert (summary.num_kept, summary.num_accepted) == (0, 6)
    assert contents(path)[1, 2] != kept
    # What pycolmap does with a verified database: nothing.
    before = contents(path)
    pairs = path.with_suffix(".txt")
    pairs.write_text("0.png 1.png\n1.png 2.png\n")
    pycolmap.verify_matches(str(path), str(pairs))
    assert contents(path) == before


def test_locked_database_is_left_alone(path, rng):
    write_scene(path, rng)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    before = checksum(path)
    with pytest.raises(TimeoutError, match="is locked by another program"):
        verify_matches(path)
    assert checksum(path) == before
    other.rollback()
    other.close()
    assert verify_matches(path, progress=False).num_accepted == 6


def test_read_only_database_is_left_alone(path, rng):
    write_scene(path, rng)
    path.chmod(0o444)
    before = checksum(path)
    with pytest.raises(PermissionError, match="read-only"):
        verify_matches(path)
    assert checksum(path) == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_what_is_no_database_is_left_alone(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no database at"):
        verify_matches(tmp_path / "none.db")
    assert not list(tmp_path.iterdir())
    text = tmp_path / "text.db"
    text.write_text("not a database, but longer than the header of one would be" * 9)
    with pytest.raises(ValueError, match="is not a COLMAP database"):
        verify_matches(text)
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE t (x)").close()
    with pytest.raises(ValueError, match="is not a COLMAP database"):
        verify_matches(tmp_path / "other.db")


def test_looking_does_not_change_the_file(path, rng):
    write_scene(path, rng)
    verify_matches(path, progress=False)
    before = checksum(path)
    assert verify_matches(path, progress=False).num_kept == 6
    assert checksum(path) == before


KILLED = """
import sys
import cvscore.colmap.verification as v
v.PAIRS_PER_TRANSACTION = v.PAIRS_PER_TASK = 2
original = v.estimate_pair
def slow(matches, options):
    import time
    time.sleep(0.1)
    return original(matches, options)
v.estimate_pair = slow
print("started", flush=True)
v.verify_matches(sys.argv[1], num_workers=1)
"""


def test_killed_run_leaves_a_valid_database_that_the_next_run_finishes(path, rng):
    write_scene(path, rng, num_images=7, num_points=60)
    whole = path.with_name("whole.db")
    whole.write_bytes(path.read_bytes())
    verify_matches(whole, progress=False)
    folders = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": folders}
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)],
        stdout=subprocess.PIPE,
        env=environment,
    )
    assert process.stdout.readline()
    deadline = time.monotonic() + 300  # it may have to compile first
    while num_verified(path) < 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    num_done = num_verified(path)
    assert 4 <= num_done < 21
    summary = verify_matches(path, progress=False)
    assert summary.num_kept == num_done
    assert summary.num_accepted == 21 - num_done
    assert contents(path) == contents(whole)


def num_verified(path):
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=10)
    (count,) = connection.execute("SELECT count(*) FROM two_view_geometries").fetchone()
    connection.close()
    return count


# Workers.


def test_result_does_not_depend_on_the_workers(path, rng):
    write_scene(path, rng, num_images=5)
    verify_matches(path, num_workers=1, progress=False)
    alone = contents(path)
    verify_matches(path, num_workers=3, overwrite=True, progress=False)
    assert contents(path) == alone
    with ProcessPoolExecutor(1, mp_context=spawn()) as executor:
        verify_matches(path, overwrite=True, executor=executor, progress=False)
    assert contents(path) == alone


def spawn():
    import multiprocessing

    return multiprocessing.get_context("spawn")


@pytest.mark.filterwarnings("default")  # what Dask deprecates is not our concern
def test_dask_cluster_gives_the_same(path, rng):
    distributed = pytest.importorskip("distributed")
    write_scene(path, rng, num_images=4)
    verify_matches(path, num_workers=1, progress=False)
    alone = contents(path)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        summary = verify_matches(
            path, overwrite=True, executor=client.get_executor(), progress=False
        )
    assert summary.num_accepted == 6
    assert contents(path) == alone


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


def test_no_workers_is_an_error(path, rng):
    write_scene(path, rng, num_images=2)
    with pytest.raises(ValueError, match="num_workers must be at least 1, got 0"):
        verify_matches(path, num_workers=0)


def test_pose_of_general_pair_is_accurate(path, rng):
    truth = write_scene(path, rng, num_images=3, num_points=200, wrong=0.7)
    verify_matches(path, progress=False)
    for pair, geometry in read_geometries(path).items():
        pose = geometry.cam2_from_cam1
        R, t = truth.relative(*pair)
        relative = type("Relative", (), {"R": R, "t": t})
        error = pose_error(pose.rotation.matrix(), pose.translation, relative)
        assert error < 2.0
