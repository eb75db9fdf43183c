"""What a pair is called, for those who calibrate by it."""

import numpy as np
import pytest
from synthetic import camera, homogeneous, rotation

from cvscore.estimators.pair_geometry import PairMatches, PairOptions, estimate_pair
from cvscore.types import Estimate, RansacOptions

NUM = 300


def facade(rng, share_before, calibrated):
    """Matches of a wall, some of them of things far before it."""
    K, R, t = camera(), rotation(np.array([0.02, -0.12, 0.03])), np.array([1.0, 0, 0.1])
    x1 = rng.uniform([100, 100], [1100, 800], (NUM, 2))
    rays = homogeneous(x1) @ np.linalg.inv(K).T
    depth = 8.0 / (rays @ [0.2, -0.1, 1.0])
    before = np.arange(NUM) < share_before * NUM
    depth[before] *= rng.uniform(0.4, 0.8, np.count_nonzero(before))
    seen = (rays * depth[:, None] @ R.T + t) @ K.T
    x2 = seen[:, :2] / seen[:, 2:]
    x1, x2 = (x + rng.normal(0, 0.4, x.shape) for x in (x1, x2))
    keypoints = np.tile(np.arange(NUM)[:, None], 2)
    return PairMatches(x1, x2, keypoints, K, K, calibrated)


@pytest.mark.parametrize(
    ("share_before", "calibrated", "name"),
    [
        (0.1, False, "PLANAR_OR_PANORAMIC"),
        (0.5, False, "UNCALIBRATED"),
        (0.1, True, "CALIBRATED"),
    ],
)
def test_a_facade_is_no_pair_to_find_focal_lengths_by(
    rng, share_before, calibrated, name
):
    matches = facade(rng, share_before, calibrated)
    found = estimate_pair(matches, PairOptions(RansacOptions(), min_inliers=15))
    assert found.configuration == name
    # Whatever it is called, the matches before the wall are right.
    assert np.count_nonzero(found.inliers) > 0.97 * NUM


def test_what_an_estimate_calls_open_is_never_calibrated(rng, monkeypatch):
    """A wall with a little before it, whatever the evidence of its kinds is."""
    matches = facade(rng, 0.1, calibrated=True)
    monkeypatch.setattr(Estimate, "is_determined", False)
    found = estimate_pair(matches, PairOptions(RansacOptions(), min_inliers=15))
    assert found.configuration == "PLANAR_OR_PANORAMIC"
    assert np.count_nonzero(found.inliers) > 0.97 * NUM
