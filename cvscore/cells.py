"""Points sorted into a grid of cells, so that neighbours are looked for among few."""

from __future__ import annotations

import numpy as np

from cvscore._kernel import kernel


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
    first = np.cumsum(first)
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
