"""Where things are: the checkout, what runs leave behind, what is committed, data."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "benchmarks" / "out"  # of runs on this machine; not committed
RESULTS = ROOT / "benchmarks" / "results"  # the rows behind the tables
TABLES = ROOT / "benchmarks" / "tables"  # generated from RESULTS
COLMAP_ROWS = Path("colmap") / "rows.jsonl"  # below OUT and RESULTS


def data_root() -> Path:
    """Folder of the real pairs: ``$CVSCORE_DATA``, or shared/data beside the clone."""
    beside = ROOT.parent / "shared" / "data"
    return Path(os.environ.get("CVSCORE_DATA", beside))
