"""Where was the camera?  A poster of known size in a photograph: solvePnPRansac.

The poster's features are known points.  A box on the poster shows the pose.
"""

from pathlib import Path

import cv2
import numpy as np

import cvscore
from cvscore.images.features import match_images, write_image
from cvscore.images.rendering import render_pair

OUTPUT = Path("out/localise.png")
METRES = 0.6 / 640  # a pixel of the poster, which is 60 cm wide
K = np.array([[900.0, 0.0, 480.0], [0.0, 900.0, 360.0], [0.0, 0.0, 1.0]])
EDGES = [(i, j) for i in range(8) for j in range(i) if (i ^ j) in (1, 2, 4)]


def photograph(poster, rvec, tvec):
    """Show the poster on a wall of other pictures, with the noise of a camera."""
    wall = cv2.resize(render_pair(seed=7).image1, (960, 720))
    columns = cv2.Rodrigues(rvec)[0]
    columns[:, :2] *= METRES
    columns[:, 2] = tvec
    seen = cv2.warpPerspective(poster, K @ columns, (960, 720))
    is_poster = cv2.warpPerspective(np.ones_like(poster), K @ columns, (960, 720)) > 0
    image = np.where(is_poster, seen, wall)
    noisy = image + np.random.default_rng(0).normal(0.0, 12.0, image.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


def main():
    poster = render_pair(seed=3, planar=True).image1
    true = np.array([0.5, -0.7, 0.2]), np.array([-0.25, -0.1, 1.1])  # metres
    image = photograph(poster, *true)
    matches = match_images(poster, image, ratio=0.98)
    X = np.column_stack([matches.x1 * METRES, np.zeros(len(matches.x1))])
    _, rvec, tvec, inliers = cvscore.solvePnPRansac(X, matches.x2, K, None)
    off = cv2.Rodrigues(rvec)[0].T @ tvec[:, 0]
    off -= cv2.Rodrigues(true[0])[0].T @ true[1]
    millimetres = 1000 * np.linalg.norm(off)
    print(f"{len(inliers)} of {len(X)} matches, {millimetres:.1f} mm off: {OUTPUT}")
    picture = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)
    right = np.isin(np.arange(len(X)), inliers)
    for (u, v), is_right in zip(matches.x2, right, strict=True):
        colour = (120, 200, 40) if is_right else (60, 60, 230)
        cv2.circle(picture, (round(u), round(v)), 3, colour, -1, cv2.LINE_AA)
    box = np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)], float)
    box = box * [0.2, 0.16, -0.15] + [0.2, 0.16, 0.0]  # it stands before the poster
    corners = cv2.projectPoints(box, rvec, tvec, K, None)[0][:, 0].round().astype(int)
    for i, j in EDGES:
        cv2.line(picture, corners[i], corners[j], (0, 190, 255), 3, cv2.LINE_AA)
    OUTPUT.parent.mkdir(exist_ok=True)
    write_image(OUTPUT, picture)


if __name__ == "__main__":
    main()
