"""What an estimate is not sure of: mapped points as ellipses, two poses of a wall.

python docs/pictures/trust.py [docs/pictures/trust.png]        (seconds)

Left, a homography of 60 matches that lie in a corner of the image, and where it takes
the rest of it.  Right, a wall seen by two cameras: two poses fit, and one was found.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

import cv2
import matplotlib.pyplot as plt
import numpy as np

import cvscore
from cvscore.draw import plot_poses, plot_transfer

SIGMA = 0.5  # pixels, in both images
H = np.array([[0.95, -0.12, 60.0], [0.10, 1.04, -40.0], [4e-5, -3e-5, 1.0]])
K = np.array([[1000.0, 0.0, 640.0], [0.0, 1000.0, 480.0], [0.0, 0.0, 1.0]])
NORMAL = np.array([-0.1, 0.1, 0.35])  # of the wall, over its distance
BASELINE = np.array([0.36, 0.0, 0.48])


def corner_of_a_poster(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return matches (80, 2) of a plane, most of them of a corner of it."""
    x1 = rng.uniform(50, 450, (80, 2))
    x2 = cv2.perspectiveTransform(x1[:, None], H)[:, 0]
    x2[60:] = rng.uniform(0, 1000, (20, 2))
    return noisy(rng, x1), noisy(rng, x2)


def wall(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return matches (150, 2) of a wall."""
    rays = np.column_stack([rng.uniform(-0.4, 0.4, (150, 2)), np.ones(150)])
    R, _ = cv2.Rodrigues(np.array([0.05, -0.25, 0.1]))
    seen = rays / (rays @ NORMAL)[:, None] @ R.T + BASELINE
    x1, x2 = ((y @ K.T)[:, :2] / y[:, 2:] for y in (rays, seen))
    return noisy(rng, x1), noisy(rng, x2)


def noisy(rng: np.random.Generator, x: np.ndarray) -> np.ndarray:
    """Return pixels with noise."""
    return x + rng.normal(0, SIGMA, x.shape)


def main(path: Path) -> None:
    """Draw both, side by side."""
    rng = np.random.default_rng(0)
    x1, x2 = corner_of_a_poster(rng)
    plane = cvscore.estimate_homography(x1, x2)
    grid = np.stack(np.meshgrid(*[np.linspace(50, 950, 7)] * 2), axis=-1).reshape(-1, 2)
    left = plot_transfer(plane, grid, x2)

    x1, x2 = wall(rng)
    pose = cvscore.estimate_essential(x1, x2, K)
    right = plot_poses(pose, x1, x2, K)
    print(f"cvscore: {1 + len(pose.alternatives)} poses of the wall fit")

    shown = []
    for figure in (left, right):
        figure.set_size_inches(figure.get_size_inches()[0] * 0.8, 3.6)
        buffer = BytesIO()
        figure.savefig(buffer, dpi=90, format="png")
        buffer.seek(0)
        shown.append(plt.imread(buffer))
    path.parent.mkdir(parents=True, exist_ok=True)
    plt.imsave(path, np.hstack(shown))


if __name__ == "__main__":
    given = sys.argv[1:] or [str(Path(__file__).with_name("trust.png"))]
    main(Path(given[0]))
