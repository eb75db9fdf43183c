"""Synthetic pairs with known truth, one regime per difficulty, each from its seed.

A regime says how many matches there are, which part of them is right, how noisy the
right ones are (isotropic Gaussian in both images) and of which kinds the others are.
Where they all come from is a scene: a cloud of points (clouds.py), on which defaults
were chosen, or, in the split "surfaces", one of another kind (surfaces.py).
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from benchmarks.data.clouds import CloudScene
from benchmarks.data.pair import Array, Mask, Pair, Pose, Transfer
from benchmarks.data.surfaces import SurfaceScene
from benchmarks.data.views import Views, log_uniform, next_frame, random_plane
from benchmarks.protocols.homography import apply_homography

COHERENT = ("moving", "repeated")  # would be a model by themselves
STRUCTURED = (*COHERENT, "near")
SCENES = {"val": CloudScene, "test": CloudScene, "surfaces": SurfaceScene}
SPLITS = tuple(SCENES)


@dataclass(frozen=True)
class Regime:
    """Ranges from which one problem is drawn; noise in pixels."""

    matches: tuple[int, int] = (200, 2000)  # log-uniform
    inlier_ratio: tuple[float, float] = (0.25, 0.60)
    noise: tuple[float, float] = (0.3, 1.0)  # log-uniform
    outliers: tuple[str, ...] = ("uniform", *STRUCTURED)
    on_plane: tuple[float, float] | None = None  # part of the inliers on one plane
    copies: tuple[float, float] | None = None  # part of the rows that are copies
    # Part of the motion between two views that lies between frames; two views without.
    motion: tuple[float, float] | None = None

    def draw_counts(self, rng: np.random.Generator) -> tuple[int, int]:
        """Draw how many matches there are, and how many of them are right."""
        num = round(log_uniform(rng, *self.matches))
        return num, max(MIN_INLIERS, round(num * rng.uniform(*self.inlier_ratio)))


def _at_noise(sigma: float) -> Regime:
    return Regime(noise=(sigma, sigma), inlier_ratio=(0.30, 0.60))


_DUPLICATES = Regime(noise=(0.3, 4.0), inlier_ratio=(0.30, 0.60))

REGIMES = {
    "easy": Regime((200, 1000), (0.50, 0.90), outliers=("uniform",)),
    "typical": Regime(),
    "lowinl": Regime((500, 3000), (0.05, 0.20)),
    "sig0.1": _at_noise(0.1),
    "sig0.3": _at_noise(0.3),
    "sig1": _at_noise(1.0),
    "sig3": _at_noise(3.0),
    "sig10": _at_noise(10.0),
    "struct": Regime(inlier_ratio=(0.30, 0.60), outliers=STRUCTURED),
    "planar": Regime((200, 1000), (0.50, 0.90), on_plane=(0.70, 0.97)),
    "dup": replace(_DUPLICATES, copies=(0.40, 0.60)),
    "dedup": _DUPLICATES,  # the problems of "dup" before rows were copied
    "small": Regime((20, 60), (0.50, 0.90)),
    "large": Regime((3000, 5000), (0.20, 0.60)),
    "mixed": Regime((20, 5000), (0.05, 0.90), (0.1, 10.0)),
    "video": Regime(
        (50, 1000), (0.95, 0.95), (0.1, 0.3), outliers=("uniform",), motion=(0.05, 0.2)
    ),
}

MIN_INLIERS = 15  # of any problem: below it even the true inliers fix nothing
PATCH = (0.5, 1.0)  # of the image's sides: what a homography's inliers cover
# A wrong structure with more matches than the right one would be the right answer.
MAX_RIVAL = 0.5  # of the inliers, in any one other motion, plane or repeat
# Rows that are copied are copied several times: a few keypoints fire again and again.
COPIED_ROWS = 0.3


def regimes_of(problem: str) -> list[str]:
    """Names of the regimes of a problem; a dominant plane says nothing about H."""
    return [name for name in REGIMES if not (problem == "H" and name == "planar")]


def generate(problem: str, regime: str, index: int, split: str = "test") -> Pair:
    """Return problem number ``index`` of a regime; the splits share no seed."""
    spec, rng = REGIMES[regime], generator_of(problem, regime, index, split)
    views = SCENES[split].draw_views(rng, planar=spec.on_plane is not None)
    if spec.motion is not None:
        views = next_frame(views, log_uniform(rng, *spec.motion))
    plane = random_plane(rng, views)
    num, num_inliers = spec.draw_counts(rng)
    sigma = log_uniform(rng, *spec.noise)
    given = problem, spec.on_plane, views, plane, sigma, rng.uniform(*PATCH)
    drawn = draw_matches(rng, spec, SCENES[split](*given), num, num_inliers)
    return Pair(
        id=str(index),
        problem=problem,
        x1=np.ascontiguousarray(drawn.rows[:, :2]),
        x2=np.ascontiguousarray(drawn.rows[:, 2:]),
        K1=views.camera1.K,
        K2=views.camera2.K,
        size1=views.camera1.size,
        size2=views.camera2.size,
        quality=drawn.quality,
        is_inlier=drawn.is_inlier,
        **_truth(problem, views, plane),
    )


def generator_of(
    problem: str, regime: str, index: int, split: str
) -> np.random.Generator:
    """Return the random generator of one problem."""
    seeded_as = "dup" if regime == "dedup" else regime
    words = [zlib.crc32(w.encode()) for w in (problem, seeded_as, split)]
    return np.random.default_rng([*words, index])


class Scene(Protocol):
    """Where right matches come from; each kind of wrong ones is a method of its own."""

    def true_matches(self, rng: np.random.Generator, num: int) -> Array:
        """Draw exact matches (num, D)."""

    def noisy(self, rng: np.random.Generator, matches: Array) -> Array:
        """Return matches (N, D) with noise."""


class Drawn(NamedTuple):
    """Matches in random order: coordinates (N, D), quality, and which are right."""

    rows: Array
    quality: Array
    is_inlier: Mask


def draw_matches(
    rng: np.random.Generator, spec: Regime, scene: Scene, num: int, num_inliers: int
) -> Drawn:
    """Draw right and wrong matches of a scene as a regime has them."""
    inliers = scene.noisy(rng, scene.true_matches(rng, num_inliers))
    num_wrong = num - num_inliers
    outliers = _false_matches(rng, scene, spec.outliers, num_wrong, num_inliers)
    rows = np.vstack([inliers, *outliers])
    is_inlier = np.arange(len(rows)) < len(inliers)
    # A matcher's confidence: better for true matches, on average only.
    quality = np.where(
        is_inlier, rng.beta(4, 2, size=len(rows)), rng.beta(2, 3, size=len(rows))
    )
    order = rng.permutation(len(rows))
    if spec.copies is not None:
        order = _with_copies(rng, order, rng.uniform(*spec.copies))
    return Drawn(rows[order], quality[order], is_inlier[order])


def _truth(problem: str, views: Views, plane: Array) -> dict:
    if problem == "H":
        H = views.homography(plane)
        corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * views.camera1.size
        return {"truth": Transfer(corners, apply_homography(H, corners)), "model": H}
    model = views.essential() if problem == "E" else views.fundamental()
    return {"truth": Pose(views.R, views.t), "model": model}


def _false_matches(
    rng: np.random.Generator,
    scene: Scene,
    kinds: tuple[str, ...],
    num: int,
    num_inliers: int,
) -> list[Array]:
    """Wrong matches (num, D), shared at random between the kinds of the regime.

    A structure is drawn anew (another motion, plane or period) whenever its share
    would exceed what it may have beside the true inliers.
    """
    # Uniform ones are half of a mixture on average, as many as all the others.
    weights = [float(len(STRUCTURED)) if k == "uniform" else 1.0 for k in kinds]
    counts = rng.multinomial(max(num, 0), rng.dirichlet(weights))
    most = max(1, round(MAX_RIVAL * num_inliers))
    groups = []
    for kind, count in zip(kinds, counts, strict=True):
        draw = getattr(scene, kind)
        step = most if kind in COHERENT else max(count, 1)
        groups += [draw(rng, min(step, count - i)) for i in range(0, count, step)]
    return groups


def _with_copies(
    rng: np.random.Generator, order: np.ndarray, share: float
) -> np.ndarray:
    """Row numbers with copies appended until they are ``share`` of all, shuffled."""
    copied = order[: max(1, round(COPIED_ROWS * len(order)))]
    num_copies = round(len(order) * share / (1.0 - share))
    return rng.permutation(np.append(order, rng.choice(copied, size=num_copies)))
