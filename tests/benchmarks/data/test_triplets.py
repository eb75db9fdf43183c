"""Real triplets: the third image's points are where the true pose shows the scene."""

import numpy as np
from conftest import needs_shared_data

from benchmarks.data import real


@needs_shared_data
def test_most_points_are_seen_where_the_true_pose_has_them():
    regime = "fountain-0.8"
    ids = real.pair_ids("PnP", regime)
    assert len(ids) == 165  # threes of eleven images
    pair = real.load_pair("PnP", regime, ids[0])
    p = (pair.x2 @ pair.truth.R.T + pair.truth.t) @ pair.K1.T
    off = np.linalg.norm(p[:, :2] / p[:, 2:] - pair.x1, axis=1)
    assert len(off) > 100
    assert np.median(off) < 1.0
    assert np.median(p[:, 2]) == np.float64(pair.truth.depth)
