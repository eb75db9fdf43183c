"""The picture that explains the method: S(k), its maximum, and what it implies.

python examples/score_sweep.py [picture.png]        (needs matplotlib)
"""

import sys
from pathlib import Path

import cv2

import cvscore
from cvscore.draw import plot_sweep
from cvscore.images.features import match_images
from cvscore.images.rendering import render_pair


def main():
    pair = render_pair(seed=1)
    blurred = cv2.GaussianBlur(pair.image2, (0, 0), 1.5)
    found = match_images(pair.image1, blurred, ratio=0.95)
    result = cvscore.estimate_fundamental(found.x1, found.x2)
    print(f"S(k) is largest at {result.num_inliers} of {len(found)} matches")
    print(f"scale {result.scale:.2f} px, implied threshold {result.threshold:.2f} px")
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/sweep.png")
    path.parent.mkdir(parents=True, exist_ok=True)
    plot_sweep(result, found.x1, found.x2, "fundamental").savefig(path)
    print(f"picture: {path}")


if __name__ == "__main__":
    main()
