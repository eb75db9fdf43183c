"""The scores that the paper compares on one pool of models, and how each is drawn.

The hyper-parameter is a threshold for the baselines and the half-width of the outliers
for the marginal scores, in pixels both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cvscore.scores.baselines import GaussianUniform, InlierCount, MagsacPlusPlus, Msac
from cvscore.scores.priors import InverseGamma, fit_mle, fit_robust, jeffreys
from cvscore.types import Array

# Where the search for the best hyper-parameter begins, pixels: inliers miss by about
# a pixel, outliers by anything from ten pixels to a whole image.
THRESHOLD, HALF_WIDTH = 1.0, 100.0


@dataclass(frozen=True)
class PoolScore:
    """One way to choose a model of a pool.

    Attributes
    ----------
    name : str
        As it stands in the tables.
    start : float
        Hyper-parameter with which the search for the best one begins, pixels.
    style : mapping
        Of its line in the figures.
    at_threshold : callable or None
        A baseline's score at a threshold.
    fit_prior : callable or None
        A marginal score's prior, from the variances (P,) of some pairs, P > 0.
    """

    name: str
    start: float
    style: Mapping[str, Any]
    at_threshold: Callable[[float], Any] | None = None
    fit_prior: Callable[[Array], InverseGamma] | None = None


def _most_likely(variances: Array) -> InverseGamma:
    """Where there is no maximum (one pair, or the same one twice), use the median."""
    try:
        return fit_mle(variances) if len(variances) > 1 else fit_robust(variances)
    except ValueError:
        return fit_robust(variances)


# Baselines in cold colours, the proposed scores in warm ones; these often coincide, so
# that later ones are narrower and leave the others to be seen.
SCORES: dict[str, PoolScore] = {
    score.name: score
    for score in (
        PoolScore("RANSAC", THRESHOLD, {"color": "#7f7f7f"}, InlierCount),
        PoolScore("MSAC", THRESHOLD, {"color": "#17becf"}, Msac),
        PoolScore("GaU", THRESHOLD, {"color": "#1f77b4"}, GaussianUniform),
        PoolScore("MAGSAC++", THRESHOLD, {"color": "#2ca02c"}, MagsacPlusPlus),
        PoolScore(
            "Jeffreys",
            HALF_WIDTH,
            {"color": "#d62728", "linewidth": 4.5},
            fit_prior=lambda _: jeffreys(),
        ),
        PoolScore(
            "IG-Robust",
            HALF_WIDTH,
            {"color": "#ffb000", "linewidth": 2.6},
            fit_prior=fit_robust,
        ),
        PoolScore(
            "IG-MLE",
            HALF_WIDTH,
            {"color": "#7b2fbe", "linewidth": 1.1},
            fit_prior=_most_likely,
        ),
    )
}
BASELINES = tuple(name for name, s in SCORES.items() if s.at_threshold is not None)
MARGINAL = tuple(name for name, s in SCORES.items() if s.fit_prior is not None)
