"""Two labelled pairs say what the noise is, which helps where matches are few.

With forty matches or more there is no difference: the default assumes nothing, and the
matches themselves say what the noise is.
"""

from pathlib import Path

import cv2
import numpy as np

import cvscore

K = np.array([[900.0, 0, 500], [0, 900, 400], [0, 0, 1]])
OUTPUT = Path("out/calibration.json")


def labelled_pair(seed, num=300, noise=1.5):
    """Points in space seen twice; every third match is wrong, and known to be."""
    rng = np.random.default_rng(seed)
    X = rng.uniform([-2, -2, 4], [2, 2, 8], (num, 3))
    R = cv2.Rodrigues(rng.normal(0, 0.1, 3))[0]
    t = np.array([1.0, 0.1, 0.2])
    x1, x2 = (p[:, :2] / p[:, 2:] for p in (X @ K.T, (X @ R.T + t) @ K.T))
    x1, x2 = (x + rng.normal(0, noise, x.shape) for x in (x1, x2))
    x2[::3] = rng.uniform(0, 1000, x2[::3].shape)
    inliers = np.arange(num) % 3 != 0
    truth = {"K1": K, "K2": K, "R": R, "t": t / np.linalg.norm(t)}
    return cvscore.LabelledPair(x1=x1, x2=x2, inliers=inliers, **truth)


def main():
    pairs = [labelled_pair(seed) for seed in (1, 2)]
    calibration = cvscore.calibrate(pairs, model="essential")
    OUTPUT.parent.mkdir(exist_ok=True)
    calibration.save(OUTPUT)
    print(f"{OUTPUT}: {calibration.prior}")
    errors = {"nothing assumed": [], "calibrated": []}
    for seed in range(100, 140):
        new = labelled_pair(seed, num=12)
        for name, learned in (("nothing assumed", None), ("calibrated", calibration)):
            found = cvscore.estimate_essential(new.x1, new.x2, K, calibration=learned)
            errors[name].append(new.error(found, "essential"))
    for name, degrees in errors.items():
        print(f"{name:16} median error {np.median(degrees):5.2f} degrees, 12 matches")


if __name__ == "__main__":
    main()
