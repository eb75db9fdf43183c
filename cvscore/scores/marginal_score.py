"""The scale-free marginal score as a `Score`; its mathematics are in `marginal`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvscore.scores import marginal_kernels
from cvscore.scores.best_prefix import best_prefix
from cvscore.scores.label_prior import BetaPrior, label_terms
from cvscore.scores.marginal import best_prefix_by_sorting, marginal_score
from cvscore.scores.preview import preview_scores
from cvscore.scores.prior_units import check_half_width, prior_for_points
from cvscore.scores.priors import JEFFREYS, InverseGamma
from cvscore.scores.residual_bins import lowest_bin
from cvscore.types import (
    Array,
    DataScale,
    Mask,
    ScoreKernels,
    Summary,
    positive_number,
    real_number,
    shown,
)

# Small enough to change nothing but the logarithm of zero, and large enough for its
# inverse, times the number of inliers, to be a finite weight.
MIN_RSS_FLOOR = 1e-300

# Of the extent of the points; chosen on validation problems, whose figures are those of
# `python -m benchmarks defaults`.
HALF_WIDTH_FRACTION = 0.025
# Of the half-width at the start, what it may be widened to once there is a model: a
# band four times as wide, a tenth of the extent, is as wide as serves any problem.
MAX_WIDENING = 4.0


@dataclass(frozen=True, kw_only=True)
class MarginalScore:
    """The marginal likelihood of the residuals over the noise scale.

    Parameters
    ----------
    prior : InverseGamma
        Belief about the noise variance; the default assumes nothing.
    half_width : float or None
        Half-width of the region that outlier residuals are spread over, in the unit of
        the points.  None leaves it to be set before the score is evaluated, by
        ``half_width_fraction`` times the extent of the points, and to be widened where
        that cuts off right matches (`cvscore.inference.outlier_width`).
    rss_floor : float
        Added to the sum of squared residuals (pixels squared), so that an exact fit
        has a finite score; the rounding of the coordinates is the natural choice.
    label_prior : BetaPrior or None
        Belief about the share of inliers, which is integrated out.  None, the default,
        takes every partition into inliers and outliers for equally likely.
    half_width_fraction : float
        See ``half_width``; without effect where that is given.
    max_half_width : float
        What the half-width may be widened to; None, the default, leaves it alone.
    """

    prior: InverseGamma = JEFFREYS
    half_width: float | None = None
    rss_floor: float = MIN_RSS_FLOOR
    label_prior: BetaPrior | None = None
    half_width_fraction: float = HALF_WIDTH_FRACTION
    max_half_width: float | None = None

    def __post_init__(self) -> None:
        for name in ("half_width", "half_width_fraction", "max_half_width"):
            value = getattr(self, name)
            if value is not None or name == "half_width_fraction":
                object.__setattr__(self, name, positive_number(value, name))
        floor = real_number(self.rss_floor, "rss_floor")
        if not (math.isfinite(floor) and floor >= MIN_RSS_FLOOR):
            raise ValueError(
                f"rss_floor must be finite and at least {MIN_RSS_FLOOR}, "
                f"got {shown(self.rss_floor)}"
            )
        object.__setattr__(self, "rss_floor", floor)
        if not isinstance(self.prior, InverseGamma):
            raise TypeError(f"prior must be an InverseGamma, got {shown(self.prior)}")
        if not isinstance(self.label_prior, BetaPrior | None):
            given = shown(self.label_prior)
            raise TypeError(f"label_prior must be a BetaPrior or None, got {given}")

    def with_half_width(self, half_width: float) -> MarginalScore:
        """Return this score with another half-width."""
        return replace(self, half_width=half_width)

    def for_data(self, data: DataScale) -> MarginalScore:
        """Return this score for the search: in its unit, completed by the data.

        That is the half-width, where none was given, the unit of the prior, and the
        rounding of the coordinates as the floor of the residuals.
        """
        half_width, max_half_width = self.half_width, self.max_half_width
        if half_width is None:
            # Points without any extent have no model; the width need only be valid.
            half_width = self.half_width_fraction * data.extent or 1.0
            max_half_width = MAX_WIDENING * (half_width / data.unit)
        else:
            check_half_width(half_width, data.extent, data.focal)
        floor = max(self.rss_floor, data.num_points * data.precision**2)
        prior = prior_for_points(self.prior, data.extent, data.focal)
        return self._with(
            prior=prior.scaled(1.0 / data.unit),
            half_width=half_width / data.unit,
            max_half_width=max_half_width,
            rss_floor=max(floor / data.unit**2, MIN_RSS_FLOOR),
        )

    def _with(self, **parameters: Any) -> MarginalScore:
        """Return this score with others that are valid: every call makes one."""
        score = object.__new__(MarginalScore)
        vars(score).update(vars(self), **parameters)
        return score

    def scaled(self, factor: float) -> MarginalScore:
        """Return this score for residuals that have been multiplied by ``factor``."""
        widths = self.half_width, self.max_half_width
        width, most = (None if w is None else w * factor for w in widths)
        return replace(
            self,
            prior=self.prior.scaled(factor),
            half_width=width,
            max_half_width=most,
            rss_floor=max(self.rss_floor * factor**2, MIN_RSS_FLOOR),
        )

    def rescaled(
        self, value: float, factor: float, num_points: int, dim: int, num_params: int
    ) -> float:
        """Return what a value of this score is after ``scaled(factor)``.

        The density of ``N d - n`` residuals, and of a variance to the power alpha.
        """
        power = num_points * dim - num_params + 2.0 * self.prior.alpha
        return value - power * math.log(factor)

    def evaluate(
        self, sq_residuals: Array, dim: int, num_params: int, best: float = -np.inf
    ) -> Array:
        """Score each row of residuals.

        Parameters
        ----------
        sq_residuals : (K, N) array
            Squared residuals of K models; ``inf`` and NaN are never inliers.
        dim : int
            Constraints per match, ``d``.
        num_params : int
            Degrees of freedom of the model, ``n``.
        best : float
            A row that cannot beat this may get any lower bound of its score.

        Returns
        -------
        (K,) array
            The scores; ``-inf`` where no prefix has more constraints than parameters.
        """
        compiled = _kept_kernels(self, sq_residuals.shape[1], dim, num_params)
        rows = np.ascontiguousarray(sq_residuals, dtype=np.float64)
        return compiled.evaluate(rows, float(best), compiled.constants)

    def preview(self, sq_residuals: Array, dim: int, num_params: int) -> Array:
        """Guess the order of the scores of (K, N) residuals, (K,), at little cost."""
        # A product may be infinite; a power would raise.
        guesses: Array = preview_scores(sq_residuals, self._width * self._width)
        return guesses

    def weights(self, sq_residuals: Array, dim: int, num_params: int) -> Array:
        """Minus the derivative of the score in each squared residual, (N,).

        Every inlier has the same weight, one over twice the estimated variance.
        """
        return self.assess(sq_residuals, dim, num_params)[1]

    def assess(
        self, sq_residuals: Array, dim: int, num_params: int
    ) -> tuple[float, Array]:
        """Return the score of one row (N,) and its `weights` (N,), found together."""
        compiled = _kept_kernels(self, len(sq_residuals), dim, num_params)
        return compiled.assess(_as_row(sq_residuals), compiled.constants)

    def inliers(self, sq_residuals: Array, dim: int, num_params: int) -> Mask:
        """Return the mask (N,) of the maximising prefix."""
        compiled = _kept_kernels(self, len(sq_residuals), dim, num_params)
        return compiled.inliers(_as_row(sq_residuals), compiled.constants)

    def scale(self, sq_residuals: Array, dim: int, num_params: int) -> float:
        """Estimate the noise scale s, in pixels; NaN where there are no inliers."""
        return self.summarise(sq_residuals, dim, num_params).scale

    def threshold(self, sq_residuals: Array, dim: int, num_params: int) -> float:
        """Return the residual below which one more match would be an inlier, in pixels.

        It lies between the largest inlier and the smallest outlier; NaN where there
        are no inliers.
        """
        return self.summarise(sq_residuals, dim, num_params).threshold

    def evidence(self, sq_residuals: Array, dim: int, num_params: int) -> float:
        """Log evidence of the model over "every match is an outlier".

        The choice of the prefix is part of the maximum, so pure noise has a positive
        evidence too, about 0.31 N for d = 1; and the n parameters have no prior, so
        evidences compare between models of one kind and residuals of one unit.
        """
        return self.summarise(sq_residuals, dim, num_params).evidence

    def summarise(self, sq_residuals: Array, dim: int, num_params: int) -> Summary:
        """Score, noise scale, threshold (pixels) and evidence of residuals (N,)."""
        compiled = _kept_kernels(self, len(sq_residuals), dim, num_params)
        return Summary(*compiled.summarise(_as_row(sq_residuals), compiled.constants))

    def sweep(self, sq_residuals: Array, dim: int, num_params: int) -> Array:
        """Return S(k) for k = 1..N, (N,); ``-inf`` where nu <= 0."""
        half_rss = np.cumsum(0.5 * np.sort(_without_nan(sq_residuals)))
        num, log_width = len(sq_residuals), math.log(2.0 * self._width)
        given = num, dim, num_params, float(self.prior.alpha), log_width
        scores = np.array(
            [
                marginal_score(k, half_rss[k - 1] + self._offset, *given)
                for k in range(1, num + 1)
            ]
        )
        return scores + label_terms(num, self.label_prior)[1:]

    def best_prefix(
        self, sq_residuals: Array, dim: int, num_params: int, best: float = -np.inf
    ) -> tuple[Array, NDArray[np.int64]]:
        """Return the scores (K,) and the maximising prefixes (K,), fast and exact."""
        packed = _kept_kernels(self, sq_residuals.shape[1], dim, num_params).constants
        of, borders, table = marginal_kernels.unpacked(packed)
        scores, prefixes, _ = best_prefix(
            np.ascontiguousarray(sq_residuals, dtype=np.float64),
            table,
            of.offset,
            borders,
            int(of.lowest_bin),
            float(best),
        )
        return scores, prefixes

    def best_prefix_by_sorting(
        self, sq_residuals: Array, dim: int, num_params: int
    ) -> tuple[Array, NDArray[np.int64]]:
        """Return what :meth:`best_prefix` does, by the definition."""
        found: tuple[Array, NDArray[np.int64]] = best_prefix_by_sorting(
            _without_nan(sq_residuals),
            dim,
            num_params,
            float(self.prior.alpha),
            self._offset,
            math.log(2.0 * self._width),
            label_terms(sq_residuals.shape[1], self.label_prior),
        )
        return found

    def kernels(self, num_points: int, dim: int, num_params: int) -> ScoreKernels:
        """Return the compiled functions for rows of N residuals."""
        return _kernels_of(self, num_points, dim, num_params)

    @property
    def _offset(self) -> float:
        """What is added to RSS/2 inside the logarithm."""
        return self.prior.beta + 0.5 * self.rss_floor

    @property
    def _width(self) -> float:
        if self.half_width is None:
            raise ValueError(
                "half_width is None: set it before the score is evaluated "
                "(estimate_* do so from the data)"
            )
        return self.half_width


def _kernels_of(
    score: MarginalScore, num_points: int, dim: int, num_params: int
) -> ScoreKernels:
    labels = score.label_prior
    parameters = marginal_kernels.Parameters(
        offset=score._offset,
        half_width=score._width,
        lowest_bin=lowest_bin(score._width),
        alpha=score.prior.alpha,
        beta=score.prior.beta,
        dim=dim,
        num_params=num_params,
        label_a=0.0 if labels is None else labels.a,
        label_b=0.0 if labels is None else labels.b,
    )
    packed = marginal_kernels.pack(np.array(parameters, dtype=np.float64), num_points)
    return ScoreKernels(
        preview=marginal_kernels.preview,
        evaluate=marginal_kernels.evaluate,
        assess=marginal_kernels.assess,
        inliers=marginal_kernels.inliers,
        summarise=marginal_kernels.summarise,
        resized=marginal_kernels.resized,
        constants=packed,
    )


# The methods above score a pair thousands of times with the same few counts of points;
# a search asks once, and to look for what is kept takes longer than to make it.
_kept_kernels = lru_cache(maxsize=64)(_kernels_of)


def _as_row(sq_residuals: Array) -> Array:
    return np.ascontiguousarray(sq_residuals, dtype=np.float64)


def _without_nan(sq_residuals: Array) -> Array:
    return np.where(np.isnan(sq_residuals), np.inf, sq_residuals).astype(np.float64)
