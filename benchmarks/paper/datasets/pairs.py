"""The record that the readers of all three datasets return, and how they fail."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from cvscore.types import Array, Mask

# Of R'R from the identity: files hold rotations with six digits at the least.
ROTATION_TOLERANCE = 1e-3


class DataError(ValueError):
    """A file is not what its layout says; the message names it and what is wrong."""


class PairKey(NamedTuple):
    """Where a pair is to be found in its dataset; also its name in the results."""

    scene: str
    name: str


@dataclass(frozen=True)
class PaperPair:
    """Matches of two calibrated images and what is known of them.

    Attributes
    ----------
    key : PairKey
        Scene and name.
    x1, x2 : (N, 2) arrays
        Matched pixels, OpenCV's pixel centres.
    K1, K2 : (3, 3) arrays
        Intrinsics.
    R, t : (3, 3) and (3,) arrays
        The true ``cam2_from_cam1``, ``X2 = R X1 + t``.
    confidence : (N,) array
        Of each match, larger is better.
    is_inlier : (N,) bool array or None
        Which matches are right, where the dataset tells.
    H : (3, 3) array or None
        The true homography in pixels, where there is one.
    """

    key: PairKey
    x1: Array
    x2: Array
    K1: Array
    K2: Array
    R: Array
    t: Array
    confidence: Array
    is_inlier: Mask | None = None
    H: Array | None = None


class Dataset(Protocol):
    """A reader: picklable, so that every process of a cluster can have one."""

    def keys(self) -> list[PairKey]:
        """List all pairs, in an order that depends on the files alone."""

    def load(self, key: PairKey) -> PaperPair:
        """Read one pair; `DataError` says what is wrong with which file."""


def check_intrinsics(K: Array, where: str) -> Array:
    """Return K if it is a camera matrix; ``where`` names the file and the key."""
    if not np.isfinite(K).all() or K[0, 0] <= 0 or K[1, 1] <= 0:
        raise DataError(f"{where} must have positive focal lengths, got {K.tolist()}")
    if not np.allclose(K[2], [0, 0, 1]) or K[1, 0] != 0:
        raise DataError(f"{where} is not a camera matrix: {K.tolist()}")
    return K


def check_rotation(R: Array, where: str) -> Array:
    """Return R if it is a rotation; ``where`` names the file and the key."""
    off = np.abs(R.T @ R - np.eye(3)).max()
    if not off < ROTATION_TOLERANCE or np.linalg.det(R) < 0:
        raise DataError(f"{where} is not a rotation: {R.tolist()}")
    return R


def check_finite(values: Array, where: str) -> Array:
    """Return the values if all are finite; ``where`` names the file and the key."""
    bad = int(np.count_nonzero(~np.isfinite(values)))
    if bad:
        raise DataError(f"{where} holds {bad} values that are not finite")
    return values


def choose_pairs(keys: Iterable[PairKey], max_per_scene: int | None) -> list[PairKey]:
    """At most so many pairs of each scene, picked by a hash of their names.

    The choice depends on no order and no random generator: every machine makes it
    alike, and a larger limit only adds pairs.
    """
    scenes: dict[str, list[PairKey]] = {}
    for key in keys:
        scenes.setdefault(key.scene, []).append(key)
    chosen = [sorted(keys, key=_digest)[:max_per_scene] for keys in scenes.values()]
    return sorted(key for keys in chosen for key in keys)


def _digest(key: PairKey) -> bytes:
    return hashlib.sha256("\0".join(key).encode()).digest()
