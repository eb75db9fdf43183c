"""A shaky clip held still: estimateAffinePartial2D between frames, nothing to choose.

A poster drifts through the picture, and its corners move otherwise than the camera.
"""

from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

import cvscore
from cvscore.draw import stack
from cvscore.images.features import write_image
from cvscore.images.rendering import render_pair

OUTPUT = Path("out/stabilised.png")
WIDTH, HEIGHT, NUM_FRAMES = 480, 300, 40


def shaky_clip():
    """Cuts of a rendered wall by a hand that trembles, a poster passing by."""
    wall = render_pair(3, width=900, height=600, planar=True).image1
    poster = wall[:140, :140][::-1]
    rng = np.random.default_rng(0)
    for i in range(NUM_FRAMES):
        turn = cv2.getRotationMatrix2D((450, 300), rng.normal(0, 1.5), 1.0)
        turn[:, 2] -= rng.normal([210, 150], 8.0)
        frame = cv2.warpAffine(wall, turn, (WIDTH, HEIGHT))
        left = 20 + 7 * i
        frame[80:220, left : left + 140] = poster[:, : max(0, WIDTH - left)]
        yield frame


def track(first, frame):
    """Corners of one frame, and where optical flow sees them in another."""
    corners = cv2.goodFeaturesToTrack(first, 400, 0.01, 5)
    seen, status, _ = cv2.calcOpticalFlowPyrLK(first, frame, corners, None)
    return corners[status == 1], seen[status == 1]


def main():
    frames = list(shaky_clip())
    still, to_first = [frames[0]], np.eye(3)
    for before, frame in pairwise(frames):
        here, there = track(frame, before)
        step, mask = cvscore.estimateAffinePartial2D(here, there)
        to_first = to_first @ np.vstack([step, [0, 0, 1]])
        still.append(cv2.warpAffine(frame, to_first[:2], (WIDTH, HEIGHT)))
    print(f"last step: {mask.sum()} of {len(mask)} corners move with the camera")
    means = [np.mean(clip, axis=0).astype(np.uint8) for clip in (frames, still)]
    shaky, held = (cv2.cvtColor(mean, cv2.COLOR_GRAY2BGR) for mean in means)
    captions = f"mean of {NUM_FRAMES} shaky frames", "the same frames, held still"
    OUTPUT.parent.mkdir(exist_ok=True)
    write_image(OUTPUT, stack(list(zip(captions, (shaky, held), strict=True))))
    print(OUTPUT)


if __name__ == "__main__":
    main()
