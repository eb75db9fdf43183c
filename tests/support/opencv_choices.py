"""Calls with every method, scalar, camera, `UsacParams` and mask."""

import cv2
import numpy as np
from opencv_case import (
    CAMERA_TYPES,
    CAMERAS,
    CONFIDENCE,
    DIST,
    FUNCTIONS,
    ITERATIONS,
    METHODS,
    NUM,
    SAMPLE_SIZES,
    THRESHOLD,
    THRESHOLDS,
    Case,
    Fresh,
    K,
    matrix,
    points,
    read_only,
    usac_params,
)


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
