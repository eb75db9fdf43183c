"""The real roots of a cubic in closed form, polished."""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel

# Newton steps on a root: the closed form loses digits to cancellation, each step
# doubles the number of those left.
POLISH_STEPS = 2

SQRT_THREE = np.sqrt(3.0)


@kernel
def cubic_roots(a, b, c, roots):
    """Write the real roots of ``t^3 + a t^2 + b t + c``; their number is 1 or 3.

    A double root may go missing, or be written twice: rounding decides.
    """
    q = (a * a - 3.0 * b) / 9.0
    r = (a * (2.0 * a * a - 9.0 * b) + 27.0 * c) / 54.0
    if r * r < q * q * q:
        # Viete: three roots at angles 120 degrees apart.
        size = np.sqrt(q)
        third = np.arccos(max(-1.0, min(1.0, r / (q * size)))) / 3.0
        cos, sin = size * np.cos(third), size * np.sin(third)
        roots[0] = -2.0 * cos - a / 3.0
        roots[1] = cos + SQRT_THREE * sin - a / 3.0
        roots[2] = cos - SQRT_THREE * sin - a / 3.0
        num_roots = 3
    else:
        # Cardano, with the cube root that does not cancel.
        cube_root = (abs(r) + np.sqrt(r * r - q * q * q)) ** (1.0 / 3.0)
        if r > 0.0:
            cube_root = -cube_root
        other = q / cube_root if cube_root != 0.0 else 0.0
        roots[0] = cube_root + other - a / 3.0
        num_roots = 1
    for k in range(num_roots):
        for _ in range(POLISH_STEPS):
            t = roots[k]
            value = ((t + a) * t + b) * t + c
            slope = (3.0 * t + 2.0 * a) * t + b
            # At a double root the step is 0/0 in exact arithmetic: stay.
            if abs(value) < abs(slope):
                roots[k] = t - value / slope
    return num_roots
