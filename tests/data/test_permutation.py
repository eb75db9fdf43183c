"""Matches drawn by chance from the same points."""

import numpy as np
import pytest

from cvscore.data.permutation import NUM_REDRAWN, redraw_matches

SIDES = np.array([1280.0, 960.0])


def uniform_matches(rng, num, unit=1.0):
    rows = np.hstack([rng.uniform(0, SIDES, (num, 2)) for _ in range(2)])
    return np.ascontiguousarray(unit * rows.T)


@pytest.mark.parametrize("num", [2, 7, 101, 3_000])
def test_redrawn_matches_are_new_and_distinct(num, rng):
    points = uniform_matches(rng, num)
    redrawn = redraw_matches(points)
    assert redrawn.shape[1] + num >= NUM_REDRAWN or redrawn.shape[1] == num * (num - 1)
    first, second = ({tuple(x) for x in points[s].T} for s in ([0, 1], [2, 3]))
    rows = {tuple(x) for x in redrawn.T}
    assert len(rows) == redrawn.shape[1]
    assert not rows & {tuple(x) for x in points.T}
    assert {row[:2] for row in rows} <= first
    assert {row[2:] for row in rows} <= second
