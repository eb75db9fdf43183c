"""Databases that say one thing and do another, and files that are none."""

import os
import sqlite3

import numpy as np
import pytest

pycolmap = pytest.importorskip("pycolmap")

from colmap_scenes import num_verified, write_scene  # noqa: E402

from cvscore.colmap import verify_matches  # noqa: E402


@pytest.fixture
def scene(path):
    write_scene(path, np.random.default_rng(22), num_images=3, num_points=60)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    return path


def change(path, *statements):
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


ROWS = "rows INTEGER, cols INTEGER, data BLOB, config INTEGER, F BLOB, E BLOB, H BLOB"
UNWILLING = {
    "a trigger": (
        "CREATE TRIGGER no BEFORE INSERT ON two_view_geometries "
        "BEGIN SELECT RAISE(IGNORE); END",
    ),
    "a constraint": (
        "DROP TABLE two_view_geometries",
        f"CREATE TABLE two_view_geometries (pair_id INTEGER PRIMARY KEY, {ROWS}, "
        "qvec BLOB, tvec BLOB, CHECK (rows < 0))",
    ),
}


@pytest.mark.parametrize("statements", UNWILLING.values(), ids=UNWILLING)
def test_a_table_that_drops_what_is_written_is_named(scene, statements):
    change(scene, *statements)
    with pytest.raises(ValueError, match=r"two_view_geometries does not take that of"):
        verify_matches(scene, progress=False)
    assert num_verified(scene) == 0


def test_the_words_of_a_trigger_are_one_line(scene):
    change(
        scene,
        "CREATE TRIGGER no BEFORE INSERT ON two_view_geometries "
        "BEGIN SELECT RAISE(ABORT, 'first\nsecond'); END",
    )
    with pytest.raises(ValueError, match=r"first second$"):
        verify_matches(scene, progress=False)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("ending", ["", "-journal", "-wal", "-shm"])
def test_a_pipe_is_not_waited_for(scene, ending):
    place = scene.with_name(scene.name + ending)
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    with pytest.raises((ValueError, FileNotFoundError), match=place.name):
        verify_matches(scene, progress=False)


def test_a_schema_that_is_no_text_is_damage_to_the_file(scene):
    content = scene.read_bytes()
    scene.write_bytes(content.replace(b"CREATE TABLE", b"CREATE T\xe7BLE"))
    with pytest.raises(ValueError, match=f"{scene.name} is damaged"):
        verify_matches(scene, progress=False)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("min_inliers", "many"),
        ("min_inliers", 1.5),
        ("min_inliers", True),
        ("options", 5),
        ("options", {"seed": 1}),
        ("calibration", "file.json"),
        ("executor", 5),
    ],
)
def test_what_can_not_be_used_is_refused_by_name(scene, name, value):
    with pytest.raises((TypeError, ValueError), match=f"^{name} must"):
        verify_matches(scene, progress=False, **{name: value})
    assert num_verified(scene) == 0


@pytest.mark.skipif(os.name == "nt", reason="what is open can't be removed there")
@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
@pytest.mark.parametrize("is_replaced", [True, False])
def test_a_database_that_goes_away_meanwhile_is_missed(scene, is_replaced, journal):
    connection = sqlite3.connect(scene)
    connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.close()
    content = scene.read_bytes()

    def remove(pair, geometry):
        scene.unlink(missing_ok=True)
        if is_replaced:
            scene.write_bytes(content)

    with pytest.raises(FileNotFoundError, match=r"removed or replaced meanwhile"):
        verify_matches(scene, progress=False, on_pair=remove)
