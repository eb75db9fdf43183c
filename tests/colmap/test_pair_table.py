"""The table of all pairs of a database."""

import sqlite3

import numpy as np
import pytest

pycolmap = pytest.importorskip("pycolmap")

from colmap_scenes import read_geometries, write_scene  # noqa: E402

from cvscore.colmap import verify_matches  # noqa: E402
from cvscore.colmap.pair_table import read_pair_table  # noqa: E402


def test_the_table_has_what_the_database_and_the_run_tell(path, rng):
    truth = write_scene(path, rng, num_images=3)
    before = read_pair_table(path)
    assert {row.configuration for row in before} == {"NOT_VERIFIED"}
    assert all(row.num_inliers == 0 for row in before)
    found = {}
    verify_matches(path, on_pair=found.__setitem__, progress=False)
    table = read_pair_table(path, found)
    written = read_geometries(path)
    assert [row.names for row in table] == [
        ("0.png", "1.png"),
        ("0.png", "2.png"),
        ("1.png", "2.png"),
    ]
    for row, old, pair in zip(table, before, truth.matches, strict=True):
        assert row.num_matches == old.num_matches > len(truth.matches[pair])
        assert row.num_inliers == len(written[pair].inlier_matches)
        assert row.configuration == "CALIBRATED"
        assert row.scale == pytest.approx(0.5, rel=0.3)  # the noise of the scene
        assert row.evidence == found[pair].evidence > 100.0
    kept = read_pair_table(path)
    assert [row.num_inliers for row in kept] == [row.num_inliers for row in table]
    assert np.isnan([row.scale for row in kept]).all()


def test_a_rejected_pair_says_why(path, rng):
    write_scene(path, rng, num_images=2, num_points=10, wrong=0.0)
    found = {}
    verify_matches(path, on_pair=found.__setitem__, progress=False)
    (row,) = read_pair_table(path, found)
    assert (row.configuration, row.reason) == ("DEGENERATE", "too few matches")
    assert np.isnan(row.evidence)


def test_a_database_with_nonsense_in_it_has_a_table_too(path, rng):
    write_scene(path, rng, num_images=3)
    with sqlite3.connect(path) as connection:
        smallest = "(SELECT min(pair_id) FROM matches)"
        connection.execute(
            f"UPDATE matches SET rows = 'many' WHERE pair_id = {smallest}"
        )
        connection.execute("UPDATE images SET name = x'ff3c' WHERE image_id = 2")
        connection.execute("DELETE FROM images WHERE image_id = 3")
    connection.close()
    table = read_pair_table(path)
    assert len(table) == 3
    assert {name for row in table for name in row.names} >= {"0.png", "image 3"}
    assert [row.num_matches > 0 for row in table] == [False, True, True]
