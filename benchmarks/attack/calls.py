"""Random calls of everything public: estimators, drop-ins, calibration, the CLI.

Estimators are found in the registry, so that new ones are attacked too.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np

import cvscore
from benchmarks.attack.arguments import (
    K,
    Rng,
    draw_camera,
    draw_number,
    draw_options,
    draw_quality,
    draw_score,
    draw_sets,
)
from benchmarks.attack.checks import is_of_rank_two
from cvscore.cli import main as command_line
from cvscore.estimators.registry import ESTIMATORS


class Call(NamedTuple):
    """A call that is to be made, and the arrays that it must not change."""

    name: str
    run: Callable[[], Any]
    inputs: list[Any]


def draw_call(rng: Rng) -> Call:
    """Return a random call: mostly an estimate."""
    draws = (_estimate, _drop_in, _select, _priors, _variance, _calibrate, _command)
    shares = (0.62, 0.2, 0.05, 0.08, 0.02, 0.01, 0.02)
    return draws[int(rng.choice(len(draws), p=shares))](rng)


def _estimate(rng: Rng) -> Call:
    name = str(rng.choice(sorted(ESTIMATORS)))
    known = ESTIMATORS[name]
    form = known.forms[int(rng.integers(len(known.forms)))]
    sets = draw_sets(rng, form.data.dims)
    cameras = tuple(draw_camera(rng) for _ in range(2)) if known.needs_cameras else ()
    quality = draw_quality(rng, len(sets[0]) if sets[0] is not None else 0)

    def run() -> Any:
        choices = {"score": draw_score(rng), "options": draw_options(rng)}
        found = known.run(*sets, cameras=cameras, quality=quality, **choices)
        # The essential matrix has rank two as the fundamental matrix has.
        if found and name in ("fundamental", "essential"):
            assert is_of_rank_two(found.model), "not of rank two"
        return found

    return Call(f"estimate_{name}", run, [*sets, *cameras, quality])


# Of each drop-in the coordinates of its points and what follows them.
DROP_INS = {
    "findHomography": ((2, 2), ()),
    "findFundamentalMat": ((2, 2), ()),
    "findEssentialMat": ((2, 2), (K,)),
    "estimateAffine2D": ((2, 2), ()),
    "estimateAffinePartial2D": ((2, 2), ()),
    "estimateAffine3D": ((3, 3), ()),
    "estimateTranslation3D": ((3, 3), ()),
    "solvePnPRansac": ((3, 2), (K, None)),
}


def _drop_in(rng: Rng) -> Call:
    name = str(rng.choice(sorted(DROP_INS)))
    dims, more = DROP_INS[name]
    sets = draw_sets(rng, dims)

    def run() -> None:
        answer = getattr(cvscore, name)(*sets, *more)
        if answer[0] is False:
            return  # OpenCV leaves the rest as it found the memory
        arrays = [part for part in answer if isinstance(part, np.ndarray)]
        if not all(np.isfinite(part).all() for part in arrays):
            # Minimal samples are OpenCV's to answer, whatever it says.
            given = [np.ascontiguousarray(points, dtype=float) for points in sets]
            for ours, theirs in zip(
                answer, getattr(cv2, name)(*given, *more), strict=True
            ):
                assert np.array_equal(ours, theirs, equal_nan=True), "not finite"

    return Call(name, run, sets)


def _select(rng: Rng) -> Call:
    x1, x2 = draw_sets(rng, (2, 2))
    camera = draw_camera(rng) if rng.random() < 0.5 else None

    def run() -> Any:
        return cvscore.select_model(x1, x2, camera, options=draw_options(rng))

    return Call("select_model", run, [x1, x2, camera])


def _priors(rng: Rng) -> Call:
    kind = int(rng.integers(4))
    values = [draw_number(rng) for _ in range(int(rng.integers(0, 6)))]
    runs: list[Callable[[], Any]] = [
        lambda: cvscore.fit_robust(values),
        lambda: cvscore.fit_mle(values),
        lambda: cvscore.InverseGamma(draw_number(rng), draw_number(rng)).scaled(
            draw_number(rng)
        ),
        lambda: draw_options(rng) and draw_score(rng),
    ]
    names = ("fit_robust", "fit_mle", "InverseGamma", "options and scores")
    return Call(names[kind], runs[kind], [values])


def _variance(rng: Rng) -> Call:
    x1, x2 = draw_sets(rng, (2, 2))
    model = str(rng.choice(sorted(ESTIMATORS)))
    return Call(
        "variance_unconstrained",
        lambda: cvscore.variance_unconstrained(x1, x2, model=model),
        [x1, x2],
    )


def _calibrate(rng: Rng) -> Call:
    given = [draw_sets(rng, (2, 2)) for _ in range(2)]

    def run() -> Any:
        pairs = [
            cvscore.LabelledPair(x1=x1, x2=x2, inliers=rng.random(len(x1)) < 0.5)
            for x1, x2 in given
            if x1 is not None
        ]
        return cvscore.calibrate(
            pairs,
            model="homography",
            options=draw_options(rng),
            half_widths=(0.02, 0.1),
        )

    return Call("calibrate", run, [points for pair in given for points in pair])


def _command(rng: Rng) -> Call:
    x1, x2 = draw_sets(rng, (2, 2))
    suffix = str(rng.choice([".npz", ".csv", ".txt", ".h5", ".png"]))
    words = ["--json"] if rng.random() < 0.5 else []
    words += ["--model", str(rng.choice([*sorted(ESTIMATORS), "auto", "line"]))]
    limit = rng.choice(["50", "1e2", "-1", "2**3", "9" * 30])
    words += ["--max-iterations", str(limit)]
    if rng.random() < 0.3:
        camera = rng.choice(["800", "800,500,500", "0", "nan", "a,b"])
        words += ["--camera", str(camera)]

    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"matches{suffix}"
            path.write_bytes(_damaged(rng, _file_of(suffix, x1, x2)))
            _check_command(["match", str(path), *words])

    return Call("cvscore match", run, [x1, x2])


def _file_of(suffix: str, x1: Any, x2: Any) -> bytes:
    """Return a file of matches; empty where they are nothing that a file could hold."""
    try:
        matches = np.hstack([np.asarray(x1), np.asarray(x2)])
    except ValueError:
        return b""
    if suffix in (".csv", ".txt"):
        lines = (",".join(map(str, np.ravel(row))) for row in matches)
        return "\n".join(lines).encode()
    file = io.BytesIO()
    np.savez(file, x1=np.asarray(x1), x2=np.asarray(x2))
    return file.getvalue()


def _damaged(rng: Rng, content: bytes) -> bytes:
    """Return a file, now and then cut off or with a bit changed."""
    if rng.random() < 0.3:
        content = content[: int(rng.integers(len(content) + 1))]
    changed = bytearray(content)
    if content and rng.random() < 0.3:
        changed[int(rng.integers(len(content)))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def _check_command(words: list[str]) -> None:
    """Run the command line here; it says what is wrong in a line, and in JSON."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = command_line(words)
        except SystemExit as end:  # argparse, of wrong words
            status = end.code
    text = out.getvalue() + err.getvalue()
    assert "Traceback" not in text, text[-500:]
    assert "unexpected" not in text, text[-500:]
    assert status == 0 or err.getvalue().strip(), f"status {status} without a word"
    if "--json" in words and out.getvalue().strip():
        json.loads(out.getvalue(), parse_constant=_no_json)


def _no_json(text: str) -> None:
    raise AssertionError(f"{text} is no JSON")
