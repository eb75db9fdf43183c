"""Three views of a wall become one panorama; two homographies, nothing to choose.

python examples/panorama.py                             renders the views
python examples/panorama.py left.jpg middle.jpg right.jpg    takes yours
"""

import sys
from pathlib import Path

import cv2
import numpy as np

import cvscore
from cvscore.images.features import match_images, read_image, write_image
from cvscore.images.rendering import render_pair

OUTPUT = Path("out/panorama.png")


def views(names):
    """Yours, or three overlapping cuts of a rendered wall, two of them seen askew."""
    if names:
        return [read_image(name) for name in names]
    wall = render_pair(2, width=1200, height=400, planar=True).image1
    askew = np.array([[1.0, 0.08, -10.0], [0.02, 1.02, -8.0], [1.5e-4, 0, 1.0]])
    turn = np.array([[1.02, -0.06, 12.0], [-0.03, 1.0, 10.0], [-1e-4, 0, 1.0]])
    cuts = [(0, askew), (320, np.eye(3)), (640, turn)]
    return [cv2.warpPerspective(wall[:, x : x + 560], H, (560, 400)) for x, H in cuts]


def to_middle(image, middle):
    found = match_images(image, middle)
    result = cvscore.estimate_homography(found.x1, found.x2, quality=found.quality)
    if not result.is_significant:
        sys.exit(f"these views do not belong together: {result.reason}")
    print(f"{result.num_inliers} of {len(found)} matches, scale {result.scale:.2f} px")
    return result.model


def main():
    left, middle, right = views(sys.argv[1:4])
    height, width = middle.shape[:2]
    into_canvas = np.array([[1.0, 0, width], [0, 1, height / 4], [0, 0, 1]])
    size = 3 * width, height + height // 2
    panorama = np.zeros((size[1], size[0], *middle.shape[2:]), np.uint8)
    places = [to_middle(left, middle), to_middle(right, middle), np.eye(3)]
    for image, H in zip((left, right, middle), places, strict=True):
        warped = cv2.warpPerspective(image, into_canvas @ H, size)
        panorama = np.where(warped > 0, warped, panorama)
    rows, columns = np.nonzero(panorama.reshape(*panorama.shape[:2], -1).max(axis=2))
    panorama = panorama[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    write_image(OUTPUT, panorama)
    print(f"picture: {OUTPUT}, {panorama.shape[1]} x {panorama.shape[0]} pixels")


if __name__ == "__main__":
    main()
