"""A guess at the marginal score that costs a fraction of a nanosecond a point.

An inlier of scale s gains about log(a / s) per constraint over being an outlier of
half-width a, and an outlier gains nothing.  So it is with the sum of
max(0, log(a^2 / q)), which needs no scale and no sorting; and the leading bits of a
float *are* its logarithm, up to a linear interpolation between powers of two.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel

# Bits dropped from the logarithms: what is left of them adds up without overflow for
# more points than fit into memory.
DROPPED_BITS = 24
# Octaves of a squared residual below the squared half-width that still count: the
# sample itself fits exactly, and must not outweigh all others.
MAX_OCTAVES = 24
OCTAVE = 1 << (52 - DROPPED_BITS)


@kernel
def preview_scores(sq_residuals, sq_width):
    """Return the sum of log2(sq_width / q), clamped to [0, 24], of each row (K, N)."""
    num_models, num_points = sq_residuals.shape
    width = np.empty(1)
    width[0] = sq_width
    top = width.view(np.int64)[0] >> DROPPED_BITS
    scores = np.empty(num_models)
    for row in range(num_models):
        bits = sq_residuals[row].view(np.int64)
        total = 0
        for i in range(num_points):
            gain = top - (bits[i] >> DROPPED_BITS)
            total += min(max(gain, 0), MAX_OCTAVES * OCTAVE)
        scores[row] = total / OCTAVE
    return scores
