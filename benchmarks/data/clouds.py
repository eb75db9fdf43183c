"""Scenes whose points are anywhere in space, and other things that move through it.

The wrong matches of a scene are

- uniform: anywhere in either image;
- moving: the matches of another motion (E, F) or of another plane (H);
- repeated: the right match, shifted by a period of a repeated texture;
- near: the right place missed by several noise levels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.data.pair import Array
from benchmarks.data.views import (
    Views,
    cloud_matches,
    other_motion,
    plane_matches,
    random_plane,
    random_views,
)

MISS = (15.0, 60.0)  # pixels by which a near miss misses, on top of its noise
PERIOD = (0.03, 0.12)  # widths: period of a repeated texture
MAX_STEPS = 3  # periods by which a repeat is off


@dataclass(frozen=True)
class CloudScene:
    """What true and false matches of one problem are drawn from.

    Attributes
    ----------
    problem : {"E", "F", "H"}
    on_plane : (low, high) or None
        Part of the right matches that is on one plane.
    views, plane
        Two cameras, and a plane n' X = 1 in the frame of the first.
    sigma : float
        Noise in pixels.
    patch : float
        Part of the image's sides that a homography's right matches cover.
    """

    problem: str
    on_plane: tuple[float, float] | None
    views: Views
    plane: Array
    sigma: float
    patch: float

    @staticmethod
    def draw_views(rng: np.random.Generator, *, planar: bool) -> Views:
        """Draw two views, of any scene."""
        return random_views(rng)

    def noisy(self, rng: np.random.Generator, matches: Array) -> Array:
        """Return matches (N, 4) with noise in both images."""
        return matches + self.sigma * rng.normal(size=matches.shape)

    def true_matches(self, rng: np.random.Generator, num: int) -> Array:
        """Draw exact matches (num, 4)."""
        if self.problem == "H":
            return plane_matches(rng, self.views, self.plane, num, self.patch)
        num_planar = 0
        if self.on_plane is not None:
            num_planar = round(num * rng.uniform(*self.on_plane))
        planar = plane_matches(rng, self.views, self.plane, num_planar, patch=1.0)
        general = cloud_matches(rng, self.views, num - num_planar)
        return np.vstack([planar, general])

    def uniform(self, rng: np.random.Generator, num: int) -> Array:
        """Draw matches (num, 4) from anywhere to anywhere."""
        return self.views.random_matches(rng, num)

    def moving(self, rng: np.random.Generator, num: int) -> Array:
        """Draw matches (num, 4) of another plane for H, of another motion otherwise."""
        if self.problem == "H":
            plane = random_plane(rng, self.views)
            matches = plane_matches(rng, self.views, plane, num, self.patch)
        else:
            matches = cloud_matches(rng, other_motion(rng, self.views), num)
        return self.noisy(rng, matches)

    def repeated(self, rng: np.random.Generator, num: int) -> Array:
        """Draw true matches (num, 4), off by some periods of one texture."""
        angle = rng.uniform(0, 2 * np.pi)
        period = np.array([np.cos(angle), np.sin(angle)])
        period *= self.views.camera2.size[0] * rng.uniform(*PERIOD)
        steps = self._steps(rng, num)
        matches = self.noisy(rng, self._texture(rng, num))
        matches[:, 2:] += steps * period
        return matches

    def near(self, rng: np.random.Generator, num: int) -> Array:
        """Draw true matches (num, 4), each missed in a direction of its own."""
        angle = rng.uniform(0, 2 * np.pi, size=num)
        miss = self._misses(rng, num)
        matches = self.noisy(rng, self._texture(rng, num))
        matches[:, 2:] += miss * np.column_stack([np.cos(angle), np.sin(angle)])
        return matches

    def _steps(self, rng: np.random.Generator, num: int) -> Array:
        """Periods by which repeats are off, (num, 1): here all by the same."""
        steps = rng.integers(1, MAX_STEPS + 1) * rng.choice([-1, 1])
        return np.full((num, 1), float(steps))

    def _misses(self, rng: np.random.Generator, num: int) -> Array:
        """Pixels by which near misses miss, (num, 1)."""
        return rng.uniform(*MISS, size=(num, 1))

    def _texture(self, rng: np.random.Generator, num: int) -> Array:
        """Exact matches (num, 4) of what repeats, or is nearly hit."""
        return self.true_matches(rng, num)
