"""Wrong matches at any distance cost no more than those inside the images."""

import numpy as np
import pytest
from synthetic import planar_scene, two_view_scene

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
