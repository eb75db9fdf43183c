"""One command for all that is measured: `python -m benchmarks COMMAND ...`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple


class Command(NamedTuple):
    """What a command does, in a line, and the function that does it."""

    text: str
    module: str  # imported when it is asked for: some need libraries of their own
    function: str = "main"


COMMANDS = {
    "Comparison with other libraries": {
        "compare": Command("run methods on synthetic pairs", "compare.run"),
        "real": Command("run methods on real pairs", "compare.run", "main_real"),
        "rematched": Command(
            "run methods on photographs matched anew", "compare.run", "main_rematched"
        ),
        "quick": Command(
            "this package on validation problems, beside stored peers", "compare.quick"
        ),
        "report": Command("rows to tables; --write for all of them", "compare.report"),
        "plots": Command("rows to figures", "compare.plots"),
        "archive": Command("take rows of this machine to results/", "compare.archive"),
        "remake": Command(
            "make the committed rows of cvscore and all tables anew", "compare.remake"
        ),
        "methods": Command("list the methods and their thresholds", "methods.listing"),
    },
    "Other comparisons": {
        "colmap": Command(
            "verify and map databases, beside pycolmap", "colmap.verification"
        ),
        "paper": Command("the paper's experiments and figures", "paper.cli"),
    },
    "Is it honest, and why these defaults": {
        "scores": Command(
            "one loop, every score, every threshold: score or loop?", "studies.scores"
        ),
        "steps": Command("what every step of an estimator is worth", "studies.steps"),
        "constants": Command(
            "every constant with its reason, and what others change",
            "studies.constants",
        ),
        "defaults": Command(
            "half-width, prior and polish, one changed at a time", "studies.defaults"
        ),
        "evidence": Command(
            "random matches below the bound, true ones above", "studies.evidence"
        ),
        "coverage": Command(
            "how often the interval of the noise scale covers it", "studies.coverage"
        ),
        "regions": Command(
            "how often the 95 % region of a model holds the truth", "studies.regions"
        ),
        "undetermined": Command(
            "how often an open direction is named, and wrongly", "studies.undetermined"
        ),
        "alternatives": Command(
            "whether the right answer is listed where another was returned",
            "studies.alternatives",
        ),
        "probabilities": Command(
            "how often matches of a probability are right", "studies.probabilities"
        ),
        "weights": Command(
            "what it is worth to know how precise matches are", "studies.weights"
        ),
        "covariances": Command(
            "what a weight is worth where noise has a direction, or SIFT a scale",
            "studies.covariances",
        ),
        "ceilings": Command(
            "an absolute pose, told the truth but for the labels", "studies.ceilings"
        ),
        "model-selection": Command(
            "how often the kind of geometry is named right", "studies.model_selection"
        ),
        "calibration": Command(
            "how many labelled pairs a calibration needs", "studies.calibration"
        ),
        "label-prior": Command(
            "whether a prior on the share of inliers helps", "studies.label_prior"
        ),
    },
    "Does it hold": {
        "fuzz": Command("random calls of everything public, for hours", "attack.fuzz"),
        "laws": Command(
            "what must not change an answer, beside another seed", "attack.laws"
        ),
    },
    "Speed": {
        "costs": Command("share of every stage in the time of a call", "speed.costs"),
        "scaling": Command("time and memory with ever more matches", "speed.scaling"),
        "pace": Command("time over OpenCV's, call by call in turn", "speed.pace"),
        "threads": Command("two threads against one", "speed.threads"),
        "many": Command(
            "many pairs in one call, beside loops over others", "speed.many"
        ),
        "solvers": Command("minimal solvers against OpenCV's", "speed.solvers"),
        "score-speed": Command("one score: by bins, and by sorting", "speed.one_score"),
    },
}
BY_NAME = {name: c for group in COMMANDS.values() for name, c in group.items()}


def help_text() -> str:
    """Return every command with its line."""
    lines = ["usage: python -m benchmarks COMMAND [--help] ..."]
    for title, commands in COMMANDS.items():
        lines += ["", f"{title}:"]
        lines += [f"  {name:16s} {command.text}" for name, command in commands.items()]
    return "\n".join([*lines, "", "benchmarks/README.md has the contract."])


def main(arguments: Sequence[str]) -> int:
    """Run a command; return its exit status."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(help_text())
        return 0
    name, *rest = arguments
    if name not in BY_NAME:
        print(f"no command {name!r}\n\n{help_text()}", file=sys.stderr)
        return 2
    command = BY_NAME[name]
    module = import_module(f"benchmarks.{command.module}")
    return getattr(module, command.function)(rest) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
