"""HEB, PhotoTourism and ETH3D, rendered and real: what is read explains the matches."""

import numpy as np
import pytest
from conftest import needs_shared_data, shared_data
from synthetic import cross_matrix, sampson_epipolar

from benchmarks.paper.datasets import eth3d, heb, phototourism, stand_in
from benchmarks.paper.datasets.hloc import FlatMatches, HlocMatches
from benchmarks.paper.datasets.pairs import PairKey, choose_pairs
from benchmarks.protocols.homography import apply_homography

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
    E = cross_matrix(pair.t) @ pair.R
    F = np.linalg.inv(pair.K2).T @ E @ np.linalg.inv(pair.K1)
    return sampson_epipolar(F, pair.x1, pair.x2)


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


def test_binary_and_text_datasets_are_the_same(tmp_path):
    paths = stand_in.write_eth3d(tmp_path, 1, 2, binary=True, with_depth=False)
    dataset = eth3d.Eth3d(tmp_path, HlocMatches(*paths), min_covisible=100)
    pair = dataset.load(PairKey("room0", "DSC_0000-DSC_0001"))
    assert pair.is_inlier is None
    assert np.allclose(pair.R @ pair.R.T, np.eye(3))
    assert np.median(epipolar_distances(pair)) < 0.3


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
