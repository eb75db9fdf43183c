"""Arguments that are numbers or names: taken, or refused by their own name.

A whole number may come as a float or from NumPy, as 1e4 does; True is none.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Real
from typing import Any

import numpy as np

# Points and cameras are between these in size, so that their fourth powers are finite
# and not zero, and no two of one problem are further apart than the ratio.
SMALLEST, LARGEST = 1e-75, 1e75
MAX_SIZE_RATIO = 1e9


class SizeError(ValueError):
    """Points or cameras beyond these sizes, which are sound in all else."""


def real_number(value: Any, name: str) -> float:
    """Return a number as a float, infinite where it is too large for one."""
    number = _as_real(value, name, "a number")
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def positive_number(value: Any, name: str) -> float:
    """Return a finite number above zero."""
    number = real_number(value, name)
    if not (math.isfinite(number) and number > 0.0):
        raise ValueError(f"{name} must be finite and positive, got {shown(value)}")
    return number


def share(value: Any, name: str) -> float:
    """Return a number between zero and one, neither of them."""
    number = real_number(value, name)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name} must be in (0, 1), got {shown(value)}")
    return number


def whole_number(value: Any, name: str, least: int, most: int) -> int:
    """Return a whole number in [least, most]."""
    number = _as_real(value, name, "a whole number")
    # Exact: neither infinite, nor of a fraction.
    if not -math.inf < number < math.inf or number != int(number):
        raise ValueError(f"{name} must be a whole number, got {shown(value)}")
    whole = int(number)
    if whole < least:
        limit = "not be negative" if least == 0 else f"be at least {least}"
        raise ValueError(f"{name} must {limit}, got {shown(value)}")
    if whole > most:
        raise ValueError(f"{name} must be at most {most}, got {shown(value)}")
    return whole


def one_of(value: Any, name: str, choices: Collection[str]) -> str:
    """Return a name out of some."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {sorted(choices)}, got {shown(value)}")
    return value


def _as_real(value: Any, name: str, kind: str) -> Any:
    if type(value) in (float, int):  # the common case, without asking an abstract class
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be {kind}, got {shown(value)}")
    for plain in (int, float):  # a subclass may compare in its own way
        if isinstance(value, plain):
            return plain(value)
    return value


def shown(value: Any) -> str:
    """Return a value as messages show it: in a line, and not a long one."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # an integer of more digits than Python prints
        text = f"a {type(value).__name__} of too many digits"
    return text if len(text) <= 60 else f"{text[:57]}..."
