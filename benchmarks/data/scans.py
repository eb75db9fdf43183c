"""Matches of maps in scenes of another kind: points in clumps, wrong ones too.

In space the points of set 1 are on a few curved sheets, as those of a scan are, and set
2 is a part of what a second scan saw; in the plane they are in clumps of an image.
Noise is in thousandths of the diagonal of set 2, or in pixels.  Of the wrong matches

- uniform: half lead from one clump to another one, half from anywhere to anywhere;
- moving: something small and dense, with a map of its own;
- repeated: right matches that are off by periods of a texture, in either direction;
- near: right matches that miss by 5 pixels or more.

Written down in one go, before any method ran on it, and left so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks.data.clouds import MAX_STEPS, PERIOD
from benchmarks.data.maps import Map, MapScene, random_map
from benchmarks.data.pair import Array

NUM_CLUMPS = 40
CLUMP_SIZE = 0.05  # extents: one standard deviation along a sheet
NUM_SHEETS = (2, 6)
CURVATURE = 1.0  # over the extent
SEEN_AGAIN = (0.6, 1.0)  # of each side of space, by the second scan
MISS = (5.0, 60.0)  # pixels, log-uniform
THING_SIZE = 0.1  # extents: side of what moves by itself


@dataclass(frozen=True)
class Clumps:
    """Middles (S, D) of clumps of points, and directions (S, 2, D) they extend in."""

    middles: Array
    directions: Array

    def draw(self, rng: np.random.Generator, num: int) -> Array:
        """Draw points (num, D)."""
        chosen = rng.integers(0, len(self.middles), num)
        along = rng.normal(size=(num, 1, 2))
        return self.middles[chosen] + (along @ self.directions[chosen])[:, 0]


def part_seen_again(rng: np.random.Generator, whole: Map) -> Map:
    """Return the map of points in space to a part of their second box."""
    if whole.dim == 2:
        return whole
    size2 = rng.uniform(*SEEN_AGAIN, size=3) * whole.size2
    cut = rng.uniform(size=3) * (whole.size2 - size2)
    return Map(whole.A, whole.t - cut, whole.size1, size2)


def draw_clumps(rng: np.random.Generator, scan: Map, patch: float) -> Clumps:
    """Draw clumps in a part of the first box, on sheets where that is in space."""
    dim, extent = scan.dim, float(np.linalg.norm(scan.size1))
    while True:
        if dim == 2:
            low = rng.uniform(size=2) * (1.0 - patch) * scan.size1
            middles = low + rng.uniform(size=(8 * NUM_CLUMPS, 2)) * patch * scan.size1
            directions = np.tile(np.eye(2), (len(middles), 1, 1))
        else:
            middles, directions = _on_sheets(rng, scan.size1, extent)
        x2 = scan.apply(middles)
        seen = np.all((middles >= 0.0) & (middles <= scan.size1), axis=1)
        seen &= np.all((x2 >= 0.0) & (x2 <= scan.size2), axis=1)
        if seen.sum() >= NUM_CLUMPS:
            kept = np.flatnonzero(seen)[:NUM_CLUMPS]
            return Clumps(middles[kept], CLUMP_SIZE * extent * directions[kept])


def _on_sheets(
    rng: np.random.Generator, size: Array, extent: float
) -> tuple[Array, Array]:
    """Points (S, 3) of some curved sheets, and their tangents (S, 2, 3)."""
    num_sheets, num = rng.integers(*NUM_SHEETS), 16 * NUM_CLUMPS
    origins = rng.uniform(size=(num_sheets, 3)) * size
    frames = Rotation.random(num_sheets, random_state=rng).as_matrix()
    bends = rng.uniform(-CURVATURE, CURVATURE, num_sheets) / extent
    sheet = rng.integers(0, num_sheets, num)
    uv = rng.uniform(-0.5, 0.5, size=(num, 2)) * extent
    frame, bend = frames[sheet], bends[sheet, None]
    height = 0.5 * bend * np.sum(uv**2, axis=1, keepdims=True)
    inside = np.hstack([uv, height])
    points = origins[sheet] + (inside[:, None] @ frame)[:, 0]
    tangents = frame[:, :2] + (bend * uv)[:, :, None] * frame[:, 2:]
    return points, tangents / np.linalg.norm(tangents, axis=2, keepdims=True)


@dataclass(frozen=True)
class ScanScene(MapScene):
    """What true and false matches of two scans, or of clumpy images, are drawn from."""

    clumps: Clumps

    @classmethod
    def draw(
        cls, rng: np.random.Generator, kind: str, whole: Map, sigma: float, patch: float
    ) -> ScanScene:
        """Draw a scene for a map."""
        scan = part_seen_again(rng, whole)
        return cls(kind, scan, sigma, patch, draw_clumps(rng, scan, patch))

    @property
    def pixel(self) -> float:
        """The unit of noise and misses."""
        return self.map.error_unit

    def true_matches(self, rng: np.random.Generator, num: int) -> Array:
        """Draw exact matches (num, 2 D) in the clumps, within both boxes."""
        found = np.empty((0, 2 * self.map.dim))
        while len(found) < num:
            x1 = self.clumps.draw(rng, 2 * num + 16)
            found = np.vstack([found, self.map.within_both(x1)])
        return found[:num]

    def uniform(self, rng: np.random.Generator, num: int) -> Array:
        """Draw matches (num, 2 D), half of them from clumps to other clumps."""
        dim, half = self.map.dim, num // 2
        matches = self.noisy(rng, self.true_matches(rng, 2 * half))
        elsewhere = np.hstack([matches[:half, :dim], matches[half:, dim:]])
        return np.vstack([elsewhere, super().uniform(rng, num - half)])

    def moving(self, rng: np.random.Generator, num: int) -> Array:
        """Draw matches (num, 2 D) of something small with another map of the kind."""
        other = random_map(rng, self.kind, self.map.dim, self.map)
        return self.noisy(rng, other.exact_matches(rng, num, THING_SIZE))

    def repeated(self, rng: np.random.Generator, num: int) -> Array:
        """Draw true matches (num, 2 D), off by some periods to either side."""
        period = self._direction(rng, 1) * self.map.size2[0] * rng.uniform(*PERIOD)
        steps = rng.integers(1, MAX_STEPS + 1, (num, 1)) * rng.choice([-1, 1], (num, 1))
        matches = self.noisy(rng, self.true_matches(rng, num))
        matches[:, self.map.dim :] += steps * period
        return matches

    def _misses(self, rng: np.random.Generator, num: int) -> Array:
        return np.exp(rng.uniform(*np.log(MISS), size=(num, 1)))
