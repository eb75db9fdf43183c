"""What is written for HEB, PhotoTourism, COLMAP and hloc is read value by value."""

import h5py
import numpy as np
import pytest
from paper_files import heb_plane, random_rotation, sparse_model, tutorial_scene

from benchmarks.paper.datasets import colmap_model, depth, heb, phototourism, stand_in
from benchmarks.paper.datasets.colmap_model import ModelCamera
from benchmarks.paper.datasets.colmap_writer import write_model
from benchmarks.paper.datasets.hloc import FlatMatches, HlocMatches, write_hloc
from benchmarks.paper.datasets.pairs import PairKey


def test_quaternions_round_trip(rng):
    for _ in range(50):
        R = random_rotation(rng)
        assert np.allclose(R @ R.T, np.eye(3), atol=1e-12)
        q = colmap_model.quaternion_of_rotation(R)
        assert np.allclose(colmap_model.rotation_of_quaternion(q), R, atol=1e-12)


def test_heb_round_trip(rng, tmp_path):
    planes = [heb_plane(rng), heb_plane(rng, "a_1_o", "c_3_o")]
    heb.write_scene(tmp_path / "test" / "Alamo_homographies.h5", planes)
    dataset = heb.Heb(tmp_path, max_ratio=0.6)
    assert dataset.keys() == [
        PairKey("Alamo", "a_1_o_b_2_o"),
        PairKey("Alamo", "a_1_o_c_3_o"),
    ]
    pair, plane = dataset.load(dataset.keys()[1]), planes[1]
    rows = plane.corr[plane.corr[:, 8] <= 0.6]
    assert np.array_equal(np.hstack([pair.x1, pair.x2]), rows[:, :4])
    assert np.array_equal(pair.confidence, 1 - rows[:, 8])
    assert np.array_equal(pair.is_inlier, rows[:, 9] == 1)
    assert np.array_equal(np.column_stack([pair.R, pair.t]), plane.pose)
    assert np.array_equal(pair.K1, planes[0].K1)
    assert np.array_equal(pair.K2, plane.K2)
    assert np.array_equal(pair.H, plane.hom)


def test_phototourism_round_trip(rng, tmp_path):
    cameras, matches = tutorial_scene(rng, tmp_path / "val" / "sacre_coeur")
    dataset = phototourism.PhotoTourism(tmp_path, max_ratio=0.7)
    (key,) = dataset.keys()
    assert key == PairKey("sacre_coeur", "5_b-2_a")
    pair = dataset.load(key)
    rows, ratios = (v.astype(np.float32) for v in matches["5_b", "2_a"])
    kept = ratios.astype(np.float64) <= 0.7
    assert np.array_equal(np.hstack([pair.x1, pair.x2]), rows[kept])
    assert np.array_equal(pair.confidence, 1 - ratios[kept].astype(np.float64))
    one, two = cameras["5_b"], cameras["2_a"]
    assert np.array_equal(pair.K1, one.K)
    assert np.array_equal(pair.K2, two.K)
    # A point of the world lands where both say.
    X = rng.normal(size=3)
    in_two = pair.R @ (one.R @ X + one.T) + pair.t
    assert np.allclose(in_two, two.R @ X + two.T, atol=1e-12)


def test_phototourism_stores_the_matrices_of_the_pose(rng, tmp_path):
    tutorial_scene(rng, tmp_path / "s")
    pair = phototourism.PhotoTourism(tmp_path).load(PairKey("s", "5_b-2_a"))
    X = rng.normal(size=3) + np.array([0, 0, 9])
    rays = X, pair.R @ X + pair.t
    with h5py.File(tmp_path / "s" / "Egt.h5") as file:
        E = file["5_b-2_a"][()]
    with h5py.File(tmp_path / "s" / "Fgt.h5") as file:
        F = file["5_b-2_a"][()]
    assert abs(rays[1] @ E @ rays[0]) < 1e-9
    assert abs((pair.K2 @ rays[1]) @ F @ (pair.K1 @ rays[0])) < 1e-9


def test_phototourism_reads_the_vectors_of_all_shapes(rng, tmp_path):
    tutorial_scene(rng, tmp_path / "s")
    dataset = phototourism.PhotoTourism(tmp_path)
    before = dataset.load(PairKey("s", "5_b-2_a"))
    for name in ("T", "match_conf"):
        with h5py.File(tmp_path / "s" / f"{name}.h5", "a") as file:
            for key in list(file):
                values = file[key][()]
                del file[key]
                file[key] = values[:, None]
    after = dataset.load(PairKey("s", "5_b-2_a"))
    assert np.array_equal(before.t, after.t)
    assert np.array_equal(before.confidence, after.confidence)


@pytest.mark.parametrize("binary", [False, True])
def test_colmap_models_round_trip(rng, tmp_path, binary):
    model, points = sparse_model(rng)
    write_model(tmp_path, model, points, binary=binary)
    again = colmap_model.read_model(tmp_path)
    assert set(again.images) == set(model.images)
    for k, camera in model.cameras.items():
        assert again.cameras[k].model == camera.model
        assert np.array_equal(again.cameras[k].params, camera.params)
    for k, image in model.images.items():
        other = again.images[k]
        assert (other.name, other.camera) == (image.name, image.camera)
        assert np.allclose(other.R, image.R, atol=1e-12)
        assert np.array_equal(other.t, image.t)
        assert np.array_equal(other.points, image.points)
        assert np.array_equal(other.point_ids, image.point_ids)


@pytest.mark.parametrize("binary", [False, True])
def test_pycolmap_reads_what_is_written(rng, tmp_path, binary):
    pycolmap = pytest.importorskip("pycolmap")
    model, points = sparse_model(rng)
    write_model(tmp_path, model, points, binary=binary)
    theirs = pycolmap.Reconstruction(str(tmp_path))
    assert theirs.num_images() == 3
    image = theirs.image(3)
    assert np.allclose(image.cam_from_world().rotation.matrix(), model.images[3].R)


def test_the_fisheye_camera_is_that_of_colmap(rng):
    pycolmap = pytest.importorskip("pycolmap")
    params = np.array([500, 510, 320, 240, *stand_in.LENS])
    ours = ModelCamera("THIN_PRISM_FISHEYE", 640, 480, params)
    theirs = pycolmap.Camera(
        model="THIN_PRISM_FISHEYE", width=640, height=480, params=params
    )
    rays = rng.uniform(-0.6, 0.6, (50, 2))
    expected = np.array([theirs.img_from_cam(np.append(ray, 1.0)) for ray in rays])
    assert np.allclose(depth.distort(ours, rays), expected, atol=1e-9)
    back = depth.undistort(ours, expected, num_steps=50)
    assert np.allclose(back, rays, atol=1e-9)


@pytest.mark.parametrize("separator", ["/", "_"])
@pytest.mark.parametrize("swapped", [False, True])
def test_hloc_pairs_in_all_spellings(rng, tmp_path, separator, swapped):
    keypoints = {
        "d/a.JPG": rng.uniform(size=(4, 2)),
        "d/b.JPG": rng.uniform(size=(3, 2)),
    }
    stored = ("d/b.JPG", "d/a.JPG") if swapped else ("d/a.JPG", "d/b.JPG")
    indices = np.array([-1, 3, 0]) if swapped else np.array([2, -1, -1, 1])
    scores = np.linspace(0.25, 1, len(indices))
    files = tmp_path / "features.h5", tmp_path / "matches.h5"
    write_hloc(*files, keypoints, {stored: (indices, scores)})
    if separator == "_":
        with h5py.File(files[1], "a") as file:
            old = "/".join(name.replace("/", "-") for name in stored)
            file.move(old, old.replace("/", "_"))
    found = HlocMatches(*files).read("d/a.JPG", "d/b.JPG")
    pairs = [(3, 1), (0, 2)] if swapped else [(0, 2), (3, 1)]
    for row, (i, j) in enumerate(pairs):
        assert np.array_equal(found.x1[row], keypoints["d/a.JPG"][i])
        assert np.array_equal(found.x2[row], keypoints["d/b.JPG"][j])
    assert np.allclose(found.confidence, scores[indices >= 0], atol=1e-3)
    assert HlocMatches(*files).read("d/a.JPG", "d/c.JPG") is None


def test_flat_matches_in_both_orders(rng, tmp_path):
    rows = rng.uniform(0, 99, (5, 4))
    for name, values in (("m.h5", rows), ("s.h5", np.ones(5))):
        with h5py.File(tmp_path / name, "w") as file:
            file["0007-0003"] = values
    flat = FlatMatches(tmp_path / "m.h5", tmp_path / "s.h5")
    assert np.array_equal(flat.read("x/DSC_0007.JPG", "x/DSC_0003.JPG").x1, rows[:, :2])
    assert np.array_equal(flat.read("x/DSC_0003.JPG", "x/DSC_0007.JPG").x1, rows[:, 2:])
    assert flat.read("x/DSC_0003.JPG", "x/DSC_0004.JPG") is None
