"""How often `Estimate.is_determined` is right.

    python -m benchmarks undetermined --num 300
    python -m benchmarks undetermined --real
    python -m benchmarks undetermined --clips --num 14 --seed 300

Of matches that leave something open nearly all should be named, of others hardly any:
three kinds of scenes of `benchmarks.data.open_scenes`.  What is nearly flat is open or
not, and so are real pairs and those of rendered clips (`benchmarks.data.clips`): there
those should be named whose answer is wrong, which is more than ten degrees or pixels
off the truth.  No direction is right where the camera did not move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.data.clips import KINDS, clips_of, textures
from benchmarks.data.open_scenes import (
    INLIERS,
    at_rest,
    draw_views,
    from_one_place,
    general,
    nearly_flat,
    plane,
    through_lens,
    turning,
    with_noise_and_outliers,
)
from benchmarks.data.pair import Array, Fit, Pair, Pose
from benchmarks.data.real import SETS, load_pair, pair_ids
from benchmarks.data.views import Views, log_uniform
from benchmarks.methods.cvscore import estimate_pair
from benchmarks.protocols import error_of
from cvscore import (
    estimate_absolute_pose,
    estimate_essential,
    estimate_fundamental,
    estimate_homography,
)

SCENES = ("clouds", "surfaces", "street")
DEPTHS = (1.0, 4.0)  # of scene points before a camera
LIMIT = 10.0  # degrees or pixels: beyond it an answer is wrong
DrawExact = Callable[[np.random.Generator, str, int], tuple[Array, Views]]


class Outcome(NamedTuple):
    """Whether an estimate is said to be open, and whether it is known to be wrong."""

    is_named: bool
    is_wrong: bool = False


def of_images(
    draw: DrawExact, model: str, rng: np.random.Generator, scene: str
) -> Outcome:
    """Estimate F or E of two images, with noise and wrong matches."""
    matches, views = draw(rng, scene, round(log_uniform(rng, *INLIERS)))
    rows = with_noise_and_outliers(rng, matches, 4, views.random_matches)
    x1, x2 = rows[:, :2].copy(), rows[:, 2:].copy()
    cameras = {"K1": views.camera1.K, "K2": views.camera2.K}
    pair = Pair("", model, x1, x2, Pose(views.R, views.t), **cameras)
    return outcome(pair)


def outcome(pair: Pair) -> Outcome:
    """Estimate the model of a pair whose pose is known."""
    found = estimate_pair(pair)
    fit = Fit(found.model, found.inliers) if found else None
    moved = not isinstance(pair.truth, Pose) or np.any(pair.truth.t)
    return Outcome(not found.is_determined, not moved or error_of(pair, fit) > LIMIT)


def same_image(model: str, rng: np.random.Generator, scene: str) -> Outcome:
    """Estimate F or E of an image and itself."""
    views = draw_views(rng, scene)
    x = views.camera1.random_pixels(rng, round(log_uniform(rng, *INLIERS)))
    if model == "E":
        return Outcome(not estimate_essential(x, x, views.camera1.K).is_determined)
    return Outcome(not estimate_fundamental(x, x).is_determined)


def homography(rng: np.random.Generator, scene: str, *, is_line: bool) -> Outcome:
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
    found = estimate_homography(rows[:, :2].copy(), rows[:, 2:].copy())
    return Outcome(not found.is_determined)


def absolute_pose(rng: np.random.Generator, scene: str, *, is_line: bool) -> Outcome:
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
    x, X = rows[:, :2].copy(), rows[:, 2:].copy()
    return Outcome(not estimate_absolute_pose(x, X, camera.K).is_determined)


turned = partial(from_one_place, moved=turning)
rested = partial(from_one_place, moved=at_rest)
Case = Callable[[np.random.Generator, str], Outcome]
OPEN: dict[str, Case] = {
    "F, plane": partial(of_images, plane, "F"),
    "F, plane through a lens": partial(
        of_images, partial(through_lens, draw=plane), "F"
    ),
    "F, camera only turned": partial(of_images, turned, "F"),
    "F, at rest": partial(of_images, rested, "F"),
    "F, x1 == x2": partial(same_image, "F"),
    "E, camera only turned": partial(of_images, turned, "E"),
    "E, at rest": partial(of_images, rested, "E"),
    "E, x1 == x2": partial(same_image, "E"),
    "H, line": partial(homography, is_line=True),
    "PnP, line": partial(absolute_pose, is_line=True),
}
NEARLY: dict[str, Case] = {
    "F, nearly flat": partial(of_images, nearly_flat, "F"),
    "E, nearly flat": partial(of_images, nearly_flat, "E"),
}
DETERMINED: dict[str, Case] = {
    "F, depth": partial(of_images, general, "F"),
    "F, depth through a lens": partial(
        of_images, partial(through_lens, draw=general), "F"
    ),
    "E, depth": partial(of_images, general, "E"),
    "E, plane": partial(of_images, plane, "E"),
    "H, plane": partial(homography, is_line=False),
    "PnP, depth": partial(absolute_pose, is_line=False),
}


def count(outcomes: Iterable[Outcome]) -> str:
    """Return named of right and named of wrong estimates."""
    counts = Counter(outcomes)
    right, wrong = (
        (counts[True, is_wrong], counts[True, is_wrong] + counts[False, is_wrong])
        for is_wrong in (False, True)
    )
    return f"{right[0]:5d} of {right[1]:4d} {wrong[0]:5d} of {wrong[1]:4d}"


def print_synthetic(num: int, seed: int) -> None:
    """Print how many are named, by case and scene."""
    print("named of those within 10 degrees, and of the others: " + ", ".join(SCENES))
    for title, cases in (("open", OPEN), ("nearly", NEARLY), ("not", DETERMINED)):
        print(title)
        for name, case in cases.items():
            print(f"  {name:24s}", end="")
            for k, scene in enumerate(SCENES):
                rngs = (np.random.default_rng([seed, k, i]) for i in range(num))
                found = count(case(rng, scene) for rng in rngs)
                print(f"   {found}", end="", flush=True)
            print()


def print_real(num: int, seed: int) -> None:
    """Print how many are named among right and among wrong answers."""
    print("named of those within 10 degrees or pixels, and of the others")
    for split, problem in product(("real", "rematched"), SETS["real"]):
        for regime, files in SETS[split].get(problem, {}).items():
            if not files.is_here():
                continue
            ids = pair_ids(problem, regime, split)
            chosen = np.random.default_rng(seed).permutation(len(ids))[:num]
            pairs = (load_pair(problem, regime, ids[k], split) for k in chosen)
            print(
                f"  {problem:4s}{regime:20s}   {count(map(outcome, pairs))}", flush=True
            )


def print_clips(num: int, seed: int) -> None:
    """Print how many are named among right and among wrong answers, by kind of clip."""
    print("named of those within 10 degrees, and of the others")
    for surface, texture in textures().items():
        for kind in KINDS:
            pairs = list(clips_of(kind, range(seed, seed + num), texture))
            for model in "FE":
                found = count(outcome(replace(pair, problem=model)) for pair in pairs)
                print(f"  {surface:13s}{model}, {kind:20s}   {found}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how often something open is named, and how often wrongly."""
    parser = parser_of("undetermined", __doc__)
    parser.add_argument("--num", type=int, default=100, help="problems of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--real", action="store_true", help="real pairs instead")
    parser.add_argument("--clips", action="store_true", help="rendered clips instead")
    args = parser.parse_args(arguments)
    show = print_real if args.real else print_clips if args.clips else print_synthetic
    show(args.num, args.seed)
