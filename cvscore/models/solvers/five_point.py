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
from cvscore.models.solvers.sample_poses import SAMPLE_SIZE, polish_poses
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
    return essential_matrices(_solve(rays, False))


@kernel
def essential_5pt_in_front(rays):
    """Like `essential_5pt`, without matrices that no scene in front of the cameras has.

    A matrix is left out if none of its four poses puts all five points in front of both
    cameras: a third of those of five right matches, nine in ten of five random ones.
    They need not be scored.
    """
    return essential_matrices(_solve(rays, True))


@kernel
def _solve(rays, in_front):
    """Poses (K, 3, 4), one of the four of each solution."""
    bases, samples = _null_spaces(rays)
    poses, solved, is_lost = _solve_in_basis(rays, bases, samples, in_front)
    num_lost = 0
    for b in range(samples.shape[0]):
        num_lost += is_lost[samples[b]]
    if num_lost == 0:
        return poses
    # One sample in thousands has solutions whose z agree to several digits; with the
    # basis in reverse order it is another unknown that tells them apart.
    lost = np.empty(num_lost, dtype=np.int64)
    reverse = np.empty((4, 9, num_lost))
    num_lost = 0
    for b in range(samples.shape[0]):
        if is_lost[samples[b]]:
            lost[num_lost] = samples[b]
            for k in range(4):
                for i in range(9):
                    reverse[k, i, num_lost] = bases[3 - k, i, b]
            num_lost += 1
    others, _, _ = _solve_in_basis(rays, reverse, lost, in_front)
    both = np.empty((poses.shape[0] + others.shape[0], 3, 4))
    num_final = 0
    for k in range(both.shape[0]):
        is_other = k >= poses.shape[0]
        found = others[k - poses.shape[0]] if is_other else poses[k]
        if is_other or not is_lost[solved[k]]:
            for i in range(3):
                for j in range(4):
                    both[num_final, i, j] = found[i, j]
            num_final += 1
    return both[:num_final]


@kernel
def _solve_in_basis(rays, bases, samples, in_front):
    """Return poses, the samples they solve, and (B,) which have one that is lost."""
    matrices, solved = solve_pencils(bases, pencils_of(bases))
    for k in range(solved.shape[0]):
        solved[k] = samples[solved[k]]
    return polish_poses(rays, matrices, solved, in_front)


@kernel
def _null_spaces(rays):
    """Bases X, Y, Z, W (4, 9, K) of the samples that have one, and these."""
    num_samples = rays.shape[0]
    equations = np.empty((SAMPLE_SIZE, 9, num_samples))
    for n in range(SAMPLE_SIZE):
        for i in range(3):
            for j in range(3):
                entry = equations[n, 3 * i + j]
                for b in range(num_samples):
                    entry[b] = rays[b, n, 3 + i] * rays[b, n, j]
    bases, margins = np.empty((4, 9, num_samples)), np.empty(num_samples)
    null_spaces(equations, bases, margins)
    samples = np.flatnonzero(margins > MIN_MARGIN)
    if samples.shape[0] < num_samples:
        bases = bases[:, :, samples].copy()
    return bases, samples
