"""A wall and nothing else, seen by two cameras that stand about before it.

Unlike the planes of `views.random_plane`, which are tilted against a first camera, the
wall is where it is and both cameras are anywhere before it, so that what either sees is
foreshortened.  Features are in clumps, as on a poster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.data.pair import Array, Pair, Pose
from benchmarks.data.views import (
    Views,
    log_uniform,
    looking_at,
    random_camera,
    rotation,
)

INLIERS = (50, 1000)  # log-uniform
INLIER_RATIO = (0.30, 0.95)
NOISE = (0.3, 3.0)  # pixels, log-uniform
DISTANCE = (2.0, 6.0)  # of a camera from the wall
ASIDE = 1.2  # how far aside cameras stand, in their distances
MIN_BASELINE = 0.2  # of their distances
HALF_SIDE = 2.0  # of what the wall shows
CLUMP = 0.3
NUM_CLUMPS = 8


class Standing(NamedTuple):
    """Two views, and place (3,) and turn (3, 3) of the first before the wall."""

    views: Views
    place: Array
    turn: Array


def draw_wall(rng: np.random.Generator) -> Pair:
    """Return a pair of views of a wall, with wrong matches anywhere."""
    while True:
        standing = _stand_about(rng)
        matches = _features(rng, standing, round(log_uniform(rng, *INLIERS)))
        if len(matches) >= INLIERS[0]:
            break
    views = standing.views
    num = len(matches)
    matches = matches + log_uniform(rng, *NOISE) * rng.normal(size=matches.shape)
    num_wrong = round(num * (1.0 / rng.uniform(*INLIER_RATIO) - 1.0))
    rows = np.vstack([matches, views.random_matches(rng, num_wrong)])
    order = rng.permutation(len(rows))
    return Pair(
        id="wall",
        problem="E",
        x1=np.ascontiguousarray(rows[order, :2]),
        x2=np.ascontiguousarray(rows[order, 2:]),
        K1=views.camera1.K,
        K2=views.camera2.K,
        size1=views.camera1.size,
        size2=views.camera2.size,
        quality=np.ones(len(rows)),
        is_inlier=order < num,
        truth=Pose(views.R, views.t / np.linalg.norm(views.t)),
        model=views.essential(),
    )


def _stand_about(rng: np.random.Generator) -> Standing:
    """Two cameras before the wall ``z = 0``, both looking at about its middle."""
    while True:
        places, turns = [], []
        for _ in range(2):
            away = rng.uniform(*DISTANCE)
            x, y = away * ASIDE * rng.uniform(-1.0, 1.0, 2)
            places.append(np.array([x, y, -away]))
            target = np.append(0.5 * rng.normal(size=2), 0.0)
            wobble = rotation(rng.normal(size=3), rng.uniform(0.0, 20.0))
            turns.append(wobble @ looking_at(places[-1], target))
        nearest = min(-place[2] for place in places)
        if np.linalg.norm(places[1] - places[0]) > MIN_BASELINE * nearest:
            break
    camera1 = random_camera(rng)
    camera2 = camera1 if rng.random() < 0.5 else random_camera(rng)
    R = turns[1] @ turns[0].T
    t = turns[1] @ (places[0] - places[1])
    return Standing(Views(camera1, camera2, R, t, DISTANCE), places[0], turns[0])


def _features(rng: np.random.Generator, standing: Standing, num: int) -> Array:
    """Exact matches (at most ``num``, 4) of features that both cameras see."""
    centres = HALF_SIDE * rng.uniform(-1.0, 1.0, (NUM_CLUMPS, 2))
    spread = CLUMP * rng.normal(size=(20 * num, 2))
    on_wall = centres[rng.integers(NUM_CLUMPS, size=20 * num)] + spread
    points = np.column_stack([on_wall, np.zeros(20 * num)])
    views = standing.views
    before = (points - standing.place) @ standing.turn.T
    x1 = before @ views.camera1.K.T
    x1 = x1[:, :2] / x1[:, 2:]
    x2, seen = views.project(before)
    seen &= views.camera1.sees(x1) & (before[:, 2] > 0.0)
    return np.hstack([x1, x2])[seen][:num]
