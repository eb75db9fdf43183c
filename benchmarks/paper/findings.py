"""What the paper found, and whether it is so in a run: numbers side by side."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.methods.scores import BASELINES, MARGINAL
from benchmarks.paper.output import Finished
from benchmarks.paper.sensitivity import DIGITS

# The paper's figures, degrees, on its own datasets.
PAPER_SPAN = {"phototourism": 0.02}  # of the proposed, at the most
PAPER_BASELINE_SPAN = {"phototourism": "0.8 to 2.9"}
PAPER_GAP = {"phototourism": 0.006}  # of the proposed with 2 pairs, at the most
PAPER_BEST = {"heb": "7.650 against 7.850"}
NOT_GIVEN = "no figure known"


@dataclass(frozen=True)
class Finding:
    """One claim: what the paper says, what was measured, whether it holds."""

    claim: str
    paper: str
    measured: str
    holds: bool

    def cells(self) -> list[str]:
        """Return the row of a table."""
        verdict = "holds" if self.holds else "DOES NOT HOLD"
        return [self.claim, self.paper, self.measured, verdict]


HEADER = ["claim", "paper", "here", ""]


def findings_of(run: Finished) -> list[Finding]:
    """Check every claim that the run has numbers for."""
    found = [_flat(run), _no_worse(run)]
    spans = {name: run.profile.curves[name].span for name in MARGINAL}
    if run.name in PAPER_SPAN:
        claim = "over two decades the proposed errors vary by less than"
        found.append(_below(claim, PAPER_SPAN[run.name], spans))
    if run.sensitivity is None:
        return found
    found += [_few_pairs(run), _steadier(run)]
    if run.name in PAPER_GAP:
        claim = (
            "with 2 validation pairs the proposed exceed their asymptote by less than"
        )
        found.append(_below(claim, PAPER_GAP[run.name], _gaps(run, MARGINAL)))
    return found


def _below(claim: str, limit: float, values: dict[str, float]) -> Finding:
    """A figure of the paper taken at its word."""
    return Finding(
        claim=f"{claim} {limit:g}",
        paper=f"below {limit:.{DIGITS}f}",
        measured=_listed(values),
        holds=max(values.values()) < limit,
    )


def _no_larger(
    claim: str, ours: dict[str, float], theirs: dict[str, float], paper: str = NOT_GIVEN
) -> Finding:
    """All of ours are at most the least of theirs, as far as is printed."""
    return Finding(
        claim=claim,
        paper=paper,
        measured=f"{_listed(ours)}; {_listed(theirs)}",
        holds=round(max(ours.values()), DIGITS) <= round(min(theirs.values()), DIGITS),
    )


def _listed(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.{DIGITS}f}" for name, value in values.items())


def _flat(run: Finished) -> Finding:
    """Proposed curves vary no more over two decades than any baseline's."""
    ours = {name: run.profile.curves[name].span for name in MARGINAL}
    theirs = {name: run.profile.curves[name].span for name in BASELINES}
    limit = PAPER_SPAN.get(run.name)
    paper = NOT_GIVEN
    if limit is not None:
        paper = f"below {limit:.{DIGITS}f}; {PAPER_BASELINE_SPAN[run.name]}"
    claim = "over two decades the proposed errors vary no more than any baseline's"
    return _no_larger(claim, ours, theirs, paper)


def _no_worse(run: Finished) -> Finding:
    """IG-Robust at its best has no larger error than the best baseline at its best."""
    best = {name: float(c.errors.min()) for name, c in run.profile.curves.items()}
    name, least = min(((n, best[n]) for n in BASELINES), key=lambda item: item[1])
    ours = best["IG-Robust"]
    return Finding(
        claim="IG-Robust at its best is no worse than the best baseline at its best",
        paper=PAPER_BEST.get(run.name, NOT_GIVEN),
        measured=f"{ours:.{DIGITS}f} against {least:.{DIGITS}f} ({name})",
        holds=round(ours, DIGITS) <= round(least, DIGITS),
    )


def _gaps(run: Finished, names: tuple[str, ...]) -> dict[str, float]:
    """Mean error with the fewest validation pairs over that with the most."""
    gaps = {}
    for name in names:
        by_size = run.sensitivity.outcomes[name]  # type: ignore[union-attr]
        gaps[name] = by_size[min(by_size)].mean - by_size[max(by_size)].mean
    return gaps


def _few_pairs(run: Finished) -> Finding:
    """Two validation pairs bring the proposed nearly to where many would."""
    claim = (
        "with 2 validation pairs the proposed are no further above their asymptote "
        "than any baseline"
    )
    return _no_larger(claim, _gaps(run, MARGINAL), _gaps(run, BASELINES))


def _steadier(run: Finished) -> Finding:
    """With two validation pairs the proposed vary less from trial to trial."""
    spread = {
        name: by_size[min(by_size)].std
        for name, by_size in run.sensitivity.outcomes.items()  # type: ignore[union-attr]
    }
    ours = {name: spread[name] for name in MARGINAL}
    theirs = {name: spread[name] for name in BASELINES}
    claim = (
        "with 2 validation pairs the proposed vary no more between trials than any "
        "baseline"
    )
    return _no_larger(claim, ours, theirs)
