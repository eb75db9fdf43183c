"""What must be settled before numpy and numba are imported: threads and the cache."""

from __future__ import annotations

import hashlib
import os

from benchmarks.folders import ROOT

POOLS = ("OMP", "OPENBLAS", "MKL", "NUMBA")


def one_thread() -> None:
    """Close the thread pools: every method is timed on one thread."""
    for pool in POOLS:
        os.environ.setdefault(f"{pool}_NUM_THREADS", "1")


def fresh_kernels() -> None:
    """Keep compiled kernels in a folder named after the sources of all kernels.

    numba looks at the file of a kernel alone, so an edit to a kernel in another file
    would leave its callers stale and the figures wrong.
    """
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    digest = hashlib.sha256()
    for path in sorted((ROOT / "cvscore").rglob("*.py")):
        source = path.read_bytes()
        if b"@kernel" in source:
            digest.update(source)
    folder = ROOT / ".numba_cache" / f"bench-{digest.hexdigest()[:16]}"
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
