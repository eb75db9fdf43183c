"""How often `Estimate.is_determined` is right.

    python -m benchmarks undetermined --num 300
    python -m benchmarks undetermined --real

Of matches that leave something open nearly all should be named, of others hardly any:
three kinds of scenes of `benchmarks.data.open_scenes`.  On real pairs nobody knows; the
share that is named is printed among those whose answer is within ten degrees or pixels
of the truth, and among the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.data.open_scenes import (
    INLIERS,
    at_rest,
    draw_views,
    from_one_place,
    general,
    plane,
    turning,
    with_noise_and_outliers,
)
from benchmarks.data.pair import Array, Fit
from benchmarks.data.real import SETS, load_pair, pair_ids
from benchmarks.data.views import Views, log_uniform
from benchmarks.methods.cvscore import estimate
from benchmarks.protocols import error_of
from cvscore import (
    Estimate,
    estimate_absolute_pose,
    estimate_essential,
    estimate_fundamental,
    estimate_homography,
)

SCENES = ("clouds", "surfaces", "street")
DEPTHS = (1.0, 4.0)  # of scene points before a camera
LIMIT = 10.0  # degrees or pixels: beyond it an answer is wrong
DrawExact = Callable[[np.random.Generator, str, int], tuple[Array, Views]]


def of_images(
    draw: DrawExact, model: str, rng: np.random.Generator, scene: str
) -> Estimate:
    """Estimate F or E of two images, with noise and wrong matches."""
    matches, views = draw(rng, scene, round(log_uniform(rng, *INLIERS)))
    rows = with_noise_and_outliers(rng, matches, 4, views.random_matches)
    x1, x2 = rows[:, :2].copy(), rows[:, 2:].copy()
    if model == "E":
        return estimate_essential(x1, x2, views.camera1.K, views.camera2.K)
    return estimate_fundamental(x1, x2)


def same_image(model: str, rng: np.random.Generator, scene: str) -> Estimate:
    """Estimate F or E of an image and itself."""
    views = draw_views(rng, scene)
    x = views.camera1.random_pixels(rng, round(log_uniform(rng, *INLIERS)))
    if model == "E":
        return estimate_essential(x, x, views.camera1.K)
    return estimate_fundamental(x, x)


def homography(rng: np.random.Generator, scene: str, *, is_line: bool) -> Estimate:
    """Estimate a homography from points on a plane, or on a line of it."""
    num = round(log_uniform(rng, *INLIERS))
    matches, views = plane(rng, scene, max(num, 2))
    if is_line:
        first, last = matches[0, :2], matches[1, :2]
        # A projective map takes the line to a line, and what is on it in any way.
        along = rng.uniform(size=(num, 1))
        slant = rng.uniform(-0.3, 0.3)
        there = matches[0, 2:] + (along + slant * along * (1.0 - along)) * (
            matches[1, 2:] - matches[0, 2:]
        )
        matches = np.hstack([first + along * (last - first), there])
    rows = with_noise_and_outliers(rng, matches, 4, views.random_matches)
    return estimate_homography(rows[:, :2].copy(), rows[:, 2:].copy())


def absolute_pose(rng: np.random.Generator, scene: str, *, is_line: bool) -> Estimate:
    """Estimate a pose before points with depth, or on a line."""
    num = round(log_uniform(rng, *INLIERS))
    camera = draw_views(rng, scene).camera1

    def anywhere(rng: np.random.Generator, num: int) -> Array:
        rays = camera.rays(camera.random_pixels(rng, num))
        return rng.uniform(*DEPTHS, size=(num, 1)) * rays

    def wrong(rng: np.random.Generator, num: int) -> Array:
        return np.hstack([camera.random_pixels(rng, num), anywhere(rng, num)])

    X = anywhere(rng, num)
    if is_line:
        X = X[:1] + rng.uniform(size=(num, 1)) * (X[1:2] - X[:1])
    x = X[:, :2] / X[:, 2:] * np.diag(camera.K)[:2] + camera.K[:2, 2]
    rows = with_noise_and_outliers(rng, np.hstack([x, X]), 2, wrong)
    return estimate_absolute_pose(rows[:, :2].copy(), rows[:, 2:].copy(), camera.K)


turned = partial(from_one_place, moved=turning)
rested = partial(from_one_place, moved=at_rest)
Case = Callable[[np.random.Generator, str], Estimate]
OPEN: dict[str, Case] = {
    "F, plane": partial(of_images, plane, "F"),
    "F, camera only turned": partial(of_images, turned, "F"),
    "F, at rest": partial(of_images, rested, "F"),
    "F, x1 == x2": partial(same_image, "F"),
    "E, camera only turned": partial(of_images, turned, "E"),
    "E, at rest": partial(of_images, rested, "E"),
    "E, x1 == x2": partial(same_image, "E"),
    "H, line": partial(homography, is_line=True),
    "PnP, line": partial(absolute_pose, is_line=True),
}
DETERMINED: dict[str, Case] = {
    "F, depth": partial(of_images, general, "F"),
    "E, depth": partial(of_images, general, "E"),
    "E, plane": partial(of_images, plane, "E"),
    "H, plane": partial(homography, is_line=False),
    "PnP, depth": partial(absolute_pose, is_line=False),
}


def share_named(case: Case, scene: str, num: int, seed: int) -> float:
    """Return which part of estimates, in per cent, is said to be undetermined."""
    rngs = [np.random.default_rng([seed, SCENES.index(scene), k]) for k in range(num)]
    return 100.0 * float(np.mean([not case(rng, scene).is_determined for rng in rngs]))


def print_synthetic(num: int, seed: int) -> None:
    """Print the share that is named, by case and scene."""
    for title, cases in (("open", OPEN), ("determined", DETERMINED)):
        print(f"{title}, % named as undetermined: " + ", ".join(SCENES))
        for name, case in cases.items():
            shares = [share_named(case, scene, num, seed) for scene in SCENES]
            print(f"  {name:24s}" + "".join(f"{s:8.1f}" for s in shares), flush=True)


def print_real(num: int, seed: int) -> None:
    """Print the share that is named among right and among wrong answers."""
    print("real pairs: of right answers named, of wrong ones named")
    for problem, sets in SETS["real"].items():
        for regime, files in sets.items():
            if not files.is_here():
                continue
            counts = _named_by_outcome(problem, regime, num, seed)
            right, wrong = (counts[k] + counts[k, "named"] for k in (True, False))
            print(
                f"  {problem} {regime:20s} {counts[True, 'named']:4d} of {right:4d}   "
                f"{counts[False, 'named']:4d} of {wrong:4d}",
                flush=True,
            )


def _named_by_outcome(problem: str, regime: str, num: int, seed: int) -> Counter:
    """Count estimates by whether they are right, and whether they are named."""
    ids, counts = pair_ids(problem, regime), Counter()
    for k in np.random.default_rng(seed).permutation(len(ids))[:num]:
        pair = load_pair(problem, regime, ids[k])
        found = estimate(problem, pair)
        if not found:
            continue
        is_right = error_of(pair, Fit(found.model, found.inliers)) <= LIMIT
        counts[is_right if found.is_determined else (is_right, "named")] += 1
    return counts


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how often something open is named, and how often wrongly."""
    parser = parser_of("undetermined", __doc__)
    parser.add_argument("--num", type=int, default=100, help="problems of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--real", action="store_true", help="real pairs instead")
    args = parser.parse_args(arguments)
    (print_real if args.real else print_synthetic)(args.num, args.seed)
