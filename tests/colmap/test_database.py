"""Verification leaves a database in order: bad input is counted, nothing is lost."""

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import ROOT

pycolmap = pytest.importorskip("pycolmap")

from colmap_scenes import (  # noqa: E402
    UNCALIBRATED,
    check_labels,
    contents,
    num_verified,
    open_database,
    read_geometries,
    write_scene,
)

from cvscore.colmap import verify_matches  # noqa: E402


def checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


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


def test_locked_database_is_left_alone(path, rng, monkeypatch):
    monkeypatch.setattr("cvscore.colmap.connection.LOCK_TIMEOUT_SECONDS", 0.2)
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
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("CREATE TABLE t (x)")
    connection.close()
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
from cvscore.parallel import ordered_map
v.PAIRS_PER_TRANSACTION = ordered_map.ITEMS_PER_TASK = 2
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
