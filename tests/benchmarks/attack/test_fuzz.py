"""The fuzzer: no violation in so many calls, and none that it would overlook."""

import numpy as np
import pytest

from benchmarks.attack import databases, fuzz
from benchmarks.attack.calls import Call, draw_call
from benchmarks.attack.checks import violation_of
from cvscore.estimators import estimate_homography
from cvscore.estimators.registry import ESTIMATORS

pytestmark = pytest.mark.filterwarnings("ignore")

NUM_CALLS = 3000


def test_no_call_of_many_ends_in_what_it_must_not(capsys):
    assert fuzz.main(["--calls", str(NUM_CALLS), "--seed", "22"]) == 0
    assert f"{NUM_CALLS} calls with seed 22, 0 violations" in capsys.readouterr().out


def test_every_estimator_drop_in_and_the_command_line_are_called():
    names = {draw_call(np.random.default_rng([1, index])).name for index in range(1500)}
    assert {f"estimate_{name}" for name in ESTIMATORS} <= names
    assert {"findHomography", "findFundamentalMat", "findEssentialMat"} <= names
    assert {"recoverPose", "solvePnPRansac", "fisheye.solvePnPRansac"} <= names
    assert {"cvscore match", "select_model", "calibrate", "fit_mle"} <= names
    assert {"interrupted", "cvscore match pictures"} <= names
    assert ("cvscore verify" in names) == databases.IS_POSSIBLE


def changes_its_input(points):
    points[0] = 7.0


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (lambda points: changes_its_input(points), "an input was changed"),
        (lambda points: 1 // 0, "ZeroDivisionError"),
        (lambda points: np.log(points - points), "RuntimeWarning"),
        (lambda points: np.zeros(2).reshape(3), "ValueError of"),
        (lambda points: estimate_homography(points, points), None),
        (lambda points: estimate_homography(points, points[:1]), None),
    ],
)
def test_a_violation_is_seen(run, text):
    points = np.arange(24.0).reshape(12, 2)
    found = violation_of(lambda: run(points), [points])
    assert found is None if text is None else text in found


def test_a_violation_can_be_made_again(monkeypatch, capsys):
    def broken(rng):
        number = int(rng.integers(10**6))
        return Call("broken", lambda: {}[number], [])

    monkeypatch.setattr(fuzz, "draw_call", broken)
    assert fuzz.main(["--calls", "3"]) == 1
    out = capsys.readouterr().out
    assert "3 calls with seed 0, 3 violations" in out
    (line,) = [line for line in out.splitlines() if line.startswith("1: broken")]
    assert fuzz.main(["--only", "1"]) == 1
    assert line.split("KeyError: ")[1] in capsys.readouterr().out
