"""What the loop does with a model, a score and a sampler: the form of each call.

``functions`` is a tuple of addresses (or, interpreted, of callables) in the order of
`FUNCTIONS`, from which each call takes its own; ``constants`` holds those of the model
and those of the score.
"""

from __future__ import annotations

from numba import types

from cvscore._numba.by_address import array, caller
from cvscore.types import NO_STAGES

FUNCTIONS = (
    "solve",
    "residuals",
    "refit",
    "preview",
    "evaluate",
    "assess",
    "inliers",
    "summarise",
    "resize",
    "best_of",
    "climb",
    "redescend",
)

_number, _count = types.float64, types.int64
_values, _points, _models = array(1), array(2), array(3)
_indices, _samples = array(1, types.int64), array(2, types.int64)
_stages = types.UniTuple(types.int64, len(NO_STAGES))
_functions = types.UniTuple(types.int64, len(FUNCTIONS))
_constants = types.UniTuple(_values, 2)

# Of a model.
SOLVE = _models(_points, _samples, _values, _stages)
RESIDUALS = _points(_models, _points, _values)
REFIT = _points(_points, _points, _values, _number, _values)
# Of a score.
PREVIEW = _values(_points, _values)
EVALUATE = _values(_points, _number, _values)
ASSESS = types.Tuple((_number, _values))(_values, _values)
INLIERS = array(1, types.boolean)(_values, _values)
SUMMARISE = types.UniTuple(_number, 4)(_values, _values)
RESIZE = _values(_values, _count, _count, _count)
# Of a sampler.
DRAW = _samples(
    _points, array(1, types.uint64), _indices, _indices, _indices, _values, _count
)
# Of both the model and the score: `cvscore.ransac.objective`.
BEST_OF = types.Tuple((_count, _number, _values))(
    _functions, _constants, _models, _points, _points, _number
)
CLIMB = types.Tuple((_points, _values, _number))(
    _functions,
    _constants,
    _points,
    _values,
    _number,
    _points,
    _number,
    _number,
    _number,
)
# `cvscore.ransac.irls`.
REDESCEND = types.Tuple((_points, _values, _number))(
    _functions,
    _constants,
    _points,
    _values,
    _points,
    _count,
    _count,
    _number,
    _number,
)

call_solve = caller(SOLVE, FUNCTIONS.index("solve"))
call_residuals = caller(RESIDUALS, FUNCTIONS.index("residuals"))
call_refit = caller(REFIT, FUNCTIONS.index("refit"))
call_preview = caller(PREVIEW, FUNCTIONS.index("preview"))
call_evaluate = caller(EVALUATE, FUNCTIONS.index("evaluate"))
call_assess = caller(ASSESS, FUNCTIONS.index("assess"))
call_inliers = caller(INLIERS, FUNCTIONS.index("inliers"))
call_summarise = caller(SUMMARISE, FUNCTIONS.index("summarise"))
call_resize = caller(RESIZE, FUNCTIONS.index("resize"))
call_draw = caller(DRAW)
call_best_of = caller(BEST_OF, FUNCTIONS.index("best_of"))
call_climb = caller(CLIMB, FUNCTIONS.index("climb"))
call_redescend = caller(REDESCEND, FUNCTIONS.index("redescend"))
