"""Matches of a learned matcher, from the .npz files that they write.

python examples/learned_matches.py             writes one as SuperGlue does, reads it
python examples/learned_matches.py pair.npz    takes yours (SuperGlue, LightGlue, LoFTR)
"""

import sys
from pathlib import Path

import numpy as np

import cvscore
from cvscore.images.features import match_images
from cvscore.images.match_files import load_correspondences
from cvscore.images.rendering import render_pair


def write_example(path):
    """Keypoints of both images and, for each of the first, its partner or -1."""
    pair = render_pair(seed=4)
    found = match_images(pair.image1, pair.image2)
    path.parent.mkdir(exist_ok=True)
    np.savez(
        path,
        keypoints0=found.x1.astype(np.float32),
        keypoints1=found.x2.astype(np.float32)[::-1],
        matches=np.arange(len(found))[::-1],
        match_confidence=found.quality.astype(np.float32),
        K0=pair.K,
        K1=pair.K,
    )


def main():
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/learned.npz")
    if len(sys.argv) == 1:
        write_example(path)
    pair = load_correspondences(path)
    result = cvscore.select_model(
        pair.x1, pair.x2, pair.K1, pair.K2, quality=pair.quality
    )
    estimate = result.estimate
    print(f"{len(pair)} matches of a {result.kind} scene")
    print(f"{estimate.num_inliers} inliers, noise scale {estimate.scale:.2f} px")
    if estimate.pose is not None:
        print(f"direction of the second camera {np.round(estimate.pose.t, 3)}")


if __name__ == "__main__":
    main()
