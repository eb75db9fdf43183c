"""What is wrong with a file of the datasets is named: the file, the key, the fault."""

import h5py
import numpy as np
import pytest
from paper_files import heb_plane, sparse_model, tutorial_scene

from benchmarks.paper.datasets import colmap_model, eth3d, heb, phototourism, stand_in
from benchmarks.paper.datasets.colmap_writer import write_model
from benchmarks.paper.datasets.hloc import HlocMatches
from benchmarks.paper.datasets.pairs import DataError, PairKey


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


def test_eth3d_names_what_is_wrong(tmp_path):
    paths = stand_in.write_eth3d(tmp_path, num_scenes=1, num_views=2)
    dataset = eth3d.Eth3d(tmp_path, HlocMatches(*paths))
    (key,) = dataset.keys()
    folder = tmp_path / "room0"
    map_path = folder / eth3d.DEPTHS / "DSC_0000.JPG"
    content = map_path.read_bytes()
    map_path.write_bytes(content[:-4])
    with pytest.raises(DataError, match=r"DSC_0000.JPG must have \d+ bytes"):
        dataset.load(key)
    map_path.unlink()
    with pytest.raises(DataError, match=r"DSC_0000.JPG is not there"):
        dataset.load(key)
    map_path.write_bytes(content)
    keypoints = "dslr_images_undistorted/DSC_0001.JPG/keypoints"
    broken(folder / "features.h5", keypoints, np.ones((3, 2)))
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
