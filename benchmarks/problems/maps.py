"""Translations, rigid motions, similarities and affine maps, of images and of space.

An error is the mean distance at the corners of the first set: in pixels, or in
thousandths of the diagonal of the second one.  Where points are in space the peers are
told three times the true noise as their threshold: they have no default for any unit.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.data import synthetic
from benchmarks.data.maps import MapScene, random_map
from benchmarks.data.noisy_pair import NoisyPair, noisy_pair, num_inliers_of
from benchmarks.data.pair import Corners, Pair
from benchmarks.data.scans import ScanScene
from benchmarks.data.views import log_uniform
from benchmarks.problems.problem import Problem

SCENES = {"val": MapScene, "test": MapScene, "surfaces": ScanScene}
# A dominant plane and small motions say nothing about maps.
OF_VIEWS = ("planar", "video")
REGIMES = tuple(name for name in synthetic.REGIMES if name not in OF_VIEWS)


def generate(kind: str, dim: int, regime: str, index: int, split: str) -> Pair:
    """Return problem number ``index`` of a regime; the splits share no seed."""
    problem, spec = name_of(kind, dim), synthetic.REGIMES[regime]
    rng = synthetic.generator_of(problem, regime, index, split)
    true = random_map(rng, kind, dim)
    num, num_inliers = spec.draw_counts(rng)
    sigma = log_uniform(rng, *spec.noise)
    # A scan is of all there is; a plane is a part of an image.
    patch = rng.uniform(*synthetic.PATCH) if dim == 2 else 1.0
    scene = SCENES[split].draw(rng, kind, true, sigma, patch)
    true = scene.map
    drawn = synthetic.draw_matches(rng, spec, scene, num, num_inliers)
    corners = true.corners()
    return Pair(
        id=str(index),
        problem=problem,
        x1=np.ascontiguousarray(drawn.rows[:, :dim]),
        x2=np.ascontiguousarray(drawn.rows[:, dim:]),
        truth=Corners(corners, true.apply(corners), true.error_unit),
        quality=drawn.quality,
        is_inlier=drawn.is_inlier,
        model=true.matrix,
        unit=1.0 if dim == 2 else sigma * scene.pixel,
    )


def draw_noisy(rng: np.random.Generator, *, kind: str, dim: int) -> NoisyPair:
    """Matches of a random map, and outliers anywhere."""
    true = random_map(rng, kind, dim)
    matches = true.exact_matches(rng, num_inliers_of(rng), 1.0)
    return noisy_pair(rng, matches, true.random_matches, dim, unit=true.pixel)


def name_of(kind: str, dim: int) -> str:
    """Return the name of a problem."""
    return f"{kind}{dim}d"


TITLES = {
    "translation": "Translation",
    "rigid": "Rigid motion",
    "similarity": "Similarity",
    "affine": "Affine map",
}
NUM_PARAMS = {
    "translation2d": 2,
    "rigid2d": 3,
    "similarity2d": 4,
    "affine2d": 6,
    "translation3d": 3,
    "rigid3d": 6,
    "similarity3d": 7,
    "affine3d": 12,
}
WANTED = {
    "affine2d": (97.0, 85.0, 87.0, 42.0, 75.0),
    "similarity2d": (97.5, 94.0, 88.0, 52.0, 81.0),
    "rigid3d": (98.5, 93.0, 92.5, 78.0, 91.0),
    "similarity3d": (98.5, 85.0, 90.0, 70.0, 87.5),
}
WANTED_REGIMES = ("typical", "lowinl", "sig3", "sig10", "mixed")
PACES = {
    "affine2d": {"cv2 USAC_DEFAULT": 1.0},
    "rigid3d": {"pycolmap": 0.5},
    "similarity3d": {"pycolmap": 0.5},
    # Nobody else has these with more than samples and a last fit.
    "translation3d": {"cv2 RANSAC": 1.0},
    "affine3d": {"cv2 RANSAC": 1.0},
}
USAC_PACE = {"cv2 USAC_DEFAULT affine": 1.0}


def _problem(kind: str, dim: int) -> Problem:
    name = name_of(kind, dim)
    wanted = dict(zip(WANTED_REGIMES, WANTED.get(name, ()), strict=False))
    return Problem(
        name=name,
        title=f"{TITLES[kind]}, {dim}-D",
        model=kind,
        num_params=NUM_PARAMS[name],
        unit="pixels" if dim == 2 else "per mille of the extent",
        limit=10.0,
        dims=(dim, dim),
        regimes=REGIMES,
        splits=tuple(SCENES),
        generate=partial(generate, kind, dim),
        draw_noisy=partial(draw_noisy, kind=kind, dim=dim),
        pipeline="IN_PLANE" if dim == 2 else "IN_SPACE",
        paces=PACES.get(name, USAC_PACE),
        wanted=wanted,
    )


PROBLEMS = tuple(_problem(kind, dim) for dim in (2, 3) for kind in TITLES)
