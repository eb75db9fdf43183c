"""What the files of HEB, PhotoTourism and COLMAP hold, made up at random."""

import numpy as np

from benchmarks.paper.datasets import colmap_model, heb, phototourism
from benchmarks.paper.datasets.colmap_model import ModelCamera, ModelImage, SparseModel


def random_rotation(rng):
    q = rng.normal(size=4)
    return colmap_model.rotation_of_quaternion(q / np.linalg.norm(q))


def heb_plane(rng, image1="a_1_o", image2="b_2_o"):
    corr = rng.uniform(0, 1, (30, 10))
    corr[:, 9] = rng.integers(0, 2, 30)
    K = np.array([[800, 0, 320], [0, 800, 240], [0, 0, 1.0]])
    pose = np.hstack([random_rotation(rng), rng.normal(size=(3, 1))])
    H = rng.normal(size=(3, 3))
    return heb.HebPlane(image1, image2, corr, pose, H, K, 2 * K - np.diag([0, 0, 1]),
                        (640, 480), (1280, 960))  # fmt: skip


def tutorial_scene(rng, folder):
    K = np.array([[900, 0, 500], [0, 880, 400], [0, 0, 1.0]])
    cameras = {
        name: phototourism.Camera(K * [[s], [s], [1]], random_rotation(rng), t)
        for name, s, t in zip(
            ("5_b", "2_a"), (1.0, 1.5), rng.normal(size=(2, 3)), strict=True
        )
    }
    matches = {("5_b", "2_a"): (rng.uniform(0, 999, (40, 4)), rng.uniform(0, 1, 40))}
    phototourism.write_scene(folder, cameras, matches)
    return cameras, matches


def sparse_model(rng):
    cameras = {
        0: ModelCamera("PINHOLE", 640, 480, np.array([500, 510, 320.25, 240.5])),
        7: ModelCamera("THIN_PRISM_FISHEYE", 64, 48, rng.normal(size=12)),
    }
    images = {
        k: ModelImage(
            f"dslr_images/DSC {k}.JPG", c, random_rotation(rng), rng.normal(size=3),
            rng.uniform(0, 99, (n, 2)), rng.permutation(9)[:n] - 1,
        )
        for k, c, n in ((3, 0, 5), (9, 7, 0), (4, 0, 9))
    }  # fmt: skip
    return SparseModel(cameras, images), {i: rng.normal(size=3) for i in range(8)}
