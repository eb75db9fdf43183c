"""Check what tests/first_calls.py printed: check_first_calls.py FILE [REFERENCE].

The calls were those of an installed wheel and compiled nothing; their results are those
of the reference, which was compiled where it ran.
"""

from __future__ import annotations

import json
import sys
from itertools import chain
from pathlib import Path

TOLERANCE = 1e-9

found, *references = (
    json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:]
)
print("  ".join(f"{name} {took:.2f} s" for name, took in found["seconds"].items()))
assert "site-packages" in found["file"], found["file"]
assert found["compiled"] == [], found["compiled"]
assert found["layers"] == ["shipped"], found["layers"]
for reference in references:
    assert "shipped" not in reference["layers"]
    for label, expected in reference["results"].items():
        result = found["results"][label]
        assert result["inliers"] == expected["inliers"], label
        pairs = zip(chain(*result["model"]), chain(*expected["model"]), strict=True)
        apart = (abs(ours - theirs) / max(1.0, abs(theirs)) for ours, theirs in pairs)
        assert max(apart) < TOLERANCE, label
    print(f"{len(reference['results'])} results are those of kernels compiled here")
