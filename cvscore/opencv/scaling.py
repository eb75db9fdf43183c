"""The scale that cv2 gives a matrix which is known up to scale."""

from __future__ import annotations

import numpy as np

from cvscore.types import Array


def last_entry_one(model: Array) -> Array:
    """Divide by the last entry, unless it is zero: cv2's scale of H and F."""
    last = model[2, 2]
    return model / last if abs(last) > np.finfo(np.float64).eps else model


def unit_norm(model: Array) -> Array:
    """Divide by the Frobenius norm: the scale of E."""
    return model / np.linalg.norm(model)
