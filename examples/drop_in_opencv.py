"""Before and after: one word changes in an OpenCV program, and no threshold matters.

python examples/drop_in_opencv.py [picture.png]
"""

import sys
from pathlib import Path

import cv2
import numpy as np

import cvscore
from cvscore.draw import draw_matches
from cvscore.images.rendering import render_pair


def sift_matches(image1, image2):
    sift = cv2.SIFT_create(3000)
    (keys1, first), (keys2, second) = (
        sift.detectAndCompute(image, None) for image in (image1, image2)
    )
    pairs = cv2.BFMatcher().knnMatch(first, second, k=2)
    good = [a for a, b in pairs if a.distance < 0.9 * b.distance]
    x1 = np.array([keys1[match.queryIdx].pt for match in good])
    x2 = np.array([keys2[match.trainIdx].pt for match in good])
    return x1, x2


def error_in_degrees(E, mask, x1, x2, pair):
    """Recover the pose with OpenCV and compare it with the truth."""
    _, R, t, _ = cv2.recoverPose(E, x1, x2, pair.K, mask=mask.copy())
    cosines = (np.trace(R @ pair.R.T) - 1) / 2, float(t.ravel() @ pair.t)
    return np.degrees(np.arccos(np.clip(cosines, -1, 1))).max()


def main():
    pair = render_pair(seed=3)
    image1, image2 = pair.image1, cv2.GaussianBlur(pair.image2, (0, 0), 1.5)
    x1, x2 = sift_matches(image1, image2)
    pictures = []
    print(f"{len(x1)} matches\nthreshold   before: cv2            after: cvscore")
    for threshold in (0.1, 1.0, 10.0):
        line = f"{threshold:6.1f} px"
        for cv in (cv2, cvscore):
            E, mask = cv.findEssentialMat(x1, x2, pair.K, cv2.RANSAC, 0.999, threshold)
            error = error_in_degrees(E, mask, x1, x2, pair)
            line += f"   {mask.sum():4d} inliers {error:5.1f}°"
            pictures.append(draw_matches(image1, image2, x1, x2, mask.ravel() == 1))
        print(line)
    output = Path(sys.argv[1] if len(sys.argv) > 1 else "out/drop_in_opencv.png")
    output.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(output), np.vstack(pictures[:2]))
    print(f"the first row, cv2 above cvscore: {output}")


if __name__ == "__main__":
    main()
