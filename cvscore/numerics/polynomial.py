"""Real roots of a polynomial, by subdivision of [-1, 1] in the Bernstein basis.

On an interval, a polynomial has no more roots than its Bernstein coefficients have
changes of sign, and as many up to an even number (Descartes).  No change: no root.  One
change: one root, which Newton's method finds inside its bracket.  More: the interval is
cut in half, at the price of some averages.

In this basis the values on the interval are as insensitive to rounding as they can be,
and the power basis is harmless where ``|z| <= 1``.  Roots outside are the inverses of
the roots inside of the polynomial with its coefficients reversed; the unknown is scaled
such that roots are of order one, half of them inside.
"""

from __future__ import annotations

from math import comb

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.types import Array

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


@kernel
def real_roots(coefficients, from_power, stack, roots):
    """Write the distinct real roots as fractions, and return their number.

    Parameters
    ----------
    coefficients : (n + 1,) array
        Constant first, not all zero.  Overwritten.
    from_power, stack : arrays
        As for `roots_in_unit_interval`.
    roots : (2, n) array
        Written: numerators and denominators.
    """
    degree = roots.shape[1]
    # The product of all roots is the ratio of the outer coefficients.
    first, last = abs(coefficients[0]), abs(coefficients[degree])
    size = (first / last) ** (1.0 / degree) if first > 0.0 and last > 0.0 else 1.0
    factor = 1.0
    for k in range(degree + 1):
        coefficients[k] *= factor
        factor *= size
    num_inside = roots_in_unit_interval(coefficients, from_power, stack, roots[0])
    for k in range(num_inside):
        roots[0, k] *= size
        roots[1, k] = 1.0
    for k in range((degree + 1) // 2):
        swapped = coefficients[k]
        coefficients[k] = coefficients[degree - k]
        coefficients[degree - k] = swapped
    num_outside = roots_in_unit_interval(
        coefficients, from_power, stack, roots[1, num_inside:]
    )
    roots[0, num_inside:] = size
    return num_inside + num_outside


@kernel
def roots_in_unit_interval(coefficients, from_power, stack, roots):
    """Write the distinct real roots in [-1, 1] and return their number.

    Parameters
    ----------
    coefficients : (n + 1,) array
        Constant first, not all zero.
    from_power : (n + 1, n + 1) array
        `bernstein_from_power` of the degree.
    stack : (MAX_DEPTH + 1, n + 3) array
        Work space: intervals to be searched, each as its n + 1 Bernstein coefficients,
        its lower and its upper end.
    roots : (m,) array
        Written in no particular order; more than m are dropped.
    """
    degree = coefficients.shape[0] - 1
    stack[0] = 0.0
    for k in range(degree + 1):
        for j in range(degree + 1):
            stack[0, j] += coefficients[k] * from_power[k, j]
    stack[0, degree + 1], stack[0, degree + 2] = -1.0, 1.0
    num_roots = 0
    # Ends of intervals belong to none of them, so a root there is taken separately.
    for end in (0, degree):
        if stack[0, end] == 0.0 and num_roots < roots.shape[0]:
            roots[num_roots] = -1.0 if end == 0 else 1.0
            num_roots += 1
    top = 0
    while top >= 0 and num_roots < roots.shape[0]:
        interval = stack[top]
        low, high = interval[degree + 1], interval[degree + 2]
        changes, last = _sign_changes(interval)
        if changes > 1 and high - low > MIN_WIDTH:
            top += 1
            _halve(interval, stack[top])
            if stack[top, 0] == 0.0:
                roots[num_roots] = 0.5 * (low + high)
                num_roots += 1
            continue
        if changes == 1:
            roots[num_roots] = _newton(coefficients, interval, last)
            num_roots += 1
        elif changes > 1:
            roots[num_roots] = 0.5 * (low + high)
            num_roots += 1
        top -= 1
    return num_roots


@kernel
def _sign_changes(interval):
    """Count the changes of sign, and return the last coefficient before one."""
    changes = 0
    last = 0
    previous = interval[0]
    for j in range(1, interval.shape[0] - 2):
        if interval[j] * previous < 0.0:
            changes += 1
            last = j - 1
        if interval[j] != 0.0:
            previous = interval[j]
    return changes, last


@kernel
def _halve(interval, upper):
    """Split an interval: its lower half stays, the upper one is written (de Casteljau).

    Averaging neighbours n times gives a triangle, whose left edge holds the
    coefficients of the lower half and whose last line those of the upper.
    """
    degree = interval.shape[0] - 3
    for j in range(degree + 3):
        upper[j] = interval[j]
    for step in range(1, degree + 1):
        for j in range(degree + 1 - step):
            upper[j] = 0.5 * (upper[j] + upper[j + 1])
        interval[step] = upper[0]
    middle = 0.5 * (interval[degree + 1] + interval[degree + 2])
    interval[degree + 2] = middle
    upper[degree + 1] = middle


@kernel
def _newton(coefficients, interval, last):
    """Return the one root in an interval, by Newton's method within its bracket.

    It starts where the polygon of the Bernstein coefficients crosses zero, behind
    coefficient ``last``.
    """
    degree = coefficients.shape[0] - 1
    low, high = interval[degree + 1], interval[degree + 2]
    before, after = interval[last], interval[last + 1]
    rising = before < after
    z = low + (high - low) * (last + before / (before - after)) / degree
    for _ in range(MAX_ROOT_STEPS):
        value = coefficients[degree]
        slope = 0.0
        for k in range(degree - 1, -1, -1):
            slope = slope * z + value
            value = value * z + coefficients[k]
        if (value < 0.0) == rising:
            low = z
        else:
            high = z
        following = z - value / slope
        # Written so that it also catches NaN.
        if not low <= following <= high:
            following = 0.5 * (low + high)
        step = abs(following - z)
        z = following
        if step < LAST_STEP:
            break
    return z
