"""Two views in; model, inliers, noise scale and a picture out.  No threshold.

python examples/two_views.py                       renders a pair of views
python examples/two_views.py left.jpg right.jpg    takes yours
"""

import sys
from pathlib import Path

import cv2
import numpy as np

import cvscore
from cvscore.draw import draw_matches
from cvscore.images.rendering import render_pair

OUTPUT = Path("out/two_views.png")


def load(names):
    if not names:
        pair = render_pair(seed=0)
        return pair.image1, pair.image2
    images = [cv2.imread(name, cv2.IMREAD_GRAYSCALE) for name in names]
    if len(images) != 2 or any(image is None for image in images):
        sys.exit(f"expected two readable images, got {' '.join(names)}")
    return images


def match(image1, image2):
    """SIFT matches that pass the ratio test, with their distinctiveness."""
    sift = cv2.SIFT_create(4000)
    keys1, first = sift.detectAndCompute(image1, None)
    keys2, second = sift.detectAndCompute(image2, None)
    pairs = cv2.BFMatcher().knnMatch(first, second, k=2)
    good = [(a, b) for a, b in pairs if a.distance < 0.85 * b.distance]
    x1 = np.array([keys1[a.queryIdx].pt for a, _ in good])
    x2 = np.array([keys2[a.trainIdx].pt for a, _ in good])
    return x1, x2, np.array([1 - a.distance / b.distance for a, b in good])


def main():
    image1, image2 = load(sys.argv[1:])
    x1, x2, quality = match(image1, image2)
    result = cvscore.estimate_fundamental(x1, x2, quality=quality)
    if not result:
        sys.exit(f"no model: {result.reason}")
    print(f"F =\n{result.model}")
    print(f"inliers    {result.num_inliers} of {len(x1)} matches")
    print(f"scale      {result.scale:.3f} px, implied threshold {result.threshold:.3f}")
    print(f"evidence   {result.evidence:.0f} nats over 'all by chance'")
    print(f"search     {result.iterations} samples")
    OUTPUT.parent.mkdir(exist_ok=True)
    cv2.imwrite(str(OUTPUT), draw_matches(image1, image2, x1, x2, result.inliers))
    print(f"picture    {OUTPUT}")


if __name__ == "__main__":
    main()
