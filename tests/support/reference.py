"""Slow NumPy twins of the kernels: one plain formula each, no shared code."""

import math

import numpy as np
import scipy.stats
from scipy.special import gamma, gammainc, gammaincc

# Homography and fundamental matrix.


def third_coordinates(H, points):
    """How far (N,) on the visible side of the horizon the points (4, N) are."""
    return H[2, :2] @ points[:2] + H[2, 2]


def homography_constraints(H, match):
    """Both constraints (2,) of a match (x1, y1, x2, y2) and their Jacobian (2, 4)."""
    x, y, u, v = match
    p, q, w = H @ [x, y, 1.0]
    jacobian = np.array(
        [
            [u * H[2, 0] - H[0, 0], u * H[2, 1] - H[0, 1], w, 0.0],
            [v * H[2, 0] - H[1, 0], v * H[2, 1] - H[1, 1], 0.0, w],
        ]
    )
    return np.array([u * w - p, v * w - q]), jacobian


def homography_whitened_residuals(H, points):
    """Residuals (2N,) whose squares are the Sampson residuals, for least squares."""
    whitened = []
    for match in points.T:
        g, J = homography_constraints(H, match)
        whitened.append(np.linalg.solve(np.linalg.cholesky(J @ J.T), g))
    return np.concatenate(whitened)


def homography_sq_residuals(H, points):
    """Squared Sampson residuals (N,) of one homography, inf behind the horizon."""
    sq_residuals = np.full(points.shape[1], np.inf)
    for i, match in enumerate(points.T):
        g, J = homography_constraints(H, match)
        if H[2] @ [match[0], match[1], 1.0] > 0:
            sq_residuals[i] = g @ np.linalg.solve(J @ J.T, g)
    return sq_residuals


def null_vectors(rows, count):
    """The right singular vectors (count, n) of the smallest singular values."""
    return np.linalg.svd(np.asarray(rows))[2][-count:]


def homography_of_four(points):
    """The homography (3, 3) of unit norm through four matches (4, 4), sign open."""
    rows = []
    for x, y, u, v in points.T:
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, -u])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, -v])
    return null_vectors(rows, 1).reshape(3, 3)


def fundamental_sampson(F, points):
    """Sampson residuals (N,), signed and not squared, of one fundamental matrix."""
    residuals = []
    for x, y, u, v in points.T:
        line2, line1 = F @ [x, y, 1.0], F.T @ [u, v, 1.0]
        gradient = np.concatenate([line2[:2], line1[:2]])
        residuals.append(np.array([u, v, 1.0]) @ line2 / np.linalg.norm(gradient))
    return np.array(residuals)


def fundamentals_of_seven(points):
    """All real fundamental matrices of unit norm through seven matches (4, 7)."""
    rows = [np.kron([u, v, 1.0], [x, y, 1.0]) for x, y, u, v in points.T]
    A, B = null_vectors(rows, 2).reshape(2, 3, 3)
    # The cubic det(t A + B) through its values at four places.
    places = np.array([-1.0, -0.3, 0.4, 1.0])
    values = [np.linalg.det(t * A + B) for t in places]
    roots = np.roots(np.polyfit(places, values, 3))
    real = roots[np.abs(roots.imag) < 1e-9 * (1 + np.abs(roots))].real
    models = [t * A + B for t in real]
    return [model / np.linalg.norm(model) for model in models]


def keeps_orientation(F, points):
    """Whether ``e2 x x2`` and ``F x1`` are multiples of one sign at all matches."""
    e2 = np.linalg.svd(F)[0][:, 2]
    signs = set()
    for x, y, u, v in points.T:
        signs.add(np.sign(np.cross(e2, [u, v, 1.0]) @ (F @ [x, y, 1.0])))
    return len(signs) == 1


def distance_up_to_sign(model, models):
    """How far the nearest of ``models``, or of their negatives, is from ``model``."""
    models = np.asarray(models).reshape(-1, 3, 3)
    both = np.concatenate([models, -models])
    return np.abs(both - model).max(axis=(1, 2)).min()


# Essential matrix and what it shares with the fundamental matrix.


def finite_differences(function, x, step=1e-6):
    """Jacobian (outputs, inputs) of a function of a vector, by central differences."""
    columns = []
    for k in range(len(x)):
        offset = np.zeros(len(x))
        offset[k] = step
        high, low = function(x + offset), function(x - offset)
        columns.append((np.atleast_1d(high) - np.atleast_1d(low)) / (2 * step))
    return np.column_stack(columns)


def epipolar_gradient(F, points):
    """Derivative (4, N) of ``x2' F x1`` by the four coordinates of each match."""
    gradients = []
    for x, y, u, v in points.T:
        line2, line1 = F @ [x, y, 1.0], F.T @ [u, v, 1.0]
        gradients.append([*line1[:2], *line2[:2]])
    return np.array(gradients).T


def nearest_epipolar_match(F, points):
    """Matches (4, N) with ``x2' F x1 = 0``, by steps along the gradient."""
    points = points.copy()
    for _ in range(50):
        gradient = epipolar_gradient(F, points)
        sizes = np.linalg.norm(gradient, axis=0)
        points -= fundamental_sampson(F, points) / sizes * gradient
    return points


def essential_violations(E, points):
    """All conditions (10 + N,) on an essential matrix of normalised matches (4, N)."""
    E = E * np.sqrt(2) / np.linalg.norm(E)
    cubic = 2 * E @ E.T @ E - np.trace(E @ E.T) * E
    x1 = np.vstack([points[:2], np.ones(points.shape[1])])
    x2 = np.vstack([points[2:], np.ones(points.shape[1])])
    fit = np.einsum("in,ij,jn->n", x2, E, x1)
    return np.concatenate([[np.linalg.det(E)], cubic.ravel(), fit])


def nearest_essential(E, points):
    """Gauss-Newton on `essential_violations` in the nine entries of the matrix."""
    entries = E.ravel() * np.sqrt(2) / np.linalg.norm(E)
    for _ in range(10):
        values = essential_violations(entries.reshape(3, 3), points)
        jacobian = finite_differences(
            lambda e: essential_violations(e.reshape(3, 3), points), entries
        )
        entries = entries - np.linalg.lstsq(jacobian, values, rcond=1e-9)[0]
        entries *= np.sqrt(2) / np.linalg.norm(entries)
    return entries.reshape(3, 3)


def poses_of_essential(E):
    """The four poses (R, t) of an essential matrix, by its singular vectors."""
    U, _, Vt = np.linalg.svd(E)
    U, Vt = U * np.linalg.det(U), Vt * np.linalg.det(Vt)
    W = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return [
        (R, sign * U[:, 2]) for R in (U @ W @ Vt, U @ W.T @ Vt) for sign in (1.0, -1.0)
    ]


def depths(R, t, match):
    """Depths of a normalised match in both cameras, by least squares on the rays."""
    a, b = R @ [match[0], match[1], 1.0], np.array([match[2], match[3], 1.0])
    return np.linalg.lstsq(np.column_stack([a, -b]), -t, rcond=None)[0]


# Scores.


def marginal_scores(sq_residuals, dim, num_params, alpha, beta, half_width):
    """S(k) for k = 1..N from the formula, each sum exact to the last bit; (N,)."""
    num_points = len(sq_residuals)
    ordered = np.sort(sq_residuals)
    scores = np.full(num_points, -np.inf)
    for k in range(1, num_points + 1):
        nu = k * dim - num_params
        if nu > 0:
            rss = math.fsum(ordered[:k])
            scores[k - 1] = (
                math.lgamma(nu / 2 + alpha)
                - (nu / 2 + alpha) * math.log(rss / 2 + beta)
                - (nu / 2) * math.log(2 * math.pi)
                - (num_points - k) * dim * math.log(2 * half_width)
            )
    return scores


def msac_scores(sq_residuals, threshold):
    """Sum of max(0, 1 - q/t^2) over the last axis."""
    return np.maximum(0.0, 1.0 - sq_residuals / threshold**2).sum(axis=-1)


def gaussian_uniform_scores(sq_residuals, threshold, dim):
    """Sum of log(1 + exp((t^2 - q) / (2 s^2))) over the last axis."""
    sigma = threshold / scipy.stats.chi(dim).ppf(0.99)
    exponents = (threshold**2 - sq_residuals) / (2 * sigma**2)
    return np.logaddexp(0.0, exponents).sum(axis=-1)


def magsac_losses(residuals, threshold):
    """The published loss of MAGSAC++ at plain residuals, constants dropped."""
    n, kappa = 4, 3.64
    sigma = threshold / kappa
    x = np.minimum(residuals, threshold) ** 2 / (2 * sigma**2)
    lower = gammainc((n + 1) / 2, x) * gamma((n + 1) / 2)
    upper = (gammaincc((n - 1) / 2, x) - gammaincc((n - 1) / 2, kappa**2 / 2)) * gamma(
        (n - 1) / 2
    )
    return sigma**2 / 2 * lower + sigma**2 * x / 2 * upper


def fundamental_from_parallax(H, points):
    """``[e2]x H`` of unit norm, e2 where the lines of two matches (4, 2) meet."""
    lines = []
    for x, y, u, v in points.T:
        lines.append(np.cross([u, v, 1.0], H @ [x, y, 1.0]))
    e2 = np.cross(*lines)
    F = np.cross(e2, H.T).T
    return F / np.linalg.norm(F)
