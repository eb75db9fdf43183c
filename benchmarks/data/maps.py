"""Two images or two clouds of points, and a map from one to the other.

2-D points are pixels of two images.  3-D points fill boxes of any size, and what a
pixel is to an image a thousandth of the box's longest side is to them: noise and near
misses are in that unit, errors in thousandths of its diagonal.  Wrong matches are of
the kinds of `benchmarks.data.clouds`, with another map of the same kind for "moving".

How much of a cloud is matched and the unit of its noise were set after a look at first
figures, so that those of peers resemble what others report; figures of 3-D maps compare
methods with each other, and not with figures from elsewhere.  Nothing of the kind was
done to `benchmarks.data.scans`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks.data.clouds import MAX_STEPS, MISS, PERIOD
from benchmarks.data.pair import Array
from benchmarks.data.views import HEIGHT, RESIZED, WIDTH, log_uniform

STRETCH = (0.6, 1.7)  # of an affine map along its axes, and of a similarity
SIDES = (0.5, 1.0)  # of a box, before it is scaled
BOX_UNIT = (1e-3, 1e3)  # diagonal of a box, log-uniform
SHIFT = 0.25  # extents by which the centre of set 1 misses that of set 2
MAX_TURN = 0.6  # radians, in images: beyond it features do not match
MIN_OVERLAP = 0.3  # share of set 1 that the map takes into set 2


@dataclass(frozen=True)
class Map:
    """``x2 = A x1 + t``, and the sizes (D,) of the boxes of both sets from 0 on."""

    A: Array
    t: Array
    size1: Array
    size2: Array

    @property
    def dim(self) -> int:
        """Coordinates of a point."""
        return len(self.t)

    @property
    def matrix(self) -> Array:
        """[A | t], (D, D + 1)."""
        return np.column_stack([self.A, self.t])

    @property
    def pixel(self) -> float:
        """The unit of noise: a pixel, or a thousandth of the longest side."""
        return 1.0 if self.dim == 2 else 1e-3 * float(self.size2.max())

    @property
    def error_unit(self) -> float:
        """The unit of errors: a pixel, or a thousandth of the diagonal."""
        return 1.0 if self.dim == 2 else 1e-3 * float(np.linalg.norm(self.size2))

    def apply(self, x: Array) -> Array:
        """Map points (N, D)."""
        return x @ self.A.T + self.t

    def corners(self) -> Array:
        """Return the corners (2**D, D) of the first box."""
        grid = np.meshgrid(*[[0.0, 1.0]] * self.dim)
        return np.stack(grid, axis=-1).reshape(-1, self.dim) * self.size1

    def random_matches(self, rng: np.random.Generator, num: int) -> Array:
        """Draw matches (num, 2 D) from anywhere to anywhere."""
        sizes = np.concatenate([self.size1, self.size2])
        return rng.uniform(size=(num, 2 * self.dim)) * sizes

    def exact_matches(self, rng: np.random.Generator, num: int, patch: float) -> Array:
        """Draw exact matches (num, 2 D) in a part of the first box, within both."""
        low = rng.uniform(size=self.dim) * (1.0 - patch) * self.size1
        found = np.empty((0, 2 * self.dim))
        while len(found) < num:
            x1 = low + rng.uniform(size=(4 * num + 16, self.dim)) * patch * self.size1
            matches = self.within_both(x1)
            if len(matches) < 0.5 * MIN_OVERLAP * len(x1):  # another part, then
                low = rng.uniform(size=self.dim) * (1.0 - patch) * self.size1
                continue
            found = np.vstack([found, matches])
        return found[:num]

    def within_both(self, x1: Array) -> Array:
        """Return the exact matches (M, 2 D) of those points that both boxes hold."""
        x2 = self.apply(x1)
        seen = np.all((x1 >= 0.0) & (x1 <= self.size1), axis=1)
        seen &= np.all((x2 >= 0.0) & (x2 <= self.size2), axis=1)
        return np.hstack([x1, x2])[seen]


def linear_part(rng: np.random.Generator, kind: str, dim: int) -> Array:
    """Draw the A (D, D) of a translation, rigid motion, similarity or affine map."""
    if kind == "translation":
        return np.eye(dim)
    turn = _turn(rng, dim)
    if kind == "rigid":
        return turn
    if kind == "similarity":
        return log_uniform(rng, *STRETCH) * turn
    axes = _turn(rng, dim)
    stretch = np.exp(rng.uniform(*np.log(STRETCH), size=dim))
    return turn @ axes.T @ np.diag(stretch) @ axes


def _turn(rng: np.random.Generator, dim: int) -> Array:
    if dim == 2:
        angle = rng.uniform(-MAX_TURN, MAX_TURN)
        cosine, sine = np.cos(angle), np.sin(angle)
        return np.array([[cosine, -sine], [sine, cosine]])
    return Rotation.random(random_state=rng).as_matrix()


def random_map(
    rng: np.random.Generator, kind: str, dim: int, boxes: Map | None = None
) -> Map:
    """Draw a map, between the boxes of another map or between new ones."""
    while True:
        if boxes is not None:
            size1, size2 = boxes.size1, boxes.size2
            A = linear_part(rng, kind, dim)
        elif dim == 2:
            width = log_uniform(rng, *WIDTH)
            size1 = width * np.array([1.0, rng.uniform(*HEIGHT)])
            size2 = size1 * log_uniform(rng, *RESIZED)
            A = linear_part(rng, kind, dim)
        else:
            size1 = rng.uniform(*SIDES, size=3)
            size1 *= log_uniform(rng, *BOX_UNIT) / np.linalg.norm(size1)
            A = linear_part(rng, kind, dim)
            # The box that holds the whole of the first, wherever it is turned to.
            size2 = np.abs(A) @ size1
        aim = 0.5 * size2 + SHIFT * rng.uniform(-0.5, 0.5, size=dim) * size2
        found = Map(A, aim - A @ (0.5 * size1), size1, size2)
        some = found.apply(rng.uniform(size=(500, dim)) * size1)
        if np.all((some >= 0.0) & (some <= size2), axis=1).mean() >= MIN_OVERLAP:
            return found


@dataclass(frozen=True)
class MapScene:
    """What true and false matches of one problem are drawn from.

    Attributes
    ----------
    kind : str
        Of the map.
    map : Map
        The true one.
    sigma : float
        Noise, in the map's pixels.
    patch : float
        Part of the first box's sides that the right matches cover.
    """

    kind: str
    map: Map
    sigma: float
    patch: float

    @classmethod
    def draw(
        cls, rng: np.random.Generator, kind: str, true: Map, sigma: float, patch: float
    ) -> MapScene:
        """Return the scene of a map; it has nothing that is drawn."""
        return cls(kind, true, sigma, patch)

    @property
    def pixel(self) -> float:
        """The unit of noise and misses."""
        return self.map.pixel

    def noisy(self, rng: np.random.Generator, matches: Array) -> Array:
        """Return matches (N, 2 D) with noise in both sets."""
        return matches + self.pixel * self.sigma * rng.normal(size=matches.shape)

    def true_matches(self, rng: np.random.Generator, num: int) -> Array:
        """Draw exact matches (num, 2 D)."""
        return self.map.exact_matches(rng, num, self.patch)

    def uniform(self, rng: np.random.Generator, num: int) -> Array:
        """Draw matches (num, 2 D) from anywhere to anywhere."""
        return self.map.random_matches(rng, num)

    def moving(self, rng: np.random.Generator, num: int) -> Array:
        """Draw matches (num, 2 D) of another map of the same kind."""
        other = random_map(rng, self.kind, self.map.dim, self.map)
        return self.noisy(rng, other.exact_matches(rng, num, self.patch))

    def repeated(self, rng: np.random.Generator, num: int) -> Array:
        """Draw true matches (num, 2 D), off by some periods of one texture."""
        period = self._direction(rng, 1) * self.map.size2[0] * rng.uniform(*PERIOD)
        steps = rng.integers(1, MAX_STEPS + 1) * rng.choice([-1, 1])
        matches = self.noisy(rng, self.true_matches(rng, num))
        matches[:, self.map.dim :] += steps * period
        return matches

    def near(self, rng: np.random.Generator, num: int) -> Array:
        """Draw true matches (num, 2 D), each missed in a direction of its own."""
        miss = self.pixel * self._misses(rng, num)
        matches = self.noisy(rng, self.true_matches(rng, num))
        matches[:, self.map.dim :] += miss * self._direction(rng, num)
        return matches

    def _misses(self, rng: np.random.Generator, num: int) -> Array:
        """Pixels by which near misses miss, (num, 1)."""
        return rng.uniform(*MISS, size=(num, 1))

    def _direction(self, rng: np.random.Generator, num: int) -> Array:
        """Draw unit vectors (num, D)."""
        vectors = rng.normal(size=(num, self.map.dim))
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
