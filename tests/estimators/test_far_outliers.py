"""Wrong matches at any distance cost no more than those inside the images."""

import numpy as np
import pytest
from map_scenes import KINDS, map_scene
from seen_points import seen_points
from synthetic import planar_scene, two_view_scene

from cvscore.data.normalization import region_of
from cvscore.estimators.registry import registered

NUM = 300


def wild(rng, kind, num):
    if kind == "spread":
        return rng.uniform(-1e6, 1e6, (num, 4))
    if kind == "one side":
        return rng.uniform(1e3, 1e9, (num, 4))
    if kind == "second image":
        first = rng.uniform(0, 900, (num, 2))
        return np.hstack([first, wild(rng, "spread", num)[:, :2]])
    return rng.uniform(-1e150, 1e150, (num, 4))


def recalls(rng, problem, matches_of, share):
    """Shares of the right matches found on some scenes, with others added."""
    found = []
    for _ in range(6):
        make = planar_scene if problem == "homography" else two_view_scene
        scene = make(rng, num=NUM, inlier_ratio=0.6)
        more = matches_of(rng, int(share / (1 - share) * NUM))
        order = rng.permutation(NUM + len(more))
        x1 = np.vstack([scene.x1, more[:, :2]])[order]
        x2 = np.vstack([scene.x2, more[:, 2:]])[order]
        estimate = registered(problem).run(x1, x2, cameras=(scene.K1, scene.K2))
        inliers = estimate.inliers[np.argsort(order)]
        assert inliers[NUM:].mean() < 0.1
        found.append(inliers[:NUM][scene.is_inlier].mean())
    return found


@pytest.mark.parametrize("kind", ["spread", "one side", "second image", "farthest"])
@pytest.mark.parametrize("share", [0.1, 0.2, 0.45])
@pytest.mark.parametrize("problem", ["homography", "fundamental", "essential"])
def test_wild_matches_cost_no_more_than_ordinary_ones(rng, problem, share, kind):
    far = recalls(rng, problem, lambda rng, num: wild(rng, kind, num), share)
    near = recalls(rng, problem, lambda rng, num: rng.uniform(0, 900, (num, 4)), share)
    assert min(far) > 0.8
    assert np.mean(far) > np.mean(near) - 0.03


def beside(rng, points, num, widths):
    """So many points within some widths of where the others are."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = widths * (high - low)
    return rng.uniform(low - margin, high + margin, (num, points.shape[1]))


def of_maps_and_poses(rng, kind):
    """Sets of points, which of them are right, and cameras."""
    if kind == "absolute_pose":
        seen = seen_points(rng)
        return (seen.x, seen.X), seen.is_inlier, (seen.K,)
    name, dim = kind.split()
    scene = map_scene(rng, name, int(dim))
    return (scene.x1, scene.x2), scene.is_right, ()


def recall_with(rng, kind, share, widths):
    """Share of the right matches found, beside so many others."""
    sets, is_right, cameras = of_maps_and_poses(rng, kind)
    num = len(is_right)
    more = int(share / (1 - share) * num)
    order = rng.permutation(num + more)
    given = [
        np.vstack([points, beside(rng, points, more, wide)])[order]
        for points, wide in zip(sets, widths, strict=True)
    ]
    found = registered(kind.split()[0]).run(*given, cameras=cameras)
    inliers = found.inliers[np.argsort(order)]
    assert inliers[num:].mean() < 0.05
    return inliers[:num][is_right].mean()


# In widths of either set: around them, far away, in the second one only, at any size.
AWAY = [(2.0, 2.0), (1e4, 1e4), (0.0, 1e4), (1e4, 0.0), (1e140, 1e140)]


@pytest.mark.parametrize("widths", AWAY)
@pytest.mark.parametrize("share", [0.2, 0.45])
@pytest.mark.parametrize(
    "kind",
    ["absolute_pose", *(f"{name} {dim}" for name in KINDS for dim in (2, 3))],
)
def test_maps_and_poses_are_found_beside_wild_matches(rng, kind, share, widths):
    ordinary = min(recall_with(rng, kind, share, (0.0, 0.0)) for _ in range(3))
    wild = min(recall_with(rng, kind, share, widths) for _ in range(3))
    assert wild > min(0.95, ordinary - 0.03)


@pytest.mark.parametrize("widths", [1, 2, 4])
@pytest.mark.parametrize("problem", ["homography", "fundamental", "essential"])
def test_wrong_matches_around_the_image_are_no_worse_than_those_in_it(
    rng, problem, widths
):
    """Not for a fence around one coordinate, nor for the cells of the image's grid."""
    low, high = -900 * widths, 900 * (1 + widths)
    around = recalls(
        rng, problem, lambda rng, num: rng.uniform(low, high, (num, 4)), 0.45
    )
    assert min(around) > 0.8


@pytest.mark.parametrize("widths", [2, 4, 1e3])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.45])
@pytest.mark.parametrize("dim", [4, 6])
def test_the_extent_is_that_of_the_others(rng, dim, share, widths):
    points = rng.uniform(0, 1, (dim, 2000))
    ordinary = region_of(points).spreads
    num = int(share * 2000)
    points[:, :num] = rng.uniform(-widths, 1 + widths, (dim, num))
    # Nearly half of all, close by, widen the fence of a coordinate enough to stay.  A
    # narrower fence would keep them out, and the match beside a dense patch too.
    most = 2.5 if (dim, share, widths) == (4, 0.45, 2) else 1.25
    wider = region_of(points).spreads / ordinary
    assert ((wider > 0.75) & (wider < most)).all()


def test_wild_in_other_coordinates_each_is_wild(rng):
    """Four of five are wild somewhere, and no more than one of five in any place."""
    points = rng.uniform(0, 1, (4, 2000))
    ordinary = region_of(points).spreads
    for row, values in enumerate(points):
        values[400 * row : 400 * (row + 1)] = rng.uniform(-1e6, 1e6, 400)
    assert region_of(points).spreads == pytest.approx(ordinary, rel=0.1)
