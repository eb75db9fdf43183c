"""One damaged row is counted, named and skipped; the other pairs are verified."""

import sqlite3

import numpy as np
import pytest

pycolmap = pytest.importorskip("pycolmap")

from colmap_scenes import contents, make_camera, write_scene  # noqa: E402

from cvscore.colmap import verify_matches  # noqa: E402

PAIRS = {(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)}
PAIR = {(1, 2)}  # to which the damaged matches belong
PAIRS_OF_4 = {pair for pair in PAIRS if 4 in pair}  # which has a camera of its own
PAIR_ID = 2147483647 + 2
PARAMS = np.array([1100.0, 640.0, 480.0, 0.05])


def bits(*numbers):
    return np.array(numbers, dtype="<f8").tobytes()


def spoil(table, column, value, key=None):
    where = key or {
        "cameras": "camera_id = 2",
        "images": "image_id = 4",
        "keypoints": "image_id = 4",
        "matches": f"pair_id = {PAIR_ID}",
        "two_view_geometries": f"pair_id = {PAIR_ID}",
    }.get(table)
    return f"UPDATE {table} SET {column} = ? WHERE {where}", value


MATCHES = {
    "short": spoil("matches", "data", b"\0" * 16),
    "within a number": spoil("matches", "data", b"\0" * 17),
    "one byte": spoil("matches", "data", b"\0"),
    "empty": spoil("matches", "data", b""),
    "null": spoil("matches", "data", None),
    "text": spoil("matches", "data", "eight by"),
    "number": spoil("matches", "data", 7),
    "long": spoil("matches", "data", b"\0" * 80_000),
    "negative rows": spoil("matches", "rows", -3),
    "huge rows": spoil("matches", "rows", 2**62),
    "null rows": spoil("matches", "rows", None),
    "text rows": spoil("matches", "rows", "many"),
    "rows not whole": spoil("matches", "rows", 1.5),
    "three columns": spoil("matches", "cols", 3),
    "no columns": spoil("matches", "cols", 0),
    "negative columns": spoil("matches", "cols", -2),
    "null columns": spoil("matches", "cols", None),
}
KEYPOINTS = {
    "short": spoil("keypoints", "data", b"\0" * 160),
    "within a number": spoil("keypoints", "data", b"\0" * 163),
    "empty": spoil("keypoints", "data", b""),
    "null": spoil("keypoints", "data", None),
    "text": spoil("keypoints", "data", "x" * 960),
    "negative rows": spoil("keypoints", "rows", -1),
    "other rows": spoil("keypoints", "rows", 1_000_000),
    "null rows": spoil("keypoints", "rows", None),
    "three columns": spoil("keypoints", "cols", 3),
    "text columns": spoil("keypoints", "cols", "two"),
}
CAMERAS = {
    "unknown model": spoil("cameras", "model", 99),
    "invalid model": spoil("cameras", "model", -1),
    "text model": spoil("cameras", "model", "PINHOLE"),
    "null model": spoil("cameras", "model", None),
    "other model": spoil("cameras", "model", 4),
    "too few params": spoil("cameras", "params", bits(1100.0, 640.0)),
    "truncated params": spoil("cameras", "params", bits(*PARAMS)[:-3]),
    "no params": spoil("cameras", "params", b""),
    "null params": spoil("cameras", "params", None),
    "text params": spoil("cameras", "params", "1100,640,480,0.05"),
    "nan": spoil("cameras", "params", bits(np.nan, 640, 480, 0)),
    "infinite": spoil("cameras", "params", bits(1100, np.inf, 480, 0)),
    "no focal length": spoil("cameras", "params", bits(0, 640, 480, 0)),
    "negative focal length": spoil("cameras", "params", bits(-1100, 640, 480, 0)),
    "negative width": spoil("cameras", "width", -1280),
    "text height": spoil("cameras", "height", "tall"),
    "null prior": spoil("cameras", "prior_focal_length", None),
}
IMAGES = {
    "null camera": spoil("images", "camera_id", None),
    "text camera": spoil("images", "camera_id", "Canon"),
}
KINDS = [
    pytest.param(statement, kind, lost, id=f"{kind} {name}")
    for kind, statements, lost in (
        ("matches", MATCHES, PAIR),
        ("keypoints", KEYPOINTS, PAIRS_OF_4),
        ("camera", CAMERAS, PAIRS_OF_4),
        ("image", IMAGES, PAIRS_OF_4),
    )
    for name, statement in statements.items()
]


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    """A database whose tables forbid nothing, and what is right for it."""
    path = tmp_path_factory.mktemp("scene") / "database.db"
    rng = np.random.default_rng(20261116)
    write_scene(path, rng, num_points=60, camera=make_camera())
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute(
        "INSERT INTO cameras SELECT 2, model, width, height, params, "
        "prior_focal_length FROM cameras"
    )
    connection.execute("UPDATE images SET camera_id = 2 WHERE image_id = 4")
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '')")
    connection.close()
    right = path.with_name("right.db")
    right.write_bytes(path.read_bytes())
    assert verify_matches(right, progress=False).num_accepted == len(PAIRS)
    return path.read_bytes(), contents(right)


def damage(path, statement, value):
    connection = sqlite3.connect(path)
    with connection:
        assert connection.execute(statement, (value,)).rowcount == 1
    connection.close()


def geometries(path):
    """The rows of geometries, read without what may be damaged beside them."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT pair_id, config FROM two_view_geometries")
    found = {divmod(pair_id, 2147483647): config for pair_id, config in rows}
    connection.close()
    return found


@pytest.mark.parametrize(("statement", "kind", "lost"), KINDS)
def test_a_damaged_row_is_named_and_the_others_are_verified(
    path, scene, statement, kind, lost
):
    data, right = scene
    path.write_bytes(data)
    damage(path, *statement)
    summary = verify_matches(path, progress=False)
    assert summary.num_pairs == len(PAIRS)
    assert summary.num_accepted == len(PAIRS - lost)
    assert summary.skipped == {f"damaged {kind}": len(lost)}
    (row,) = summary.damaged
    number = {"matches": "images 1 and 2", "camera": "camera 2"}.get(kind, "image 4")
    assert number in row
    assert row in str(summary)
    assert set(geometries(path)) == PAIRS - lost
    assert all(right[pair][0] == config for pair, config in geometries(path).items())


def test_the_pairs_that_are_left_are_as_they_are_without_the_damage(path, scene):
    data, right = scene
    path.write_bytes(data)
    damage(path, *MATCHES["short"])
    verify_matches(path, progress=False)
    assert contents(path) == {pair: right[pair] for pair in PAIRS - PAIR}
    # A row that was mended is verified by the next run, and nothing else is.
    whole = path.with_name("whole.db")
    whole.write_bytes(data)
    connection = sqlite3.connect(whole)
    query = "SELECT data FROM matches WHERE pair_id = ?"
    (blob,) = connection.execute(query, (PAIR_ID,)).fetchone()
    connection.close()
    damage(path, *spoil("matches", "data", blob))
    summary = verify_matches(path, progress=False)
    assert (summary.num_kept, summary.num_accepted) == (5, 1)
    assert contents(path) == right


def test_damage_everywhere_leaves_nothing_and_still_ends_well(path, scene):
    path.write_bytes(scene[0])
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE keypoints SET data = NULL")
        connection.execute("UPDATE cameras SET model = 99")
        connection.execute("UPDATE matches SET rows = -1")
    connection.close()
    summary = verify_matches(path, progress=False)
    assert (summary.num_accepted, summary.skipped.total()) == (0, len(PAIRS))
    assert not geometries(path)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("data", b"\0\0\0"),
        ("data", "text"),
        ("data", None),
        ("rows", -1),
        ("rows", None),
        ("cols", 5),
        ("config", None),
        ("F", b"\0" * 71),
        ("E", "text"),
        ("qvec", b"\0" * 8),
    ],
)
def test_a_damaged_geometry_is_named_and_replaced_on_request(
    path, scene, column, value
):
    data, right = scene
    path.write_bytes(data)
    verify_matches(path, progress=False)
    damage(path, *spoil("two_view_geometries", column, value))
    summary = verify_matches(path, progress=False)
    assert (summary.num_kept, summary.num_accepted) == (5, 0)
    assert summary.skipped == {"damaged two-view geometry": 1}
    assert list(summary.damaged) == ["two-view geometry of images 1 and 2"]
    summary = verify_matches(path, overwrite=True, progress=False)
    assert (summary.num_accepted, summary.damaged) == (6, {})
    assert contents(path) == right


@pytest.mark.parametrize("pair_id", [-5, 2**62, 3 * 2147483647 + 77])
def test_pairs_of_images_that_can_not_be_are_skipped(path, scene, pair_id):
    path.write_bytes(scene[0])
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(
            "INSERT INTO matches VALUES (?, 1, 2, ?)", (pair_id, b"\0" * 8)
        )
    connection.close()
    summary = verify_matches(path, progress=False)
    assert (summary.num_accepted, summary.skipped) == (6, {"missing image": 1})


def test_rows_without_a_number_are_counted(path, scene):
    path.write_bytes(scene[0])
    connection = sqlite3.connect(path)
    with connection:  # as programs make the table that don't know of keys
        connection.execute("ALTER TABLE matches RENAME TO old")
        connection.execute("CREATE TABLE matches (pair_id, rows, cols, data)")
        connection.execute("INSERT INTO matches SELECT * FROM old")
        connection.execute("INSERT INTO matches VALUES (NULL, 0, 2, NULL)")
        connection.execute("INSERT INTO matches VALUES ('1-2', 0, 2, NULL)")
    connection.close()
    summary = verify_matches(path, progress=False)
    assert summary.num_accepted == len(PAIRS)
    assert list(summary.damaged) == ["2 of matches"]


def test_names_of_images_need_not_be_text(path, tmp_path, scene):
    path.write_bytes(scene[0])
    connection = sqlite3.connect(path)
    with connection:
        name = "CAST(? AS TEXT)"
        connection.execute(
            f"UPDATE images SET name = {name} WHERE image_id = 1", (b"a\xff.png",)
        )
        connection.execute("UPDATE images SET name = NULL WHERE image_id = 2")
        connection.execute("UPDATE keypoints SET data = NULL WHERE image_id = 1")
    connection.close()
    pairs = tmp_path / "pairs.txt"
    pairs.write_bytes(b"a\xff.png 2.png\n2.png 3.png\n")
    summary = verify_matches(path, pairs, progress=False)
    assert (summary.num_accepted, summary.skipped) == (1, {"damaged keypoints": 1})
    assert str(summary).encode("ascii")  # whatever the name, it can be printed


def test_numbers_that_nothing_can_be_computed_from_end_one_pair(path, scene):
    path.write_bytes(scene[0])
    far = np.full((60, 2), 3e38, dtype="<f4")
    far[::2] = np.nan
    damage(path, *spoil("keypoints", "data", far.tobytes()))
    damage(path, *spoil("cameras", "params", bits(1e300, 1e300, 1e300, 0)))
    summary = verify_matches(path, progress=False)
    assert summary.num_accepted == len(PAIRS - PAIRS_OF_4)


def test_a_damaged_page_costs_the_row_that_is_on_it(path, scene):
    path.write_bytes(scene[0])
    # Of a long entry, all but the beginning is on pages of its own, each of which
    # begins with the number of the next: 2**32 - 1 is no page.
    long = np.arange(4000, dtype="<u4").tobytes()
    damage(path, *spoil("matches", "data", long))
    damage(path, *spoil("matches", "rows", 2000))
    connection = sqlite3.connect(path)
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    data = bytearray(path.read_bytes())
    page = data.find(long[8000:8400]) // size * size
    data[page : page + 4] = b"\xff" * 4
    path.write_bytes(data)
    summary = verify_matches(path, progress=False)
    assert (summary.num_accepted, summary.skipped) == (5, {"damaged matches": 1})
    assert "malformed" in summary.damaged["matches of images 1 and 2"]


@pytest.mark.parametrize("content", [b"", b"x", b"SQLite", b"x" * 511, b"\0" * 5000])
def test_what_is_no_database_stays_as_it_is(path, content):
    """SQLite takes a short file for an empty database, and writes one over it."""
    path.write_bytes(content)
    with pytest.raises(ValueError, match="not a COLMAP database"):
        verify_matches(path, progress=False)
    assert path.read_bytes() == content
    assert [other.name for other in path.parent.iterdir()] == [path.name]


def left_open(path):
    """Another program reads, with what it wrote not yet in the file."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("UPDATE images SET name = name || 'x'")
    connection.execute("BEGIN")
    connection.execute("SELECT * FROM images").fetchall()
    return connection


def with_a_damaged_log(path):
    copy = path.with_name("copy.db")
    connection = left_open(path)
    log = path.with_name(f"{path.name}-wal").read_bytes()
    path.with_name("copy.db-wal").write_bytes(log[: len(log) // 2] + b"\xff" * 100)
    copy.write_bytes(path.read_bytes())
    connection.close()
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    path.symlink_to(copy.name)


BESIDE = {
    "log of another program": left_open,
    "damaged log": with_a_damaged_log,
    "journal of nonsense": lambda path: path.with_name(
        f"{path.name}-journal"
    ).write_bytes(bytes(range(256)) * 20),
}


@pytest.mark.parametrize("kind", BESIDE)
@pytest.mark.parametrize("name", ["plain.db", "a?b#c%20;d.db", ":memory:"])
def test_files_beside_a_database_of_any_name_do_no_harm(tmp_path, scene, kind, name):
    path = tmp_path / name
    path.write_bytes(scene[0])
    held = BESIDE[kind](path)
    assert verify_matches(path, progress=False).num_accepted == len(PAIRS)
    if isinstance(held, sqlite3.Connection):
        held.close()
