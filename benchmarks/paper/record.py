"""The result of one pair: everything that the figures need, and nothing else.

A record is small (about 20 bytes a match).  It holds the errors of the baselines at
their thresholds, and the envelope from which the errors of the marginal scores follow
for any prior and any half-width.  Its bytes are a checksum and an ``.npz`` archive.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass, fields

import numpy as np

from benchmarks.paper.datasets.pairs import PairKey
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
    baselines : (B, G)
        Errors of the baselines at their thresholds, degrees.
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
