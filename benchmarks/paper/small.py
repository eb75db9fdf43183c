"""What the small real data say: a few rows a seed, and the tables of docs/paper.md.

A row is one score on one dataset with one seed of the pools, or one claim of the paper
there.  Tables give the middle of the seeds and the least and largest of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

from benchmarks.compare.report import update
from benchmarks.compare.tables import markdown
from benchmarks.folders import RESULTS, ROOT
from benchmarks.machine import commit
from benchmarks.methods import SCORES
from benchmarks.paper.findings import findings_of
from benchmarks.paper.output import ORACLE, Finished
from benchmarks.paper.sensitivity import DIGITS
from benchmarks.store import Row, read_rows, write_rows

ROWS = RESULTS / "paper" / "small.jsonl"
PAGE = ROOT / "docs" / "paper.md"
SCORE, CLAIM, RUN = "score", "claim", "samples"  # the key that tells what a row is


def rows_of(run: Finished, seed: int) -> list[Row]:
    """Return what is kept of a finished run."""
    place = {"dataset": run.title, "seed": seed}
    rows: list[Row] = []
    for name, curve in run.profile.curves.items():
        row: Row = {**place, SCORE: name, "pairs": run.profile.num_pairs}
        row |= {"best": _rounded(curve.errors.min()), "span": _rounded(curve.span)}
        if run.sensitivity is not None:
            by_size = run.sensitivity.outcomes[name]
            fewest, most = by_size[min(by_size)], by_size[max(by_size)]
            row |= {"few": _rounded(fewest.mean), "spread": _rounded(fewest.std)}
            row |= {"many": _rounded(most.mean)}
        rows.append(row)
    best = _rounded(run.profile.oracle)
    rows.append({**place, SCORE: ORACLE, "pairs": run.profile.num_pairs, "best": best})
    for finding in findings_of(run):
        texts = {"paper": finding.paper, "measured": finding.measured}
        row = {**place, CLAIM: finding.claim, **texts, "holds": bool(finding.holds)}
        rows.append(row)
    return rows


def _rounded(value: float) -> float:
    return round(float(value), DIGITS)


def keep_rows(
    runs: Iterable[tuple[int, Finished]], samples: int, trials: int, path: Path = ROWS
) -> Path:
    """Replace the committed rows by those of these runs."""
    header: Row = {RUN: samples, "trials": trials, "commit": commit()}
    found = [row for seed, run in runs for row in rows_of(run, seed)]
    write_rows(path, [header, *found])
    return path


def command_of(rows: Sequence[Row]) -> str:
    """Return the command that made the rows, with the commit of that day."""
    header = next(row for row in rows if RUN in row)
    num_seeds = len({row["seed"] for row in rows if "seed" in row})
    words = f"--seeds {num_seeds} --samples {header[RUN]} --trials {header['trials']}"
    return (
        f"Made by `python -m benchmarks paper small {words} --write` at commit "
        f"{header['commit']}. Degrees; the middle of {num_seeds} seeds, with the least "
        "and the largest."
    )


def scores_table(rows: Sequence[Row]) -> str:
    """Return markdown: one row a dataset and score."""
    lines = []
    for dataset in _in_order(rows, "dataset"):
        for name in (*SCORES, ORACLE):
            found = [
                r for r in rows if (r.get("dataset"), r.get(SCORE)) == (dataset, name)
            ]
            if not found:
                continue
            title = f"{dataset}, {found[0]['pairs']} pairs" if name == "RANSAC" else ""
            keys = ("best", "span", "few", "spread", "many")
            cells = [_over_seeds([r[k] for r in found if k in r]) for k in keys]
            lines.append([title, name, *cells])
    header = ["dataset", "score", "at its best", "span over two decades"]
    header += ["tuned on 2 pairs", "its spread", "tuned on the most"]
    return markdown(header, lines)


def claims_table(rows: Sequence[Row]) -> str:
    """Return markdown: every claim of the paper, and in how many seeds it holds."""
    lines = []
    claims = [row for row in rows if CLAIM in row]
    for dataset in _in_order(claims, "dataset"):
        here = [row for row in claims if row["dataset"] == dataset]
        for claim in _in_order(here, CLAIM):
            found = [row for row in here if row[CLAIM] == claim]
            holds = sum(row["holds"] for row in found)
            verdict = f"{holds} of {len(found)}"
            first = found[0]
            lines.append([dataset, claim, first["paper"], first["measured"], verdict])
    header = ["dataset", "claim", "the paper", "here, first seed", "holds in seeds"]
    return markdown(header, lines)


def _in_order(rows: Iterable[Row], key: str) -> list[str]:
    return list(dict.fromkeys(row[key] for row in rows if key in row))


def _over_seeds(values: Sequence[float]) -> str:
    if not values:
        return ""
    middle, low, high = median(values), min(values), max(values)
    return f"{middle:.{DIGITS}f} [{low:.{DIGITS}f}, {high:.{DIGITS}f}]"


def write_page(path: Path = ROWS, page: Path = PAGE) -> Path:
    """Put the tables of some rows into the documentation."""
    rows = list(read_rows(path))
    text = f"{command_of(rows)}\n\n{scores_table(rows)}"
    update(page, "paper, scores", text)
    update(page, "paper, claims", claims_table(rows))
    return page
