"""Real roots of a polynomial, by subdivision of [-1, 1] in the Bernstein basis.

On an interval, a polynomial has no more roots than its Bernstein coefficients have
changes of sign, and as many up to an even number (Descartes).  No change: no root.  One
change: one root, which Newton's method finds inside its bracket.  More: the interval is
cut in half, at the price of some averages.  All polynomials are treated side by side,
so that every step is a loop over them in vector registers.

In this basis the values on the interval are as insensitive to rounding as they can be,
and the power basis is harmless where ``|z| <= 1``.  Roots outside are the inverses of
the roots inside of the polynomial with its coefficients reversed; the unknown is scaled
such that roots are of order one, half of them inside.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import kernel
from cvscore.numerics.bucket_grid import sort_into_cells
from cvscore.types import Array, Mask

# Halvings of [-1, 1] before the roots in an interval count as one: rounding at 1e-16
# moves the two roots of a close pair by its square root, so below 1e-8 nothing is left
# to resolve.
MAX_DEPTH = 27
MIN_WIDTH = 2.0 * 0.5 ** (MAX_DEPTH - 1)

# Newton's method is left after a step below this: being quadratic, its error is then
# at rounding level.
LAST_STEP = 1e-9

# Bisection alone needs this many steps from an interval of length 2 down to LAST_STEP.
MAX_ROOT_STEPS = 31


def bernstein_from_power(degree: int) -> Array:
    """(n + 1, n + 1) array whose row k is ``z ** k`` in the Bernstein basis of [-1, 1].

    Coefficient ``j`` is the polar form at ``j`` ones and ``n - j`` minus ones; the
    polar form of ``z ** k`` is the mean of all products of k of its n arguments.  So no
    entry exceeds 1, and the conversion loses no digits.
    """
    table = np.empty((degree + 1, degree + 1))
    for j in range(degree + 1):
        sums_of_products = np.ones(1)
        for argument in [1.0] * j + [-1.0] * (degree - j):
            sums_of_products = np.convolve(sums_of_products, [1.0, argument])
        for k in range(degree + 1):
            table[k, j] = sums_of_products[k] / comb(degree, k)
    return table


class Roots(NamedTuple):
    """Fractions ``numerators / denominators`` (M,), and the polynomials they are of."""

    numerators: Array
    denominators: Array
    owners: NDArray[np.int64]


class Intervals(NamedTuple):
    """Intervals of polynomials, side by side.

    Attributes
    ----------
    bernstein : (n + 1, M) array
        Coefficients of the polynomials on them.
    lows, highs : (M,) arrays
        Their ends.
    owners : (M,) int array
        Which polynomial it is of.
    """

    bernstein: Array
    lows: Array
    highs: Array
    owners: NDArray[np.int64]


class Brackets(NamedTuple):
    """Ends of intervals with one root each (L,), and the polynomials they are of.

    ``rises`` tells whether the polynomial does there; ``starts`` are guesses.
    """

    lows: Array
    highs: Array
    starts: Array
    rises: Mask
    owners: NDArray[np.int64]


@kernel
def real_roots(coefficients, from_power):
    """Return the distinct real roots of polynomials, those of the first one first.

    Parameters
    ----------
    coefficients : (n + 1, B) array
        Of B polynomials side by side, constants first, not all zero.  Overwritten.
    from_power : (n + 1, n + 1) array
        `bernstein_from_power` of the degree.
    """
    num = coefficients.shape[1]
    degree = coefficients.shape[0] - 1
    sizes = np.empty(num)
    for b in range(num):
        # The product of all roots is the ratio of the outer coefficients.
        first, last = abs(coefficients[0, b]), abs(coefficients[degree, b])
        has_both = first > 0.0 and last > 0.0
        sizes[b] = (first / last) ** (1.0 / degree) if has_both else 1.0
    factors = np.ones(num)
    for k in range(degree + 1):
        for b in range(num):
            coefficients[k, b] *= factors[b]
            factors[b] *= sizes[b]
    # Beside each polynomial, as number 2 b + 1, the one with its coefficients reversed.
    both = np.empty((degree + 1, 2 * num))
    for k in range(degree + 1):
        for b in range(num):
            both[k, 2 * b] = coefficients[k, b]
            both[k, 2 * b + 1] = coefficients[degree - k, b]
    found, owners = roots_in_unit_interval(both, from_power)
    roots = Roots(np.empty(found.shape[0]), np.empty(found.shape[0]), owners // 2)
    for k in range(found.shape[0]):
        is_inverse, size = owners[k] % 2 == 1, sizes[owners[k] // 2]
        roots.numerators[k] = size if is_inverse else found[k] * size
        roots.denominators[k] = found[k] if is_inverse else 1.0
    return roots


@kernel
def roots_in_unit_interval(coefficients, from_power):
    """Return the distinct real roots in [-1, 1] (L,), and their polynomials (L,).

    Those of the first polynomial come first.

    Parameters
    ----------
    coefficients : (n + 1, B) array
        Of B polynomials side by side, constants first, not all zero.
    from_power : (n + 1, n + 1) array
        `bernstein_from_power` of the degree.
    """
    size, num = coefficients.shape
    bernstein = np.zeros((size, num))
    for k in range(size):
        for j in range(size):
            for b in range(num):
                bernstein[j, b] += from_power[k, j] * coefficients[k, b]
    lows, highs, owners = np.full(num, -1.0), np.full(num, 1.0), np.arange(num)
    intervals = Intervals(bernstein, lows, highs, owners)
    most = 2 * size * num  # with roots at ends, and with rounding
    brackets = Brackets(
        np.empty(most),
        np.empty(most),
        np.empty(most),
        np.empty(most, dtype=np.bool_),
        np.empty(most, dtype=np.int64),
    )
    # Ends of intervals belong to none of them, so a root there is taken separately.
    num_roots = 0
    for b in range(num):
        if bernstein[0, b] == 0.0:
            num_roots = _append(brackets, num_roots, -1.0, -1.0, -1.0, True, b)
        if bernstein[size - 1, b] == 0.0:
            num_roots = _append(brackets, num_roots, 1.0, 1.0, 1.0, True, b)
    while intervals.owners.shape[0] > 0:
        wide, num_roots = _isolate(intervals, brackets, num_roots)
        intervals, num_roots = _halve(intervals, wide, brackets, num_roots)
    roots = _newton(coefficients, brackets, num_roots)
    _, position = sort_into_cells(brackets.owners[:num_roots], num)
    ordered, owners = np.empty(num_roots), np.empty(num_roots, dtype=np.int64)
    for k in range(num_roots):
        ordered[position[k]], owners[position[k]] = roots[k], brackets.owners[k]
    return ordered, owners


@kernel
def _isolate(intervals, brackets, num_roots):
    """Append a bracket for each interval with one root.

    Returns which intervals may have more, and how many brackets there are then.
    """
    degree, num = intervals.bernstein.shape[0] - 1, intervals.owners.shape[0]
    changes, lasts = _sign_changes(intervals.bernstein)
    wide, num_wide = np.empty(num, dtype=np.int64), 0
    for m in range(num):
        if changes[m] == 0 or num_roots == brackets.owners.shape[0]:
            continue
        low, high, owner = intervals.lows[m], intervals.highs[m], intervals.owners[m]
        if changes[m] == 1:
            # It begins where the polygon of the Bernstein coefficients crosses zero.
            last = lasts[m]
            before = intervals.bernstein[last, m]
            after = intervals.bernstein[last + 1, m]
            start = low + (high - low) * (last + before / (before - after)) / degree
            num_roots = _append(
                brackets, num_roots, low, high, start, before < after, owner
            )
        elif high - low > MIN_WIDTH:
            wide[num_wide] = m
            num_wide += 1
        else:
            middle = 0.5 * (low + high)
            num_roots = _append(
                brackets, num_roots, middle, middle, middle, True, owner
            )
    return wide[:num_wide], num_roots


@kernel
def _append(brackets, num, low, high, start, rises, owner):
    if num < brackets.owners.shape[0]:
        brackets.lows[num], brackets.highs[num] = low, high
        brackets.starts[num], brackets.rises[num] = start, rises
        brackets.owners[num] = owner
        num += 1
    return num


@kernel
def _sign_changes(bernstein):
    """Count the changes of sign (M,), and return the last coefficient before one."""
    size, num = bernstein.shape
    changes = np.zeros(num, dtype=np.int64)
    lasts = np.zeros(num, dtype=np.int64)
    before = bernstein[0].copy()
    for j in range(1, size):
        for m in range(num):
            value = bernstein[j, m]
            is_change = value * before[m] < 0.0
            changes[m] += is_change
            lasts[m] = j - 1 if is_change else lasts[m]
            before[m] = value if value != 0.0 else before[m]
    return changes, lasts


@kernel
def _halve(intervals, wide, brackets, num_roots):
    """Return the halves of the wide intervals: first the lower ones, then the upper.

    Averaging neighbours n times gives a triangle, whose left edge holds the
    coefficients of the lower half and whose last line those of the upper (de
    Casteljau).  A root in the middle is in neither, and appended to the brackets.
    """
    size, num = intervals.bernstein.shape[0], wide.shape[0]
    halves = Intervals(
        np.empty((size, 2 * num)),
        np.empty(2 * num),
        np.empty(2 * num),
        np.empty(2 * num, dtype=np.int64),
    )
    bernstein = halves.bernstein
    for j in range(size):
        for m in range(num):
            bernstein[j, num + m] = intervals.bernstein[j, wide[m]]
    first = bernstein[0][num:]
    for step in range(size):
        edge = bernstein[step]
        for m in range(num):
            edge[m] = first[m]
        for j in range(size - 1 - step):
            upper, following = bernstein[j][num:], bernstein[j + 1][num:]
            for m in range(num):
                upper[m] = 0.5 * (upper[m] + following[m])
    for m in range(num):
        low, high = intervals.lows[wide[m]], intervals.highs[wide[m]]
        middle, owner = 0.5 * (low + high), intervals.owners[wide[m]]
        halves.lows[m], halves.highs[m] = low, middle
        halves.lows[num + m], halves.highs[num + m] = middle, high
        halves.owners[m] = halves.owners[num + m] = owner
        if first[m] == 0.0:
            num_roots = _append(
                brackets, num_roots, middle, middle, middle, True, owner
            )
    return halves, num_roots


@kernel
def _newton(coefficients, brackets, num_roots):
    """Return the root in each bracket, by Newton's method within it.

    All at once, in vector registers: one after the other waits for its own results.
    A root that has settled stays, so that others beside it change nothing.
    """
    degree = coefficients.shape[0] - 1
    own = np.empty((degree + 1, num_roots))
    for k in range(degree + 1):
        for m in range(num_roots):
            own[k, m] = coefficients[k, brackets.owners[m]]
    z = brackets.starts[:num_roots].copy()
    lows, highs, rises = brackets.lows, brackets.highs, brackets.rises
    values, slopes = np.empty(num_roots), np.empty(num_roots)
    steps = np.full(num_roots, np.inf)
    for _ in range(MAX_ROOT_STEPS):
        for m in range(num_roots):
            values[m], slopes[m] = own[degree, m], 0.0
        for k in range(degree - 1, -1, -1):
            for m in range(num_roots):
                slopes[m] = slopes[m] * z[m] + values[m]
                values[m] = values[m] * z[m] + own[k, m]
        num_moving = 0
        for m in range(num_roots):
            is_below = (values[m] < 0.0) == rises[m]
            low = z[m] if is_below else lows[m]
            high = highs[m] if is_below else z[m]
            newton = z[m] - values[m] / slopes[m]
            # Written so that it also catches NaN.
            is_inside = (low <= newton) & (newton <= high)
            following = newton if is_inside else 0.5 * (low + high)
            is_moving = steps[m] >= LAST_STEP
            steps[m] = abs(following - z[m]) if is_moving else steps[m]
            z[m] = following if is_moving else z[m]
            lows[m], highs[m] = low, high
            num_moving += steps[m] >= LAST_STEP
        if num_moving == 0:
            break
    return z
