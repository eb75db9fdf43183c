"""Which methods there are: `python -m benchmarks methods`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from benchmarks.command_line import parser_of
from benchmarks.methods import METHODS, SCORES

ORDER = ("H", "F", "E")


def thresholds_table() -> str:
    """Return markdown: the default thresholds of every method that has one."""
    lines = [f"| method | {' | '.join(ORDER)} |", "|---" * 4 + "|"]
    for method in METHODS.values():
        is_listed = method.is_compared and not method.thresholds.keys().isdisjoint(
            ORDER
        )
        if method.has_threshold and is_listed:
            values = (method.thresholds.get(problem) for problem in ORDER)
            cells = ("" if value is None else f"{value:g}" for value in values)
            lines.append(f"| {method.name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the methods, what they do, and whether they can run here."""
    parser = parser_of("methods", __doc__)
    parser.parse_args(arguments)
    print("Full estimators; default thresholds in pixels\n")
    print(thresholds_table())
    without = [m.name for m in METHODS.values() if not m.has_threshold]
    print(f"\nWithout a threshold: {', '.join(without)}")
    absent = [m.name for m in METHODS.values() if find_spec(m.module) is None]
    print(f"Not installed here: {', '.join(absent) or 'none'}")
    by_name = [m.name for m in METHODS.values() if not m.is_compared]
    print(f"Only by name (--methods): {', '.join(by_name)}")
    print(f"\nScores of the paper's experiments: {', '.join(SCORES)}")
