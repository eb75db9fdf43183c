"""What editors and type checkers are told of the drop-ins.

A drop-in takes ``*args, **kwargs``, because cv2 has several forms of every function and
tells them apart by what the arguments convert to.  So each form is written down as an
overload, with cv2's names and ``**extras: Unpack[ExtraArguments]``; at run time
`shows_form` gives ``help`` the first form, with the same extras.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, TypeAlias, TypedDict, TypeVar

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore.opencv.answer import Extras
from cvscore.opencv.call_forms import Form
from cvscore.scores.calibration import Calibration
from cvscore.scores.priors import InverseGamma

Points: TypeAlias = ArrayLike | Sequence[cv2.KeyPoint] | cv2.UMat
Matrix: TypeAlias = NDArray[Any] | cv2.UMat
MaskBuffer: TypeAlias = NDArray[Any] | cv2.UMat | None
# "or Any", because cv2's types too leave out that there may be no model, and that a
# mask is a UMat where points are: code that passes with cv2 passes unchanged.
Answer: TypeAlias = tuple[NDArray[np.float64] | Any, NDArray[np.uint8] | Any]

Function = TypeVar("Function", bound=Callable[..., Any])


class SharedArguments(TypedDict, total=False):
    """The keyword-only arguments that cv2 does not have."""

    mask_threshold: float | None
    seed: int | None
    prior: InverseGamma | None
    half_width: float | None
    calibration: Calibration | None
    quality: ArrayLike | None


class ExtraArguments(SharedArguments, total=False):
    """Those of the functions with a choice of minimal solvers."""

    solver: str


def shows_form(
    form: Form, *, with_solver: bool = True
) -> Callable[[Function], Function]:
    """Give a drop-in the signature of one of cv2's forms, with the extras."""
    anywhere = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [
        *(inspect.Parameter(name, anywhere) for name in form.required),
        *(inspect.Parameter(name, anywhere, default=None) for name in form.optional),
        *(
            inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default)
            for f in fields(Extras)
            if with_solver or f.name != "solver"
        ),
    ]

    def decorate(function: Function) -> Function:
        function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return function

    return decorate
