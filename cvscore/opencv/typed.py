"""What editors and type checkers are told of the drop-ins.

A drop-in takes ``*args, **kwargs``, because cv2 has several forms of every function and
tells them apart by what the arguments convert to.  So each form is written down as an
overload, with cv2's names and ``**extras: Unpack[ExtraArguments]``; at run time
`shows_form` gives ``help`` the first form, with the same extras.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
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


class ExtraArguments(TypedDict, total=False):
    """The keyword-only arguments that cv2 does not have."""

    mask_threshold: float | None
    seed: int | None
    prior: InverseGamma | None
    half_width: float | None
    calibration: Calibration | None
    quality: ArrayLike | None
    solver: str


def shows_form(form: Form) -> Callable[[Function], Function]:
    """Give a drop-in the signature of one of cv2's forms, with the extras."""
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    required = [inspect.Parameter(name, positional) for name in form.required]
    optional = [
        inspect.Parameter(name, positional, default=None) for name in form.optional
    ]
    extras = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty
            if field.default is MISSING
            else field.default,
        )
        for field in fields(Extras)
    ]
    signature = inspect.Signature([*required, *optional, *extras])

    def decorate(function: Function) -> Function:
        function.__signature__ = signature  # type: ignore[attr-defined]
        return function

    return decorate
