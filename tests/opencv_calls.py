"""A table of calls, made to cv2 and to cvscore and compared by `test_opencv.py`.

Arrays that a call may write to, or whose memory layout matters, are made afresh for
each call: a `Fresh` in the table stands for what its function returns.
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
# What follows the points: E has one camera matrix, E2 two with distortion.
CAMERAS = {"H": (), "F": (), "E": (K,), "E2": (K, None, K, None)}
SAMPLE_SIZES = {"H": 4, "F": 7, "E": 5, "E2": 5}
NAMES = {"H": ("srcPoints", "dstPoints"), "F": ("points1", "points2")}
NAMES["E"] = NAMES["E2"] = NAMES["F"]
CONFIDENCE = {"H": "confidence", "F": "confidence", "E": "prob", "E2": "prob"}
THRESHOLD = {"H": "ransacReprojThreshold", "F": "ransacReprojThreshold"}
THRESHOLD["E"] = THRESHOLD["E2"] = "threshold"


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


def homogeneous(x, w=1.0):
    return np.hstack([x * w, np.full((len(x), 1), w)])


def strided(x):
    wide = np.zeros((len(x), 5), x.dtype)
    wide[:, 1:3] = x
    return wide[:, 1:3]


def read_only(x):
    x = x.copy()
    x.setflags(write=False)
    return x


def matrix(x):
    with warnings.catch_warnings():  # numpy would rather not have it; cv2 takes it
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        return np.asmatrix(x)


def key_points(x):
    return [cv2.KeyPoint(float(u), float(v), 1.0) for u, v in x]


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

# name: (function of an (N, 2) array, what cvscore accepts beyond cv2 in it)
CONTAINERS = {
    "Nx2": (lambda x: x.copy(), ""),
    "Nx1x2": (lambda x: x[:, None].copy(), ""),
    "1xNx2": (lambda x: x[None].copy(), ""),
    "Nx2x1": (lambda x: x[:, :, None].copy(), ""),
    "2xN": (lambda x: x.T.copy(), ROWS),
    "2x1xN": (lambda x: x.T[:, None].copy(), ROWS),
    "grid": (lambda x: x.reshape(-1, 4, 2).copy(), ROWS),
    "Nx3": (homogeneous, HOMOGENEOUS),
    "Nx1x3": (lambda x: homogeneous(x)[:, None], HOMOGENEOUS),
    "1xNx3": (lambda x: homogeneous(x)[None], HOMOGENEOUS),
    "Nx3 w=2": (lambda x: homogeneous(x, 2.0), HOMOGENEOUS),
    "3xN": (lambda x: homogeneous(x).T.copy(), HOMOGENEOUS),
    "Nx4": (lambda x: np.hstack([x, x]), COLUMNS),
    "Nx1": (lambda x: x[:, :1].copy(), ""),
    "flat": (lambda x: x.ravel(), ""),
    "1x1xNx2": (lambda x: x[None, None].copy(), ""),
    "float16": (lambda x: x.astype(np.float16), STRIDED),
    "float32": (lambda x: x.astype(np.float32), ""),
    "long double": (lambda x: x.astype(np.longdouble), TYPES),
    "complex": (lambda x: x.astype(complex), ""),
    "object": (lambda x: x.astype(object), ""),
    "text": (lambda x: x.astype(str), ""),
    "int16": (lambda x: x.astype(np.int16), STRIDED),
    "int32": (lambda x: x.astype(np.int32), STRIDED),
    "int64": (lambda x: x.astype(np.int64), STRIDED),
    "uint16": (lambda x: np.abs(x).astype(np.uint16), STRIDED),
    "uint32": (lambda x: np.abs(x).astype(np.uint32), TYPES),
    "uint64": (lambda x: np.abs(x).astype(np.uint64), STRIDED),
    "Fortran": (lambda x: np.asfortranarray(x), ""),
    "strided": (strided, STRIDED),
    "every other": (lambda x: np.repeat(x, 2, axis=0)[::2], STRIDED),
    "reversed twice": (lambda x: x[::-1].copy()[::-1], ""),
    "read-only": (read_only, ""),
    "matrix": (matrix, ""),
    "masked": (np.ma.masked_array, ""),
    "list": (lambda x: x.tolist(), LISTS),
    "tuple": (lambda x: tuple(map(tuple, x)), LISTS),
    "list of arrays": (list, LISTS),
    "list of 1x2": (lambda x: list(x[:, None]), LISTS),
    "key points": (key_points, LISTS),
    "tuple of key points": (lambda x: tuple(key_points(x)), LISTS),
    "ragged list": (lambda x: [*x.tolist(), [1.0]], ""),
    "list of text": (lambda x: [["a", "b"]] * len(x), ""),
    "flat list": (lambda x: x.ravel().tolist(), ""),
    "generator": (lambda x: iter(x), ""),
    "number": (lambda x: 3.0, ""),
    "none": (lambda x: None, ""),
    "string": (lambda x: "points", ""),
    "UMat": (lambda x: cv2.UMat(x), ""),
    "empty": (lambda x: np.array([]), ""),
    "empty list": (lambda x: [], ""),
    "0x2": (lambda x: np.zeros((0, 2)), ""),
    "0x1x2": (lambda x: np.zeros((0, 1, 2)), ""),
}
METHODS = {"RANSAC": cv2.RANSAC, "USAC_MAGSAC": cv2.USAC_MAGSAC}


def container_cases():
    for kind in FUNCTIONS:
        x1, x2 = points(kind)
        for name, (make, more) in CONTAINERS.items():
            first, second = (Fresh(lambda x=x, m=make: m(x)) for x in (x1, x2))
            for method, flag in METHODS.items():
                args = (first, second, *CAMERAS[kind], flag)
                yield Case(f"{name} {method}", kind, args, more=more)


def mixed_layout_cases():
    for kind in FUNCTIONS:
        x1, x2 = points(kind)
        for name in ("Nx1x2", "1xNx2", "float32", "UMat", "list", "Nx3"):
            second = Fresh(lambda x=x2, make=CONTAINERS[name][0]: make(x))
            args = (x1, second, *CAMERAS[kind], cv2.RANSAC)
            yield Case(f"Nx2 with {name}", kind, args, more=MIXED)
        args = (x1, x2[:-1], *CAMERAS[kind], cv2.RANSAC)
        yield Case("one point less", kind, args)


def count_cases():
    for kind, size in SAMPLE_SIZES.items():
        for num in range(size + 2):
            for method, flag in {**METHODS, "LMEDS": cv2.LMEDS}.items():
                args = (*points(kind, num), *CAMERAS[kind], flag)
                yield Case(f"{num} points {method}", kind, args)


def method_cases():
    flags = [-1, 0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 16, *range(32, 40), 64]
    for kind in FUNCTIONS:
        for flag in flags:
            args = (*points(kind), *CAMERAS[kind], flag)
            yield Case(f"method {flag}", kind, args)
        for flag in ("RANSAC", 8.0, True, np.int64(8), np.array(8), None, 2**31):
            args = (*points(kind), *CAMERAS[kind], flag)
            yield Case(f"method {flag!r}", kind, args)


def scalar_cases():
    thresholds = [3, 0.1, np.float32(1), -1, "3", True, None, np.array(3.0), 1 + 0j]
    thresholds += [10**400, np.longdouble(3)]
    confidences = [0.5, None, 0, 1, -1, 2, np.nan, "x", True, np.float32(0.9)]
    iterations = [100.0, True, 2**31, np.array(5), "5"]
    for kind in FUNCTIONS:
        for method, flag in METHODS.items():
            args = (*points(kind), *CAMERAS[kind], flag)
            for value in thresholds:
                kwargs = {THRESHOLD[kind]: value}
                name = f"{method} threshold {str(value)[:9]!r} {type(value).__name__}"
                yield Case(name, kind, args, kwargs)
            for value in (0.0, 1e-6, np.nan, np.inf):
                # cv2's own answer depends on the method: None, garbage or an error.
                kwargs = {THRESHOLD[kind]: value}
                name = f"{method} threshold {value}"
                yield Case(name, kind, args, kwargs, more=THRESHOLDS)
            for value in confidences:
                kwargs = {CONFIDENCE[kind]: value}
                yield Case(f"{method} confidence {value!r}", kind, args, kwargs)
            for value in iterations:
                yield Case(
                    f"{method} maxIters {value!r}", kind, args, {"maxIters": value}
                )
            for value in (100, None, np.int64(100)):
                name = f"{method} maxIters {value!r}"
                yield Case(name, kind, args, {"maxIters": value}, more=ITERATIONS)
            if kind in ("H", "E"):
                for value in (0, -1):
                    name = f"{method} maxIters {value}"
                    yield Case(name, kind, args, {"maxIters": value})


def form_cases():
    for kind in FUNCTIONS:
        x1, x2 = points(kind)
        named = dict(zip(NAMES[kind], (x1, x2), strict=True))
        cameras = CAMERAS[kind]
        yield Case("points alone", kind, (x1, x2, *cameras))
        yield Case("no argument", kind, ())
        yield Case("one argument", kind, (x1,))
        yield Case("unknown keyword", kind, (x1, x2, *cameras), {"treshold": 3.0})
        yield Case("points twice", kind, (x1, x2, *cameras), named)
        yield Case("too many", kind, (x1, x2, *cameras, *[None] * 9))
        yield Case("old keyword", kind, (x1, x2, *cameras), {"param1": 3.0})
        if not cameras:
            yield Case("named points", kind, (), named)
            yield Case("params", kind, (x1, x2, usac_params()))
            yield Case("named params", kind, (x1, x2), {"params": usac_params()})
            yield Case("params none", kind, (x1, x2), {"params": None})
            kwargs = {"params": usac_params(), "method": 8}
            yield Case("params and method", kind, (x1, x2), kwargs)
            kwargs = {"params": usac_params(), "maxIters": 50}
            yield Case("params and maxIters", kind, (x1, x2), kwargs, more=ITERATIONS)
    yield from fundamental_form_cases()
    yield from essential_form_cases()


def fundamental_form_cases():
    x1, x2 = points("F")
    mask = Fresh(lambda: np.full((NUM, 1), 7, np.uint8))
    yield Case("six", "F", (x1, x2, 8, 3.0, 0.99, 1000))
    yield Case("seven", "F", (x1, x2, 8, 3.0, 0.99, 1000, mask))
    yield Case("mask sixth", "F", (x1, x2, 8, 3.0, 0.99, mask))
    yield Case("None sixth", "F", (x1, x2, 8, 3.0, 0.99, None))
    yield Case("six None", "F", (x1, x2, None, None, None, None))
    yield Case("None for all", "F", (x1, x2, None, None, None, None, None))
    kwargs = {"method": 8, "ransacReprojThreshold": 3.0, "confidence": 0.99}
    yield Case("named", "F", (x1, x2), kwargs)
    yield Case("named with maxIters", "F", (x1, x2), {**kwargs, "maxIters": 99})
    yield Case("maxIters alone", "F", (x1, x2), {"maxIters": 99}, more=ITERATIONS)


def essential_form_cases():
    x1, x2 = points("E")
    mask = Fresh(lambda: np.full((NUM, 1), 7, np.uint8))
    params = usac_params()
    yield Case("no camera", "E", (x1, x2))
    yield Case("focal third", "E", (x1, x2, 1000.0))
    yield Case("focal third, None", "E", (x1, x2, 1000.0, None))
    yield Case("focal and pp", "E", (x1, x2, 1000.0, (640.0, 480.0)))
    yield Case("focal and pp, all", "E", (x1, x2, 1e3, (640, 480), 8, 0.999, 1.0, 99))
    for name, focal in {"int": 1000, "none": None, "text": "x", "bool": True}.items():
        yield Case(f"focal {name}", "E", (x1, x2), {"focal": focal})
    pps = {
        "tuple": (640.0, 480.0),
        "list": [640, 480],
        "array": np.array([640.0, 480.0]),
        "float32": np.array([640, 480], np.float32),
        "three": (1.0, 2.0, 3.0),
        "one": (1.0,),
        "number": 5.0,
        "column": np.array([[640.0], [480.0]]),
        "bool": (True, False),
        "text": "ab",
        "none": None,
    }
    for name, pp in pps.items():
        yield Case(f"pp {name}", "E", (x1, x2), {"focal": 1000.0, "pp": pp})
    yield Case("all by position", "E", (x1, x2, K, 8, 0.999, 1.0, 1000, mask))
    yield Case("mask in its old place", "E", (x1, x2, K, 8, 0.999, 1.0, mask))
    yield Case("None in its old place", "E", (x1, x2, K, 8, 0.999, 1.0, None))
    yield Case("K by name", "E", (x1, x2), {"cameraMatrix": K})
    yield Case("K by name, method", "E", (x1, x2), {"cameraMatrix": K, "method": 38})
    yield Case("None after K", "E", (x1, x2, K, None, None, None))
    yield Case("K, None, K", "E", (x1, x2, K, None, K))
    yield Case("two cameras, all", "E", (x1, x2, K, DIST, K, None, 8, 0.999, 1.0, mask))
    yield Case("two cameras, params", "E", (x1, x2, K, K, None, None, params))
    yield Case(
        "two cameras, params, mask", "E", (x1, x2, K, K, DIST, DIST, params, mask)
    )
    yield Case("two cameras, params None", "E", (x1, x2, K, K, None, None, None))
    cameras = {"cameraMatrix1": K, "cameraMatrix2": K}
    dists = {"distCoeffs1": DIST, "distCoeffs2": None}
    others = {"dist_coeff1": None, "dist_coeff2": DIST}
    yield Case("two cameras by name", "E", (x1, x2), {**cameras, **dists})
    yield Case("matrices alone", "E", (x1, x2), cameras)
    yield Case("params by name", "E", (x1, x2), {**cameras, **others, "params": params})
    yield Case("mixed names", "E", (x1, x2), {**cameras, **dists, "params": params})


def camera_cases():
    x1, x2 = points("E")
    matrices = {
        "float32": (K.astype(np.float32), CAMERA_TYPES),
        "int": (K.astype(int), CAMERA_TYPES),
        "float16": (K.astype(np.float16), CAMERA_TYPES),
        "Fortran": (np.asfortranarray(K), ""),
        "matrix": (matrix(K), ""),
        "3x3x1": (K[:, :, None], ""),
        "UMat": (cv2.UMat(K), ""),
        "3x4": (np.hstack([K, K[:, :1]]), ""),
        "1x3x3": (K[None], ""),
        "flat": (K.ravel(), ""),
        "2x2": (np.eye(2), ""),
        "object": (K.astype(object), ""),
        "complex": (K.astype(complex), ""),
        "list": (K.tolist(), ""),
        "none": (None, ""),
        "tuple": ((1.0, 2.0), ""),
    }
    for name, (K1, more) in matrices.items():
        for method, flag in METHODS.items():
            yield Case(f"K {name} {method}", "E", (x1, x2, K1, flag))
        args = (x1, x2, K1, None, K, None)
        yield Case(f"K1 {name}", "E", args, more=more)
    dists = {
        "1x5": DIST[None],
        "5x1": DIST[:, None],
        "float32": DIST.astype(np.float32),
        "int": np.zeros(5, int),
        "tuple": tuple(DIST),
        "number": 0.0,
        "empty": np.array([]),
        "list": DIST.tolist(),
        "text": "x",
        "short tuple": (0.0, 0.0, 0.0),
        "nested": ((0.0,) * 5,),
        **{f"{num}": np.zeros(num) for num in (1, 3, 4, 6, 8, 12, 14)},
    }
    for name, dist in dists.items():
        yield Case(f"dist {name}", "E", (x1, x2, K, dist, K, dist))
        args = (x1, x2, K, K, dist, dist, usac_params())
        yield Case(f"dist {name}, params", "E", args)


def params_cases():
    values = [
        *({"sampler": v} for v in (0, 1, 2, 3, 4, -1)),
        *({"score": v} for v in (0, 1, 2, 3, 4, 99)),
        *({"loMethod": v} for v in (0, 1, 2, 3, 4, 5)),
        *({"confidence": v} for v in (0.5, 0.0, 1.0, 2.0, np.nan)),
        *({"randomGeneratorState": v} for v in (1, -5)),
        {"maxIterations": 100},
        {"threshold": -1.0},
        {"final_polisher": 99},
        {"isParallel": True},
    ]
    for kind in ("H", "F"):
        for value in values:
            args = (*points(kind), Fresh(lambda v=value: usac_params(**v)))
            yield Case(f"params {value}", kind, args)


def mask_of(shape, dtype=np.uint8):
    return Fresh(lambda: np.full(shape, 7, dtype))


MASK_ARGUMENTS = {
    "none": None,
    "Nx1": mask_of((NUM, 1)),
    "N": mask_of(NUM),
    "1xN": mask_of((1, NUM)),
    "Nx1x1": mask_of((NUM, 1, 1)),
    "1xNx1": mask_of((1, NUM, 1)),
    "too short": mask_of((3, 1)),
    "too long": mask_of((NUM + 1, 1)),
    "Nx2": mask_of((NUM, 2)),
    "empty": mask_of((0, 1)),
    "0-d": mask_of(()),
    **{t: mask_of((NUM, 1), t) for t in ("int8", "int32", "int64", "uint32", "uint64")},
    **{t: mask_of((NUM, 1), t) for t in ("float16", "float32", "float64", "bool")},
    "object": mask_of((NUM, 1), object),
    "complex": mask_of((NUM, 1), complex),
    "read-only": Fresh(lambda: read_only(np.full((NUM, 1), 7, np.uint8))),
    "column": Fresh(lambda: np.full((NUM, 3), 7, np.uint8)[:, 1:2]),
    "every other": Fresh(lambda: np.full(2 * NUM, 7, np.uint8)[::2]),
    "backwards": Fresh(lambda: np.full((NUM, 1), 7, np.uint8)[::-1]),
    "matrix": Fresh(lambda: matrix(np.full((NUM, 1), 7, np.uint8))),
    "list": [7] * NUM,
    "number": 1,
    "tuple": (1, 2),
    "text": "mask",
    "UMat": Fresh(lambda: cv2.UMat(np.full((NUM, 1), 7, np.uint8))),
    "short UMat": Fresh(lambda: cv2.UMat(np.full((3, 1), 7, np.uint8))),
    "empty UMat": Fresh(lambda: cv2.UMat()),
}


def mask_cases():
    for kind in FUNCTIONS:
        for name, mask in MASK_ARGUMENTS.items():
            for method, flag in METHODS.items():
                args = (*points(kind), *CAMERAS[kind], flag)
                yield Case(f"mask {name} {method}", kind, args, {"mask": mask})
            for num in (SAMPLE_SIZES[kind] - 1, SAMPLE_SIZES[kind]):
                args = (*points(kind, num), *CAMERAS[kind], cv2.RANSAC)
                yield Case(f"mask {name}, {num} points", kind, args, {"mask": mask})


CALLS = [
    *container_cases(),
    *mixed_layout_cases(),
    *count_cases(),
    *method_cases(),
    *scalar_cases(),
    *form_cases(),
    *camera_cases(),
    *params_cases(),
    *mask_cases(),
]
