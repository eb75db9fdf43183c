"""Errors of answers, in degrees and pixels."""

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from benchmarks.data import synthetic
from benchmarks.data.pair import Fit
from benchmarks.protocols import error_of
from benchmarks.protocols.relative_pose import direction_angle, rotation_angle


@pytest.mark.parametrize("problem", "EFH")
def test_the_truth_has_no_error(problem):
    pair = synthetic.generate(problem, "easy", 0)
    assert error_of(pair, Fit(pair.model, pair.is_inlier)) < 1e-4
    assert error_of(pair, None) == math.inf


def test_rotation_and_direction_angles():
    turn = cv2.Rodrigues(np.array([0.0, 0.0, math.radians(30)]))[0]
    assert abs(rotation_angle(turn) - 30) < 1e-9
    assert abs(rotation_angle(np.eye(3))) < 1e-9
    assert direction_angle(np.array([1.0, 0, 0]), np.array([-2.0, 0, 0])) == 180
    assert (
        abs(direction_angle(np.array([1.0, 0, 0]), np.array([1.0, 1, 0])) - 45) < 1e-9
    )


def test_pose_error_is_the_larger_angle():
    pair = synthetic.generate("E", "easy", 0)
    turn = cv2.Rodrigues(np.array([0.0, math.radians(2), 0.0]))[0]
    t = pair.truth.t / np.linalg.norm(pair.truth.t)
    model = np.cross(np.eye(3), t) @ turn @ pair.truth.R
    assert abs(error_of(pair, Fit(model, pair.is_inlier)) - 2) < 1e-6


def test_points_may_be_a_thousand_baselines_away():
    pair = synthetic.generate("E", "easy", 0)
    depths = np.random.default_rng(0).uniform(1000.0, 2000.0, (40, 1))
    rays = pair.x1[:40] @ np.eye(2, 3) + [0, 0, 1]
    X = depths * rays @ np.linalg.inv(pair.K1).T
    t = pair.truth.t / np.linalg.norm(pair.truth.t)
    seen = (X @ pair.truth.R.T + t) @ pair.K2.T
    far = replace(pair, x1=pair.x1[:40], x2=seen[:, :2] / seen[:, 2:])
    assert error_of(far, Fit(pair.model, np.ones(40, dtype=bool))) < 1e-3


def test_transfer_error_of_a_shift_is_its_length():
    pair = synthetic.generate("H", "easy", 0)
    shift = np.array([[1, 0, 3.0], [0, 1, 4.0], [0, 0, 1]])
    assert abs(error_of(pair, Fit(shift @ pair.model, pair.is_inlier)) - 5) < 1e-9
