"""What a problem is to the benchmark: its data, its figure, and who estimates it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from benchmarks.data.noisy_pair import NoisyPair
from benchmarks.data.pair import Array, Pair


def two_sets(pair: Pair | NoisyPair) -> tuple[Array, ...]:
    """Return the two sets of points, for estimators that take nothing else."""
    return pair.x1, pair.x2


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One kind of model, estimated from one kind of data.

    Attributes
    ----------
    name : str
        In the names of files and on the command line.
    title : str
        Of its section in reports.
    model : str
        Name of the estimator in ``cvscore.estimators.ESTIMATORS``.
    num_params : int
        Degrees of freedom of the model.
    unit : str
        Of an error.
    limit : float
        AUC@limit, in that unit, is its figure.
    dims : (int, int)
        Coordinates of a point in each of the two sets.
    regimes : tuple of str
        Its synthetic regimes.
    splits : tuple of str
        Synthetic splits that it has.
    generate : callable
        ``generate(regime, index, split)`` to a Pair.
    draw_noisy : callable
        ``draw_noisy(rng)`` to a NoisyPair, for the studies of evidence and coverage.
    arguments : callable
        What its estimator is given of a pair, in order.
    pipeline : str
        Name of the `Estimator` in the module ``cvscore.estimators.MODEL``.
    paces : dict of str to float
        At most so many times the time of these methods, on typical pairs.
    wanted : dict of str to float
        AUC that regimes are to reach; where there is none they are held to the peers.
    summary : tuple of str
        Regimes in the table of the README.
    """

    name: str
    title: str
    model: str
    num_params: int
    unit: str
    limit: float
    dims: tuple[int, int]
    regimes: tuple[str, ...]
    splits: tuple[str, ...]
    generate: Callable[[str, int, str], Pair]
    draw_noisy: Callable[[np.random.Generator], NoisyPair]
    arguments: Callable[[Pair | NoisyPair], tuple[Array, ...]] = two_sets
    pipeline: str = "ESTIMATOR"
    paces: dict[str, float]
    wanted: dict[str, float] = field(default_factory=dict)
    summary: tuple[str, ...] = ()

    @property
    def pace(self) -> str:
        """The method that the time is measured by first of all."""
        return next(iter(self.paces))

    def regimes_of(self, split: str) -> list[str]:
        """Return the names of its regimes in a synthetic split."""
        return list(self.regimes) if split in self.splits else []
