"""The call forms of cv2's functions, and which of them a call has.

cv2 tries the overloads of a function in order and takes the first whose arguments all
convert; None converts to everything and means the default.  The same is done here, with
one addition: ``maxIters`` may be given by name in every form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np

C_INT = np.iinfo(np.int32)
MOST_SIZE = 2**64 - 1


def _is_int(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        return False
    return C_INT.min <= int(value) <= C_INT.max


def _is_size(value: Any) -> bool:
    return (
        isinstance(value, (int, np.integer))
        and not isinstance(value, bool)
        and (0 <= int(value) <= MOST_SIZE)
    )


def _is_flag(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_)) or _is_int(value)


def _is_float(value: Any) -> bool:
    if isinstance(value, (bool, np.longdouble)):
        return False
    if not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _is_pair(value: Any) -> bool:
    if isinstance(value, np.ndarray) and value.ndim != 1:
        return False
    return (
        isinstance(value, (tuple, list, np.ndarray))
        and len(value) == 2
        and all(_is_float(entry) for entry in value)
    )


def _is_array(value: Any) -> bool:
    # cv2 takes a number or a tuple of numbers for a small array.
    return isinstance(value, (np.ndarray, cv2.UMat, int, float, tuple))


def _is_params(value: Any) -> bool:
    return isinstance(value, cv2.UsacParams)


def _is_anything(value: Any) -> bool:
    return True


_POINTS = ("srcPoints", "dstPoints", "points1", "points2")
_POINTS_OF_MAPS = ("from_", "to", "pts1", "pts2", "src", "dst")
_CAMERAS = ("cameraMatrix", "cameraMatrix1", "cameraMatrix2")
_DISTORTIONS = ("distCoeffs1", "distCoeffs2", "dist_coeff1", "dist_coeff2")
_FLOATS = ("ransacReprojThreshold", "threshold", "confidence", "prob", "focal")
_OUTPUTS = ("mask", "inliers", "out")

# Points of any kind bind: whether they can be read is found out later.
_CONVERTS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys((*_POINTS, *_POINTS_OF_MAPS), _is_anything),
    **dict.fromkeys((*_CAMERAS, *_DISTORTIONS, *_OUTPUTS), _is_array),
    **dict.fromkeys((*_FLOATS, "ransacThreshold"), _is_float),
    **dict.fromkeys(("method", "maxIters"), _is_int),
    "pp": _is_pair,
    "params": _is_params,
    "force_rotation": _is_flag,
    # Of solvePnPRansac and recoverPose.
    **dict.fromkeys(("objectPoints", "imagePoints"), _is_anything),
    **dict.fromkeys(("distCoeffs", "rvec", "tvec", "inliers"), _is_array),
    **dict.fromkeys(("E", "R", "t"), _is_array),
    **dict.fromkeys(("iterationsCount", "flags"), _is_int),
    "reprojectionError": _is_float,
    "useExtrinsicGuess": _is_flag,
    "criteria": _is_anything,  # of undistorting: cv2 says what is wrong with it
}
# Functions that refine say so by an argument of theirs, and count in sizes.
_SIZES = {**_CONVERTS, **dict.fromkeys(("maxIters", "refineIters"), _is_size)}


@dataclass(frozen=True)
class Form:
    """One way to call a function: its parameters in order, the first ones required."""

    required: tuple[str, ...]
    optional: tuple[str, ...]

    @classmethod
    def parse(cls, parameters: str) -> Form:
        """Read the notation of cv2's docstrings, ``"a, b[, c[, d]]"``."""
        required, _, optional = parameters.partition("[")
        return cls(*(_names(part) for part in (required, optional)))

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """All names, in the order of positional arguments."""
        return self.required + self.optional

    @cached_property
    def known(self) -> frozenset[str]:
        """All names that a call may give."""
        return frozenset((*self.parameters, "maxIters"))

    @cached_property
    def has_cameras(self) -> bool:
        """Whether some of them are camera matrices."""
        return not self.known.isdisjoint(_CAMERAS)

    def bind(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """Return the arguments by name, or None where they do not fit this form."""
        values = dict(zip(self.parameters, args, strict=False))
        if len(args) > len(self.parameters) or kwargs.keys() & values.keys():
            return None
        values.update(kwargs)
        if not all(name in values for name in self.required):
            return None
        if not values.keys() <= self.known:
            return None
        converts = _SIZES if "refineIters" in self.parameters else _CONVERTS
        if all(v is None or converts[name](v) for name, v in values.items()):
            return values
        return None


def _names(part: str) -> tuple[str, ...]:
    words = part.replace("[", " ").replace("]", " ").replace(",", " ").split()
    return tuple(words)


@dataclass(frozen=True)
class Call:
    """A call of one of cv2's functions, its arguments by name."""

    function: Callable[..., Any]
    form: Form
    values: dict[str, Any]

    def get(self, *names: str) -> Any:
        """Return the first of these arguments that was given and is not None."""
        for name in names:
            value = self.values.get(name)
            if value is not None:
                return value
        return None

    def with_values(self, **values: Any) -> Call:
        """Return the same call with some arguments replaced."""
        return Call(self.function, self.form, {**self.values, **values})

    @property
    def uses_umat(self) -> bool:
        """Whether cv2 would take its UMat overload."""
        return any(isinstance(value, cv2.UMat) for value in self.values.values())

    def hand_over(self) -> Any:
        """Make the call to cv2, without what only cvscore understands."""
        arguments = {
            name: value
            for name, value in self.values.items()
            if name in self.form.required
            or (name in self.form.optional and value is not None)
        }
        # The form with all six required reads a None in maxIters as zero.
        if arguments.get("maxIters", 0) is None:
            del arguments["maxIters"]
        # RHO takes a negative number for billions, and may draw them all.
        if arguments.get("method") == cv2.RHO and arguments.get("maxIters", 0) < 0:
            del arguments["maxIters"]
        # Threads of cv2 answer by chance, and now and then with an error.
        if arguments.get("method") == cv2.USAC_PARALLEL:
            arguments["method"] = cv2.USAC_DEFAULT
        params = arguments.get("params")
        if params is not None and params.isParallel:
            arguments["params"] = _in_one_thread(params)
        return self.function(**arguments)


def _in_one_thread(params: cv2.UsacParams) -> cv2.UsacParams:
    """Return a copy that asks for the same search without threads."""
    alike = cv2.UsacParams()
    for name in dir(params):
        if not name.startswith("_"):
            setattr(alike, name, getattr(params, name))
    alike.isParallel = False
    return alike


def bind(
    function: Callable[..., Any],
    forms: Sequence[Form],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Call | None:
    """Return the call in the first form that fits, or None where none does."""
    for form in forms:
        values = form.bind(args, kwargs)
        if values is not None:
            return Call(function, form, values)
    return None
