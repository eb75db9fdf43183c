"""Two views in; model, inliers, noise scale and a picture out.  No threshold.

python examples/two_views.py                       renders a pair of views
python examples/two_views.py left.jpg right.jpg    takes yours
"""

import sys
import time
from pathlib import Path

import cv2
import numpy as np

import cvscore
from cvscore.draw import draw_matches
from cvscore.rendering import render_pair

OUTPUT = Path("out/two_views.png")


def load(arguments):
    if len(arguments) == 2:
        images = [cv2.imread(name, cv2.IMREAD_GRAYSCALE) for name in arguments]
        if any(image is None for image in images):
            sys.exit(f"cannot read {' or '.join(arguments)}")
        return images
    pair = render_pair(seed=0)
    return [pair.image1, pair.image2]


def match(image1, image2):
    """SIFT matches that pass the ratio test, with their distinctiveness."""
    sift = cv2.SIFT_create(4000)
    (keys1, first), (keys2, second) = (
        sift.detectAndCompute(image, None) for image in (image1, image2)
    )
    pairs = cv2.BFMatcher().knnMatch(first, second, k=2)
    good = [(a, b) for a, b in pairs if a.distance < 0.85 * b.distance]
    x1 = np.array([keys1[a.queryIdx].pt for a, _ in good])
    x2 = np.array([keys2[a.trainIdx].pt for a, _ in good])
    return x1, x2, np.array([1 - a.distance / b.distance for a, b in good])


def main():
    image1, image2 = load(sys.argv[1:])
    x1, x2, quality = match(image1, image2)
    start = time.perf_counter()
    result = cvscore.estimate_fundamental(x1, x2, quality=quality)
    seconds = time.perf_counter() - start
    if not result:
        sys.exit(f"no model: {result.reason}")
    print(f"F =\n{result.model}")
    print(f"inliers    {result.num_inliers} of {len(x1)} matches")
    print(f"scale      {result.scale:.3f} px, implied threshold {result.threshold:.3f}")
    print(f"evidence   {result.evidence:.0f} nats over 'all matches are wrong'")
    print(f"time       {1e3 * seconds:.0f} ms for {result.iterations} samples")
    OUTPUT.parent.mkdir(exist_ok=True)
    picture = draw_matches(image1, image2, x1, x2, result.inliers)
    cv2.imwrite(str(OUTPUT), picture)
    print(f"picture    {OUTPUT}")


if __name__ == "__main__":
    main()
