"""Estimates of any number of pairs, one after the other or many at a time."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence, Sized
from concurrent.futures import Executor
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cvscore._numba.progress import ProgressBar
from cvscore.estimators.registry import RegisteredEstimator, registered
from cvscore.estimators.result import failure
from cvscore.parallel.ordered_map import map_in_order
from cvscore.types import Estimate, RansacOptions, shown


def estimate_many(
    pairs: Iterable[Sequence[Any]],
    model: str,
    *,
    options: RansacOptions | None = None,
    num_workers: int | None = None,
    executor: Executor | None = None,
    progress: bool = True,
    **choices: Any,
) -> Generator[Estimate, None, None]:
    """Estimate a model of each pair, in many threads, processes or machines.

    The results are those of one call after the other, bit by bit.  Pairs are read when
    a worker is about to be free: neither they nor the results pile up in memory.

    Parameters
    ----------
    pairs : iterable of tuples
        ``(x1, x2)``, or what else the estimator of the model takes: ``(x1, x2, K1)`` or
        ``(x1, x2, K1, K2)`` for the essential matrix, ``(points2d, points3d, K)`` for
        the absolute pose.  Camera matrices that a model does without may be there.  A
        dictionary as the last entry has keyword arguments of this pair alone, such as
        its ``quality`` or ``weights``.
    model : str
        "homography" for `estimate_homography`, and so on for each ``estimate_*``.
    options : RansacOptions, optional
        Limits of each search.
    num_workers : int, optional
        Threads; by default as many as there are cores that this process may use.  With
        an executor: how many workers it has, where these are not the cores of this
        machine.
    executor : concurrent.futures.Executor, optional
        Where to run instead of threads: a pool of processes, or a Dask client's
        ``client.get_executor()``.  It is not shut down.
    progress : bool
        Whether to show a progress bar, on terminals.
    **choices
        Further keyword arguments of the estimator, for all pairs.

    Yields
    ------
    Estimate
        One for each pair, in their order.  Where a pair is no pair of matches (another
        shape, NaN, no camera matrix ...), it is false and its ``reason`` says so.

    Raises
    ------
    ValueError, TypeError
        At once, where something is wrong that all pairs have in common.

    Examples
    --------
    >>> import numpy as np
    >>> x1 = np.random.default_rng(0).uniform(0, 1000, (100, 2))
    >>> pairs = [(x1, x1 + 5), (x1, x1[:50]), (x1, 2 * x1)]
    >>> for found in estimate_many(pairs, model="similarity"):
    ...     print(found.num_inliers if found else found.reason)
    100
    x1 and x2 must have the same length, got 100 and 50
    100
    """
    choices["options"] = options
    _check(registered(model), choices)
    if not isinstance(pairs, Iterable):
        raise TypeError(f"pairs must be iterable, got {shown(pairs)}")
    total = len(pairs) if isinstance(pairs, Sized) else None
    results = map_in_order(
        partial(estimate_one, model, choices),
        pairs,
        num_workers=num_workers,
        executor=executor,
    )
    return _estimates(results, total, progress=progress)


def _check(estimator: RegisteredEstimator, choices: Mapping[str, Any]) -> None:
    """Refuse what no pair could be estimated with: no points have a result, too."""
    for name in ("quality", "weights"):
        if choices.get(name) is not None:
            raise TypeError(
                f"{name} is a pair's own: (x1, x2, {{'{name}': ...}}), see "
                f"estimate_many"
            )
    nothing = (np.empty((0, dim)) for dim in estimator.data.dims)
    estimator.run(*nothing, cameras=(np.eye(3), np.eye(3)), **choices)


def _estimates(
    results: Generator[tuple[Sequence[Any], Estimate], None, None],
    total: int | None,
    *,
    progress: bool,
) -> Generator[Estimate, None, None]:
    # Closed here, and not when it is collected: then no thread outlives this one.
    with ProgressBar(total, "estimating", enabled=progress) as bar, closing(results):
        for _, estimate in results:
            bar.advance()
            yield estimate


def estimate_one(
    model: str, choices: Mapping[str, Any], pair: Sequence[Any]
) -> Estimate:
    """Estimate a pair as `estimate_many` takes it; runs in the workers."""
    try:
        estimator = registered(model)
        given = _arguments(estimator, pair)
        return estimator.run(
            *given.sets, cameras=given.cameras, **{**choices, **given.choices}
        )
    except (ValueError, TypeError, ArithmeticError) as error:
        return failure(_num_rows(pair), str(error))


class Arguments(NamedTuple):
    """What a pair gives to an estimator."""

    sets: tuple[Any, ...]
    cameras: tuple[Any, ...]
    choices: Mapping[str, Any]


def _arguments(estimator: RegisteredEstimator, pair: Sequence[Any]) -> Arguments:
    if not isinstance(pair, Sequence | np.ndarray):
        raise TypeError(f"a pair must be a tuple, got {shown(pair)}")
    own: Mapping[str, Any] = {}
    if len(pair) and isinstance(pair[-1], Mapping):
        *pair, own = pair
    dims = estimator.data.dims
    if not len(dims) <= len(pair) <= len(dims) + dims.count(2):
        names = " and ".join(estimator.data.names)
        raise ValueError(
            f"a pair must have {names}, then camera matrices, got {len(pair)} arrays"
        )
    sets, cameras = pair[: len(dims)], pair[len(dims) :]
    return Arguments(tuple(sets), tuple(cameras), own)


def _num_rows(pair: Sequence[Any]) -> int:
    """Return how many points the first set of a pair has, as far as it has any."""
    try:
        return len(pair[0])
    except (TypeError, IndexError, KeyError):
        return 0
