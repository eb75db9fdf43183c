"""Databases that the benchmark makes of stored matches, read back with pycolmap."""

import numpy as np
import pytest
from paper_files import tutorial_scene

pycolmap = pytest.importorskip("pycolmap", minversion="4.0")

from benchmarks.colmap.photographs import is_here, write_photographs  # noqa: E402
from benchmarks.data.real import load_pair  # noqa: E402


def test_matches_are_those_of_the_pair_in_the_order_of_colmap(
    rng, tmp_path, monkeypatch
):
    monkeypatch.setenv("CVSCORE_DATA", str(tmp_path))
    assert not is_here("door-0.8")
    cameras, _ = tutorial_scene(rng, tmp_path / "phototourism" / "lund" / "door")
    assert is_here("door-0.8")
    path = tmp_path / "door.db"
    scene = write_photographs(path, "door-0.8")
    # The pair is stored as 5_b-2_a, and images are numbered by their names.
    numbers = {name: number for number, name in scene.names.items()}
    assert numbers["2_a"] < numbers["5_b"]
    pair = load_pair("E", "door-0.8", "5_b-2_a")
    with pycolmap.Database.open(path) as database:
        rows = database.read_matches(numbers["2_a"], numbers["5_b"])
        at = {n: database.read_keypoints(i)[:, :2] - 0.5 for n, i in numbers.items()}
        camera = database.read_camera(numbers["5_b"])
    found = np.hstack([at["5_b"][rows[:, 1]], at["2_a"][rows[:, 0]]])
    expected = np.unique(np.hstack([pair.x1, pair.x2]), axis=0)
    np.testing.assert_allclose(np.unique(found, axis=0), expected, atol=1e-3)
    K = cameras["5_b"].K
    assert camera.has_prior_focal_length
    np.testing.assert_allclose(
        camera.params, [K[0, 0], K[1, 1], K[0, 2] + 0.5, K[1, 2] + 0.5]
    )
    for name, number in numbers.items():
        np.testing.assert_array_equal(scene.rotations[number], cameras[name].R)
