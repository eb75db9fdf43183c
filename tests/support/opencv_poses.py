"""Calls of solvePnPRansac and recoverPose, to be made to cv2 and to cvscore."""

import cv2
import numpy as np
from opencv_case import (
    DIST,
    LISTS,
    ROWS,
    THRESHOLDS,
    TYPES,
    VIEWS,
    Case,
    Fresh,
    matrix,
    read_only,
    usac_params,
)
from opencv_choices import MASK_ARGUMENTS
from seen_points import seen_points

NUM = 40
SEEN = seen_points(np.random.default_rng(3), NUM, inlier_ratio=0.9, noise=0.2)
X, x, K = SEEN.X, SEEN.x, SEEN.K
PNP, POSE = "solvePnPRansac", "recoverPose"
IMPROVED = "an answer where cv2 has none"
TRIES = "every budget and flag finds a pose"


class PoseCase(Case):
    """One call; its kind is the name of the function."""

    @property
    def function(self):
        return self.kind


def params(**values):
    return Fresh(lambda: usac_params(**values))


def camera(dtype=np.float64):
    """A camera matrix that the call may write to."""
    return Fresh(lambda: K.astype(dtype))


def vector(shape=(3, 1), dtype=np.float64):
    return Fresh(lambda: np.full(shape, 0.1, dtype))


def pnp_cases():
    yield PoseCase("plain", PNP, (X, x, K, None))
    yield PoseCase("params", PNP, (X, x, camera(), None), {"params": params()})
    yield PoseCase(
        "params by position", PNP, (X, x, camera(), None, *[None] * 3, params())
    )
    yield PoseCase("params None", PNP, (X, x, camera(), None), {"params": None})
    yield PoseCase("no distortion", PNP, (X, x, K))
    yield PoseCase("no argument", PNP, ())
    yield PoseCase("unknown keyword", PNP, (X, x, K, None), {"treshold": 3.0})
    yield PoseCase("maxIters", PNP, (X, x, K, None), {"maxIters": 30})
    yield PoseCase("points twice", PNP, (X, x, K, None), {"objectPoints": X})
    yield PoseCase("too many", PNP, (X, x, K, None, *[None] * 9))
    named = {"objectPoints": X, "imagePoints": x, "cameraMatrix": K, "distCoeffs": None}
    yield PoseCase("by name", PNP, (), named)
    every = (None, None, False, 100, 8.0, 0.99, None, 0)
    yield PoseCase("all by position", PNP, (X, x, K, None, *every))
    yield from pnp_point_cases()
    yield from pnp_camera_cases()
    yield from pnp_scalar_cases()
    yield from pnp_output_cases()


def pnp_point_cases():
    containers = {
        "float32": (lambda a: a.astype(np.float32), ""),
        "Nx1": (lambda a: a[:, None], ""),
        "1xN": (lambda a: a[None], ""),
        "strided": (lambda a: np.repeat(a, 2, axis=0)[::2], ""),
        "Fortran": (np.asfortranarray, ""),
        "read-only": (read_only, ""),
        "matrix": (matrix, ""),
        "UMat": (cv2.UMat, ""),
        "list": (np.ndarray.tolist, LISTS),
        "tuple": (lambda a: tuple(map(tuple, a)), LISTS),
        "list of rows": (list, LISTS),
        "in rows": (lambda a: a.T.copy(), ROWS),
        "big endian": (lambda a: a.astype(">f8"), TYPES),
        "long double": (lambda a: a.astype(np.longdouble), TYPES),
        "float16": (lambda a: a.astype(np.float16), TYPES),
        "object": (lambda a: a.astype(object), ""),
        "complex": (lambda a: a.astype(complex), ""),
        "flat": (np.ravel, ""),
        "text": (lambda a: "points", ""),
        "none": (lambda a: None, ""),
    }
    for name, (convert, more) in containers.items():
        args = Fresh(lambda c=convert: c(X)), Fresh(lambda c=convert: c(x))
        yield PoseCase(f"points {name}", PNP, (*args, K, None), more=more)
    yield PoseCase("points mixed", PNP, (X.astype(np.float32), x, K, None))
    yield PoseCase("more columns", PNP, (np.hstack([X, X]), x, K, None))
    yield PoseCase("fewer columns", PNP, (X[:, :2].copy(), x, K, None))
    yield PoseCase("lengths", PNP, (X, x[:-1], K, None))
    for num in (0, 1, 3, 4, 5, 6):
        yield PoseCase(f"{num} points", PNP, (X[:num], x[:num], K, None))
    for num in (0, 3, 4, 5):
        args = (X[:num], x[:num], camera(), None)
        yield PoseCase(f"{num} points, params", PNP, args, {"params": params()})
    for name, value in (("nan", np.nan), ("inf", np.inf)):
        bad = X.copy()
        bad[3] = value
        yield PoseCase(f"{name} rows", PNP, (bad, x, K, None))
    same = np.zeros((NUM, 3)), np.full((NUM, 2), 500.0)
    yield PoseCase("identical points", PNP, (*same, K, None))
    args = (*same, camera(), None)
    yield PoseCase("identical points, params", PNP, args, {"params": params()})


def pnp_camera_cases():
    matrices = {
        "float32": K.astype(np.float32),
        "int": K.astype(int),
        "Fortran": np.asfortranarray(K),
        "UMat": cv2.UMat(K),
        "none": None,
        "3x4": np.hstack([K, K[:, :1]]),
        "2x2": np.eye(2),
        "flat": K.ravel(),
        "list": K.tolist(),
        "zeros": np.zeros((3, 3)),
    }
    for name, value in matrices.items():
        fresh = Fresh(
            lambda v=value: v.copy(order="K") if isinstance(v, np.ndarray) else v
        )
        if name != "zeros":  # cv2's own answer is chance
            yield PoseCase(f"K {name}", PNP, (X, x, fresh, None))
        args = (X, x, fresh, None)
        yield PoseCase(f"K {name}, params", PNP, args, {"params": params()})
    dists = {
        "5": DIST,
        "5x1": DIST[:, None],
        "float32": DIST.astype(np.float32),
        "tuple": tuple(DIST),
        "number": 0.0,
        "empty": np.array([]),
        "3": np.zeros(3),
        "8": np.zeros(8),
        "14": np.zeros(14),
        "list": DIST.tolist(),
        "text": "x",
    }
    for name, dist in dists.items():
        yield PoseCase(f"dist {name}", PNP, (X, x, K, dist))
        kwargs = {"params": params()}
        yield PoseCase(f"dist {name}, params", PNP, (X, x, camera(), dist), kwargs)


def pnp_scalar_cases():
    flags = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20, None, True, 1.0, np.int64(1)]
    for flag in flags:
        more = IMPROVED if flag == cv2.SOLVEPNP_IPPE else ""
        yield PoseCase(f"flags {flag!r}", PNP, (X, x, K, None), {"flags": flag}, more)
    for value in (0, -1, 1, 50, None, True, 100.0, "5", np.int64(5)):
        kwargs = {"iterationsCount": value}
        yield PoseCase(f"iterations {value!r}", PNP, (X, x, K, None), kwargs, TRIES)
    for value in (3, 8.0, -1.0, None, "x", True, np.float32(2), np.inf):
        kwargs = {"reprojectionError": value}
        yield PoseCase(f"threshold {value!r}", PNP, (X, x, K, None), kwargs)
    for value in (0.0, 1e-6, np.nan):
        kwargs = {"reprojectionError": value}
        yield PoseCase(f"threshold {value}", PNP, (X, x, K, None), kwargs, THRESHOLDS)
    for value in (0.0, 1.0, 2.0, -1.0, 0.5, None, np.nan, "x"):
        kwargs = {"confidence": value}
        yield PoseCase(f"confidence {value!r}", PNP, (X, x, K, None), kwargs)
    values = [
        *({"sampler": v} for v in (0, 1, 2, 3, 4, -1)),
        *({"score": v} for v in (0, 1, 2, 3, 4, 99)),
        *({"loMethod": v} for v in (0, 1, 2, 3, 4, 5)),
        *({"confidence": v} for v in (0.5, 0.0, 1.0, 2.0)),
        {"maxIterations": 0},
        {"maxIterations": 50},
        {"threshold": -1.0},
        {"randomGeneratorState": -5},
    ]
    for value in values:
        args, kwargs = (X, x, camera(), None), {"params": params(**value)}
        yield PoseCase(f"params {value}", PNP, args, kwargs)


def pnp_output_cases():
    vectors = {
        "3x1": vector(),
        "1x3": vector((1, 3)),
        "3": vector((3,)),
        "3x1x1": vector((3, 1, 1)),
        "4x1": vector((4, 1)),
        "float32": vector((3, 1), np.float32),
        "int": vector((3, 1), int),
        "UMat": Fresh(lambda: cv2.UMat(np.full((3, 1), 0.1))),
        "read-only": Fresh(lambda: read_only(np.zeros((3, 1)))),
        "list": [0.1, 0.1, 0.1],
        "tuple": (0.1, 0.1, 0.1),
        "none": None,
    }
    for name, value in vectors.items():
        for guess in (False, True):
            args = (X, x, K, None, value, value, guess)
            yield PoseCase(f"rvec {name}, guess {guess}", PNP, args)
        kwargs = {"rvec": value, "tvec": value, "params": params()}
        yield PoseCase(f"rvec {name}, params", PNP, (X, x, camera(), None), kwargs)
    for guess in (1, 2, np.True_, np.int64(1), 0.0, "x", np.array(True)):
        args = (X, x, camera(), None, None, None, guess)
        yield PoseCase(f"guess {guess!r}", PNP, args)
    num = int(SEEN.is_inlier.sum())
    inliers = {
        "K": Fresh(lambda: np.zeros((num, 1), np.int32)),
        "N": Fresh(lambda: np.zeros((NUM, 1), np.int32)),
        "float": Fresh(lambda: np.zeros(NUM)),
        "bytes": Fresh(lambda: np.zeros((NUM, 1), np.uint8)),
        "empty": Fresh(lambda: np.zeros((0, 1), np.int32)),
        "int64": Fresh(lambda: np.zeros((NUM, 1), np.int64)),
        "UMat": Fresh(lambda: cv2.UMat()),
        "list": [1, 2],
        "number": 5,
    }
    for name, value in inliers.items():
        kwargs = {"inliers": value}
        yield PoseCase(f"inliers {name}", PNP, (X, x, K, None), kwargs)
        kwargs = {**kwargs, "params": params()}
        yield PoseCase(f"inliers {name}, params", PNP, (X, x, camera(), None), kwargs)


def recover_pose_cases():
    x1, x2, K1 = VIEWS.x1, VIEWS.x2, VIEWS.K1
    cameras = (K1, None, K1, None)
    yield PoseCase("plain", POSE, (x1, x2, *cameras))
    yield PoseCase("distortion", POSE, (x1, x2, K1, DIST, K1, DIST))
    yield PoseCase("unknown keyword", POSE, (x1, x2, *cameras), {"treshold": 3.0})
    yield PoseCase("no argument", POSE, ())
    yield PoseCase("no second camera", POSE, (x1, x2, K1, None, None, None))
    E, _ = cv2.findEssentialMat(x1, x2, K1)
    yield PoseCase("E and K", POSE, (E, x1, x2, K1))
    yield PoseCase("E", POSE, (E, x1, x2))
    yield PoseCase(
        "E and focal", POSE, (E, x1, x2), {"focal": 1000.0, "pp": (640, 480)}
    )
    yield PoseCase("E and distance", POSE, (E, x1, x2, K1, 50.0))
    for flag in (0, 1, 2, 4, 8, 16, 32, 34, 38, 99, None, 8.0, True):
        kwargs = {"method": flag}
        yield PoseCase(f"method {flag!r}", POSE, (x1, x2, *cameras), kwargs)
    for num in (0, 3, 4, 5, 6, 8):
        yield PoseCase(f"{num} points", POSE, (x1[:num], x2[:num], *cameras))
    for value in (0.0, 1.0, 2.0, 0.5, None, "x"):
        kwargs = {"prob": value}
        yield PoseCase(f"prob {value!r}", POSE, (x1, x2, *cameras), kwargs)
    for value in (3, 0.0, -1.0, 1e-6, None, "x", np.nan):
        kwargs = {"threshold": value}
        more = THRESHOLDS if isinstance(value, float) else ""
        yield PoseCase(
            f"threshold {value!r}", POSE, (x1, x2, *cameras), kwargs, more=more
        )
    for name, mask in MASK_ARGUMENTS.items():
        kwargs = {"mask": mask}
        yield PoseCase(f"mask {name}", POSE, (x1, x2, *cameras), kwargs)
    outputs = {
        "3x3": vector((3, 3)),
        "float32": vector((3, 3), np.float32),
        "int": vector((3, 3), int),
        "2x2": vector((2, 2)),
        "UMat": Fresh(lambda: cv2.UMat()),
        "list": [1.0],
    }
    for name, value in outputs.items():
        for key in ("E", "R", "t"):
            kwargs = {key: value}
            yield PoseCase(f"{key} {name}", POSE, (x1, x2, *cameras), kwargs)
    containers = {
        "float32": (lambda a: a.astype(np.float32), ""),
        "Nx1": (lambda a: a[:, None], ""),
        "in rows": (lambda a: a.T.copy(), ""),
        "int": (lambda a: a.astype(np.int32), TYPES),
        "UMat": (cv2.UMat, ""),
        "list": (np.ndarray.tolist, LISTS),
    }
    for name, (convert, more) in containers.items():
        args = (convert(x1), convert(x2), *cameras)
        yield PoseCase(f"points {name}", POSE, args, more=more)


POSE_CALLS = [*pnp_cases(), *recover_pose_cases()]
