"""JSON that every reader accepts, of arrays and of numbers that JSON lacks."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def plain_json(content: dict[str, Any], *, compact: bool = False) -> str:
    """Return an object as ASCII text: lists for arrays, null for NaN and infinity.

    Without spaces if ``compact``.
    """
    separators = (",", ":") if compact else None
    return json.dumps(_plain(content), allow_nan=False, separators=separators)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
