import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cvscore.duplicates import first_occurrences


def check(points):
    distinct, member_of = first_occurrences(np.ascontiguousarray(points))
    _, first, inverse = np.unique(
        points + 0.0, axis=1, return_index=True, return_inverse=True
    )
    assert (distinct == np.sort(first)).all()
    assert (points[:, distinct[member_of]] == points).all()
    assert len(np.unique(inverse)) == len(distinct)


@settings(max_examples=200, deadline=None)
@given(
    arrays(
        np.float64,
        st.tuples(st.just(4), st.integers(0, 40)),
        elements=st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e300, 5e-324]),
    )
)
def test_agrees_with_numpy_on_few_values(points):
    check(points)


def test_agrees_with_numpy_on_real_coordinates(rng):
    base = rng.normal(size=(4, 3000)) * 1e3
    check(base[:, rng.integers(0, 3000, 5000)])
    check(base)


def test_grids_do_not_make_the_table_slow(rng):
    # Integer pixels differ in few bits; a weak hash would put them all in one slot.
    grid = np.stack(np.meshgrid(np.arange(300.0), np.arange(300.0))).reshape(2, -1)
    points = np.ascontiguousarray(np.vstack([grid, grid + 7.0]))
    distinct, _ = first_occurrences(points)
    assert len(distinct) == 90_000


def test_zero_and_minus_zero_are_the_same_place():
    points = np.zeros((4, 2))
    points[0, 1] = -0.0
    distinct, member_of = first_occurrences(points)
    assert distinct.tolist() == [0]
    assert member_of.tolist() == [0, 0]
