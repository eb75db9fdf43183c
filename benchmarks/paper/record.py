"""The result of one pair: everything that the figures need, and nothing else.

A record is small (about 20 bytes a match).  It holds the errors of the baselines at
their thresholds, and the envelope from which the errors of the marginal scores follow
for any prior and any half-width.  On disk it is a checksum and an ``.npz`` archive.
"""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
from dataclasses import dataclass, fields

import numpy as np

from benchmarks.paper.envelope import SortedSweep
from benchmarks.paper.methods import BASELINES, Grid
from benchmarks.paper.pairs import Dataset, PairKey, PaperPair
from benchmarks.paper.pool import Problem, chunks, draw_models, prepare
from benchmarks.paper.rotations import FAILURE
from benchmarks.paper.tables import TableSweep
from benchmarks.paper.truth import noise_variance, right_matches
from cvscore.data.normalization import precision, region_of
from cvscore.types import Array

MAGIC = b"cvscore record 1\n"


@dataclass(frozen=True)
class Settings:
    """What a record depends on, beside its pair.

    Attributes
    ----------
    problem : {"E", "F", "H"}
        What is estimated.
    num_samples : int
        Minimal samples of a pool.
    solver : {"native", "opencv"}
        Of the minimal samples.
    seed : int
        Of the sampling.
    """

    problem: str
    num_samples: int = 1000
    solver: str = "native"
    seed: int = 0


@dataclass(frozen=True)
class Record:
    """The result of one pair.

    Attributes
    ----------
    scene, name : str
        The pair's key.
    stamp : str
        Fingerprint of settings and grids that it was made with.
    num_matches, num_models, num_right : int
        Distinct matches, models in the pool, right matches.
    variance : float
        Of the right matches' noise, pixels squared; NaN where there is none.
    oracle : float
        Error of the best model of the pool, degrees.
    baselines : (4, G)
        Errors of RANSAC, MSAC, GaU and MAGSAC++ at their thresholds, degrees.
    rss, errors : (N,)
        The envelope and the errors of the models that hold it.
    floor : float
        Rounding of the coordinates in a sum of squared residuals, pixels squared.
    """

    scene: str
    name: str
    stamp: str
    num_matches: int
    num_models: int
    num_right: int
    variance: float
    oracle: float
    baselines: Array
    rss: Array
    errors: Array
    floor: float

    @property
    def key(self) -> PairKey:
        """Whose result it is."""
        return PairKey(self.scene, self.name)


class CorruptRecord(ValueError):
    """A record's bytes are not what was written."""


def to_bytes(record: Record) -> bytes:
    """Pack a record with its checksum."""
    buffer = io.BytesIO()
    np.savez(buffer, **{f.name: getattr(record, f.name) for f in fields(record)})
    content = buffer.getvalue()
    return MAGIC + hashlib.sha256(content).digest() + content


def from_bytes(data: bytes) -> Record:
    """Unpack a record; `CorruptRecord` unless every byte is as it was written."""
    head, content = data[: len(MAGIC) + 32], data[len(MAGIC) + 32 :]
    if head != MAGIC + hashlib.sha256(content).digest():
        raise CorruptRecord("wrong beginning or checksum")
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            values = {f.name: stored[f.name] for f in fields(Record)}
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        raise CorruptRecord(f"not a record of this version: {error}") from error
    plain = {k: v.item() if v.ndim == 0 else v for k, v in values.items()}
    return Record(**plain)


def evaluate(
    dataset: Dataset,
    key: PairKey,
    settings: Settings,
    grids: dict[str, Grid],
    stamp: str,
) -> Record:
    """Load one pair, draw its pool and let every method choose."""
    pair = dataset.load(key)
    problem = prepare(pair, settings.problem, settings.solver)
    models = draw_models(pair, problem, settings.num_samples, settings.seed)
    is_right = right_matches(pair, problem)
    num_points = problem.points.shape[1]
    sweeps = _sweep(problem, models, grids) if len(models) else None
    errors = problem.errors(models, pair.R)
    if sweeps is None:
        baselines = np.full((len(BASELINES), grids[BASELINES[0]].num), FAILURE)
        rss, holders_errors = np.full(num_points, np.inf), np.full(num_points, FAILURE)
    else:
        winners, envelope = sweeps
        baselines, rss = errors[winners], envelope.rss
        holders_errors = errors[envelope.holder]
    return Record(
        scene=key.scene,
        name=key.name,
        stamp=stamp,
        num_matches=num_points,
        num_models=len(models),
        num_right=int(is_right.sum()),
        variance=noise_variance(pair, problem, is_right),
        oracle=float(errors.min(initial=FAILURE)),
        # A thousandth of a degree is printed; single precision keeps seven digits.
        baselines=baselines.astype(np.float32),
        rss=rss,
        errors=holders_errors.astype(np.float32),
        floor=_rounding(pair, problem),
    )


def _rounding(pair: PaperPair, problem: Problem) -> float:
    """As the estimators of the package set the floor of the sum of squares."""
    if not len(problem.rows):
        return math.ulp(0.0)
    points = np.hstack([pair.x1[problem.rows], pair.x2[problem.rows]]).T
    return len(problem.rows) * precision(region_of(points)) ** 2


def _sweep(
    problem: Problem, models: Array, grids: dict[str, Grid]
) -> tuple[np.ndarray, SortedSweep]:
    """Winners (4, G) of the baselines, and the envelope."""
    geometry, num_points = problem.geometry, problem.points.shape[1]
    thresholds = {name: grids[name].values for name in BASELINES}
    by_sorting = np.stack([thresholds["RANSAC"], thresholds["MSAC"]]) ** 2
    sorted_sweep = SortedSweep.of(num_points, by_sorting)
    counts = geometry.residual_dim, geometry.num_params
    table_sweep = TableSweep(len(models), thresholds, *counts)
    for first, sq_residuals in chunks(problem, models):
        sorted_sweep.absorb(sq_residuals, first)
        table_sweep.absorb(sq_residuals, first)
    by_table = table_sweep.winners(
        lambda numbers: problem.sq_residuals(models[numbers]), num_points
    )
    return np.vstack([sorted_sweep.winner, by_table]), sorted_sweep
