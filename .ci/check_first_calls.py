"""Check what tests/first_calls.py printed: ``python .ci/check_first_calls.py FILE``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

found = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
print("  ".join(f"{name} {took:.2f} s" for name, took in found["seconds"].items()))
assert "site-packages" in found["file"], found["file"]
assert found["compiled"] == [], found["compiled"]
assert found["layers"] == ["shipped"], found["layers"]
