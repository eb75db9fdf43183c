"""Learning prior and half-width from a handful of labelled pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cvscore._numba.progress import progress
from cvscore.calibration.labelled_pairs import LabelledPair
from cvscore.calibration.pair_variances import collect_variances
from cvscore.data.scene_region import scene_of
from cvscore.estimators.registry import RegisteredEstimator, data_of, registered
from cvscore.scores.calibration import Calibration
from cvscore.scores.marginal_score import HALF_WIDTH_FRACTION, MarginalScore
from cvscore.scores.priors import AS_POINTS, InverseGamma, fit_mle, fit_robust
from cvscore.types import Array, RansacOptions

# Fractions of the extent that are tried: two an octave about the default, which is one
# of them, from where only the best fits are inliers to where nearly all are.
HALF_WIDTH_GRID = tuple(HALF_WIDTH_FRACTION * 2.0 ** (j / 2.0) for j in range(-5, 6))
FITS = {"robust": fit_robust, "mle": fit_mle}
# Errors of pairs are compared by their ratio, but a failure is not infinitely worse
# than a bad estimate, nor luck infinitely better than a good one.
MAX_RATIO = 10.0
# A half-width is worse than the best one if a paired t-test says so this surely.
CONFIDENCE = 0.95


def calibrate(
    pairs: Sequence[LabelledPair],
    *,
    model: str,
    fit: str = "robust",
    half_widths: Sequence[float] = HALF_WIDTH_GRID,
    options: RansacOptions | None = None,
) -> Calibration:
    """Learn prior and half-width from labelled pairs; two suffice, hundreds are fine.

    The prior is fitted to the noise variances of the pairs' right matches.  With it,
    the half-width of smallest median error is found by running the estimator; as few
    pairs say little, the choice is the one nearest to the default among all that are
    not significantly worse than the best (a paired t-test of the logarithms of errors).

    Parameters
    ----------
    pairs : sequence of LabelledPair
        At least one, at least two for ``fit="mle"``, with enough right matches.
    model : str
        What to calibrate for: the end of the name of any ``estimate_*``.
    fit : {"robust", "mle"}
        How the prior is fitted: `fit_robust` or `fit_mle`.
    half_widths : sequence of float
        Fractions of the extent of the points to choose from.
    options : RansacOptions, optional
        Limits of the searches.

    Returns
    -------
    Calibration
        For ``calibration=`` of the estimators and of the drop-in.
    """
    estimator = registered(model)
    if fit not in FITS:
        raise ValueError(f"fit must be one of {sorted(FITS)}, got {fit!r}")
    if not pairs or not half_widths:
        raise ValueError("pairs and half_widths must not be empty")
    variances = collect_variances(pair.variance(model) for pair in pairs)
    if not len(variances.values):
        raise ValueError(f"none of {len(pairs)} pairs has enough right matches")
    prior = FITS[fit](variances.values)
    if all(data_of(pair.x1, pair.x2).dims == (3, 3) for pair in pairs):
        prior = replace(prior, unit=AS_POINTS)  # clouds are in no pixels
    # The others can't tell one half-width from another.
    telling = [pair for pair in pairs if np.any(pair.inliers)]
    errors = np.array(
        [
            [_error(pair, estimator, prior, fraction, options) for pair in telling]
            for fraction in progress(half_widths, label="calibrating")
        ]
    )
    fraction = half_widths[_choose(errors, np.array(half_widths))]
    extents = [_extent(pair) for pair in pairs]
    return Calibration(
        model=model,
        prior=prior,
        half_width_fraction=fraction,
        half_width=fraction * float(np.median(extents)),
        num_pairs=len(pairs),
        num_skipped=variances.num_skipped,
    )


def _extent(pair: LabelledPair) -> float:
    """Return the extent of those points that have noise."""
    data = data_of(pair.x1, pair.x2)
    return data.size_of(scene_of(data.pack(pair.x1, pair.x2), data.dims)).extent


def _error(
    pair: LabelledPair,
    estimator: RegisteredEstimator,
    prior: InverseGamma,
    fraction: float,
    options: RansacOptions | None,
) -> float:
    """Return the error of the estimate with this prior and half-width."""
    score = MarginalScore(prior=prior, half_width_fraction=fraction)
    cameras = pair.K1, pair.K2
    found = estimator.run(
        pair.x1, pair.x2, cameras=cameras, score=score, options=options
    )
    return pair.error(found, estimator.name)


def _choose(errors: Array, half_widths: Array) -> int:
    """Return the index of a half-width by errors (W, P) of P pairs."""
    from scipy.special import stdtrit

    best = int(np.argmin(np.median(errors, axis=1)))
    smallest = np.finfo(np.float64).tiny
    with np.errstate(invalid="ignore"):
        ratios = np.maximum(errors, smallest) / np.maximum(errors[best], smallest)
    ratios = np.nan_to_num(ratios, nan=1.0)  # both failed
    worse = np.log(np.clip(ratios, 1.0 / MAX_RATIO, MAX_RATIO))
    num = errors.shape[1]
    if num < 2:  # nothing is known about the spread, so one pair changes nothing
        as_good = np.ones(len(half_widths), dtype=np.bool_)
    else:
        error = worse.std(axis=1, ddof=1) / np.sqrt(num)
        as_good = worse.mean(axis=1) <= stdtrit(num - 1, CONFIDENCE) * error
    as_good[best] = True
    distance = np.abs(np.log(half_widths / HALF_WIDTH_FRACTION))
    return int(np.argmin(np.where(as_good, distance, np.inf)))
