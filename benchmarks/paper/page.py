"""The report: one HTML file with both figures, all tables and the findings inside."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path

from benchmarks.paper.figures import save_profile_figure, save_sensitivity_figure
from benchmarks.paper.findings import HEADER, findings_of
from benchmarks.paper.output import (
    Finished,
    as_text,
    profile_table,
    sensitivity_table,
)
from benchmarks.store import write_atomically

STYLE = """
body { font-family: sans-serif; max-width: 1200px; margin: 2em auto; padding: 0 1em;
       color: #222; line-height: 1.4 }
img { max-width: 100% }
table { border-collapse: collapse; margin: 1em 0; font-size: 14px; display: block;
        overflow-x: auto }
th, td { padding: .3em .7em; border-bottom: 1px solid #ccc; text-align: right }
th:first-child, td:first-child { text-align: left }
table.claims td { text-align: left; vertical-align: top }
td.fails { color: #b00; font-weight: bold }
"""


def save_report(runs: Sequence[Finished], folder: Path) -> Path:
    """Write the figures of all datasets side by side, and the page around them."""
    body = ["<h1>Scores of RANSAC: Profile and Sensitivity</h1>"]
    body += [
        "<p>Rotation errors in degrees. Every method picks from the same pool of "
        "models; curves are medians over pairs (for HEB the mean over scenes of the "
        "medians), bands 95 % bootstrap intervals.</p>"
    ]
    figures = [("Profile", save_profile_figure(runs, folder / "profile"))]
    if all(run.sensitivity is not None for run in runs):
        paths = save_sensitivity_figure(runs, folder / "sensitivity")
        figures.append(("Sensitivity", paths))
    for title, (png, _) in figures:
        data = base64.b64encode(png.read_bytes()).decode()
        body.append(f"<h2>{title}</h2>")
        body.append(f'<img alt="{title}" src="data:image/png;base64,{data}">')
    for run in runs:
        body += _section(run)
    html = (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<title>Profile and Sensitivity</title><style>{STYLE}</style></head>\n<body>"
        + "\n".join(body)
        + "\n</body></html>\n"
    )
    path = folder / "report.html"
    write_atomically(path, html.encode())
    return path


def _section(run: Finished) -> list[str]:
    parts = [f"<h2>{escape(run.title)}</h2>", "<h3>Profile</h3>"]
    parts.append(_table(profile_table(run.profile)))
    if run.sensitivity is not None:
        note = escape(run.sensitivity.grid_note)
        parts += [
            "<h3>Sensitivity</h3>",
            "<p>Mean and standard deviation of the test error by the number of "
            f"validation pairs ({run.sensitivity.num_validation} to draw from, "
            f"{run.sensitivity.num_test} for the test). {note}</p>",
            _table(sensitivity_table(run.sensitivity)),
        ]
    parts.append("<h3>Beside the paper</h3>")
    parts.append(_claims(run))
    return parts


def _table(rows: list[list[str]]) -> str:
    head, *rest = rows
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = [f"<tr>{cells}</tr>"]
    for row in rest:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in row)
        lines.append(f"<tr>{cells}</tr>")
    return "<table>" + "\n".join(lines) + "</table>"


def _claims(run: Finished) -> str:
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in HEADER)
    lines = [f"<tr>{cells}</tr>"]
    for finding in findings_of(run):
        *texts, verdict = finding.cells()
        cells = "".join(f"<td>{escape(text)}</td>" for text in texts)
        kind = "holds" if finding.holds else "fails"
        lines.append(f"<tr>{cells}<td class='{kind}'>{verdict}</td></tr>")
    return "<table class='claims'>" + "\n".join(lines) + "</table>"


def report_text(run: Finished) -> str:
    """Return the same for a terminal."""
    parts = [f"{run.title}: {run.profile.num_pairs} pairs, degrees", ""]
    parts += [as_text(profile_table(run.profile)), ""]
    if run.sensitivity is not None:
        parts += [as_text(sensitivity_table(run.sensitivity)), ""]
        parts += [run.sensitivity.grid_note, ""]
    for finding in findings_of(run):
        claim, paper, measured, verdict = finding.cells()
        parts += [
            f"{verdict}: {claim}",
            f"    paper: {paper}",
            f"    here:  {measured}",
        ]
    return "\n".join(parts)
