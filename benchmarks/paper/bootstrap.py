"""Resampling: medians of resampled pairs, BCa intervals, medians of drawn pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import kernel
from cvscore.types import Array

Indices = NDArray[np.int64]

LEVEL = 0.95  # of all intervals


def scene_groups(scenes: list[str]) -> list[Indices]:
    """Return the rows of each scene, scenes in the order of their names."""
    names = np.array(scenes)
    return [np.flatnonzero(names == name) for name in sorted(set(scenes))]


def statistic(errors: Array, groups: list[Indices] | None) -> Array:
    """Median over pairs (P, ...); with groups, the mean of the medians of scenes."""
    if groups is None:
        return np.median(errors, axis=0)
    return np.mean([np.median(errors[rows], axis=0) for rows in groups], axis=0)


def resampled_medians(errors: Array, num: int, rng: np.random.Generator) -> Array:
    """Medians (num, G) of resamples of the rows of (n, G).

    The ranks, in the sorted column, of the middle values of a resample are those of
    order statistics of uniform numbers, whatever the column holds; drawing these
    directly is resampling, at a cost that does not grow with n.
    """
    n = len(errors)
    ordered = np.sort(errors, axis=0)
    lower = (n + 1) // 2  # of the two middle values, counted from one
    u = rng.beta(lower, n - lower + 1, num)
    below = np.minimum((n * u).astype(np.int64), n - 1)
    if n % 2:
        return ordered[below]
    # The next of the n - lower larger ones, all uniform above u.
    v = u + (1.0 - u) * rng.beta(1, n - lower, num)
    above = np.minimum((n * v).astype(np.int64), n - 1)
    return 0.5 * (ordered[below] + ordered[above])


def resampled_statistic(
    errors: Array, groups: list[Indices] | None, num: int, rng: np.random.Generator
) -> Array:
    """`statistic` (num, G) of resamples; with groups, of scenes and then of pairs."""
    if groups is None:
        return resampled_medians(errors, num, rng)
    total = np.zeros((num, errors.shape[1]))
    drawn = rng.integers(len(groups), size=(num, len(groups)))
    for scene, rows in enumerate(groups):
        times = (drawn == scene).sum(axis=1)
        for repeat in range(1, times.max(initial=0) + 1):
            which = np.flatnonzero(times >= repeat)
            total[which] += resampled_medians(errors[rows], len(which), rng)
    return total / len(groups)


def percentile_band(resamples: Array) -> tuple[Array, Array]:
    """Central interval of the columns of (num, G)."""
    tail = 0.5 * (1.0 - LEVEL)
    low, high = np.quantile(resamples, [tail, 1.0 - tail], axis=0)
    return low, high


def bca_interval(
    values: Array, kind: str, rng: np.random.Generator, num: int = 1000
) -> tuple[float, float]:
    """Bias-corrected and accelerated interval of a mean or a standard deviation.

    Parameters
    ----------
    values : (T,) array
        Of independent trials.
    kind : {"mean", "std"}
        The standard deviation is that of a sample, with T - 1.
    rng : Generator
        For the resamples.
    num : int
        Of resamples.
    """
    from scipy.special import ndtr, ndtri

    estimate = _moment(values[None], kind)[0]
    resamples = _moment(
        values[rng.integers(len(values), size=(num, len(values)))], kind
    )
    # Ties count half, so that a discrete distribution has no bias by itself.
    below = np.mean(resamples < estimate) + 0.5 * np.mean(resamples == estimate)
    if not 0.0 < below < 1.0 or np.ptp(resamples) == 0.0:
        return float(resamples.min()), float(resamples.max())
    bias = ndtri(below)
    left_out = _left_out(values, kind)
    pull = left_out.mean() - left_out
    spread = np.sum(pull**2)
    acceleration = np.sum(pull**3) / (6.0 * spread**1.5) if spread > 0 else 0.0
    z = bias + ndtri([0.5 * (1.0 - LEVEL), 0.5 * (1.0 + LEVEL)])
    low, high = np.quantile(resamples, ndtr(bias + z / (1.0 - acceleration * z)))
    return float(low), float(high)


def _moment(rows: Array, kind: str) -> Array:
    return rows.mean(axis=1) if kind == "mean" else rows.std(axis=1, ddof=1)


def _left_out(values: Array, kind: str) -> Array:
    """Return the moment without each value in turn, (T,)."""
    n, centred = len(values), values - values.mean()
    means = -centred / (n - 1)  # of the others, relative to the mean of all
    if kind == "mean":
        return values.mean() + means
    squares = (np.sum(centred**2) - centred**2) - (n - 1) * means**2
    return np.sqrt(np.maximum(squares, 0.0) / (n - 2))


def medians_of_draws(errors: Array, draws: Indices) -> Array:
    """Medians (T, G) over the drawn rows (T, m) of errors (n, G)."""
    num_rows, size = len(errors), draws.shape[1]
    if num_rows > 4 * size:
        return np.stack([np.median(errors[draw], axis=0) for draw in draws])
    # Few rows, drawn often: walk down each column's order, counting copies.
    copies = np.zeros((len(draws), num_rows), dtype=np.int64)
    np.add.at(copies, (np.arange(len(draws))[:, None], draws), 1)
    order = np.argsort(errors, axis=0, kind="stable").T
    return _weighted_medians(
        np.ascontiguousarray(errors.T, dtype=np.float64),
        np.ascontiguousarray(order),
        copies,
    )


@kernel
def _weighted_medians(columns, order, copies):
    num_columns, num_rows = columns.shape
    num_draws = copies.shape[0]
    medians = np.empty((num_draws, num_columns))
    for t in range(num_draws):
        size = copies[t].sum()
        low, high = (size + 1) // 2, size // 2 + 1  # counted from one
        for g in range(num_columns):
            seen = 0
            first = 0.0
            for i in range(num_rows):
                row = order[g, i]
                before = seen
                seen += copies[t, row]
                if before < low <= seen:
                    first = columns[g, row]
                if seen >= high:
                    medians[t, g] = 0.5 * (first + columns[g, row])
                    break
    return medians
