"""The k smallest of some values, without sorting them."""

from __future__ import annotations

from cvscore._numba.compile import kernel


@kernel
def move_smallest_first(values, k):
    """Reorder values (N,) so that the first k are its k smallest, the k-th in place.

    Hoare's selection.  NumPy's partition does the same, but takes five seconds to
    compile.
    """
    target = k - 1
    low, high = 0, values.shape[0] - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while pivot < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if target <= j:
            high = j
        elif target >= i:
            low = i
        else:
            break
