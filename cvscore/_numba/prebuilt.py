"""Kernels that came with the wheel, compiled for the CPUs of a common baseline.

The folder ``shipped_kernels`` of an installed wheel holds, by version of numba, every
kernel that the interpreter enters.  It is used only if nothing that went into it
differs here, and if this CPU has all that the baseline has.  Otherwise, and in a
checkout, which has no such folder, kernels are compiled here.  ``.ci/wheel`` fills it.

CVSCORE_PREBUILT in the environment: 0 for none of them; a folder to take them from.
"""

from __future__ import annotations

import json
import os
import platform
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numba

from cvscore._numba import provenance, stored

VARIABLE = "CVSCORE_PREBUILT"
# Why there are none, where nobody need be told.
SWITCHED_OFF, NONE_CAME = f"switched off by {VARIABLE}", "none came with this package"
SHIPPED_FOLDER = Path(__file__).parent / "shipped_kernels"
INDEX, CODE = "index.json", "kernels.bin"

_NAMES = {"AMD64": "x86_64", "arm64": "aarch64"}
MACHINE = _NAMES.get(platform.machine(), platform.machine())
_V3 = "avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe popcnt sahf sse4.2 ssse3 xsave"
# The CPU to compile for, and the features that its code makes use of.
BASELINES = {
    "x86_64": ("x86-64-v3", frozenset(f"+{name}" for name in _V3.split())),
    "aarch64": ("generic", frozenset[str]()),  # has vectors and fused products
}

Place = tuple[int, int]  # of a kernel in the file: offset and length


class Shipped(NamedTuple):
    """Where each kernel is; none of them, and why, where they are not to be used."""

    places: dict[str, Place]
    trouble: str | None = None


def load(identity: stored.Header, context: Any) -> Any:
    """Return the compiled function with this identity, or None."""
    place = find(context.codegen()).places.get(key_of(identity))
    if place is None:
        return None
    try:
        offset, size = place
        with (folder() / CODE).open("rb") as file:
            file.seek(offset)
            packed = file.read(size)
    except (OSError, ValueError, TypeError):
        return None
    return stored.load(packed, identity, context)


def key_of(identity: stored.Header) -> str:
    """Return the name of a kernel in the index."""
    key: str = identity["kernel"]
    return key + " for the interpreter" if identity["for interpreter"] else key


def find(codegen: Any) -> Shipped:
    """Return the kernels that fit what is installed here, and this CPU."""
    if os.environ.get(VARIABLE) == "0":
        return Shipped({}, SWITCHED_OFF)
    shipped = _read(folder(), json.dumps(made_from(), sort_keys=True))
    # Of the CPU itself, or of what NUMBA_CPU_FEATURES makes of it.
    features = set(codegen._tm_features.split(","))
    if shipped.trouble is None and not BASELINES[MACHINE][1] <= features:
        return Shipped({}, f"this CPU is not of the baseline {BASELINES[MACHINE][0]}")
    return shipped


def folder() -> Path:
    """Return where kernels for this numba would be."""
    given = os.environ.get(VARIABLE)
    return (Path(given) if given else SHIPPED_FOLDER) / f"numba-{numba.__version__}"


def made_from() -> dict[str, Any]:
    """Return all that the code depends on, in terms of JSON."""
    baseline, _ = BASELINES.get(MACHINE, ("none", None))
    return {
        "sources": provenance.SOURCES,
        "cpu": [MACHINE, baseline],
        **provenance.compiler(),
    }


@lru_cache(maxsize=4)
def _read(folder: Path, wanted: str) -> Shipped:
    if not folder.parent.is_dir():
        return Shipped({}, NONE_CAME)
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        made, places = dict(index["made from"]), dict(index["kernels"])
    except FileNotFoundError:
        others = sorted(path.name[6:] for path in folder.parent.glob("numba-*"))
        return Shipped(
            {}, f"they are for numba {' and '.join(others)}, not {numba.__version__}"
        )
    except (OSError, ValueError, KeyError, TypeError):
        return Shipped({}, "their index can't be read")
    here = json.loads(wanted)
    differing = [name for name in here if made.get(name) != here[name]]
    if differing:
        return Shipped({}, f"they were made with other {', '.join(differing)}")
    return Shipped(places)
