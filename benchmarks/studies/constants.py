"""Every constant of the package with its reason, and what another value changes.

    python -m benchmarks constants                      # the table of all of them
    python -m benchmarks constants ransac.irls.CUT --values 3 6 --num 30

The table is read from the sources: module, name, value, and the comment above it.  With
a name and other values the estimators run on validation problems (those of --problem)
with each value in turn, in processes of their own that compile their kernels anew, and
AUC@10 is printed for each regime: the figure behind a constant, whenever it is wanted.
``--write`` puts the table into docs/constants.md.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.command_line import parser_of
from benchmarks.folders import ROOT
from benchmarks.methods.cvscore import error_with
from benchmarks.problems import PROBLEMS
from benchmarks.protocols.accuracy import auc

PACKAGE = ROOT / "cvscore"
PAGE = ROOT / "docs" / "constants.md"
# Adapters translate and have no constants that change an estimate.
LAYERS = (
    "numerics",
    "data",
    "scores",
    "ransac",
    "inference",
    "models",
    "two_view",
    "estimators",
    "calibration",
)


class Constant(NamedTuple):
    """A constant: its module, its name, its value as written, and the comment."""

    module: str
    name: str
    value: str
    reason: str


def constants() -> Iterator[Constant]:
    """Yield the numbers that the layers of the package are set to."""
    for layer in LAYERS:
        for path in sorted((PACKAGE / layer).rglob("*.py")):
            yield from constants_of(path)


def constants_of(path: Path) -> Iterator[Constant]:
    """Yield the constants of one file, in order."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    above = ""
    last_line = 0
    for node in ast.parse(source).body:
        if not isinstance(node, ast.Assign) or not is_number(node.value):
            continue
        names = [n.id for n in ast.walk(node.targets[0]) if isinstance(n, ast.Name)]
        if not all(name.isupper() for name in names):
            continue
        comment = comment_above(lines, node.lineno - 1)
        # Constants in one block share the comment that heads it.
        if comment or node.lineno > last_line + 1:
            above = comment
        last_line = node.end_lineno or node.lineno
        _, _, beside = lines[last_line - 1].partition("  # ")
        reason = " ".join(part for part in (above, beside) if part)
        yield Constant(module, ", ".join(names), ast.unparse(node.value), reason)


def is_number(value: ast.expr) -> bool:
    """Whether an expression is a number, or a few of them."""
    allowed = (ast.Constant, ast.Tuple, ast.BinOp, ast.UnaryOp, ast.operator)
    allowed = (*allowed, ast.unaryop, ast.Name, ast.Attribute, ast.Load)
    nodes = list(ast.walk(value))
    has_number = any(
        isinstance(n, ast.Constant) and isinstance(n.value, (int, float)) for n in nodes
    )
    return has_number and all(isinstance(n, allowed) for n in nodes)


def comment_above(lines: Sequence[str], index: int) -> str:
    """Return the comment that ends just above a line."""
    first = index
    while first > 0 and lines[first - 1].startswith("#"):
        first -= 1
    return " ".join(line.lstrip("# ").strip() for line in lines[first:index])


def table() -> str:
    """Return the page of all constants."""
    lines = [
        "Made by `python -m benchmarks constants --write` from the sources.",
        "",
        "# Constants and their reasons",
        "",
        "A reason that names a probability, a quantile, a rounding error or a time is",
        "a computation. All others were chosen by hand on validation problems; what",
        "another value changes is printed by",
        "`python -m benchmarks constants MODULE.NAME --values ...`.",
        "",
        "| module | constant | value | reason |",
        "| --- | --- | --- | --- |",
    ]
    for module, name, value, reason in constants():
        lines.append(
            f"| {module} | {name} | `{value}` | {reason or 'chosen by hand'} |"
        )
    return "\n".join(lines) + "\n"


def figures(problems: Sequence[str], num: int) -> dict[str, float]:
    """Return AUC@10 by problem and regime on validation problems."""
    found = {}
    for problem in problems:
        for regime in PROBLEMS[problem].regimes:
            pairs = (PROBLEMS[problem].generate(regime, i, "val") for i in range(num))
            found[f"{problem} {regime}"] = auc(
                [error_with(p) for p in pairs], PROBLEMS[problem].limit
            )
    return found


def set_constant(name: str, value: Any) -> None:
    """Give a constant another value, wherever it has been imported to."""
    module, _, constant = name.rpartition(".")
    import_module("cvscore")
    owner = import_module(f"cvscore.{module}")
    before = getattr(owner, constant)
    for other in list(sys.modules.values()):
        is_ours = getattr(other, "__name__", "").startswith("cvscore.")
        if is_ours and getattr(other, constant, None) is before:
            setattr(other, constant, type(before)(value))


def figures_with(name: str, value: str, problems: Sequence[str], num: int) -> dict:
    """Return the figures with another value, from a process of its own."""
    command = [sys.executable, "-m", "benchmarks", "constants", name, "--set", value]
    command += ["--problem", *problems, "--num", str(num)]
    with tempfile.TemporaryDirectory() as cache:
        # Kernels compile constants in, so none of the machine's may be used.
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "CVSCORE_PREBUILT": "0"}
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return json.loads(done.stdout.splitlines()[-1])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table of constants, or what other values of one change."""
    parser = parser_of("constants", __doc__)
    parser.add_argument("name", nargs="?", help="module and name: ransac.irls.CUT")
    parser.add_argument("--values", nargs="+", default=[], help="to compare with")
    parser.add_argument(
        "--problem", nargs="+", default=list(PROBLEMS), choices=PROBLEMS
    )
    parser.add_argument("--num", type=int, default=30, help="pairs a regime")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument("--set", help="print the figures with this value, as JSON")
    options = parser.parse_args(arguments)
    if options.name is None:
        print(table())
        if options.write:
            PAGE.write_text(table(), encoding="utf-8")
        return
    if options.set is not None:
        set_constant(options.name, float(options.set))
        print(json.dumps(figures(options.problem, options.num)))
        return
    columns = {"as it is": figures(options.problem, options.num)}
    for value in options.values:
        columns[value] = figures_with(options.name, value, options.problem, options.num)
    print(f"{options.name}, AUC of {options.num} validation problems")
    print(f"{'':16s}" + "".join(f"{name:>10s}" for name in columns))
    for row in columns["as it is"]:
        print(f"{row:16s}" + "".join(f"{c[row]:10.1f}" for c in columns.values()))
