"""How often `select_model` names the kind of geometry that made the matches.

    python -m benchmarks model-selection --num 200

Pairs are those of `data.views`: cameras 640 to 4000 pixels wide, baselines of
0.05 to 0.5 mean depths, far points 1.3 to 4 times as far as near ones; the planes are
tilted by up to 50 degrees and seen over half to all of the image's sides; rotations are
by 1 to 20 degrees.  50 to 2000 inliers, 30 to 95 % of all matches, noise 0.3 to 3
pixels, outliers anywhere in either image.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.data.pair import Array
from benchmarks.data.views import (
    Views,
    cloud_matches,
    log_uniform,
    plane_matches,
    random_plane,
    random_views,
    rotation,
)
from cvscore.estimators.select_model import Selection, select_model

KINDS = ("general", "planar", "rotation")
INLIERS = (50, 2000)  # log-uniform
INLIER_RATIO = (0.30, 0.95)
NOISE = (0.3, 3.0)  # pixels, log-uniform
TURN = (1.0, 20.0)  # degrees
PATCH = (0.5, 1.0)  # of the image's sides: what a plane covers
MIN_OVERLAP = 0.3


def draw_pair(rng: np.random.Generator, kind: str) -> tuple[Array, Array, Views]:
    """Return x1, x2 (N, 2) of a pair of one kind, and the cameras that saw it."""
    num_inliers = round(log_uniform(rng, *INLIERS))
    if kind == "rotation":
        views = _turning_views(rng)
        matches = cloud_matches(rng, views, num_inliers)
    elif kind == "planar":
        views = random_views(rng)
        plane, patch = random_plane(rng, views), rng.uniform(*PATCH)
        matches = plane_matches(rng, views, plane, num_inliers, patch)
    else:
        views = random_views(rng)
        matches = cloud_matches(rng, views, num_inliers)
    matches = matches + log_uniform(rng, *NOISE) * rng.normal(size=matches.shape)
    num_outliers = round(num_inliers * (1.0 / rng.uniform(*INLIER_RATIO) - 1.0))
    outliers = views.random_matches(rng, num_outliers)
    rows = rng.permutation(np.vstack([matches, outliers]))
    return rows[:, :2].copy(), rows[:, 2:].copy(), views


def _turning_views(rng: np.random.Generator) -> Views:
    """Two views from one place, turned by some degrees."""
    while True:
        turn = rotation(rng.normal(size=3), rng.uniform(*TURN))
        views = replace(random_views(rng), R=turn, t=np.zeros(3))
        rays = views.camera1.rays(views.camera1.random_pixels(rng, 200))
        if views.project(rays)[1].mean() > MIN_OVERLAP:
            return views


def select(pair: tuple[Array, Array, Views], *, with_cameras: bool) -> Selection:
    """Run `select_model` on a pair, with or without its camera matrices."""
    x1, x2, views = pair
    if with_cameras:
        return select_model(x1, x2, views.camera1.K, views.camera2.K)
    return select_model(x1, x2)


def is_right(kind: str, selected: str) -> bool:
    """Without cameras a plane and a rotation are the same."""
    if selected == "planar_or_rotation":
        return kind != "general"
    return selected == kind


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how often each kind was recognised, and what it was taken for."""
    parser = parser_of("model-selection", __doc__)
    parser.add_argument("--num", type=int, default=100, help="pairs of each kind")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    for with_cameras in (True, False):
        for kind in KINDS:
            rng = np.random.default_rng([args.seed, KINDS.index(kind)])
            selected = Counter(
                select(draw_pair(rng, kind), with_cameras=with_cameras).kind
                for _ in range(args.num)
            )
            right = sum(n for name, n in selected.items() if is_right(kind, name))
            model = "E" if with_cameras else "F"
            print(
                f"{model} against H, {kind}: {100 * right / args.num:.1f} % right; "
                f"{dict(selected)}",
                flush=True,
            )
