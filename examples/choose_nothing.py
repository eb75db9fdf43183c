"""The same call at five noise levels: nothing is chosen, and the scale is a result.

Beside it, cv2 at a threshold of 3 pixels, which is right for one of the five.
"""

import cv2
import numpy as np

import cvscore

H = np.array([[0.9, -0.15, 60.0], [0.12, 1.05, -20.0], [1e-4, -5e-5, 1.0]])
CORNERS = np.array([[[0.0, 0], [1000, 0], [1000, 800], [0, 800]]])


def matches(noise, rng, num=500):
    """Half of the matches are right, up to noise of this many pixels."""
    x1 = rng.uniform([0, 0], [1000, 800], (num, 2))
    x2 = cv2.perspectiveTransform(x1[None], H)[0] + rng.normal(0, noise, (num, 2))
    x2[::2] = rng.uniform([0, 0], [1000, 800], x2[::2].shape)
    return x1, x2


def corner_error(found):
    """Mean distance in pixels at the corners of the image."""
    if found is None:
        return np.inf
    ends = [cv2.perspectiveTransform(CORNERS, matrix) for matrix in (found, H)]
    return np.linalg.norm(ends[0] - ends[1], axis=2).mean()


def main():
    rng = np.random.default_rng(0)
    print("true noise   scale found   threshold   inliers   error   cv2 at 3 px")
    for noise in (0.1, 0.5, 2.0, 8.0, 20.0):
        x1, x2 = matches(noise, rng)
        found = cvscore.estimate_homography(x1, x2)
        theirs, mask = cv2.findHomography(x1, x2, cv2.RANSAC, 3.0)
        # The residual is that of both images together: noise in one is shared by two.
        print(
            f"{noise:7.1f} px  {found.scale:9.2f} px  {found.threshold:7.2f} px"
            f"  {found.num_inliers:7d}  {corner_error(found.model):6.2f}"
            f"  {corner_error(theirs):6.2f} with {mask.sum()} inliers"
        )


if __name__ == "__main__":
    main()
