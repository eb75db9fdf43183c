"""Calls with points in every container, layout, type and number."""

import cv2
import numpy as np
from opencv_case import (
    CAMERAS,
    COLUMNS,
    FUNCTIONS,
    HOMOGENEOUS,
    LISTS,
    METHODS,
    MIXED,
    ROWS,
    SAMPLE_SIZES,
    STRIDED,
    TYPES,
    Case,
    Fresh,
    matrix,
    points,
    read_only,
)


def homogeneous(x, w=1.0):
    return np.hstack([x * w, np.full((len(x), 1), w)])


def strided(x):
    wide = np.zeros((len(x), 5), x.dtype)
    wide[:, 1:3] = x
    return wide[:, 1:3]


def key_points(x):
    return [cv2.KeyPoint(float(u), float(v), 1.0) for u, v in x]


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
