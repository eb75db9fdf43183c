r"""The marginal score S(k): the noise scale is integrated out, so no threshold exists.

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

This file has S(k) and its maximum by definition; `cvscore.scores.best_prefix` finds the
same maximum without sorting, and tests hold the two to each other.

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

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.scores.label_prior import log_probability

LOG_TWO_PI = math.log(2.0 * math.pi)


@kernel
def marginal_score(k, Q, N, d, n, alpha, log_2a):
    """S(k), with Q = RSS/2 + beta; -inf where k inliers fit anything."""
    nu = k * d - n
    if nu <= 0:
        return -np.inf
    P = 0.5 * nu + alpha
    return (
        math.lgamma(P) - P * math.log(Q) - 0.5 * nu * LOG_TWO_PI - (N - k) * d * log_2a
    )


@kernel
def best_prefix_by_sorting(
    sq_residuals, dim, num_params, alpha, offset, log_width, label_terms
):
    """Sort, add up, evaluate S for every k: the score by its definition.

    Parameters
    ----------
    sq_residuals : (K, N) array
        Squared residuals of K models.
    dim, num_params, alpha, offset, log_width
        d, n, alpha, beta and log(2 a).
    label_terms : (N + 1,) array
        Log probability of k inliers, see `cvscore.scores.label_prior`.

    Returns
    -------
    scores : (K,) array
        The largest S(k) of each row.
    prefixes : (K,) int array
        Its k.
    """
    num_models, num_points = sq_residuals.shape
    scores = np.full(num_models, -np.inf)
    prefixes = np.zeros(num_models, dtype=np.int64)
    for row in range(num_models):
        Q = offset
        ordered = np.sort(sq_residuals[row])
        for k in range(1, num_points + 1):
            Q += 0.5 * ordered[k - 1]
            S = marginal_score(k, Q, num_points, dim, num_params, alpha, log_width)
            S += label_terms[k]
            if scores[row] < S:
                scores[row] = S
                prefixes[row] = k
    return scores, prefixes


@kernel
def write_table(dim, num_params, alpha, log_width, label_a, label_b, table):
    """Tabulate all of S(k) but the residuals, for k = 0..N, into ``table`` (N + 1, 2).

    Q enters S in one place only, so S(k) = terms[k] - shapes[k] log Q with the terms
    those of Q = 1 and the shapes P.  ``label_a`` and ``label_b`` are those of
    `BetaPrior`, both 0 without one.
    """
    num_points = table.shape[0] - 1
    has_labels = label_a > 0.0
    for k in range(num_points + 1):
        term = marginal_score(k, 1.0, num_points, dim, num_params, alpha, log_width)
        if has_labels and term > -np.inf:
            term += log_probability(k, num_points, label_a, label_b)
        table[k, 0] = term
        table[k, 1] = 0.5 * (k * dim - num_params) + alpha
