"""What editors and type checkers are told of the drop-ins.

A drop-in takes ``*args, **kwargs``, because cv2 has several forms of every function and
tells them apart by what the arguments convert to.  So each form is written down as an
overload, with cv2's names and ``**extras: Unpack[ExtraArguments]``; where there is one
form only, too few for an overload, `called_as` names it.  At run time `shows_form`
gives ``help`` one form, with the same extras.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, ParamSpec, TypeAlias, TypedDict, TypeVar

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from cvscore.opencv.call_forms import Form
from cvscore.opencv.extras import Extras
from cvscore.scores.calibration import Calibration
from cvscore.scores.priors import InverseGamma

Points: TypeAlias = ArrayLike | Sequence[cv2.KeyPoint] | cv2.UMat
Matrix: TypeAlias = NDArray[Any] | cv2.UMat
MaskBuffer: TypeAlias = NDArray[Any] | cv2.UMat | None
Pair: TypeAlias = Sequence[float] | NDArray[Any]
# "or Any", because cv2's types too leave out that there may be no model, and that a
# mask is a UMat where points are: code that passes with cv2 passes unchanged.
FoundModel: TypeAlias = NDArray[np.float64] | Any
FoundMask: TypeAlias = NDArray[np.uint8] | Any
Answer: TypeAlias = tuple[FoundModel, FoundMask]

Function = TypeVar("Function", bound=Callable[..., Any])
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class SharedArguments(TypedDict, total=False):
    """The keyword-only arguments that cv2 does not have."""

    mask_threshold: float | None
    seed: int | None
    prior: InverseGamma | None
    half_width: float | None
    calibration: Calibration | None
    quality: ArrayLike | None
    weights: ArrayLike | None


class ExtraArguments(SharedArguments, total=False):
    """Those of the functions with a choice of minimal solvers."""

    solver: str


def called_as(
    form: Callable[Parameters, Any],
) -> Callable[[Callable[..., Result]], Callable[Parameters, Result]]:
    """Show type checkers the parameters of a function that stands for the only form."""

    def decorate(function: Callable[..., Result]) -> Callable[Parameters, Result]:
        return function

    return decorate


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
