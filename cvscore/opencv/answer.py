"""How one call of the drop-in is answered, for all functions alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from cvscore.data.point_sets import are_within
from cvscore.data.validation import as_quality, as_weights
from cvscore.opencv.arrays import (
    as_numeric,
    clear_mask,
    is_plain_mask,
    is_plain_output,
    listed_points_as_array,
    make_umat,
    read_points,
    write_mask,
)
from cvscore.opencv.call_forms import Call, Form, bind
from cvscore.opencv.cameras import with_plain_cameras
from cvscore.opencv.extras import Extras
from cvscore.types import (
    MOST_ITERATIONS,
    Array,
    Estimate,
    Mask,
    RansacOptions,
    SizeError,
)

NativeEstimator = Callable[..., Estimate]

USAC_METHODS = frozenset(range(cv2.USAC_DEFAULT, cv2.USAC_MAGSAC + 1))
ROBUST_METHODS = USAC_METHODS | {cv2.RANSAC, cv2.LMEDS, cv2.RHO}
# cv2 works in float32, where anything larger is infinite, and infinity is an outlier.
LARGEST_COORDINATE = float(np.finfo(np.float32).max)
EVERY_ROW = slice(None)
# What cv2 has an implementation of, by the names of UsacParams.
USAC_CHOICES = {"sampler": range(4), "score": range(4), "loMethod": range(5)}


def model_and_mask(call: Call, model: Any, mask: Any) -> tuple[Any, ...]:
    """Return what most functions of cv2 do."""
    return model, mask


@dataclass(frozen=True, kw_only=True)
class Target:
    """What the adapter knows of one cv2 function.

    Attributes
    ----------
    function : callable
        The function of cv2.
    forms : tuple of Form
        Its overloads in cv2's order.
    estimator : callable
        The native estimator for a call, given everything but its points; None where
        there are cameras that can't be used.
    rescaled : callable
        A native model (3, 3) to the scale that cv2 gives it.
    sample_size : int
        Matches in a minimal sample.
    robust_methods : frozenset of int
        The values of ``method`` that mean the native estimator.
    max_iters, confidence
        The defaults of cv2.
    fills_any_vector : bool
        Whether cv2 fills and returns flat masks too; its USAC methods never do.
    shape : tuple of int
        Of a model.
    dim : int
        Coordinates of a point.
    mask_name : str
        What the function calls its mask.
    read : callable
        Points of a call as (N, D) float64, or None; ``read(value, any_columns=...)``.
    written : callable
        ``written(call, model, mask)``: what cv2 returns for a model, or None, and its
        mask.
    """

    function: Callable[..., Any]
    forms: tuple[Form, ...]
    estimator: Callable[[Call], NativeEstimator | None]
    rescaled: Callable[[Array], Array]
    sample_size: int
    robust_methods: frozenset[int]
    max_iters: int
    confidence: float
    fills_any_vector: bool
    shape: tuple[int, ...] = (3, 3)
    dim: int = 2
    mask_name: str = "mask"
    read: Callable[..., Array | None] = read_points
    written: Callable[[Call, Any, Any], tuple[Any, ...]] = model_and_mask

    @property
    def point_names(self) -> frozenset[str]:
        """The arguments that are points, in any form."""
        return frozenset(name for form in self.forms for name in form.required[:2])


@dataclass(frozen=True, kw_only=True)
class Search:
    """What a call says about the search."""

    is_usac: bool
    is_robust: bool
    is_sorted: bool  # the rows, best match first
    max_iters: int
    confidence: float
    seed: int


def find(
    target: Target, args: Sequence[Any], kwargs: Mapping[str, Any], extras: Extras
) -> tuple[Any, ...]:
    """Read the call, let the native estimator or cv2 answer it, write the result."""
    call = bind(target.function, target.forms, args, kwargs)
    if call is None:
        return _rejected_by_cv2(target, args, kwargs)
    as_umat = call.uses_umat
    search = _read_search(call, target)
    names = call.form.required[:2]
    read = [target.read(call.values[n], any_columns=search.is_usac) for n in names]
    given = {}
    for name, points in zip(names, read, strict=True):
        if points is not None:
            given[name] = make_umat(points) if as_umat else points
    call = with_plain_cameras(call.with_values(**given))
    x1, x2 = read
    estimator = target.estimator(call)
    if x1 is None or x2 is None or estimator is None or len(x1) != len(x2):
        return _answered_by_cv2(call)
    if len(x1) <= target.sample_size or not search.is_robust:
        return _answered_by_cv2(call)
    if _may_be_rejected(target, call, search):
        call.hand_over()  # raises where cv2 does; its answer is of no use
    model, inliers = _estimate(target, estimator, x1, x2, search, extras)
    if model is None:
        answer = _undetermined(target, call)
        if answer is not None:
            return answer
    mask = write_mask(
        inliers,
        call.get(target.mask_name),
        as_umat=as_umat,
        any_vector=target.fills_any_vector and not search.is_usac,
    )
    return target.written(call, model, mask)


def _read_search(call: Call, target: Target) -> Search:
    if "params" in call.form.parameters:
        params = call.get("params") or cv2.UsacParams()
        method = cv2.USAC_DEFAULT
        is_sorted = params.sampler == cv2.SAMPLING_PROSAC
        max_iters, confidence = params.maxIterations, params.confidence
        seed = params.randomGeneratorState
    else:
        # A method left out is robust, for homographies too, where cv2's default is
        # least squares: the one deliberate difference.  PROSAC is asked for by those
        # who have sorted their rows (with 5 % inliers and 2000 samples it finds 12 of
        # 20 homographies where uniform sampling finds none); RHO by many who have not.
        method = call.get("method")
        method = cv2.RANSAC if method is None else int(method)
        is_sorted = method == cv2.USAC_PROSAC
        max_iters, confidence = target.max_iters, target.confidence
        seed = 0
    given = call.get("maxIters"), call.get("confidence", "prob")
    return Search(
        is_usac=method in USAC_METHODS,
        is_robust=method in target.robust_methods,
        is_sorted=is_sorted,
        max_iters=min(
            int(max_iters if given[0] is None else given[0]), MOST_ITERATIONS
        ),
        confidence=float(confidence if given[1] is None else given[1]),
        seed=seed % 2**32,  # a generator's state is its bits, whatever their sign
    )


def _estimate(
    target: Target,
    estimator: NativeEstimator,
    x1: Array,
    x2: Array,
    search: Search,
    extras: Extras,
) -> tuple[Array | None, Mask]:
    """Return the model in cv2's scale, or None, and the inliers (N,)."""
    num_rows = len(x1)
    none = np.zeros(num_rows, dtype=np.bool_)
    quality = as_quality(extras.quality, num_rows)
    weights = as_weights(extras.weights, num_rows)
    if quality is None and search.is_sorted:
        quality = np.arange(num_rows, 0.0, -1.0)
    usable = _usable_rows(x1, x2)
    # With a budget of nothing cv2's RANSAC draws one sample and its USAC none.
    has_budget = search.max_iters > 0 or not search.is_usac
    if not has_budget or len(x1[usable]) <= target.sample_size:
        return None, none
    sound = 0.0 < search.confidence < 1.0
    try:
        estimate = estimator(
            x1[usable],
            x2[usable],
            score=extras.score,
            calibration=extras.calibration,
            options=_options(
                max(search.max_iters, 1),
                # Where cv2 does not reject such a confidence it resets it.
                search.confidence if sound else target.confidence,
                search.seed if extras.seed is None else extras.seed,
            ),
            quality=None if quality is None else quality[usable],
            weights=None if weights is None else weights[usable],
            solver=extras.solver,
        )
    except SizeError:  # as undetermined as any: cv2 knows no such error
        return None, none
    if estimate.model is None:
        return None, none
    inliers = estimate.inliers
    if extras.mask_threshold is not None:
        inliers &= estimate.residuals <= extras.mask_threshold
    if usable is not EVERY_ROW:
        none[usable] = inliers
        inliers = none
    return np.ascontiguousarray(target.rescaled(estimate.model)), inliers


@lru_cache(maxsize=16)  # most calls of a program are alike
def _options(max_iterations: int, confidence: float, seed: int) -> RansacOptions:
    return RansacOptions(
        max_iterations=max_iterations, confidence=confidence, seed=seed
    )


def _usable_rows(x1: Array, x2: Array) -> Mask | slice:
    """Return which rows to estimate from: most often all, and then without a copy."""
    if are_within(x1, LARGEST_COORDINATE) and are_within(x2, LARGEST_COORDINATE):
        return EVERY_ROW
    largest: Array = np.abs(np.hstack([x1, x2])).max(axis=1)
    return largest <= LARGEST_COORDINATE


def _may_be_rejected(target: Target, call: Call, search: Search) -> bool:
    """Whether some version of cv2 may raise an error for a call that can be read."""
    params = call.get("params")
    return (
        not 0.0 < search.confidence < 1.0
        or not is_plain_mask(call.get(target.mask_name))
        or not is_plain_output(call.get("out"))
        or (params is not None and not is_implemented(params))
    )


def is_implemented(params: Any) -> bool:
    """Whether cv2 has an implementation of all that UsacParams choose."""
    return all(getattr(params, name) in values for name, values in USAC_CHOICES.items())


def _rejected_by_cv2(
    target: Target, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Any, ...]:
    """Let cv2 raise its error; not about lists of points, which are no fault here."""
    dim = target.dim
    positional = [*(listed_points_as_array(a, dim) for a in args[:2]), *args[2:]]
    names = target.point_names
    named = {
        name: listed_points_as_array(value, dim) if name in names else value
        for name, value in kwargs.items()
    }
    answer: tuple[Any, ...] = target.function(*positional, **named)
    return answer


def _undetermined(target: Target, call: Call) -> tuple[Any, ...] | None:
    """Return cv2's answer where matches fix no model; None where it has none either.

    For a repeated frame any translation will do, and programs that never meet None
    from cv2 go on with the one it names.
    """
    try:
        answer: tuple[Any, ...] = call.hand_over()
    except cv2.error:  # about rows that are outliers here
        return None
    matrix = as_numeric(answer[-2])
    if matrix is None or matrix.shape != target.shape or not np.isfinite(matrix).all():
        return None
    return answer


def _answered_by_cv2(call: Call) -> tuple[Any, ...]:
    *others, model, mask = call.hand_over()
    has_model = as_numeric(model) is not None
    return *others, model, (mask if has_model else clear_mask(mask))
