"""The essential matrices of five matches.

Five equations ``x2' E x1 = 0`` leave ``E = x X + y Y + z Z + w W`` for a basis X, Y, Z,
W of their null space; `cvscore.models.solvers.essential_pencils` finds the (x, y, z, w) that
make it essential.  Each solution is then polished on the manifold of poses, so that the
result is essential to the last bit.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import types

from cvscore._numba.by_address import address_of, array, caller
from cvscore._numba.compile import kernel
from cvscore.models.solvers.essential_pencils import pencils_of, solve_pencils
from cvscore.numerics.linalg import null_spaces
from cvscore.models.relative_pose import essential_matrices
from cvscore.models.solvers.sample_poses import are_in_front, polish_poses
from cvscore.types import NO_STAGES, Array

SAMPLE_SIZE = 5

# A match whose equation has a smaller sine to the span of the others repeats them.
MIN_MARGIN = 1e-9

_bool, _int = array(1, types.boolean), array(1, types.int64)
_rays = _matrices = _poses = array(3)
_bases = _coefficients = array(4)
NULL_SPACES = types.Tuple((_bases, _int))(_rays)
PENCILS = _coefficients(_bases)
SOLVE_PENCILS = types.Tuple((_matrices, _int))(_bases, _coefficients, _int)
POLISH = types.Tuple((_poses, _int, _bool))(_rays, _matrices, _int)
IN_FRONT = _bool(_rays, _poses, _int)
call_null_spaces = caller(NULL_SPACES)
call_pencils = caller(PENCILS)
call_solve_pencils = caller(SOLVE_PENCILS)
call_polish = caller(POLISH)
call_in_front = caller(IN_FRONT)


def essential_5pt(rays: Array) -> Array:
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
    poses, _ = _solve(rays, stages())
    models: Array = essential_matrices(poses)
    return models


def essential_5pt_in_front(rays: Array) -> Array:
    """Like `essential_5pt`, without matrices that no scene in front of the cameras has.

    A matrix is left out if none of its four poses puts all five points in front of both
    cameras: a third of those of five right matches, nine in ten of five random ones.
    They need not be scored.
    """
    models: Array = solve_in_front(rays, stages())
    return models


@cache
def stages() -> tuple[Any, ...]:
    """Return the addresses of the steps of the solver.

    By address, because a kernel that contained them all would take many times as long
    to compile as they do one by one.
    """
    steps = (_null_spaces, pencils_of, solve_pencils, polish_poses, are_in_front)
    forms = (NULL_SPACES, PENCILS, SOLVE_PENCILS, POLISH, IN_FRONT)
    return (*map(address_of, steps, forms), NO_STAGES[0])


@kernel
def solve_in_front(rays, stages):
    """`essential_5pt_in_front` with its `stages`."""
    poses, samples = _solve(rays, stages)
    in_front = call_in_front(stages[4], (rays, poses, samples))
    return essential_matrices(_rows(poses, in_front))


@kernel
def _solve(rays, stages):
    """Poses (K, 3, 4), one of the four of each solution, and the samples they solve."""
    bases, samples = call_null_spaces(stages[0], (rays,))
    poses, solved, is_lost = _solve_in_basis(rays, bases, samples, stages)
    if not is_lost.any():
        return poses, solved
    # One sample in thousands has solutions whose z agree to several digits; with the
    # basis in reverse order it is another unknown that tells them apart.
    again = is_lost[samples]
    reverse = _rows(bases, again)
    for b in range(reverse.shape[0]):
        reverse[b] = reverse[b, ::-1].copy()
    others, solved_by_others, _ = _solve_in_basis(rays, reverse, samples[again], stages)
    is_final = ~is_lost[solved]
    return (
        np.concatenate((_rows(poses, is_final), others)),
        np.concatenate((solved[is_final], solved_by_others)),
    )


@kernel
def _rows(array, chosen):
    """Return the chosen rows of an array."""
    return array[np.flatnonzero(chosen)]


@kernel
def _solve_in_basis(rays, bases, samples, stages):
    """As `_solve`, and (B,) whether a sample's roots are too inaccurate to polish."""
    pencils = call_pencils(stages[1], (bases,))
    matrices, solved = call_solve_pencils(stages[2], (bases, pencils, samples))
    return call_polish(stages[3], (rays, matrices, solved))


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
