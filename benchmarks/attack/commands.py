"""Random runs of the command line, on files of which some are damaged."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.attack.arguments import draw_pose
from benchmarks.attack.checks import Call
from benchmarks.attack.files import (
    PICTURES,
    hdf5_file,
    picture_file,
    picture_texture,
)
from benchmarks.attack.points import Rng, draw_sets, length_of
from cvscore.cli import main as command_line
from cvscore.estimators.registry import ESTIMATORS

SUFFIXES = (".npz", ".csv", ".txt", ".tsv", ".h5", ".png")
LIMITS = ("50", "1e2", "-1", "2**3", "9" * 30, "nan", "")
CAMERAS = ("800", "800,500,500", "800,800,500,500", "0", "nan", "a,b", "1e400", ",")
# Names of files that are written; the first is that of an input.
OUTPUTS = ("matches", "page.html", "page.txt", "picture.png", "", ".", "no/page.html")


def draw_match_command(rng: Rng) -> Call:
    """Return a run of ``cvscore match`` on a file of matches."""
    x1, x2 = draw_sets(rng, (2, 2))
    suffix = str(rng.choice(SUFFIXES))
    words = ["--json"] if rng.random() < 0.5 else []
    words += ["--model", str(rng.choice([*sorted(ESTIMATORS), "auto", "line"]))]
    words += ["--max-iterations", str(rng.choice(LIMITS))]
    if rng.random() < 0.3:
        words += ["--camera", str(rng.choice(CAMERAS))]
    files = {f"matches{suffix}": damaged(rng, _file_of(rng, suffix, x1, x2))}
    if rng.random() < 0.1:
        files["calibration.json"] = damaged(rng, _calibration(rng))
        words += ["--calibration", "calibration.json"]
    if rng.random() < 0.15:
        output = str(rng.choice(OUTPUTS))
        output = f"matches{suffix}" if output == "matches" else output
        words += [str(rng.choice(["--report", "-o"])), output]
    given = ["match", f"matches{suffix}", *words]
    return Call("cvscore match", lambda: _check_command(given, files), [x1, x2])


def draw_picture_command(rng: Rng) -> Call:
    """Return a run of ``cvscore match`` on two pictures."""
    grey, ending = picture_texture(rng), str(rng.choice(PICTURES))
    files = {
        f"{name}{ending}": damaged(rng, picture_file(rng, ending, grey, shift))
        for name, shift in (("one", 0), ("two", int(rng.integers(-9, 9))))
    }
    words = ["--json"] if rng.random() < 0.5 else []
    if rng.random() < 0.5:
        words += ["-o", str(rng.choice([f"one{ending}", "lines.png", "lines.csv"]))]
    given = ["match", *files, "--max-iterations", "50", *words]
    return Call("cvscore match pictures", lambda: _check_command(given, files), [])


def draw_calibrate_command(rng: Rng) -> Call:
    """Return a run of ``cvscore calibrate`` on labelled pairs."""
    files = {}
    for number in range(int(rng.integers(1, 4))):
        x1, x2 = draw_sets(rng, (2, 2))
        files[f"pair{number}.npz"] = damaged(rng, _labelled(rng, x1, x2))
    words = ["--model", str(rng.choice(["homography", "fundamental", "essential"]))]
    words += ["--fit", str(rng.choice(["robust", "mle"])), "--max-iterations", "30"]
    if rng.random() < 0.3:
        words += ["-o", str(rng.choice(["pair0.npz", "learned.json", "no/such", "."]))]
    if rng.random() < 0.5:
        words += ["--json"]
    given = ["calibrate", *files, *words]
    return Call("cvscore calibrate", lambda: _check_command(given, files), [])


def _file_of(rng: Rng, suffix: str, x1: Any, x2: Any) -> bytes:
    """Return a file of matches; empty where they are nothing that a file could hold."""
    try:
        matches = np.hstack([np.asarray(x1), np.asarray(x2)])
    except Exception:  # no array, or none of numbers
        return b""
    if suffix in (".csv", ".txt", ".tsv"):
        lines = (",".join(map(str, np.ravel(row))) for row in matches)
        return "\n".join(lines).encode()
    if suffix == ".h5":
        return hdf5_file(rng, x1, x2)
    return _archive(x1=x1, x2=x2)


def _archive(**arrays: Any) -> bytes:
    file = io.BytesIO()
    try:
        np.savez(file, **{name: np.asarray(value) for name, value in arrays.items()})
    except Exception:  # no array
        return b""
    return file.getvalue()


def _labelled(rng: Rng, x1: Any, x2: Any) -> bytes:
    num = length_of(x1)
    labels = [
        rng.random(num) < 0.7,
        (rng.random(num) < 0.7).astype(float),
        np.ones(num, dtype=np.int64),
        np.zeros(num, dtype=np.bool_),
        np.where(rng.random(num) < 0.5, 1, -1),
        np.full(num, "yes"),
        np.ones(num + 1, dtype=np.bool_),
    ]
    which = int(rng.integers(len(labels) if rng.random() < 0.3 else 4))
    arrays: dict[str, Any] = {"x1": x1, "x2": x2, "inliers": labels[which]}
    if rng.random() < 0.4:
        camera = np.array([[800.0, 0, 500], [0, 800, 500], [0, 0, 1]])
        arrays |= {"K1": camera, "K2": camera}
        if rng.random() < 0.5:
            arrays["R"], arrays["t"] = draw_pose(rng)
    elif rng.random() < 0.3:
        arrays["H"] = rng.normal(size=(3, 3)) * 10.0 ** rng.uniform(-300, 300)
    return _archive(**arrays)


def _calibration(rng: Rng) -> bytes:
    content = {
        "version": 1,
        "model": str(rng.choice(["homography", "fundamental", "line"])),
        "prior": {"alpha": 1.0, "beta": float(10.0 ** rng.uniform(-300, 300))},
        "half_width_fraction": float(10.0 ** rng.uniform(-4, 1)),
        "half_width": 10.0,
        "num_pairs": 3,
    }
    return json.dumps(content).encode()


def damaged(rng: Rng, content: bytes) -> bytes:
    """Return a file, now and then cut off or with a bit changed."""
    if rng.random() < 0.3:
        content = content[: int(rng.integers(len(content) + 1))]
    changed = bytearray(content)
    if content and rng.random() < 0.3:
        changed[int(rng.integers(len(content)))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def _check_command(words: list[str], files: dict[str, bytes]) -> None:
    """Run the command line among these files, which it must leave as they are."""
    with tempfile.TemporaryDirectory() as name, working_in(name):
        folder = Path(name)
        for file, content in files.items():
            (folder / file).write_bytes(content)
        check_output(words)
        for file, content in files.items():
            assert (folder / file).read_bytes() == content, f"{file} was changed"
        left = [path.name for path in folder.rglob(".cvscore-*")]
        assert not left, f"left behind: {left}"


@contextlib.contextmanager
def working_in(folder: str) -> Iterator[None]:
    """Be in a folder for a while."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def check_output(words: list[str]) -> None:
    """Run the command line here; it says what is wrong in a line, and in JSON."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = command_line(words)
        except SystemExit as end:  # argparse, of wrong words
            status = end.code
    text = out.getvalue() + err.getvalue()
    assert "Traceback" not in text, text[-500:]
    assert "please report it" not in text, text[-500:]
    assert status == 0 or err.getvalue().strip(), f"status {status} without a word"
    if "--json" in words:
        json.loads(out.getvalue(), parse_constant=_no_json)


def _no_json(text: str) -> None:
    raise AssertionError(f"{text} is no JSON")
