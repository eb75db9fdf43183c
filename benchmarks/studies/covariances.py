"""What weights are worth where noise has a direction, or where SIFT tells its scale.

    python -m benchmarks covariances --num 300     # noise with a direction of its own
    python -m benchmarks covariances --sift        # scales of SIFT on photographs

Pairs of the regime "sig0.3" get more noise: the keypoints of match i in either image
that of an ellipse of its own, of any direction, whose axes are log-uniform from 1 to
`--range` (8) times 0.3 pixels.  The estimators take one weight a match and no ellipse.
Written for each problem: AUC@2 without weights, and the gain with its 95 % interval of

    mean     the inverse of the mean variance over both images
    full     the residuals whitened by the ellipses: for E and F by weights once more,
             now along the epipolar lines of the estimate with "mean", which is exact;
             for H by a least-squares fit to the inliers of that estimate

and, with ``--sift``, on real pairs, of weights from the sizes of both keypoints.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.data.pair import Array, Mask, Pair
from benchmarks.data.real import SETS, load_pair, pair_ids
from benchmarks.data.synthetic import REGIMES
from benchmarks.data.tutorial import read_entry
from benchmarks.folders import data_root
from benchmarks.methods.cvscore import estimate_pair, fit_to
from benchmarks.methods.method import fit_of
from benchmarks.problems import PROBLEMS, TWO_VIEW
from benchmarks.protocols import error_of
from benchmarks.protocols.accuracy import auc, paired_difference

REGIME = "sig0.3"
SPLITS = ("val", "surfaces")
LIMIT = 2.0  # of the AUC: degrees for E and F, pixels for H
PLANES = ("heb-fountain-0.8", "heb-herzjesus-0.8")
PHOTOGRAPHS = ("reichstag-0.8", "fountain-0.8")
SCALES = slice(6, 8)  # columns of a match of HEB, and that of its ratio
RATIO_COLUMN = 8


def with_ellipses(
    pair: Pair, rng: np.random.Generator, most: float
) -> tuple[Pair, Array]:
    """Return a pair with more noise, and its covariances (2, N, 2, 2) in either image.

    In squared pixels, with the noise that was there before.
    """
    sigma = REGIMES[REGIME].noise[0]
    moved, covariances = [], []
    for x in (pair.x1, pair.x2):
        axes = np.exp(rng.uniform(0.0, np.log(most), (len(x), 2)))
        angles = rng.uniform(0.0, np.pi, len(x))
        cos, sin = np.cos(angles), np.sin(angles)
        turns = np.array([[cos, -sin], [sin, cos]]).transpose(2, 0, 1)
        noise = sigma * np.sqrt(axes**2 - 1.0) * rng.normal(size=x.shape)
        moved.append(x + np.einsum("nij,nj->ni", turns, noise))
        scaled = turns * (sigma * axes)[:, None]
        covariances.append(scaled @ scaled.transpose(0, 2, 1))
    return replace(pair, x1=moved[0], x2=moved[1]), np.array(covariances)


def mean_weights(covariances: Array) -> Array:
    """Inverse mean variance (N,) over the coordinates of both images."""
    weights: Array = 1.0 / np.trace(covariances, axis1=2, axis2=3).sum(axis=0)
    return weights


def weights_along(F: Array, pair: Pair, covariances: Array) -> Array:
    """Weights (N,) that whiten distances to epipolar lines: J J' over J C J'."""
    ones = np.ones((len(pair.x1), 1))
    lines2 = np.hstack([pair.x1, ones]) @ F.T
    lines1 = np.hstack([pair.x2, ones]) @ F
    normals = np.stack([lines1[:, :2], lines2[:, :2]])
    variances = np.einsum("sni,snij,snj->n", normals, covariances, normals)
    weights: Array = (normals**2).sum(axis=(0, 2)) / variances
    return weights


def whitened_fit(H: Array, pair: Pair, covariances: Array, inliers: Mask) -> Array:
    """Fit a homography (3, 3) to inliers by residuals that the covariances whiten."""
    from scipy.optimize import least_squares

    x1, x2, covariances = pair.x1[inliers], pair.x2[inliers], covariances[:, inliers]

    def residuals(h: Array) -> Array:
        model = np.append(h, 1.0).reshape(3, 3)
        mapped = np.hstack([x1, np.ones((len(x1), 1))]) @ model.T
        places = mapped[:, :2] / mapped[:, 2:]
        jacobian = (
            model[None, :2, :2] - places[:, :, None] * model[None, 2:, :2]
        ) / mapped[:, 2:, None]
        spread = jacobian @ covariances[0] @ jacobian.transpose(0, 2, 1)
        factors = np.linalg.cholesky(spread + covariances[1])
        whitened: Array = np.linalg.solve(factors, (x2 - places)[:, :, None])
        return whitened.ravel()

    # In steps of the size of each entry.
    start = (H / H[2, 2]).ravel()[:8]
    found = least_squares(residuals, start, x_scale="jac", loss="soft_l1", f_scale=2.5)
    return np.append(found.x, 1.0).reshape(3, 3)


def errors_with_ellipses(pair: Pair, covariances: Array) -> dict[str, float]:
    """Return the error of each kind of estimate."""
    from cvscore.two_view.model_selection import fundamental_of

    weights = mean_weights(covariances)
    found = estimate_pair(pair, weights=weights)
    full = fit_to(found)
    if found.model is not None and pair.problem == "H":
        model = whitened_fit(found.model, pair, covariances, found.inliers)
        full = fit_of(model, found.inliers, model.shape)
    elif found.model is not None:
        cameras = None
        if pair.problem == "E":
            assert pair.K1 is not None
            assert pair.K2 is not None
            cameras = pair.K1, pair.K2
        F = fundamental_of(found.model, cameras)
        full = fit_to(estimate_pair(pair, weights=weights_along(F, pair, covariances)))
    fits = {"none": fit_to(estimate_pair(pair)), "mean": fit_to(found), "full": full}
    return {name: error_of(pair, fit) for name, fit in fits.items()}


def pairs_with_scales() -> Iterator[tuple[str, Pair, Array]]:
    """Real pairs with sizes (N, 2) of their SIFT keypoints, and what they are of."""
    for regime in PLANES:
        path = data_root() / SETS["real"]["H"][regime].path
        for key in pair_ids("H", regime):
            pair, rows = load_pair("H", regime, key), read_entry(path, f"corr_{key}")
            kept = rows[rows[:, RATIO_COLUMN] < float(regime.split("-")[-1])]
            yield f"H {regime}", pair, kept[:, SCALES]
    for regime in PHOTOGRAPHS:
        folder = data_root() / SETS["real"]["E"][regime].path / "images"
        keypoints = {path.stem: _keypoints(str(path)) for path in folder.glob("*.jpg")}
        for key in pair_ids("E", regime):
            x1, x2, sizes = _matched(*(keypoints[image] for image in key.split("-")))
            for problem in ("E", "F"):
                pair = load_pair(problem, regime, key)
                yield f"{problem} {regime}", replace(pair, x1=x1, x2=x2), sizes


def _keypoints(path: str) -> tuple[Array, Array, Array]:
    """Places (N, 2), sizes (N,) and descriptors of the command's SIFT keypoints."""
    import cv2

    from cvscore.images.features import MAX_FEATURES, read_image

    grey = cv2.cvtColor(read_image(path), cv2.COLOR_BGR2GRAY)
    sift: Any = cv2.SIFT_create(MAX_FEATURES)  # type: ignore[attr-defined]
    keys, descriptors = sift.detectAndCompute(grey, None)
    places = np.array([key.pt for key in keys], dtype=np.float64)
    return places, np.array([key.size for key in keys]), descriptors


def _matched(
    first: tuple[Array, Array, Array], second: tuple[Array, Array, Array]
) -> tuple[Array, Array, Array]:
    """Match keypoints as the command does: points (M, 2) twice, and sizes (M, 2)."""
    import cv2

    from cvscore.images.features import RATIO

    pairs = cv2.BFMatcher(cv2.NORM_L2).knnMatch(first[2], second[2], k=2)
    good = [a for a, b in pairs if a.distance <= RATIO * b.distance]
    i = np.array([match.queryIdx for match in good])
    j = np.array([match.trainIdx for match in good])
    return first[0][i], second[0][j], np.column_stack([first[1][i], second[1][j]])


def _print(name: str, rows: Sequence[dict[str, float]]) -> None:
    errors = {kind: [row[kind] for row in rows] for kind in rows[0]}
    words = [f"{auc(errors['none'], LIMIT):6.1f}"]
    for kind in list(errors)[1:]:
        gain, low, high = paired_difference(errors[kind], errors["none"], LIMIT)
        words.append(f"{kind} {gain:+.1f} ({low:+.1f} to {high:+.1f})")
    print(f"{name:24s}" + "   ".join(words), flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each problem and split, or for each set of real pairs."""
    parser = parser_of("covariances", __doc__)
    parser.add_argument("--num", type=int, default=300, help="pairs of a problem")
    parser.add_argument("--range", type=float, default=8.0, help="largest factor")
    parser.add_argument("--problems", nargs="+", default=TWO_VIEW, choices=TWO_VIEW)
    parser.add_argument("--splits", nargs="+", default=SPLITS, choices=SPLITS)
    parser.add_argument("--sift", action="store_true", help="scales of real keypoints")
    args = parser.parse_args(arguments)
    if args.sift:
        of_sets: dict[str, list[dict[str, float]]] = {}
        for name, pair, sizes in pairs_with_scales():
            weights = 1.0 / (sizes**2).sum(axis=1)
            fits = {"none": estimate_pair(pair)}
            fits |= {"scales": estimate_pair(pair, weights=weights)}
            row = {kind: error_of(pair, fit_to(found)) for kind, found in fits.items()}
            of_sets.setdefault(name, []).append(row)
        for name, rows in of_sets.items():
            _print(name, rows)
        return
    for split in args.splits:
        for problem in args.problems:
            rows = []
            for index in range(args.num):
                rng = np.random.default_rng([index, len(split), ord(problem), 1])
                pair = PROBLEMS[problem].generate(REGIME, index, split)
                pair, covariances = with_ellipses(pair, rng, args.range)
                rows.append(errors_with_ellipses(pair, covariances))
            _print(f"{problem} {split}", rows)
