"""Compile the kernels of a wheel: ``python .ci/compile_kernels.py FOLDER [STEP...]``.

Once for each numba that the wheel is to serve; `.ci/wheel` does it.  The interpreter
enters a third of what `cvscore warmup` compiles; the other kernels are within these.
A STEP is one of the warm-up; by default all are taken.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from cvscore._numba import cache, prebuilt, stored  # noqa: E402
from cvscore._numba.compile import kernels  # noqa: E402
from cvscore.cli.warmup import steps  # noqa: E402

FILL, COLLECT = "--fill", "--collect"  # what the two processes do


def main(folder: str, *labels: str) -> None:
    """Compile in one process; in a second one, keep what it loads."""
    if importlib.util.find_spec("cv2") is None:
        sys.exit("OpenCV must be installed: some kernels are for its callers")
    with tempfile.TemporaryDirectory() as files:
        variables = {
            **os.environ,
            "NUMBA_CPU_NAME": prebuilt.BASELINES[prebuilt.MACHINE][0],
            "NUMBA_CPU_FEATURES": "",
            "NUMBA_CACHE_DIR": files,
            prebuilt.VARIABLE: "0",
        }
        for task in (FILL, COLLECT):
            words = [sys.executable, __file__, task, folder, *labels]
            subprocess.run(words, env=variables, check=True)


def run_steps(labels: tuple[str, ...]) -> None:
    """Run the warm-up, or some of its steps."""
    for label, step in steps():
        if not labels or label in labels:
            step()


def collect(folder: Path) -> None:
    """Write the kernels that were entered, one after the other, and where they are."""
    entered = {}
    for kernel in kernels:
        entered |= kernel._cache.layers
    again = [key for key, layer in entered.items() if layer != cache.ON_MACHINE]
    if again or not entered:
        sys.exit(f"not the same in each process: {again}")
    places = {}
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / prebuilt.CODE).open("wb") as file:
        for path in sorted(cache.writable_folder().glob(f"*{cache.ENDING}")):
            packed = path.read_bytes()
            key = prebuilt.key_of(stored.unpack(packed)[0])
            if key in entered:
                places[key] = file.tell(), file.write(packed)
        size = file.tell()
    if places.keys() != entered.keys():
        sys.exit(f"not kept: {entered.keys() - places.keys()}")
    index = {"made from": prebuilt.made_from(), "kernels": places}
    (folder / prebuilt.INDEX).write_text(json.dumps(index, indent=1), encoding="utf-8")
    print(f"{folder.name}: {len(places)} kernels, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    task, *given = sys.argv[1:]
    if task in (FILL, COLLECT):
        run_steps(tuple(given[1:]))
        if task == COLLECT:
            collect(Path(given[0]) / prebuilt.folder().name)
    else:
        main(task, *given)
