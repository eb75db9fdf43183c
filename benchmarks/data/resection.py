"""Image points matched to scene points, with the true pose of the camera (PnP).

The regimes are those of image pairs (`synthetic.REGIMES`), with noise in the image
alone.  The scene has an origin, an orientation and a unit of its own.  In "val" and
"test" its points are anywhere before the camera, in "surfaces" in clumps on a few
smooth surfaces.  The wrong matches are

- uniform: anywhere in the image, to any point of a scene larger than the image; half of
  those of "surfaces" lead from one clump to another;
- moving: points of something that moves by itself, small and dense in "surfaces";
- repeated: the right match, shifted by a period of the scene's texture, by several in
  either direction in "surfaces";
- near: the right place in the image missed by some pixels, few of them in "surfaces".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.data.clouds import MAX_STEPS, MISS, PERIOD
from benchmarks.data.pair import Array, Pair, Placement
from benchmarks.data.synthetic import REGIMES, draw_matches, generator_of
from benchmarks.data.views import (
    FAR_OVER_NEAR,
    Camera,
    log_uniform,
    random_camera,
    rotation,
)

PROBLEM = "PnP"
SPLITS = ("val", "test", "surfaces")
UNIT = (0.01, 100.0)  # of the scene, log-uniform; the nearest point is at depth one
ORIGIN = 20.0  # nearest depths between the camera and the origin of the scene
WIDER = 1.3  # the scene extends beyond the image, by this factor of its sides
NUM_SURFACES = (2, 6)
WAVINESS = 0.1  # of the depth
NUM_CLUMPS = 40
CLUMP_SIZE = 0.04  # widths: one standard deviation
THING_SIZE = 0.15  # of the image's sides: what moves in a scene of surfaces
NARROW_MISS = (5.0, 60.0)  # pixels, log-uniform: of near misses there


@dataclass(frozen=True)
class Scene:
    """What matches are drawn from, in the frame of the camera.

    Attributes
    ----------
    camera : Camera
    depths : (near, far)
    surfaces : (S, 6) array or None
        Inverse depth as a function of normalised image coordinates: constant, two
        slopes, and two frequencies and the phase of a wave; None for a cloud.
    share_on_plane : float
        Of the right matches, on one plane.
    sigma : float
        Noise in pixels.
    """

    camera: Camera
    depths: tuple[float, float]
    surfaces: Array | None
    share_on_plane: float
    sigma: float

    def points(self, rng: np.random.Generator, x: Array) -> Array:
        """Draw scene points (N, 3) on the rays of pixels (N, 2)."""
        rays, num = self.camera.rays(x), len(x)
        near, far = self.depths
        if self.surfaces is None:
            inverse_depths = 1.0 / rng.uniform(near, far, size=num)
        else:
            a, b, c, f, g, phase = self.surfaces[
                rng.integers(0, len(self.surfaces), num)
            ].T
            wave = np.sin(f * rays[:, 0] + g * rays[:, 1] + phase)
            plane = a + b * rays[:, 0] + c * rays[:, 1]
            inverse_depths = np.clip(plane * (1.0 + WAVINESS * wave), 1 / far, 1 / near)
        on_plane = np.arange(num) < self.share_on_plane * num
        tilted = (1.0 + 0.4 * rays[:, 0] - 0.2 * rays[:, 1]) * 2.0 / (near + far)
        inverse_depths[on_plane] = np.clip(tilted, 1 / far, 1 / near)[on_plane]
        return rays / inverse_depths[:, None]

    def project(self, X: Array) -> tuple[Array, Array]:
        """Pixels (N, 2) of scene points (N, 3), and which of them the image shows."""
        x = X[:, :2] / X[:, 2:] * np.diag(self.camera.K)[:2] + self.camera.K[:2, 2]
        return x, (X[:, 2] > 0) & self.camera.sees(x)

    def noisy(self, rng: np.random.Generator, matches: Array) -> Array:
        """Return matches (N, 5) with noise in their pixels."""
        moved = matches.copy()
        moved[:, :2] += self.sigma * rng.normal(size=(len(matches), 2))
        return moved

    def true_matches(self, rng: np.random.Generator, num: int) -> Array:
        """Draw exact matches (num, 5): pixels and their scene points."""
        x = self.camera.random_pixels(rng, num)
        return np.hstack([x, self.points(rng, x)])

    def uniform(self, rng: np.random.Generator, num: int) -> Array:
        """Draw matches (num, 5) from anywhere to anywhere."""
        size = np.array(self.camera.size)
        elsewhere = self.camera.random_pixels(rng, num)
        elsewhere = WIDER * (elsewhere - 0.5 * size) + 0.5 * size
        x = self.camera.random_pixels(rng, num)
        return np.hstack([x, self.points(rng, elsewhere)])

    def moving(self, rng: np.random.Generator, num: int) -> Array:
        """Draw matches (num, 5) of something that has moved since it was mapped."""
        middle = np.array([0.0, 0.0, np.mean(self.depths)])
        matches = np.empty((0, 5))
        while len(matches) < num:
            turn = rotation(rng.normal(size=3), rng.uniform(2, 15))
            shift = middle + rng.normal(size=3) * 0.15 * middle[2]
            X = self.points(rng, self._pixels_of_thing(rng, 4 * num))
            x, visible = self.project((X - middle) @ turn.T + shift)
            rows = self.noisy(rng, np.hstack([x, X]))[visible]
            # One motion for all of them, or none.
            matches = rows if len(rows) >= num else matches
        return matches[:num]

    def repeated(self, rng: np.random.Generator, num: int) -> Array:
        """Draw true matches (num, 5), their scene points off by some periods."""
        matches = self.noisy(rng, self.true_matches(rng, num))
        period = rng.normal(size=3)
        period *= np.mean(self.depths) * rng.uniform(*PERIOD) / np.linalg.norm(period)
        matches[:, 2:] += self._steps(rng, num) * period
        return matches

    def near(self, rng: np.random.Generator, num: int) -> Array:
        """Draw true matches (num, 5), each missed in a direction of its own."""
        angle = rng.uniform(0, 2 * np.pi, size=num)
        matches = self.noisy(rng, self.true_matches(rng, num))
        miss = self._misses(rng, num)
        matches[:, :2] += miss * np.column_stack([np.cos(angle), np.sin(angle)])
        return matches

    def _pixels_of_thing(self, rng: np.random.Generator, num: int) -> Array:
        """Pixels (num, 2) at which something that moves was mapped."""
        return self.camera.random_pixels(rng, num)

    def _steps(self, rng: np.random.Generator, num: int) -> Array:
        """Periods by which repeats are off, (1, 1): all by the same."""
        return np.full((1, 1), rng.integers(1, MAX_STEPS + 1))

    def _misses(self, rng: np.random.Generator, num: int) -> Array:
        """Pixels by which near misses miss, (num, 1)."""
        return rng.uniform(*MISS, size=(num, 1))


@dataclass(frozen=True)
class ClumpyScene(Scene):
    """Another kind of scene: right and wrong matches are in clumps (S, 2) of pixels."""

    clumps: Array

    def true_matches(self, rng: np.random.Generator, num: int) -> Array:
        """Draw exact matches (num, 5): pixels in clumps and their scene points."""
        size, x = np.array(self.camera.size), np.empty((0, 2))
        while len(x) < num:
            middles = self.clumps[rng.integers(0, len(self.clumps), 2 * num)]
            near = middles + CLUMP_SIZE * size[0] * rng.normal(size=middles.shape)
            x = np.vstack([x, near[self.camera.sees(near)]])
        return np.hstack([x[:num], self.points(rng, x[:num])])

    def uniform(self, rng: np.random.Generator, num: int) -> Array:
        """Draw matches (num, 5), half of them from clumps to other clumps."""
        half = num // 2
        matches = self.true_matches(rng, 2 * half)
        elsewhere = np.hstack([matches[:half, :2], matches[half:, 2:]])
        return np.vstack([elsewhere, super().uniform(rng, num - half)])

    def _pixels_of_thing(self, rng: np.random.Generator, num: int) -> Array:
        size = np.array(self.camera.size)
        side = THING_SIZE * size
        return rng.uniform(size=2) * (size - side) + rng.uniform(size=(num, 2)) * side

    def _steps(self, rng: np.random.Generator, num: int) -> Array:
        return rng.integers(1, MAX_STEPS + 1, (num, 1)) * rng.choice([-1, 1], (num, 1))

    def _misses(self, rng: np.random.Generator, num: int) -> Array:
        return np.exp(rng.uniform(*np.log(NARROW_MISS), size=(num, 1)))


def draw_scene(
    rng: np.random.Generator, split: str, sigma: float, share_on_plane: float = 0.0
) -> Scene:
    """Draw a camera and what is before it."""
    depths = (1.0, rng.uniform(*FAR_OVER_NEAR))
    if split != "surfaces":
        return Scene(random_camera(rng), depths, None, share_on_plane, sigma)
    num = rng.integers(*NUM_SURFACES)
    surfaces = np.column_stack(
        [
            rng.uniform(1.0 / depths[1], 1.0, num),
            rng.normal(0.0, 0.4, (num, 2)),
            rng.uniform(2.0, 12.0, (num, 2)),
            rng.uniform(0.0, 2.0 * np.pi, num),
        ]
    )
    camera = random_camera(rng)
    clumps = camera.random_pixels(rng, NUM_CLUMPS)
    return ClumpyScene(camera, depths, surfaces, share_on_plane, sigma, clumps)


def draw_world(rng: np.random.Generator) -> tuple[Array, Array, float]:
    """Draw the pose of the camera in a world of its own: R, t, and the world's unit."""
    R = rotation(rng.normal(size=3), rng.uniform(0.0, 180.0))
    return R, rng.uniform(-ORIGIN, ORIGIN, 3), log_uniform(rng, *UNIT)


def generate(regime: str, index: int, split: str = "test") -> Pair:
    """Return problem number ``index`` of a regime; the splits share no seed."""
    spec = REGIMES[regime]
    rng = generator_of(PROBLEM, regime, index, split)
    sigma = log_uniform(rng, *spec.noise)
    share = rng.uniform(*spec.on_plane) if spec.on_plane is not None else 0.0
    scene = draw_scene(rng, split, sigma, share)
    drawn = draw_matches(rng, spec, scene, *spec.draw_counts(rng))
    R, t, unit = draw_world(rng)
    return Pair(
        id=str(index),
        problem=PROBLEM,
        x1=np.ascontiguousarray(drawn.rows[:, :2]),
        x2=unit * (drawn.rows[:, 2:] - t) @ R,
        K1=scene.camera.K,
        size1=scene.camera.size,
        truth=Placement(R, unit * t, unit * float(np.mean(scene.depths))),
        quality=drawn.quality,
        is_inlier=drawn.is_inlier,
        model=np.column_stack([R, unit * t]),
    )
