"""What became of the pairs of a database."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

# Damaged rows that the table names; the attribute has them all.
MAX_NAMED = 20


@dataclass
class VerificationSummary:
    """Counts of a verification run; printed, they are a table.

    Attributes
    ----------
    num_pairs : int
        Pairs of images that were to be verified.
    num_kept : int
        Of them, pairs that had a two-view geometry, which was kept.
    accepted : Counter
        Pairs with a new two-view geometry, by COLMAP's name for its configuration.
    rejected : Counter
        Pairs written as degenerate, by the reason.
    skipped : Counter
        Pairs that could not be verified, and entries that are none, by the reason;
        nothing was written for them.
    num_reversed : int
        Pairs that were stored in the other order than COLMAP's.
    num_matches, num_inliers : int
        Of the pairs that were estimated.
    dropped : Counter
        Matches that were left out beforehand, by the reason.
    damaged : dict
        Rows that could not be used, with what is wrong with each.
    seconds : float
        From beginning to end.
    """

    num_pairs: int = 0
    num_kept: int = 0
    accepted: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    num_reversed: int = 0
    num_matches: int = 0
    num_inliers: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    damaged: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def num_accepted(self) -> int:
        """Pairs that the mappers can use."""
        return self.accepted.total()

    @property
    def num_rejected(self) -> int:
        """Pairs whose matches are no better than chance, or too few."""
        return self.rejected.total()

    def __str__(self) -> str:
        """Return the table that closes a run."""
        share = self.num_inliers / self.num_matches if self.num_matches else 0.0
        lines = [("pairs", self.num_pairs, f"in {self.seconds:.1f} s")]
        lines += [("  accepted", self.num_accepted, "")]
        lines += _listed(self.accepted)
        lines += [("  rejected", self.num_rejected, "")]
        lines += _listed(self.rejected)
        lines += [("  kept from before", self.num_kept, "")]
        lines += [("  skipped", self.skipped.total(), "")]
        lines += _listed(self.skipped)
        if self.num_reversed:
            lines += [("  stored in reverse", self.num_reversed, "")]
        lines += [("matches", self.num_matches, "")]
        lines += [("  inliers", self.num_inliers, f"{100 * share:.1f} %")]
        lines += _listed(self.dropped, "dropped: ")
        if self.damaged:
            lines += [("damaged rows", len(self.damaged), "")]
        width = max(len(name) for name, _, _ in lines)
        table = [f"{name:<{width}} {n:>9} {note}".rstrip() for name, n, note in lines]
        return "\n".join(table + self._named_damage())

    def _named_damage(self) -> list[str]:
        rows = [f"  {row}: {reason}" for row, reason in self.damaged.items()]
        more = [f"  and {len(rows) - MAX_NAMED} more"] if len(rows) > MAX_NAMED else []
        return rows[:MAX_NAMED] + more


def _listed(counts: Counter[str], prefix: str = "  ") -> list[tuple[str, int, str]]:
    named = ((f"  {prefix}{name}".lower(), n, "") for name, n in counts.most_common())
    return [(name.replace("_", " "), count, note) for name, count, note in named]
