"""A model, a score and a sampler as kernels see them: records of addresses.

Each record is declared here once, with the signatures of its functions and the calls
that kernels make: ``call_residuals(model, models, points)``.  For a model or a score
without kernels the same records hold Python functions, and the same source of the loop
runs interpreted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from cvscore._numba.by_address import address_of, array, method
from cvscore._numba.compile import brief_kernel, kernel
from cvscore.types import Array, GeometricModel, SamplerState, Score, ScoreKernels

_number, _count = types.float64, types.int64
_values, _points, _models = array(1), array(2), array(3)
_indices, _samples = array(1, types.int64), array(2, types.int64)

# Of a model.
SOLVE = _models(_points, _samples, _values)
RESIDUALS = _points(_models, _points, _values)
REFIT = _points(_points, _points, _values, _number, _values)
# Of a score.
PREVIEW = _values(_points, _values)
EVALUATE = _values(_points, _number, _values)
ASSESS = types.Tuple((_number, _values))(_values, _values)
INLIERS = array(1, types.boolean)(_values, _values)
SUMMARISE = types.UniTuple(_number, 4)(_values, _values)
RESIZED = _values(_count, _count, _count, _values)
# Of a sampler.
_STATE_TYPES = {
    "generator": array(1, types.uint64),
    "num_drawn": _indices,
    "order": _indices,
    "last_trials": _indices,
    "centre": _values,
    "spreads": _values,
    "sample_size": _count,
    "num_points": _count,
    "num_trials": _count,
    "grid_size": _count,
}
_state = types.NamedTuple(
    [_STATE_TYPES[field] for field in SamplerState._fields], SamplerState
)
DRAW = _samples(_points, _count, _state)

call_solve = method("solve", SOLVE)
call_residuals = method("residuals", RESIDUALS)
call_refit = method("refit", REFIT)
call_preview = method("preview", PREVIEW)
call_evaluate = method("evaluate", EVALUATE)
call_assess = method("assess", ASSESS)
call_inliers = method("inliers", INLIERS)
call_summarise = method("summarise", SUMMARISE)
call_resized = method("resized", RESIZED)
call_draw = method("draw", DRAW, last="state")


def bound_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function over bound records, which also runs interpreted.

    To interpreted code it is the function itself, for records of Python functions;
    other kernels call the compiled one, and `run_bound` chooses.
    """
    return _bound(function, kernel(function))


def brief_bound_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Do the same, for a function that the interpreter calls and that is soon done."""
    return _bound(function, brief_kernel(function))


def _bound(
    function: Callable[..., Any], compiled: Callable[..., Any]
) -> Callable[..., Any]:
    @overload(function)  # type: ignore[untyped-decorator, unused-ignore]
    def call_compiled(*arguments):
        return lambda *arguments: compiled(*arguments)

    _compiled_forms[function] = compiled
    return function


def run_bound(function: Callable[..., Any], *arguments: Any, compiled: bool) -> Any:
    """Run a `bound_kernel` in its compiled form, or interpreted."""
    if compiled:
        enter = _entries.get(function)
        return _first_run(function, arguments) if enter is None else enter(*arguments)
    with np.errstate(all="ignore"):  # as compiled, where infinity is a number too
        return function(*arguments)


def _first_run(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Run a kernel by numba's dispatcher, and keep what later runs enter it by.

    To find out the types of records takes numba 4 to 7 us a call, and they are always
    the same: `Objective` sees to it.
    """
    kernel_of = _compiled_forms[function]
    result = kernel_of(*arguments)
    forms = list(getattr(kernel_of, "overloads", {}).values())
    if len(forms) == 1:
        _entries[function] = forms[0].entry_point
    return result


_compiled_forms: dict[Callable[..., Any], Callable[..., Any]] = {}
_entries: dict[Callable[..., Any], Callable[..., Any]] = {}


class BoundModel(NamedTuple):
    """Addresses of a model's functions, their constants, and the model's counts."""

    solve: Any
    residuals: Any
    refit: Any
    constants: Array
    sample_size: int
    num_params: int
    residual_dim: int


class BoundScore(NamedTuple):
    """Addresses of a score's functions, and their constants.

    The constants are for one number of points and one model.
    """

    preview: Any
    evaluate: Any
    assess: Any
    inliers: Any
    summarise: Any
    resized: Any
    constants: Array


class BoundSampler(NamedTuple):
    """Address of a sampler's function, and what it remembers."""

    draw: Any
    state: SamplerState


def bind_model(model: GeometricModel, *, compiled: bool) -> BoundModel:
    """Return the record of a model, of addresses or of Python functions."""
    counts = model.sample_size, model.num_params, model.residual_dim
    if not compiled:
        return BoundModel(
            lambda points, samples, _: model.solve(points, samples),
            lambda models, points, _: model.residuals(models, points),
            lambda one, points, weights, *_: model.refit(one, points, weights),
            np.empty(0),
            *counts,
        )
    kernels = model.kernels
    assert kernels is not None
    return BoundModel(
        address_of(kernels.solve, SOLVE),
        address_of(kernels.residuals, RESIDUALS),
        address_of(kernels.refit, REFIT),
        kernels.constants,
        *counts,
    )


def bind_score(
    score: Score, kernels: ScoreKernels | None, model: GeometricModel
) -> BoundScore:
    """Return the record of a score and its kernels for a model, if it has any."""
    if kernels is None:
        return _interpreted_score(score, model.residual_dim, model.num_params)
    return BoundScore(
        address_of(kernels.preview, PREVIEW),
        address_of(kernels.evaluate, EVALUATE),
        address_of(kernels.assess, ASSESS),
        address_of(kernels.inliers, INLIERS),
        address_of(kernels.summarise, SUMMARISE),
        address_of(kernels.resized, RESIZED),
        kernels.constants,
    )


def _interpreted_score(score: Score, dim: int, num_params: int) -> BoundScore:
    """Return a record of Python functions, whose constants are the two counts."""

    def counts(constants: Array) -> tuple[int, int]:
        return int(constants[0]), int(constants[1])

    return BoundScore(
        preview=lambda rows, own: score.preview(rows, *counts(own)),
        evaluate=lambda rows, bar, own: score.evaluate(rows, *counts(own), bar),
        assess=lambda row, own: score.assess(row, *counts(own)),
        inliers=lambda row, own: score.inliers(row, *counts(own)),
        summarise=lambda row, own: score.summarise(row, *counts(own)),
        resized=lambda _, dim, num_params, __: np.array([dim, num_params]),
        constants=np.array([dim, num_params]),
    )
