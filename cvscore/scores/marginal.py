r"""A score in which the noise scale is integrated out, so that no threshold exists.

The model
---------
A candidate explains the ``k`` matches with the smallest residuals as inliers and the
other ``N - k`` as outliers.  An inlier's residual (``d`` constraints per match) is
Gaussian with an unknown variance ``v``; an outlier's is uniform over a box of
half-width ``a``, with density ``(2 a)**-d``.  Fitting the ``n`` parameters of the model
absorbs ``n`` of the ``k d`` dimensions of the inliers' residuals and leaves

    nu = k d - n        degrees of freedom (a prefix with nu <= 0 fits anything),
    RSS = q_(1) + ... + q_(k)        the sum of the k smallest squared residuals.

The variance has the Inverse-Gamma prior ``v**(-alpha - 1) exp(-beta / v) dv``, left
without its normalising constant, which depends on neither the model nor ``k``.  With
``alpha = beta = 0`` it is ``dv / v``, the measure of Jeffreys: every order of magnitude
of the scale is as likely as any other.  The integral over the variance is a Gamma
integral,

    int (2 pi v)**(-nu/2) exp(-RSS / (2 v)) v**(-alpha - 1) exp(-beta / v) dv
        = (2 pi)**(-nu/2) Gamma(P) Q**-P,    P = nu/2 + alpha,    Q = RSS/2 + beta,

and its logarithm, together with that of the outliers' density, is the score

    S(k) = logGamma(P) - P log Q - (nu/2) log(2 pi) - (N - k) d log(2 a).

The score of the model is the maximum over ``k``, and the prefix that attains it is the
inlier set.  A prior on the share of inliers may be integrated out as well; it adds a
term that depends on ``k`` only (:mod:`cvscore.scores.label_prior`).

Two facts
---------
*The threshold is a result.*  One more residual ``q`` raises the score exactly if

    P' log(1 + q / (2 Q)) < logGamma(P') - logGamma(P) - (d/2) log(2 pi Q) + d log(2 a)

with ``P' = P + d/2``.  For many inliers of scale ``s`` this tends to
``q < d s**2 log(2 a**2 / (pi s**2))``: about 2 s (d = 1) when a = 10 s, 3 s at 100 s.

*Equal residuals stay together.*  Where RSS grows by a constant ``l`` per match, as it
does along a run of equal residuals, S is strictly convex in ``k``: with
``x = P (l/2) / Q`` and ``trigamma(P) > 1/P``,

    P S'' = P trigamma(P) (d/2)**2 - d x + x**2 > (x - d/2)**2 >= 0,

so its maximum over the run is at an end of it.  (The first prefix with nu > 0 may be
such an end in the middle of a run; then the whole run is called inliers.)  The fast
search of :mod:`cvscore.scores.best_prefix` rests on the same inequality.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cvscore.scores.priors import InverseGamma
from cvscore.scores import marginal_kernels as _packed
from cvscore.scores.residual_bins import lowest_bin
from cvscore.scores.by_sorting import best_prefix_by_sorting
from cvscore.scores.label_prior import BetaPrior, label_terms
from cvscore.scores.best_prefix import best_prefix
from cvscore.scores.preview import preview_scores
from cvscore.types import Array, Mask, ScoreKernels, Summary

# Small enough to change nothing but the logarithm of zero, and large enough for its
# inverse, times the number of inliers, to be a finite weight.
MIN_RSS_FLOOR = 1e-300

# Of the extent of the points; chosen on validation problems (benchmarks/README.md).
HALF_WIDTH_FRACTION = 0.025


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
        that cuts off right matches (`cvscore.inference.outlier_width`) or narrowed to a finer
        homography (`cvscore.finer`).
    rss_floor : float
        Added to the sum of squared residuals (pixels squared), so that an exact fit
        has a finite score; the rounding of the coordinates is the natural choice.
    label_prior : BetaPrior or None
        Belief about the share of inliers, which is integrated out.  None, the default,
        takes every partition into inliers and outliers for equally likely.
    half_width_fraction : float
        See ``half_width``; without effect where that is given.
    """

    prior: InverseGamma = field(default_factory=InverseGamma.jeffreys)
    half_width: float | None = None
    rss_floor: float = MIN_RSS_FLOOR
    label_prior: BetaPrior | None = None
    half_width_fraction: float = HALF_WIDTH_FRACTION

    def __post_init__(self) -> None:
        for name in ("half_width", "half_width_fraction"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0.0):
                raise ValueError(f"{name} must be finite and positive, got {value}")
        if not (math.isfinite(self.rss_floor) and self.rss_floor >= MIN_RSS_FLOOR):
            raise ValueError(
                f"rss_floor must be finite and at least {MIN_RSS_FLOOR}, "
                f"got {self.rss_floor}"
            )

    def scaled(self, factor: float) -> MarginalScore:
        """Return this score for residuals that have been multiplied by ``factor``."""
        width = None if self.half_width is None else self.half_width * factor
        return replace(
            self,
            prior=self.prior.scaled(factor),
            half_width=width,
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
        compiled = self.kernels(sq_residuals.shape[1], dim, num_params)
        rows = np.ascontiguousarray(sq_residuals, dtype=np.float64)
        return compiled.evaluate(rows, float(best), compiled.constants)

    def preview(self, sq_residuals: Array, dim: int, num_params: int) -> Array:
        """Guess the order of the scores of (K, N) residuals, (K,), at little cost."""
        guesses: Array = preview_scores(sq_residuals, self._width**2)
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
        compiled = self.kernels(len(sq_residuals), dim, num_params)
        return compiled.assess(_as_row(sq_residuals), compiled.constants)

    def inliers(self, sq_residuals: Array, dim: int, num_params: int) -> Mask:
        """Return the mask (N,) of the maximising prefix."""
        compiled = self.kernels(len(sq_residuals), dim, num_params)
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
        compiled = self.kernels(len(sq_residuals), dim, num_params)
        return Summary(*compiled.summarise(_as_row(sq_residuals), compiled.constants))

    def sweep(self, sq_residuals: Array, dim: int, num_params: int) -> Array:
        """Return S(k) for k = 1..N, (N,); ``-inf`` where nu <= 0."""
        half_rss = np.cumsum(0.5 * np.sort(_without_nan(sq_residuals)))
        constants = self.kernels(len(sq_residuals), dim, num_params).constants
        terms, shapes = constants[_packed.TABLE_START :].reshape(-1, 2)[1:].T
        scores = terms.copy()
        admissible = scores > -np.inf
        log_rates = np.log(half_rss[admissible] + self._offset)
        scores[admissible] -= shapes[admissible] * log_rates
        return scores

    def best_prefix(
        self, sq_residuals: Array, dim: int, num_params: int, best: float = -np.inf
    ) -> tuple[Array, NDArray[np.int64]]:
        """Return the scores (K,) and the maximising prefixes (K,), fast and exact."""
        constants = self.kernels(sq_residuals.shape[1], dim, num_params).constants
        scores, prefixes, _ = best_prefix(
            np.ascontiguousarray(sq_residuals, dtype=np.float64),
            constants[_packed.TABLE_START :].reshape(-1, 2),
            self._offset,
            constants[_packed.NUM_NUMBERS : _packed.TABLE_START],
            lowest_bin(self._width),
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
        return _kernels(self, num_points, dim, num_params)

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


# A pair is scored thousands of times with the same few counts of points.
@lru_cache(maxsize=64)
def _kernels(
    score: MarginalScore, num_points: int, dim: int, num_params: int
) -> ScoreKernels:
    labels = score.label_prior
    numbers = np.array(
        [
            score._offset,
            score._width,
            lowest_bin(score._width),
            score.prior.alpha,
            score.prior.beta,
            dim,
            num_params,
            0.0 if labels is None else labels.a,
            0.0 if labels is None else labels.b,
        ],
        dtype=np.float64,
    )
    return ScoreKernels(
        _packed.preview,
        _packed.evaluate,
        _packed.assess,
        _packed.inliers,
        _packed.summarise,
        _packed.resize,
        _packed.pack(numbers, num_points),
    )


def _as_row(sq_residuals: Array) -> Array:
    return np.ascontiguousarray(sq_residuals, dtype=np.float64)


def _without_nan(sq_residuals: Array) -> Array:
    return np.where(np.isnan(sq_residuals), np.inf, sq_residuals).astype(np.float64)
