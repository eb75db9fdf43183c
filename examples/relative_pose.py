"""Pose of the second camera: natively, and through cv2.recoverPose as before."""

import cv2
import numpy as np

import cvscore
from cvscore.images.features import match_images
from cvscore.images.rendering import render_pair


def degrees(R, t, pair):
    """Angles between the estimated and the true rotation and direction."""
    cosines = (np.trace(R @ pair.R.T) - 1) / 2, float(np.ravel(t) @ pair.t)
    return np.degrees(np.arccos(np.clip(cosines, -1, 1)))


def report(name, rotation, direction):
    print(f"{name:12} rotation {rotation:.2f}°, direction {direction:.2f}° off")


def main():
    pair = render_pair(seed=1)
    found = match_images(pair.image1, pair.image2)
    x1, x2 = found.x1, found.x2

    result = cvscore.estimate_essential(x1, x2, pair.K, quality=found.quality)
    report("native", *degrees(*result.pose, pair))

    E, mask = cvscore.findEssentialMat(x1, x2, pair.K, quality=found.quality)
    num, R, t, mask = cv2.recoverPose(E, x1, x2, pair.K, mask=mask)
    report("recoverPose", *degrees(R, t, pair))

    # Points in space, up to the unknown length of the baseline.
    P1 = pair.K @ np.eye(3, 4)
    P2 = pair.K @ np.hstack([result.pose.R, result.pose.t[:, None]])
    good = result.inliers
    X = cv2.triangulatePoints(P1, P2, x1[good].T, x2[good].T)
    depth = X[2] / X[3]
    print(f"{good.sum()} points at {np.median(depth):.1f} baselines, {num} in front")


if __name__ == "__main__":
    main()
