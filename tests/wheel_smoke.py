"""Run against an installed wheel, outside the source tree: see .ci/run.

python wheel_smoke.py VERSION_OF_NUMPY_OR_EMPTY
"""

import json
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import cv2
import numpy as np

import cvscore

EXECUTABLES = Path(sys.executable).parent


def scene(seed=0, num=300):
    """Two views of points in space, a third of the matches wrong."""
    rng = np.random.default_rng(seed)
    K = np.array([[900.0, 0, 500], [0, 900, 400], [0, 0, 1]])
    X = rng.uniform([-2, -2, 4], [2, 2, 8], (num, 3))
    R = cv2.Rodrigues(np.array([0.05, -0.1, 0.02]))[0]
    views = [(np.eye(3), np.zeros(3)), (R, np.array([1.0, 0.1, 0.2]))]
    x1, x2 = (cv2.projectPoints(X, r, t, K, None)[0][:, 0] for r, t in views)
    x1, x2 = (x + rng.normal(0, 0.5, x.shape) for x in (x1, x2))
    x2[::3] = rng.uniform(0, 1000, x2[::3].shape)
    return K, R, x1, x2


def command(*arguments):
    words = [str(EXECUTABLES / "cvscore"), *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def main():
    folder = Path(cvscore.__file__).parent
    assert "site-packages" in folder.parts, folder
    assert (folder / "py.typed").exists()
    assert metadata.version("cvscore-ransac") == cvscore.__version__
    if len(sys.argv) > 1 and sys.argv[1]:
        assert np.__version__.startswith(sys.argv[1]), np.__version__
    K, R, x1, x2 = scene()
    found = cvscore.estimate_essential(x1, x2, K)
    assert abs(found.scale - 0.5) < 0.1, found.scale
    assert np.abs(found.pose.R - R).max() < 0.01
    E, mask = cvscore.findEssentialMat(x1, x2, K, cv2.RANSAC, 0.999, 1.0)
    assert mask.shape == (len(x1), 1)
    assert cv2.recoverPose(E, x1, x2, K, mask=mask)[0] > 150
    H, _ = cvscore.findHomography(
        x1, 2 * x1 + np.random.default_rng(1).normal(size=x1.shape)
    )
    np.testing.assert_allclose(H, np.diag([2.0, 2.0, 1.0]), atol=2.0)
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "matches.npz"
        np.savez(path, x1=x1, x2=x2, K1=K, K2=K)
        page = path.with_suffix(".html")
        printed = command("match", path, "--model", "essential", "--report", page)
        assert "essential" in printed
        assert "If you had set the threshold to" in page.read_text(encoding="utf-8")
    kept = json.loads(command("info", "--json"))["kernels"]["machine"]["kernels"]
    assert kept == 0, "kernels had to be compiled: see the folder of the cache"
    print(command("info"))


if __name__ == "__main__":
    main()
