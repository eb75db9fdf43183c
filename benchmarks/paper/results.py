"""All records of a run side by side, and what each method makes of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.methods.scores import BASELINES, SCORES
from benchmarks.paper.bootstrap import scene_groups
from benchmarks.paper.datasets.pairs import PairKey
from benchmarks.paper.envelope import Envelopes, Indices
from benchmarks.paper.grid import Grid
from benchmarks.paper.record import Record
from benchmarks.paper.rotations import FAILURE
from cvscore.scores.priors import InverseGamma, jeffreys
from cvscore.types import Array

# Constraints per match and parameters; a test compares them with the model records.
COUNTS = {"E": (1, 5), "F": (1, 7), "H": (2, 8)}


@dataclass(frozen=True)
class Results:
    """The records of P pairs.

    Attributes
    ----------
    keys : list of PairKey
        Whose they are.
    by_scene : bool
        Whether scenes count alike, whatever the number of their pairs.
    grids : dict
        Thresholds of the baselines.
    baselines : (P, B, G)
        Errors at them, degrees.
    oracle, variances : (P,)
        Least error of the pool; variance of right matches, NaN for too few.
    envelopes : Envelopes
        Of the marginal scores.
    num_models : (P,)
        Sizes of the pools.
    """

    keys: list[PairKey]
    by_scene: bool
    grids: dict[str, Grid]
    baselines: Array
    oracle: Array
    variances: Array
    envelopes: Envelopes
    num_models: Indices

    @property
    def groups(self) -> list[Indices] | None:
        """Rows of each scene where scenes count alike, else None."""
        if not self.by_scene:
            return None
        return scene_groups([key.scene for key in self.keys])

    def baseline_errors(self, method: str) -> Array:
        """Errors (P, G) of a baseline at its thresholds."""
        return self.baselines[:, BASELINES.index(method)]

    def marginal_errors(self, prior: InverseGamma, half_widths: Array) -> Array:
        """Errors (P, G) of the marginal score at half-widths (G,), ascending."""
        return self.envelopes.sweep(prior, half_widths, FAILURE)

    def subset(self, rows: Indices) -> Results:
        """Return the results of some pairs."""
        starts = self.envelopes.starts
        sizes = np.diff(starts)[rows]
        parts = [np.arange(starts[row], starts[row + 1]) for row in rows]
        columns = np.concatenate(parts) if parts else np.empty(0, np.int64)
        return replace(
            self,
            keys=[self.keys[row] for row in rows],
            baselines=self.baselines[rows],
            oracle=self.oracle[rows],
            variances=self.variances[rows],
            num_models=self.num_models[rows],
            envelopes=replace(
                self.envelopes,
                starts=np.concatenate([[0], np.cumsum(sizes)]),
                rss=self.envelopes.rss[columns],
                errors=self.envelopes.errors[columns],
                floors=self.envelopes.floors[rows],
            ),
        )


def gather(
    records: Iterable[Record], problem: str, grids: dict[str, Grid], *, by_scene: bool
) -> Results:
    """Put records side by side."""
    found = list(records)
    sizes = [len(record.rss) for record in found]
    dim, num_params = COUNTS[problem]
    envelopes = Envelopes(
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        rss=np.concatenate([record.rss for record in found]),
        errors=np.concatenate([record.errors for record in found]).astype(np.float64),
        floors=np.array([record.floor for record in found]),
        dim=dim,
        num_params=num_params,
    )
    return Results(
        keys=[record.key for record in found],
        by_scene=by_scene,
        grids=grids,
        baselines=np.stack([record.baselines for record in found]).astype(np.float64),
        oracle=np.array([record.oracle for record in found]),
        variances=np.array([record.variance for record in found]),
        envelopes=envelopes,
        num_models=np.array([record.num_models for record in found]),
    )


def fit_prior(method: str, variances: Array) -> InverseGamma:
    """Return the prior of a marginal method, from the variances of some pairs.

    Where there is no variance nothing is assumed.
    """
    known = variances[np.isfinite(variances)]
    fit = SCORES[method].fit_prior
    return jeffreys() if fit is None or not len(known) else fit(known)
