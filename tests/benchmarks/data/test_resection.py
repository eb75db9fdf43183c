"""Problems of absolute poses: what is right fits the truth, and errors have a unit."""

import numpy as np
import pytest

from benchmarks.data.pair import Fit
from benchmarks.problems import PROBLEMS
from benchmarks.protocols import error_of

PNP = PROBLEMS["PnP"]


def off(pair):
    """Reprojection errors (N,) under the truth; infinite behind the camera."""
    p = (pair.x2 @ pair.truth.R.T + pair.truth.t) @ pair.K1.T
    with np.errstate(all="ignore"):
        distances = np.linalg.norm(p[:, :2] / p[:, 2:] - pair.x1, axis=1)
    return np.where(p[:, 2] > 0.0, distances, np.inf)


@pytest.mark.parametrize("split", PNP.splits)
@pytest.mark.parametrize("regime", PNP.regimes)
def test_right_matches_are_those_of_the_true_pose(regime, split):
    pair = PNP.generate(regime, 0, split)
    distances = off(pair)
    right = distances[pair.is_inlier]
    assert 5.0 * np.median(right) >= np.quantile(right, 0.99)
    assert np.median(distances[~pair.is_inlier]) > 4.0 * np.median(right)
    again = PNP.generate(regime, 0, split)
    np.testing.assert_array_equal(again.x2, pair.x2)


def test_errors_are_degrees_or_per_cent_of_the_depth():
    pair = PNP.generate("easy", 0, "val")
    fit = Fit(pair.model, pair.is_inlier)
    assert error_of(pair, fit) < 1e-4
    moved = pair.model.copy()
    moved[:, 3] += 0.03 * pair.truth.depth * np.array([0.0, 1.0, 0.0])
    assert error_of(pair, Fit(moved, pair.is_inlier)) == pytest.approx(3.0)
    c, s = np.cos(np.radians(2.0)), np.sin(np.radians(2.0))
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    # About its own centre the camera turns, and stays where it is.
    turned = turn @ pair.model
    assert error_of(pair, Fit(turned, pair.is_inlier)) == pytest.approx(2.0)


def test_methods_solve_an_easy_problem():
    pytest.importorskip("poselib")
    pytest.importorskip("pycolmap")
    from benchmarks.methods import METHODS, Settings

    pair = PNP.generate("easy", 1, "val")
    names = [name for name, m in METHODS.items() if "PnP" in m.thresholds]
    assert {"cvscore", "oracle", "poselib", "pycolmap", "cv2 SQPNP"} <= set(names)
    for name in names:
        method = METHODS[name]
        fit = method.run(pair, Settings(method.thresholds["PnP"]))
        assert error_of(pair, fit) < 1.0, name
