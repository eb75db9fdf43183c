"""Files that no matcher writes: one line each, and nothing that is not asked for."""

import json
import os
import sys
from pathlib import Path

import cv2
import h5py
import numpy as np
import pytest
from command import run, save_matches
from synthetic import planar_scene

from cvscore.images import features

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX has them")


@pytest.fixture
def scene(rng):
    return planar_scene(rng, noise=0.5)


@pytest.fixture
def matches(here, scene):
    return save_matches(here / "matches.npz", scene.x1, scene.x2)


def refused(capsys, *arguments, words):
    """Run with and without --json, and expect one line with these words."""
    status, out, err = run(capsys, *arguments)
    assert (status, out, err.count("\n")) == (1, "", 1), err
    assert "unexpected" not in err
    assert words in err
    status, out, again = run(capsys, *arguments, "--json")
    assert (status, again) == (1, err)
    assert words in json.loads(out)["error"]


# Labels.


def labels_of(scene):
    right = scene.is_inlier
    return {
        "signs": (np.where(right, 1, -1), "got -1"),
        "floating signs": (np.where(right, 1.0, -1.0), "got -1.0"),
        "nan": (np.where(right, 1.0, np.nan), "got nan"),
        "strings": (np.where(right, "right", "wrong"), "got <U5"),
        "string numbers": (np.where(right, "1", "0"), "got <U1"),
        "weights": (np.where(right, 0.9, 0.1), "got 0.1, 0.9"),
        "classes": (np.where(right, 1, 2), "got 2"),
        "complex": (np.where(right, 1j, 0), "got complex128"),
        "infinite": (np.where(right, np.inf, 0), "got inf"),
        "few": (right[:-1], "booleans"),
    }


@pytest.mark.parametrize(
    "kind",
    [
        "signs",
        "floating signs",
        "nan",
        "strings",
        "string numbers",
        "weights",
        "classes",
        "complex",
        "infinite",
        "few",
    ],
)
def test_labels_that_are_not_true_or_false_are_refused(kind, here, scene, capsys):
    labels, words = labels_of(scene)[kind]
    path = save_matches(here / "l.npz", scene.x1, scene.x2, inliers=labels)
    refused(capsys, "calibrate", path, "--model", "homography", words=words)
    assert not (here / "calibration.json").exists()


@pytest.mark.parametrize("kind", [bool, np.uint8, np.float32])
def test_zeros_and_ones_are_labels(kind, here, scene, capsys):
    labels = scene.is_inlier.astype(kind)[:, None]
    path = save_matches(here / "l.npz", scene.x1, scene.x2, inliers=labels)
    status, out, err = run(
        capsys, "calibrate", path, "--model", "homography", "--json",
        "--max-iterations", "50",
    )  # fmt: skip
    assert status == 0, err
    assert json.loads(out)["scale"] == pytest.approx(0.5, rel=0.2)


@pytest.mark.parametrize(
    ("truth", "words"),
    [
        ({"H": np.eye(2)}, "H must have shape (3, 3) or (2, 3), got (2, 2)"),
        ({"H": np.full((3, 3), np.nan)}, "H has NaN"),
        ({"H": np.array([["a"] * 3] * 3)}, "H must hold real numbers"),
        ({"K1": np.eye(3), "K2": np.eye(3), "R": np.eye(4), "t": np.ones(3)}, "R must"),
        ({"K1": np.eye(3), "K2": np.eye(3), "R": np.eye(3), "t": np.ones(4)}, "t must"),
        ({"K1": np.zeros((3, 3)), "K2": np.eye(3)}, "K1"),
    ],
)
def test_a_truth_that_can_not_be_is_refused(truth, words, here, scene, capsys):
    labels = {"inliers": scene.is_inlier}
    path = save_matches(here / "l.npz", scene.x1, scene.x2, **labels, **truth)
    refused(capsys, "calibrate", path, "--model", "homography", words=words)


# JSON.

PRIOR = '{"alpha": 1, "beta": 1}'
CALIBRATIONS = {
    "nested": ("[" * 100_000, "not a calibration"),
    "nested objects": ('{"a":' * 100_000, "not a calibration"),
    "many digits": ('{"version": ' + "1" * 5000 + "}", "not a calibration"),
    "large number": (
        f'{{"version": 1, "model": "homography", "prior": {PRIOR}, '
        f'"half_width_fraction": {10**400}, "half_width": 1, "num_pairs": 1}}',
        "not a calibration",
    ),
    "large prior": (
        '{"version": 1, "model": "homography", "prior": {"alpha": '
        f'{10**400}, "beta": 1}}, "half_width_fraction": 1, "half_width": 1, '
        '"num_pairs": 1}',
        "not a calibration",
    ),
    "text for a number": (
        f'{{"version": 1, "model": "homography", "prior": {PRIOR}, '
        '"half_width_fraction": "a", "half_width": 1, "num_pairs": 1}',
        "not a calibration",
    ),
    "huge": (" " * 2_000_000, "not a file of a few numbers"),
    "empty": ("", "not a calibration"),
}


@pytest.mark.parametrize("kind", CALIBRATIONS)
def test_a_file_that_is_no_calibration_is_named(kind, here, matches, capsys):
    text, words = CALIBRATIONS[kind]
    (here / "c.json").write_text(text)
    refused(capsys, "match", matches, "--calibration", "c.json", words="c.json is")
    refused(capsys, "match", matches, "--calibration", "c.json", words=words)


@pytest.mark.parametrize("model", ["line", "absolute_pose"])
def test_a_calibration_of_another_model_is_named(model, here, matches, capsys):
    (here / "c.json").write_text(
        f'{{"version": 1, "model": "{model}", "prior": {PRIOR}, '
        '"half_width_fraction": 0.1, "half_width": 1, "num_pairs": 1}'
    )
    for chosen in ("auto", "homography"):
        words = "match", matches, "--model", chosen, "--calibration", "c.json"
        refused(capsys, *words, words=f"is for the model '{model}'")


@posix
def test_a_device_without_end_is_no_image(here, capsys, monkeypatch):
    monkeypatch.setattr(features, "MOST_IMAGE_BYTES", 1 << 16)
    refused(capsys, "match", "/dev/zero", "/dev/zero", words="not an image")


@posix
def test_a_link_to_itself_is_no_file(here, matches, capsys):
    Path("loop.npz").symlink_to("loop.npz")
    refused(capsys, "calibrate", "loop.npz", "--model", "homography", words="loop.npz")
    status, _, err = run(capsys, "match", matches, "--report", "page.html")
    assert (status, err) == (0, "")


CAMERAS = {
    "nested": "[" * 100_000,
    "large number": f"[[{10**400}, 0, 1], [0, 1, 1], [0, 0, 1]]",
    "many digits": "[" + "1" * 5000 + "]",
    "text": '[["a", 0, 1], [0, 1, 1], [0, 0, 1]]',
    "ragged": "[[1, 2], [3]]",
    "nothing": '{"K": {}}',
}


@pytest.mark.parametrize("kind", CAMERAS)
def test_a_file_that_is_no_camera_is_named(kind, here, matches, capsys):
    (here / "K.json").write_text(CAMERAS[kind])
    refused(
        capsys, "match", matches, "--camera", "K.json",
        words="K.json does not hold a 3 x 3 camera matrix",
    )  # fmt: skip


def test_other_cameras_that_are_none(here, matches, capsys):
    (here / "big.json").write_text("1," * 1_000_000)
    words = "not a file of a few numbers"
    refused(capsys, "match", matches, "--camera", "big.json", words=words)
    if Path("/dev/zero").exists():
        refused(capsys, "match", matches, "--camera", "/dev/zero", words=words)
        refused(capsys, "match", matches, "--calibration", "/dev/zero", words=words)
    (here / "K.npy").write_bytes(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8'")
    refused(capsys, "match", matches, "--camera", "K.npy", words="not a readable .npy")
    refused(
        capsys, "match", matches, "--camera", "1e400,1,1,1", words="NaN or infinite"
    )
    refused(capsys, "match", matches, "--camera", "nan,1,1,1", words="NaN or infinite")


# HDF5.


def write_hdf5(path, x1, x2, kind):
    other = path.with_name("other.h5")
    with h5py.File(other, "w") as file:
        file["x1"] = x1
        file["group/x1"] = x1
    raw = path.with_name("raw.bin")
    raw.write_bytes(x1.tobytes())
    with h5py.File(path, "w") as file:
        file["x2"] = x2
        if kind == "empty":
            file["x1"] = h5py.Empty("f8")
        elif kind == "storage":
            external = [(str(raw), 0, raw.stat().st_size)]
            file.create_dataset("x1", x1.shape, "f8", external=external)
        elif kind == "link":
            file["x1"] = h5py.ExternalLink(other, "x1")
        elif kind == "indirect link":
            file["there"] = h5py.ExternalLink(other, "/group")
            file["x1"] = h5py.SoftLink("/there/x1")
        elif kind == "virtual":
            layout = h5py.VirtualLayout(x1.shape, "f8")
            layout[:] = h5py.VirtualSource(other, "x1", x1.shape)
            file.create_virtual_dataset("x1", layout)
        elif kind == "dangling":
            file["x1"] = h5py.SoftLink("/nothing")
        elif kind == "text":
            file["x1"] = "1 2 3"
        elif kind == "loop":
            file["x1"] = h5py.SoftLink("/x1")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("empty", "x1 is empty"),
        ("storage", "x1 are in another file"),
        ("link", "x1 is a link to another file"),
        ("indirect link", "another file"),
        ("virtual", "x1 are in another file"),
        ("dangling", "has x2; looked for x1, x2"),
        ("text", "x1 must be numbers (N, 2)"),
        ("loop", "m.h5 is not a readable HDF5 file"),
    ],
)
def test_hdf5_that_is_not_all_in_the_file_is_refused(kind, words, here, scene, capsys):
    write_hdf5(here / "m.h5", scene.x1, scene.x2, kind)
    refused(capsys, "match", "m.h5", words=words)
    labels = ["calibrate", "m.h5", "--model", "homography"]
    status, _, err = run(capsys, *labels)
    assert (status, err.count("\n")) == (1, 1)


def test_a_group_of_another_hdf5_file_is_refused(here, scene, capsys):
    write_hdf5(here / "m.h5", scene.x1, scene.x2, "indirect link")
    words = "there is a link to another file"
    refused(capsys, "match", "m.h5", "--group", "there", words=words)
    refused(capsys, "match", "m.h5", "--group", "no/such", words="no group 'no/such'")
    refused(capsys, "match", "m.h5", "--group", "x2", words="no group 'x2'")


def test_damaged_hdf5_and_npz_are_one_line(here, scene, capsys, rng):
    save_matches(here / "m.npz", scene.x1, scene.x2)
    with h5py.File("m.h5", "w") as file:
        file["x1"], file["x2"] = scene.x1, scene.x2
    for name in ("m.npz", "m.h5"):
        data = Path(name).read_bytes()
        for place in rng.integers(0, min(len(data), 3000), 30):
            spoilt = bytearray(data)
            spoilt[place : place + 4] = rng.bytes(4)
            Path(f"bad-{name}").write_bytes(spoilt)
            status, _, err = run(
                capsys, "match", f"bad-{name}", "--model", "homography",
                "--max-iterations", "20",
            )  # fmt: skip
            assert err.count("\n") == (status != 0), err
            assert "unexpected" not in err


# Tables.


@pytest.mark.parametrize("first", [0, 1])
def test_a_table_that_begins_with_an_index_is_refused_or_read_right(
    first, here, scene, capsys
):
    index = np.arange(first, first + len(scene.x1))
    rows = np.column_stack([index, scene.x1, scene.x2])
    text = "\n".join(",".join(f"{v:.17g}" for v in row) for row in rows)
    (here / "bare.csv").write_text(text)
    words = "the first column counts the rows"
    refused(capsys, "match", "bare.csv", words=words)
    (here / "tabs.tsv").write_text(text.replace(",", "\t"))
    refused(capsys, "match", "tabs.tsv", words=words)
    (here / "r.csv").write_text("x1,y1,x2,y2\n" + text)
    refused(capsys, "match", "r.csv", words="5 columns under a header of 4")
    # As pandas and others write them.
    found = []
    for header in (",x1,y1,x2,y2\n", "id,x1,y1,x2,y2\n", "id;x1;y1;x2;y2\n"):
        (here / "good.csv").write_text(header + text)
        arguments = ["good.csv", "--model", "homography", "--json"]
        status, out, err = run(capsys, "match", *arguments)
        assert status == 0, err
        found.append(json.loads(out)["model"])
    np.testing.assert_allclose(found[0], scene.H / scene.H[2, 2], rtol=0.1, atol=0.1)
    assert found[0] == found[1] == found[2]


# Options.


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["match", "matches.npz", "--max-iterations", 2**70], "--max-iterations must"),
        (["match", "matches.npz", "--max-iterations", 2**31], "at most 2147483647"),
        (["match", "matches.npz", "--max-iterations", -1], "at least 1, got -1"),
        (["match", "matches.npz", "--seed", 2**70], "--seed must be at most"),
        (["match", "matches.npz", "--confidence", "nan"], "confidence must be in"),
        (["match", "matches.npz", "--confidence", "inf"], "confidence must be in"),
        (["match", "matches.npz", "--confidence", "-1"], "confidence must be in"),
        (["match", "left.png", "left.png", "--max-features", 2**70], "max_features"),
        (["match", "left.png", "left.png", "--max-features", 0], "max_features"),
        (["match", "left.png", "left.png", "--ratio", "nan"], "ratio must be in"),
        (["demo", "--seed", 2**70], "--seed must be at most"),
        (["demo", "--seed", -1], "--seed must not be negative"),
        (["demo", "-o", "a.what"], "pictures end in"),
        (["verify", "none.db", "--workers", 2**70], "--workers must be at most"),
        (["verify", "none.db", "--min-inliers", 2**70], "--min-inliers must be at"),
        (["calibrate", "matches.npz", "--model", "homography", "-o", "."], "folder"),
    ],
)
def test_options_out_of_range_are_one_line(
    arguments, words, here, matches, views, capsys
):
    (here / "left.png").write_bytes((views[0] / "left.png").read_bytes())
    if arguments[0] == "verify":
        pytest.importorskip("pycolmap")
    refused(capsys, *arguments, words=words)


@pytest.mark.parametrize(
    "arguments",
    [
        ["match", "a.npz", "--max-iterations", "1e4"],
        ["match", "a.npz", "--max-iterations", "9" * 5000],
        ["match", "a.npz", "--confidence", "high"],
        ["match", "a.npz", "--sped", "1"],
        ["match"],
        ["calibrate", "a.npz"],
        ["fly"],
    ],
)
def test_wrong_usage_is_an_object_for_machines_too(arguments, capsys):
    status, out, err = run(capsys, *arguments, "--json")
    assert (status, err.count("\n")) == (2, 1)
    assert json.loads(out)["error"] in err


# Pictures.


def test_matches_without_a_model_are_drawn_all_the_same(here, views, capsys, rng):
    left, right = views[0] / "left.png", views[0] / "right.jpg"
    x1, x2 = rng.uniform([0, 0], [400, 300], (2, 60, 2))
    noise = save_matches(here / "noise.npz", x1, x2)
    few = save_matches(here / "few.npz", x1[:2], x2[:2])
    none = save_matches(here / "none.npz", x1[:0], x2[:0])
    for path, model in ((noise, "auto"), (few, "homography"), (none, "auto")):
        status, out, err = run(
            capsys, "match", path, left, right, "--model", model, "-o", "out.png",
            "--json",
        )  # fmt: skip
        assert (status, err.count("\n")) == (1, 1)
        assert "picture: out.png" in json.loads(out)["error"]
        assert cv2.imread("out.png").shape == (300 + 28, 800, 3)
        Path("out.png").unlink()


@posix
def test_names_that_are_not_utf8(here, views, capsys):
    name = os.fsdecode(b"a\xff.png")
    Path(name).write_bytes((views[0] / "left.png").read_bytes())
    status, out, err = run(
        capsys, "match", name, views[0] / "right.jpg", "-o", os.fsdecode(b"b\xff.png")
    )
    assert (status, err) == (0, "")
    assert "b\\udcff.png" in out
    assert Path(os.fsdecode(b"b\xff.png")).stat().st_size > 1000
    refused(capsys, "match", name, name, "-o", os.fsdecode(b"a.\xff"), words="end in")
