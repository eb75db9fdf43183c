"""Short sorts: to compile numba's own would take longer than all else here."""

from __future__ import annotations

from cvscore._numba.compile import kernel

# Ratio of the gaps of a Shell sort; 2.2 to 2.5 serve equally well.
SHELL_RATIO = 2.3


@kernel
def sort_first(values, num, ordered):
    """Write the first ``num`` values to ``ordered``, rising."""
    for i in range(num):
        ordered[i] = values[i]
    gap = num
    while gap > 1:
        gap = max(int(gap / SHELL_RATIO), 1)
        for i in range(gap, num):
            value = ordered[i]
            j = i
            while j >= gap and ordered[j - gap] > value:
                ordered[j] = ordered[j - gap]
                j -= gap
            ordered[j] = value


@kernel
def write_order(values, order):
    """Write the order (N,) of rising values."""
    num = values.shape[0]
    for i in range(num):
        order[i] = i
    gap = num
    while gap > 1:
        gap = max(int(gap / SHELL_RATIO), 1)
        for i in range(gap, num):
            one = order[i]
            j = i
            while j >= gap and values[order[j - gap]] > values[one]:
                order[j] = order[j - gap]
                j -= gap
            order[j] = one
