"""The scores that the paper compares on one pool of models, and how each is drawn.

The hyper-parameter is a threshold for the baselines and the half-width of the outliers
for the marginal scores, in pixels both.
"""

from __future__ import annotations

from benchmarks.methods.pool_score import PoolScore
from benchmarks.methods.yours import yours
from cvscore.scores.baselines import GaussianUniform, InlierCount, MagsacPlusPlus, Msac
from cvscore.scores.priors import InverseGamma, fit_mle, fit_robust, jeffreys
from cvscore.types import Array

# Where the search for the best hyper-parameter begins, pixels: inliers miss by about
# a pixel, outliers by anything from ten pixels to a whole image.
THRESHOLD, HALF_WIDTH = 1.0, 100.0


def _most_likely(variances: Array) -> InverseGamma:
    """Where there is no maximum (one pair, or the same one twice), use the median."""
    try:
        return fit_mle(variances) if len(variances) > 1 else fit_robust(variances)
    except ValueError:
        return fit_robust(variances)


# Baselines in cold colours, the proposed scores in warm ones.  These often coincide: a
# broad line, dashes on it, and a narrow line on both are seen all the same.
SCORES: dict[str, PoolScore] = {
    score.name: score
    for score in (
        PoolScore(
            "RANSAC", THRESHOLD, {"color": "#7f7f7f", "marker": "o"}, InlierCount
        ),
        PoolScore("MSAC", THRESHOLD, {"color": "#56b4e9", "marker": "s"}, Msac),
        PoolScore(
            "GaU", THRESHOLD, {"color": "#0072b2", "marker": "D"}, GaussianUniform
        ),
        PoolScore(
            "MAGSAC++", THRESHOLD, {"color": "#009e73", "marker": "^"}, MagsacPlusPlus
        ),
        PoolScore(
            "Jeffreys",
            HALF_WIDTH,
            {"color": "#e69f00", "marker": "v", "linewidth": 5.0},
            fit_prior=lambda _: jeffreys(),
        ),
        PoolScore(
            "IG-Robust",
            HALF_WIDTH,
            {
                "color": "#7b2fbe",
                "marker": "P",
                "linewidth": 2.6,
                "linestyle": (0, (4, 2)),
            },
            fit_prior=fit_robust,
        ),
        PoolScore(
            "IG-MLE",
            HALF_WIDTH,
            {"color": "#a50026", "marker": "X", "linewidth": 1.1},
            fit_prior=_most_likely,
        ),
        *yours("SCORES"),
    )
}
BASELINES = tuple(name for name, s in SCORES.items() if s.at_threshold is not None)
MARGINAL = tuple(name for name, s in SCORES.items() if s.fit_prior is not None)
