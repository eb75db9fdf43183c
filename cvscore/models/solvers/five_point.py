"""The essential matrices of five matches.

Five equations ``x2' E x1 = 0`` leave ``E = x X + y Y + z Z + w W`` for a basis X, Y, Z,
W of their null space; `essential_pencils` finds the (x, y, z, w) that make it
essential.  Each solution is then polished on the manifold of poses, so that the result
is essential to the last bit.
"""

from __future__ import annotations

import numpy as np

from cvscore._numba.compile import kernel
from cvscore.models.relative_pose import essential_matrices
from cvscore.models.solvers.essential_pencils import pencils_of, solve_pencils
from cvscore.models.solvers.sample_poses import (
    SAMPLE_SIZE,
    are_in_front,
    polish_poses,
)
from cvscore.numerics.linalg import null_spaces

# A match whose equation has a smaller sine to the span of the others repeats them.
MIN_MARGIN = 1e-9


@kernel
def essential_5pt(rays):
    """All real essential matrices of each sample of five matches.

    Parameters
    ----------
    rays : (B, 5, 6) array
        Unit vectors along the rays of a match in camera 1 and camera 2.

    Returns
    -------
    (K, 3, 3) array
        ``[t]x R`` with ``|t| = 1``, at most ten for each sample, none for samples with
        repeated matches.
    """
    poses, _ = _solve(rays)
    return essential_matrices(poses)


@kernel
def essential_5pt_in_front(rays):
    """Like `essential_5pt`, without matrices that no scene in front of the cameras has.

    A matrix is left out if none of its four poses puts all five points in front of both
    cameras: a third of those of five right matches, nine in ten of five random ones.
    They need not be scored.
    """
    poses, samples = _solve(rays)
    return essential_matrices(_rows(poses, are_in_front(rays, poses, samples)))


@kernel
def _solve(rays):
    """Poses (K, 3, 4), one of the four of each solution, and the samples they solve."""
    bases, samples = _null_spaces(rays)
    poses, solved, is_lost = _solve_in_basis(rays, bases, samples)
    again = np.empty(samples.shape[0], dtype=np.int64)
    num_lost = 0
    for b in range(samples.shape[0]):
        if is_lost[samples[b]]:
            again[num_lost] = samples[b]
            _write_reversed(bases, b, num_lost)
            num_lost += 1
    if num_lost == 0:
        return poses, solved
    others = _solve_in_basis(rays, bases[:num_lost], again[:num_lost])
    num_poses = poses.shape[0]
    both = np.empty((num_poses + others[0].shape[0], 3, 4))
    of_both = np.empty(both.shape[0], dtype=np.int64)
    num_final = 0
    for k in range(both.shape[0]):
        is_other = k >= num_poses
        found = others[0][k - num_poses] if is_other else poses[k]
        sample = others[1][k - num_poses] if is_other else solved[k]
        if is_other or not is_lost[sample]:
            for i in range(3):
                for j in range(4):
                    both[num_final, i, j] = found[i, j]
            of_both[num_final] = sample
            num_final += 1
    return both[:num_final], of_both[:num_final]


@kernel
def _write_reversed(bases, b, at):
    """Write basis ``b`` in reverse order, in place, to the place of one before it.

    One sample in thousands has solutions whose z agree to several digits; with the
    basis in reverse order it is another unknown that tells them apart.
    """
    reverse = bases[b, ::-1].copy()
    for k in range(4):
        for i in range(3):
            for j in range(3):
                bases[at, k, i, j] = reverse[k, i, j]


@kernel
def _rows(array, chosen):
    """Return the chosen rows of an array."""
    return array[np.flatnonzero(chosen)]


@kernel
def _solve_in_basis(rays, bases, samples):
    """As `_solve`, and (B,) whether a sample's roots are too inaccurate to polish."""
    matrices, solved = solve_pencils(bases, pencils_of(bases), samples)
    return polish_poses(rays, matrices, solved)


@kernel
def _null_spaces(rays):
    """Bases X, Y, Z, W (K, 4, 3, 3) of the samples that have one, and these."""
    num_samples = rays.shape[0]
    equations = np.empty((SAMPLE_SIZE, 9, num_samples))
    for n in range(SAMPLE_SIZE):
        for i in range(3):
            for j in range(3):
                entry = equations[n, 3 * i + j]
                for b in range(num_samples):
                    entry[b] = rays[b, n, 3 + i] * rays[b, n, j]
    side_by_side, margins = np.empty((4, 9, num_samples)), np.empty(num_samples)
    null_spaces(equations, side_by_side, margins)
    bases = np.empty((num_samples, 4, 3, 3))
    samples = np.empty(num_samples, dtype=np.int64)
    count = 0
    for b in range(num_samples):
        if margins[b] > MIN_MARGIN:
            for k in range(4):
                for i in range(9):
                    bases[count, k, i // 3, i % 3] = side_by_side[k, i, b]
            samples[count] = b
            count += 1
    return bases[:count], samples[:count]
