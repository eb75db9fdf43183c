"""One call of an OpenCV function: which, on which points, with which arguments.

Arrays that a call may write to, or whose memory layout matters, are made afresh for
each call: a `Fresh` in a `Case` stands for what its function returns.
"""

import warnings
from dataclasses import dataclass, field

import cv2
import numpy as np
from synthetic import planar_scene, two_view_scene

NUM = 40
PLANE = planar_scene(np.random.default_rng(1), NUM, inlier_ratio=0.9, noise=0.2)
VIEWS = two_view_scene(np.random.default_rng(2), NUM, inlier_ratio=0.9, noise=0.2)
K = VIEWS.K1
DIST = np.array([0.05, -0.02, 0.001, -0.001, 0.0])
POINTS = {"H": PLANE, "F": VIEWS, "E": VIEWS, "E2": VIEWS}
FUNCTIONS = {
    "H": "findHomography",
    "F": "findFundamentalMat",
    "E": "findEssentialMat",
    "E2": "findEssentialMat",
}
METHODS = {"RANSAC": cv2.RANSAC, "USAC_MAGSAC": cv2.USAC_MAGSAC}
# What follows the points: E has one camera matrix, E2 two with distortion.
CAMERAS = {"H": (), "F": (), "E": (K,), "E2": (K, None, K, None)}
SAMPLE_SIZES = {"H": 4, "F": 7, "E": 5, "E2": 5}
NAMES = {"H": ("srcPoints", "dstPoints"), "F": ("points1", "points2")}
NAMES["E"] = NAMES["E2"] = NAMES["F"]
CONFIDENCE = {"H": "confidence", "F": "confidence", "E": "prob", "E2": "prob"}
THRESHOLD = {"H": "ransacReprojThreshold", "F": "ransacReprojThreshold"}
THRESHOLD["E"] = THRESHOLD["E2"] = "threshold"

# What cvscore accepts beyond cv2: the ``more`` of a case.
LISTS = "lists and tuples of points"
MIXED = "layouts that differ between the images"
ROWS = "coordinates in rows, and grids of points"
TYPES = "every real type, in every byte order"
HOMOGENEOUS = "homogeneous points for every function"
STRIDED = "integer and strided points with two cameras"
ITERATIONS = "maxIters in every form"
CAMERA_TYPES = "camera matrices of different types"
THRESHOLDS = "every threshold, as it has no effect"
COLUMNS = "more columns with USAC methods, which ignore them"


class Fresh:
    def __init__(self, make):
        self.make = make


@dataclass(frozen=True)
class Case:
    """One call; ``more`` says why cvscore accepts it where cv2 does not."""

    name: str
    kind: str
    args: tuple
    kwargs: dict = field(default_factory=dict)
    more: str = ""

    @property
    def function(self):
        return FUNCTIONS[self.kind]

    def arguments(self):
        args = tuple(a.make() if isinstance(a, Fresh) else a for a in self.args)
        kwargs = {
            k: v.make() if isinstance(v, Fresh) else v for k, v in self.kwargs.items()
        }
        return args, kwargs


def points(kind, num=NUM):
    scene = POINTS[kind]
    return scene.x1[:num], scene.x2[:num]


def usac_params(**values):
    params = cv2.UsacParams()
    for name, value in values.items():
        setattr(params, name, value)
    return params


def read_only(x):
    x = x.copy()
    x.setflags(write=False)
    return x


def matrix(x):
    with warnings.catch_warnings():  # numpy would rather not have it; cv2 takes it
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        return np.asmatrix(x)
