"""AUC, and paired differences with their intervals."""

import math

import numpy as np

from benchmarks.protocols.accuracy import (
    auc,
    mean_average_accuracy,
    paired_difference,
)


def test_auc_is_the_area_under_the_recall_curve(rng):
    errors = np.append(rng.exponential(5.0, size=200), [math.inf] * 5)
    grid = np.linspace(0, 10, 200_001)
    recall = np.searchsorted(np.sort(errors), grid, side="right") / len(errors)
    area = 100 * np.trapezoid(recall, grid) / 10
    assert abs(auc(errors, 10.0) - area) < 1e-3
    assert auc([0.0, math.inf], 10.0) == 50.0


def test_mean_average_accuracy_counts_whole_steps():
    assert mean_average_accuracy([0.5], 10.0) == 100.0
    assert mean_average_accuracy([1.5], 10.0) == 90.0
    assert mean_average_accuracy([math.inf], 10.0) == 0.0


def test_paired_difference_covers_a_known_lead(rng):
    theirs = rng.uniform(0, 10, size=400)
    difference, low, high = paired_difference(theirs - 1.0, theirs, 10.0)
    lead = np.mean(np.maximum(0, 1 - (theirs - 1) / 10) - (1 - theirs / 10)) * 100
    assert abs(difference - lead) < 1e-9
    assert low <= difference <= high
    # The differences are all alike, so pairing must make the interval tight.
    assert high - low < 0.5
    assert paired_difference(theirs, theirs, 10.0) == (0.0, 0.0, 0.0)
