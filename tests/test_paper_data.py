"""Readers and writers of HEB, PhotoTourism and ETH3D: round trips, truth, errors."""

import shutil

import h5py
import numpy as np
import pytest
from conftest import needs_shared_data, shared_data

from benchmarks.paper import colmap_model, depth, eth3d, heb, phototourism, stand_in
from benchmarks.paper.colmap_model import ModelCamera, ModelImage, SparseModel
from benchmarks.paper.colmap_writer import write_model
from benchmarks.paper.hloc import FlatMatches, HlocMatches, write_hloc
from benchmarks.paper.pairs import DataError, PairKey, choose_pairs
from benchmarks.protocols.homography import apply_homography
from cvscore.models._epipolar import sampson_residuals

NUM_VIEWS = 3


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    root = tmp_path_factory.mktemp("rooms")
    stand_in.write_heb(root / "heb", 1, NUM_VIEWS)
    stand_in.write_phototourism(root / "pt", 1, NUM_VIEWS)
    paths = stand_in.write_eth3d(root / "eth3d", 1, NUM_VIEWS)
    return {
        "heb": heb.Heb(root / "heb"),
        "pt": phototourism.PhotoTourism(root / "pt"),
        "eth3d": eth3d.Eth3d(root / "eth3d", HlocMatches(*paths)),
    }


def epipolar_distances(pair):
    x, y, z = pair.t
    E = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ pair.R
    F = np.linalg.inv(pair.K2).T @ E @ np.linalg.inv(pair.K1)
    points = np.ascontiguousarray(np.hstack([pair.x1, pair.x2]).T)
    return np.sqrt(sampson_residuals(F[None], points)[0])


# Rendered scenes, through writer and reader


@pytest.mark.parametrize("name", ["heb", "pt", "eth3d"])
def test_the_pose_read_explains_the_matches_rendered(rooms, name):
    # A convention got wrong anywhere, half a pixel apart, would show here.
    for key in rooms[name].keys():  # noqa: SIM118
        pair = rooms[name].load(key)
        distances = epipolar_distances(pair)
        assert len(distances) == len(pair.confidence) > 100
        assert np.mean(distances < 1.5) > 0.6
        assert np.median(distances) < 0.3


@pytest.mark.parametrize("name", ["heb", "eth3d"])
def test_labels_are_right_about_the_epipolar_line(rooms, name):
    for key in rooms[name].keys():  # noqa: SIM118
        pair = rooms[name].load(key)
        assert pair.is_inlier.sum() > 40
        distances = epipolar_distances(pair)
        assert np.quantile(distances[pair.is_inlier], 0.99) < 2.5
        far = distances > 5
        assert not pair.is_inlier[far].any()


def test_labels_of_depth_find_nearly_all_right_matches(rooms):
    for key in rooms["eth3d"].keys():  # noqa: SIM118
        pair = rooms["eth3d"].load(key)
        close = epipolar_distances(pair) < 0.5
        assert pair.is_inlier[close].mean() > 0.85


def test_the_homography_read_moves_the_inliers(rooms):
    for key in rooms["heb"].keys():  # noqa: SIM118
        pair = rooms["heb"].load(key)
        moved = apply_homography(pair.H, pair.x1[pair.is_inlier])
        miss = np.linalg.norm(moved - pair.x2[pair.is_inlier], axis=1)
        assert miss.max() <= stand_in.MAX_TRANSFER + 1e-6


# Round trips, value by value


def random_rotation(rng):
    q = rng.normal(size=4)
    return colmap_model.rotation_of_quaternion(q / np.linalg.norm(q))


def test_quaternions_round_trip(rng):
    for _ in range(50):
        R = random_rotation(rng)
        assert np.allclose(R @ R.T, np.eye(3), atol=1e-12)
        q = colmap_model.quaternion_of_rotation(R)
        assert np.allclose(colmap_model.rotation_of_quaternion(q), R, atol=1e-12)


def heb_plane(rng, image1="a_1_o", image2="b_2_o"):
    corr = rng.uniform(0, 1, (30, 10))
    corr[:, 9] = rng.integers(0, 2, 30)
    K = np.array([[800, 0, 320], [0, 800, 240], [0, 0, 1.0]])
    pose = np.hstack([random_rotation(rng), rng.normal(size=(3, 1))])
    H = rng.normal(size=(3, 3))
    return heb.HebPlane(image1, image2, corr, pose, H, K, 2 * K - np.diag([0, 0, 1]),
                        (640, 480), (1280, 960))  # fmt: skip


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


def tutorial_scene(rng, folder):
    K = np.array([[900, 0, 500], [0, 880, 400], [0, 0, 1.0]])
    cameras = {
        name: phototourism.Camera(K * [[s], [s], [1]], random_rotation(rng), t)
        for name, s, t in zip(
            ("5_b", "2_a"), (1.0, 1.5), rng.normal(size=(2, 3)), strict=True
        )
    }
    matches = {("5_b", "2_a"): (rng.uniform(0, 999, (40, 4)), rng.uniform(0, 1, 40))}
    phototourism.write_scene(folder, cameras, matches)
    return cameras, matches


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


def sparse_model(rng):
    cameras = {
        0: ModelCamera("PINHOLE", 640, 480, np.array([500, 510, 320.25, 240.5])),
        7: ModelCamera("THIN_PRISM_FISHEYE", 64, 48, rng.normal(size=12)),
    }
    images = {
        k: ModelImage(
            f"dslr_images/DSC {k}.JPG", c, random_rotation(rng), rng.normal(size=3),
            rng.uniform(0, 99, (n, 2)), rng.permutation(9)[:n] - 1,
        )
        for k, c, n in ((3, 0, 5), (9, 7, 0), (4, 0, 9))
    }  # fmt: skip
    return SparseModel(cameras, images), {i: rng.normal(size=3) for i in range(8)}


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


def test_binary_and_text_datasets_are_the_same(rooms, tmp_path):
    paths = stand_in.write_eth3d(tmp_path, 1, 2, binary=True, with_depth=False)
    dataset = eth3d.Eth3d(tmp_path, HlocMatches(*paths), min_covisible=100)
    pair = dataset.load(PairKey("room0", "DSC_0000-DSC_0001"))
    assert pair.is_inlier is None
    assert np.allclose(pair.R @ pair.R.T, np.eye(3))
    assert np.median(epipolar_distances(pair)) < 0.3


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


# Errors name the file and the key


def broken(path, key, values):
    with h5py.File(path, "a") as file:
        del file[key]
        if values is not None:
            file[key] = values


HEB_FAULTS = [
    ("corr_a_1_o_b_2_o", np.zeros((5, 9)), r"corr_a_1_o_b_2_o.*\(N, 10\).*\(5, 9\)"),
    ("corr_a_1_o_b_2_o", np.full((5, 10), np.nan), "50 values that are not finite"),
    ("corr_a_1_o_b_2_o", np.full((5, 10), 2.0), "0 or 1 in its last column"),
    ("pose_a_1_o_b_2_o", np.ones((3, 4)), "pose_a_1_o_b_2_o.*not a rotation"),
    ("pose_a_1_o_b_2_o", None, "no entry 'pose_a_1_o_b_2_o'"),
    ("K_b_2_o", np.diag([-1.0, 1, 1]), "K_b_2_o.*positive focal"),
    ("K_b_2_o", np.ones((3, 3)), "K_b_2_o.*not a camera matrix"),
    ("K_b_2_o", np.array([["a"] * 3] * 3, "S1"), "K_b_2_o.*numbers"),
]


@pytest.mark.parametrize(("key", "values", "message"), HEB_FAULTS)
def test_heb_names_what_is_wrong(rng, tmp_path, key, values, message):
    path = tmp_path / "train" / "Alamo_homographies.h5"
    heb.write_scene(path, [heb_plane(rng)])
    broken(path, key, values)
    with pytest.raises(DataError, match=message) as raised:
        heb.Heb(tmp_path).load(PairKey("Alamo", "a_1_o_b_2_o"))
    assert "Alamo_homographies.h5" in str(raised.value)


TUTORIAL_FAULTS = [
    ("matches", "5_b-2_a", np.zeros((4, 5)), r"\(N, 4\)"),
    ("matches", "5_b-2_a", np.full((40, 4), np.inf), "not finite"),
    ("match_conf", "5_b-2_a", np.zeros(7), "7 values for the 40 matches"),
    ("K1_K2", "5_b-2_a", np.ones((2, 3, 3)), r"\(1, 2, 3, 3\)"),
    ("K1_K2", "5_b-2_a", np.ones((1, 2, 3, 3)), "not a camera matrix"),
    ("R", "2_a", 2 * np.eye(3), "'2_a' is not a rotation"),
    ("R", "2_a", None, "no entry '2_a'"),
    ("T", "5_b", np.zeros(2), "'5_b' must hold 3 values"),
]


@pytest.mark.parametrize(("name", "key", "values", "message"), TUTORIAL_FAULTS)
def test_phototourism_names_what_is_wrong(rng, tmp_path, name, key, values, message):
    tutorial_scene(rng, tmp_path / "s")
    broken(tmp_path / "s" / f"{name}.h5", key, values)
    with pytest.raises(DataError, match=message) as raised:
        phototourism.PhotoTourism(tmp_path).load(PairKey("s", "5_b-2_a"))
    assert f"{name}.h5" in str(raised.value)


def test_missing_and_foreign_files_are_named(rng, tmp_path):
    with pytest.raises(DataError, match="holds no"):
        heb.Heb(tmp_path / "nothing").keys()
    with pytest.raises(DataError, match="holds no"):
        phototourism.PhotoTourism(tmp_path / "nothing").keys()
    with pytest.raises(DataError, match="holds no"):
        eth3d.Eth3d(tmp_path, HlocMatches(tmp_path, tmp_path)).keys()
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "X_homographies.h5").write_text("not HDF5")
    with pytest.raises(DataError, match=r"X_homographies.h5 is not an HDF5 file"):
        heb.Heb(tmp_path).keys()
    with pytest.raises(DataError, match="3 tokens"):
        heb.image_ids("a_b_c")


def test_eth3d_names_what_is_wrong(rooms, tmp_path):
    source = rooms["eth3d"]
    shutil.copytree(source.root, tmp_path / "copy")
    features, matches = (
        tmp_path / "copy" / "room0" / f"{name}.h5" for name in ("features", "matches")
    )
    dataset = eth3d.Eth3d(tmp_path / "copy", HlocMatches(features, matches))
    key = dataset.keys()[0]
    folder = tmp_path / "copy" / "room0"
    map_path = folder / eth3d.DEPTHS / "DSC_0000.JPG"
    content = map_path.read_bytes()
    map_path.write_bytes(content[:-4])
    with pytest.raises(DataError, match=r"DSC_0000.JPG must have \d+ bytes"):
        dataset.load(key)
    map_path.unlink()
    with pytest.raises(DataError, match=r"DSC_0000.JPG is not there"):
        dataset.load(key)
    map_path.write_bytes(content)
    broken(features, "dslr_images_undistorted/DSC_0001.JPG/keypoints", np.ones((3, 2)))
    with pytest.raises(DataError, match="does not fit the"):
        dataset.load(key)
    images = folder / eth3d.UNDISTORTED / "images.txt"
    lines = images.read_text().splitlines()
    images.write_text("\n".join([*lines[:4], "0 1 0 0", *lines[5:]]) + "\n")
    with pytest.raises(DataError, match=r"images.txt, line 5: not an image"):
        dataset.load(key)
    images.unlink()
    with pytest.raises(DataError, match="holds neither"):
        dataset.load(key)


def test_cut_binary_models_are_named(rng, tmp_path):
    model, points = sparse_model(rng)
    write_model(tmp_path, model, points, binary=True)
    path = tmp_path / "images.bin"
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(DataError, match=r"images.bin ends at byte"):
        colmap_model.read_model(tmp_path)


def test_a_larger_limit_only_adds_pairs():
    keys = [PairKey(s, f"{i}") for s in "ab" for i in range(20)]
    few, more = choose_pairs(keys, 5), choose_pairs(keys[::-1], 9)
    assert set(few) < set(more)
    assert [key.scene for key in more].count("a") == 9
    assert choose_pairs(keys, None) == sorted(keys)


# The real files


@needs_shared_data
def test_shared_data_load_with_the_same_code():
    root = shared_data()
    flat = [
        root / "phototourism/strecha/fountain_P11" / f"aliked_lg_{name}.h5"
        for name in ("matches", "scores")
    ]
    datasets = {
        "heb": (heb.Heb(root / "heb"), 163),
        "pt": (phototourism.PhotoTourism(root / "phototourism"), 166),
        "lg": (
            phototourism.PhotoTourism(root / "phototourism", matcher="aliked_lg"),
            100,
        ),
        "eth3d": (eth3d.Eth3d(root / "eth3d", FlatMatches(*flat)), 45),
    }
    for dataset, num_pairs in datasets.values():
        keys = dataset.keys()
        assert len(keys) == num_pairs
        for key in keys[:: num_pairs // 3]:
            pair = dataset.load(key)
            # Wrong poses leave about one match in a hundred so close to its line.
            assert np.mean(epipolar_distances(pair) < 3) > 0.05
