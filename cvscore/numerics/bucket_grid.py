"""Points sorted into a grid of cells, so that neighbours are looked for among few."""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.numerics.fence import FENCE, fence_around
from cvscore.numerics.shell_sort import sort_first

# The cells cover what these of about so many coordinates, sorted, enclose, and those at
# the border hold the rest: points far away must not leave all others in one cell.
NUM_LOOKED_AT, FIRST, LAST = 64, 2, -3


@kernel
def sort_into_cells(cell_of, num_cells):
    """Sort points by their cells, by counting.

    Parameters
    ----------
    cell_of : (N,) int array
        Of each point its cell; that of row r and column c is ``r * num_columns + c``.
    num_cells : int

    Returns
    -------
    first : (num_cells + 1,) int array
        Where the points of each cell begin, and where those of the last one end.
    position : (N,) int array
        Where each point goes.
    """
    first = np.zeros(num_cells + 1, dtype=np.int64)
    for cell in cell_of:
        first[cell + 1] += 1
    for cell in range(num_cells):
        first[cell + 1] += first[cell]
    cursor = first.copy()
    position = np.empty(cell_of.shape[0], dtype=np.int64)
    for i in range(cell_of.shape[0]):
        position[i] = cursor[cell_of[i]]
        cursor[cell_of[i]] += 1
    return first, position


@kernel
def span_around(first, num_columns, row, column):
    """Where the points of three cells of a row begin and end: this and its neighbours.

    Cells beyond the border hold none.
    """
    start = first[row * num_columns + max(column - 1, 0)]
    stop = first[row * num_columns + min(column + 1, num_columns - 1) + 1]
    return start, stop


@kernel
def cells_along(values, cells):
    """In which of ``cells`` cells a side each of the coordinates (N,) is."""
    lowest, highest = fence_around(values.copy(), FENCE)
    some = np.empty(values.shape[0])
    num_some = 0
    for i in range(0, values.shape[0], max(1, values.shape[0] // NUM_LOOKED_AT)):
        if lowest <= values[i] <= highest:
            some[num_some] = values[i]
            num_some += 1
    ordered = np.empty(num_some)
    sort_first(some, num_some, ordered)
    if num_some == 0:
        low, high = lowest, highest
    elif num_some < NUM_LOOKED_AT:
        low, high = ordered[0], ordered[-1]
    else:
        low, high = ordered[FIRST], ordered[LAST]
    per_unit = cells / (high - low) if high > low else 0.0
    numbers = np.empty(values.shape[0], dtype=np.int64)
    for i in range(values.shape[0]):
        place = (values[i] - low) * per_unit
        numbers[i] = int(min(max(place, 0.0), cells - 1.0))
    return numbers
