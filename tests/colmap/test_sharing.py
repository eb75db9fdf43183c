"""Other programs that write are waited for; a full disk is called by its name."""

import os
import shutil
import sqlite3
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT

pycolmap = pytest.importorskip("pycolmap")

from colmap_scenes import (  # noqa: E402
    contents,
    num_verified,
    open_database,
    read_geometries,
    write_scene,
)

import cvscore.colmap.connection as connection_module  # noqa: E402
from cvscore.colmap import verify_matches  # noqa: E402

# Holds the database for most of the time, in transactions of a twentieth of a second.
BUSY_WRITER = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
connection.execute("CREATE TABLE notes (x)")
count = 0
while True:
    if count == 2:
        print("started", flush=True)
    connection.execute("BEGIN " + sys.argv[2])
    connection.execute("INSERT INTO notes VALUES (?)", (count,))
    time.sleep(0.05)
    connection.execute("COMMIT")
    time.sleep(0.005)
    count += 1
"""


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
@pytest.mark.parametrize("kind", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_program_that_writes_now_and_then_is_waited_for(
    path, rng, monkeypatch, kind, journal
):
    monkeypatch.setattr("cvscore.colmap.verification.PAIRS_PER_TRANSACTION", 2)
    write_scene(path, rng, num_images=5, num_points=60)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.close()
    writer = subprocess.Popen(
        [sys.executable, "-c", BUSY_WRITER, str(path), kind], stdout=subprocess.PIPE
    )
    try:
        assert writer.stdout.readline()
        summary = verify_matches(path, progress=False)
    finally:
        writer.kill()
        writer.wait()
        writer.stdout.close()
    assert summary.num_accepted == num_verified(path) == 10
    connection = sqlite3.connect(path)
    notes = connection.execute("SELECT count(*), max(x) + 1 FROM notes").fetchone()
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    assert notes[0] == notes[1] > 1  # neither of the two lost anything


def test_a_lock_that_lasts_costs_nothing_that_was_written(path, rng, monkeypatch):
    monkeypatch.setattr(connection_module, "WRITE_TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr("cvscore.colmap.verification.PAIRS_PER_TRANSACTION", 2)
    monkeypatch.setattr("cvscore.parallel.ordered_map.ITEMS_PER_TASK", 1)
    write_scene(path, rng, num_points=60)
    original = connection_module.transaction
    other = sqlite3.connect(path, isolation_level=None)
    begun = []

    def locked_at_last(connection):
        begun.append(len(begun))
        if len(begun) == 3:
            other.execute("BEGIN IMMEDIATE")
        return original(connection)

    monkeypatch.setattr("cvscore.colmap.database.transaction", locked_at_last)
    with pytest.raises(TimeoutError, match="what was written is safe"):
        verify_matches(path, num_workers=1, progress=False)
    other.rollback()
    other.close()
    assert num_verified(path) == 4
    summary = verify_matches(path, progress=False)
    assert (summary.num_kept, summary.num_accepted) == (4, 2)


def test_a_geometry_that_another_program_wrote_meanwhile_stays(path, rng, monkeypatch):
    write_scene(path, rng, num_images=2)
    original = connection_module.transaction
    other = sqlite3.connect(path)

    def overtaken(connection):
        with other:
            other.execute(
                "INSERT INTO two_view_geometries (pair_id, rows, cols, config) "
                "VALUES (?, 0, 2, 1)",
                (2147483647 + 2,),
            )
        return original(connection)

    monkeypatch.setattr("cvscore.colmap.database.transaction", overtaken)
    verify_matches(path, progress=False)
    other.close()
    assert [row[:5] for row in rows_of(path)] == [(2147483647 + 2, 0, 2, None, 1)]


def test_rows_are_the_bytes_that_pycolmap_writes(path, rng):
    write_scene(path, rng)
    database = open_database(path)
    database.write_matches(1, 99, np.zeros((3, 2), dtype=np.uint32))
    database.close()
    verify_matches(path, progress=False)
    by_pycolmap = path.with_name("by_pycolmap.db")
    by_pycolmap.write_bytes(path.read_bytes())
    database = open_database(by_pycolmap)
    geometries = read_geometries(by_pycolmap)
    database.clear_two_view_geometries()
    for pair, geometry in geometries.items():
        database.write_two_view_geometry(*pair, geometry)
    database.close()
    ours, theirs = (rows_of(p) for p in (path, by_pycolmap))
    assert ours == theirs
    assert len(ours) == 6


def rows_of(path):
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT * FROM two_view_geometries").fetchall()
    connection.close()
    return rows


def test_a_table_from_before_poses_gets_their_columns(path, rng):
    write_scene(path, rng, num_images=2)
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE two_view_geometries")
    connection.execute(
        "CREATE TABLE two_view_geometries (pair_id INTEGER PRIMARY KEY NOT NULL, "
        "rows INTEGER NOT NULL, cols INTEGER NOT NULL, data BLOB, "
        "config INTEGER NOT NULL, F BLOB, E BLOB, H BLOB)"
    )
    connection.close()
    assert verify_matches(path, progress=False).num_accepted == 1
    (row,) = rows_of(path)
    assert [len(blob) for blob in row[-2:]] == [32, 24]
    assert contents(path)[1, 2][-1] is not None


# A file of a limited size, and a disk of a limited size.

VERIFY = """
import resource, signal, sys
import cvscore.colmap.verification as verification
from cvscore.cli import main
verification.PAIRS_PER_TRANSACTION = 1
if len(sys.argv) > 2:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
sys.exit(main(["verify", sys.argv[1], "--json", "--workers", "1"]))
"""


def verify_in_process(*arguments, before=()):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [*before, sys.executable, "-c", VERIFY, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of size there")
def test_a_file_that_may_not_grow_is_one_line(path, rng):
    write_scene(path, rng, num_images=6, num_points=300)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    limit = path.stat().st_size // 4096 * 4096 + 8192
    done = verify_in_process(path, limit)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    assert "what was written is safe" in done.stderr
    num_done = num_verified(path)
    assert num_done < 15
    summary = verify_matches(path, progress=False)
    assert summary.num_kept == num_done
    assert summary.num_accepted == 15 - num_done


def can_mount():
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return False
    mount = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(mount, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="this user may not mount a small disk")
@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_a_full_disk_is_called_so(path, rng, journal):
    write_scene(path, rng, num_images=6, num_points=300)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.close()
    size = path.stat().st_size // 4096 * 4096 + 12 * 4096
    script = (
        f"mount -t tmpfs -o size={size} tmpfs /mnt && cp {path} /mnt/small.db && "
        '"$@" && exit 0; status=$?; cp /mnt/small.db* .; exit $status'
    )
    before = ["unshare", "-rm", "sh", "-c", f"cd {path.parent}; {script}", "sh"]
    done = verify_in_process("/mnt/small.db", before=before)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    assert "the disk is full" in done.stderr
    assert "what was written is safe" in done.stderr
    copy = path.with_name("small.db")
    connection = sqlite3.connect(copy)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    num_done = num_verified(copy)
    summary = verify_matches(copy, progress=False)
    assert (summary.num_kept, summary.num_accepted) == (num_done, 15 - num_done)
