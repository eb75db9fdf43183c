"""What a run leaves behind for others to read: CSV files, and tables of text."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.methods import SCORES
from benchmarks.paper.profile import Curve, Profile
from benchmarks.paper.sensitivity import DIGITS, Outcome, Sensitivity
from benchmarks.store import write_atomically, write_json
from cvscore.scores.priors import InverseGamma

ORACLE = "oracle"  # the best model of every pool
PROFILE, SENSITIVITY = "profile.csv", "sensitivity.csv"
SUMMARY = "summary.json"


@dataclass(frozen=True)
class Finished:
    """One dataset's finished experiments, as read back from its folder."""

    name: str
    title: str
    profile: Profile
    sensitivity: Sensitivity | None


def save_profile(folder: Path, name: str, title: str, profile: Profile) -> None:
    """Write the curves as CSV and what else belongs to them as JSON."""
    header = ["method", "hyper_parameter_px", "ratio", "error_deg", "low", "high"]
    rows = [
        [method, *(f"{value:.8g}" for value in point)]
        for method, c in profile.curves.items()
        for point in zip(
            c.ratios * c.anchor, c.ratios, c.errors, c.low, c.high, strict=True
        )
    ]
    _write_csv(folder / PROFILE, header, rows)
    summary = {
        "name": name,
        "title": title,
        "num_pairs": profile.num_pairs,
        "oracle": profile.oracle,
        "methods": {
            method: {
                "anchor": c.anchor,
                "per_pair_best": c.per_pair_best,
                "prior": None if c.prior is None else [c.prior.alpha, c.prior.beta],
            }
            for method, c in profile.curves.items()
        },
    }
    write_json(folder / SUMMARY, summary)


def save_sensitivity(folder: Path, result: Sensitivity) -> None:
    """Write the outcomes as CSV and what else belongs to them as JSON."""
    header = ["method", "validation_pairs", "mean_deg", "mean_low", "mean_high"]
    header += ["std_deg", "std_low", "std_high"]
    rows = []
    for method, by_size in result.outcomes.items():
        for size, o in by_size.items():
            values = (o.mean, *o.mean_interval, o.std, *o.std_interval)
            rows.append([method, str(size), *(f"{value:.8g}" for value in values)])
    _write_csv(folder / SENSITIVITY, header, rows)
    rest = {k: v for k, v in vars(result).items() if k != "outcomes"}
    write_json(folder / "sensitivity.json", rest)


def _write_csv(path: Path, header: list[str], rows: list[list[str]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_atomically(path, text.getvalue().encode())


def load_finished(folder: Path) -> Finished:
    """Read what `save_profile` and `save_sensitivity` wrote."""
    summary = json.loads((folder / SUMMARY).read_text())
    curves = {}
    for method, rows in _by_method(folder / PROFILE).items():
        _, ratios, errors, low, high = np.array(rows, dtype=np.float64).T
        details = summary["methods"][method]
        prior = details["prior"]
        curves[method] = Curve(
            anchor=details["anchor"],
            ratios=ratios,
            errors=errors,
            low=low,
            high=high,
            per_pair_best=details["per_pair_best"],
            prior=None if prior is None else InverseGamma(*prior),
        )
    profile = Profile(curves, summary["oracle"], summary["num_pairs"])
    sensitivity = None
    if (folder / SENSITIVITY).is_file():
        rest = json.loads((folder / "sensitivity.json").read_text())
        sensitivity = Sensitivity(outcomes=_outcomes(folder / SENSITIVITY), **rest)
    return Finished(summary["name"], summary["title"], profile, sensitivity)


def _by_method(path: Path) -> dict[str, list[list[str]]]:
    rows: dict[str, list[list[str]]] = {}
    with path.open(newline="") as file:
        for method, *values in list(csv.reader(file))[1:]:
            rows.setdefault(method, []).append(values)
    return rows


def _outcomes(path: Path) -> dict[str, dict[int, Outcome]]:
    found: dict[str, dict[int, Outcome]] = {}
    for method, rows in _by_method(path).items():
        for size, *texts in rows:
            mean, low, high, std, std_low, std_high = map(float, texts)
            outcome = Outcome(mean, (low, high), std, (std_low, std_high))
            found.setdefault(method, {})[int(size)] = outcome
    return found


def profile_table(profile: Profile) -> list[list[str]]:
    """Rows of text, the header first."""
    header = ["method", "anchor, px", "at its best", "at the anchor"]
    header += ["worst of two decades", "span", "best per pair"]
    table = [header]
    for method in SCORES:
        c = profile.curves[method]
        values = (c.errors.min(), c.errors[len(c.errors) // 2], c.errors.max(), c.span)
        numbers = [f"{value:.{DIGITS}f}" for value in (*values, c.per_pair_best)]
        table.append([method, f"{c.anchor:.3g}", *numbers])
    blanks = [""] * 4
    table.append([ORACLE, "", f"{profile.oracle:.{DIGITS}f}", *blanks])
    return table


def sensitivity_table(result: Sensitivity) -> list[list[str]]:
    """Rows of text: mean and standard deviation by validation size, header first."""
    sizes = list(next(iter(result.outcomes.values())))
    table = [["method", *(str(size) for size in sizes), "all"]]
    for method, by_size in result.outcomes.items():
        cells = [by_size[size].printed() for size in sizes]
        table.append([method, *cells, f"{result.asymptotes[method]:.{DIGITS}f}"])
    return table


def as_text(table: list[list[str]]) -> str:
    """Columns aligned for a terminal."""
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    lines = []
    for row in table:
        first = row[0].ljust(widths[0])
        others = [c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join([first, *others]).rstrip())
    return "\n".join(lines)
