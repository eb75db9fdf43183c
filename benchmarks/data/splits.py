"""Which pairs there are: the synthetic regimes and the real sets under one roof."""

from __future__ import annotations

from benchmarks.data import real, synthetic
from benchmarks.data.pair import Pair
from benchmarks.problems import PROBLEMS

SPLITS = (*synthetic.SPLITS, *real.SETS)
PUBLISHED = tuple(split for split in SPLITS if split != "val")


def all_regimes_of(problem: str, split: str) -> list[str]:
    """Names of the regimes of a problem, wherever their data are."""
    if split in real.SETS:
        return list(real.SETS[split].get(problem, {}))
    return PROBLEMS[problem].regimes_of(split)


def regimes_of(problem: str, split: str) -> list[str]:
    """Names of the regimes of a problem that can be run here."""
    names = all_regimes_of(problem, split)
    if split in real.SETS:
        return [name for name in names if real.SETS[split][problem][name].is_here()]
    return names


def pair_ids(problem: str, regime: str, split: str, num: int) -> list[str]:
    """Ids of the first ``num`` pairs of a regime, in order."""
    if split in real.SETS:
        return real.pair_ids(problem, regime, split)[:num]
    return [str(index) for index in range(num)]


def load_pair(problem: str, regime: str, split: str, pair_id: str) -> Pair:
    """Return one pair by its id."""
    if split in real.SETS:
        return real.load_pair(problem, regime, pair_id, split)
    return PROBLEMS[problem].generate(regime, int(pair_id), split)
