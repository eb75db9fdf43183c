"""The k smallest of some values, without sorting them."""

from __future__ import annotations

from cvscore._numba.compile import kernel


@kernel
def move_smallest_first(values, k):
    """Reorder values (N,) so that the first k are its k smallest, the k-th in place.

    Hoare's selection, with Lomuto's partition: it has no branch that depends on the
    values, which would be mispredicted half of the time.  NumPy's partition does the
    same, but takes five seconds to compile.
    """
    target = k - 1
    low, high = 0, values.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        a, b, c = values[low], values[middle], values[high]
        pivot = max(min(a, b), min(max(a, b), c))
        border = low
        for i in range(low, high + 1):
            value = values[i]
            values[i] = values[border]
            values[border] = value
            border += value < pivot
        if target < border:
            high = border - 1
            continue
        # The pivot and its equals come next, so that the rest is smaller each time.
        low = border
        for i in range(low, high + 1):
            value = values[i]
            values[i] = values[border]
            values[border] = value
            border += value <= pivot
        if target < border or border == low:  # none: a NaN
            return
        low = border
