"""Two scans of one hill, in metres, put together: estimate_rigid, nothing to choose.

Points are matched by the shape of the ground around them; most matches are wrong.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

import cvscore

OUTPUT = Path("out/scans.png")
NUM = 5000  # points of a scan


def scan(rng, low, high):
    """Points (NUM, 3) of the ground between two abscissae, with two centimetres."""
    x, y = rng.uniform([low, 0.0], [high, 30.0], (NUM, 2)).T
    hills = np.random.default_rng(0).uniform([0, 0, -2, 1], [48, 30, 2, 4], (60, 4))
    z = sum(h * np.exp(-((x - a) ** 2 + (y - b) ** 2) / w**2) for a, b, h, w in hills)
    return np.column_stack([x, y, z]) + rng.normal(0.0, 0.02, (NUM, 3))


def describe(points):
    """Shape of the ground around each point: spreads, whatever the pose."""
    shapes, tree = [], cKDTree(points)
    for num in (30, 60, 120, 240):
        near = points[tree.query(points, num)[1]]
        near -= near.mean(axis=1, keepdims=True)
        shapes.append(np.linalg.eigvalsh(near.transpose(0, 2, 1) @ near))
    return np.log(np.hstack(shapes))


def main():
    rng = np.random.default_rng(2)
    ground, other = scan(rng, 0.0, 36.0), scan(rng, 12.0, 48.0)
    R, t = Rotation.from_rotvec([0.1, -0.2, 1.9]), np.array([40.0, -15.0, 6.0])
    moved = R.apply(other) + t  # as the second scanner has it
    _, matched = cKDTree(describe(ground)).query(describe(moved))
    found = cvscore.estimate_rigid(moved, ground[matched])
    back = moved @ found.model[:, :3].T + found.model[:, 3]
    error = np.linalg.norm(back - other, axis=1).mean()
    print(f"{found.num_inliers} of {NUM} matches, {error:.2f} m off: {OUTPUT}")
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), subplot_kw={"projection": "3d"})
    for panel, points in zip(axes, (moved, back), strict=True):
        panel.scatter(*ground[::2].T, s=1, color="#0072b2")
        panel.scatter(*points[::2].T, s=1, color="#d55e00")
        panel.set_title("as scanned" if points is moved else "registered")
        panel.set_box_aspect(np.ptp(np.vstack([ground, points]), 0), zoom=1.15)
        panel.set_axis_off()
    OUTPUT.parent.mkdir(exist_ok=True)
    figure.savefig(OUTPUT, dpi=100, bbox_inches="tight")


if __name__ == "__main__":
    main()
