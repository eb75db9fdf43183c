"""The table of calls of the 2-D and 3-D maps, made to cv2 and to cvscore alike."""

import cv2
import numpy as np
from opencv_case import (
    LISTS,
    ROWS,
    STRIDED,
    TYPES,
    Case,
    Fresh,
    read_only,
    usac_params,
)

NUM = 40
RNG = np.random.default_rng(5)
MAPS = {
    "affine": "estimateAffine2D",
    "similarity": "estimateAffinePartial2D",
    "translation": "estimateTranslation2D",
    "affine 3-D": "estimateAffine3D",
    "translation 3-D": "estimateTranslation3D",
}
# From OpenCV 4.13 on.
MAPS = {kind: name for kind, name in MAPS.items() if hasattr(cv2, name)}
LINEAR = {
    "affine": np.array([[1.1, 0.2], [-0.1, 0.9]]),
    "similarity": 1.2 * np.array([[0.8, -0.6], [0.6, 0.8]]),
    "translation": np.eye(2),
    "affine 3-D": np.eye(3) + 0.1 * RNG.normal(size=(3, 3)),
    "translation 3-D": np.eye(3),
}
SAMPLE_SIZES = {"affine": 3, "similarity": 2, "translation": 1}
SHAPES = {"affine": (2, 3), "similarity": (2, 3), "affine 3-D": (3, 4)}
MAX_ITERS = "maxIters where cv2 has none"
THRESHOLDS = "every threshold, as it has no effect"


def is_3d(kind):
    return kind.endswith("3-D")


def scene(kind, num=NUM, share_wrong=0.1, noise=0.2, seed=7):
    """Points, and which of them are right."""
    rng, A = np.random.default_rng(seed), LINEAR[kind]
    x1 = rng.uniform(0, 1000, (num, len(A)))
    x2 = x1 @ A.T + 30.0
    is_right = np.arange(num) >= round(share_wrong * num)
    x2[~is_right] = rng.uniform(0, 1000, x2[~is_right].shape)
    noises = rng.normal(0, noise, (2, *x1.shape))
    return x1 + noises[0], x2 + noises[1], is_right


def points(kind, num=NUM):
    return scene(kind)[0][-num:][:num], scene(kind)[1][-num:][:num]


class MapCase(Case):
    @property
    def function(self):
        return MAPS[self.kind]


CONTAINERS = {
    "NxD": (lambda x: x.copy(), ""),
    "Nx1xD": (lambda x: x[:, None].copy(), ""),
    "1xNxD": (lambda x: x[None].copy(), ""),
    "NxDx1": (lambda x: x[:, :, None].copy(), ""),
    "DxN": (lambda x: x.T.copy(), ROWS),
    "grid": (lambda x: x.reshape(-1, 4, x.shape[1]).copy(), ROWS),
    "NxD+2": (lambda x: np.hstack([x, x[:, :2]]), ""),
    "Nx1": (lambda x: x[:, :1].copy(), ""),
    "flat": (lambda x: x.ravel(), ""),
    "float16": (lambda x: x.astype(np.float16), ""),
    "float32": (lambda x: x.astype(np.float32), ""),
    "long double": (lambda x: x.astype(np.longdouble), TYPES),
    "complex": (lambda x: x.astype(complex), ""),
    "object": (lambda x: x.astype(object), ""),
    "text": (lambda x: x.astype(str), ""),
    "int16": (lambda x: x.astype(np.int16), ""),
    "int32": (lambda x: x.astype(np.int32), ""),
    "int64": (lambda x: x.astype(np.int64), TYPES),
    "uint16": (lambda x: np.abs(x).astype(np.uint16), ""),
    "uint64": (lambda x: np.abs(x).astype(np.uint64), TYPES),
    "Fortran": (np.asfortranarray, ""),
    "every other": (lambda x: np.repeat(x, 2, axis=0)[::2], STRIDED),
    "read-only": (read_only, ""),
    "masked": (np.ma.masked_array, ""),
    "list": (lambda x: x.tolist(), LISTS),
    "tuple": (lambda x: tuple(map(tuple, x)), LISTS),
    "list of arrays": (list, LISTS),
    "ragged list": (lambda x: [*x.tolist(), [1.0]], ""),
    "number": (lambda x: 3.0, ""),
    "none": (lambda x: None, ""),
    "string": (lambda x: "points", ""),
    "UMat": (cv2.UMat, ""),
    "empty": (lambda x: np.array([]), ""),
    "empty list": (lambda x: [], ""),
    "0xD": (lambda x: np.zeros((0, x.shape[1])), ""),
}


def container_cases():
    for kind in MAPS:
        x1, x2 = points(kind)
        for name, (make, more) in CONTAINERS.items():
            first, second = (Fresh(lambda x=x, m=make: m(x)) for x in (x1, x2))
            yield MapCase(name, kind, (first, second), more=more)
            if kind == "affine":
                kwargs = {"method": cv2.USAC_MAGSAC}
                case = MapCase(f"{name} USAC", kind, (first, second), kwargs, more)
                yield case
        yield MapCase("one point less", kind, (x1, x2[:-1]))
        for num in range(7):
            yield MapCase(f"{num} points", kind, points(kind, num))


def choice_cases():
    for kind in MAPS:
        given = points(kind)
        threshold = "ransacThreshold" if is_3d(kind) else "ransacReprojThreshold"
        for value in (3, 0.1, np.float32(1), -1, "3", True, None, np.array(3.0)):
            name = f"threshold {value!r} {type(value).__name__}"
            yield MapCase(name, kind, given, {threshold: value})
        for value in (0.0, 1e-6, np.nan, np.inf):
            kwargs = {threshold: value}
            yield MapCase(f"threshold {value}", kind, given, kwargs, THRESHOLDS)
        for value in (0.5, None, 0, 1, -1, 2, np.nan, "x", True, np.float32(0.9)):
            yield MapCase(f"confidence {value!r}", kind, given, {"confidence": value})
        if is_3d(kind):
            yield MapCase("maxIters", kind, given, {"maxIters": 50}, MAX_ITERS)
            continue
        sizes = (100, 0, -1, None, np.int64(9), 9.0, True, 2**40, "5", np.array(5))
        for value in sizes:
            for name in ("maxIters", "refineIters"):
                yield MapCase(f"{name} {value!r}", kind, given, {name: value})
        for flag in (-1, 0, 1, 2, 4, 8, 16, *range(32, 40), 64, "RANSAC", 8.0, True):
            yield MapCase(f"method {flag!r}", kind, given, {"method": flag})
        yield MapCase("method None", kind, given, {"method": None})


def form_cases():
    for kind in MAPS:
        x1, x2 = points(kind)
        names = ("src", "dst") if is_3d(kind) else ("from_", "to")
        named = dict(zip(names, (x1, x2), strict=True))
        mask = Fresh(lambda: np.full((NUM, 1), 7, np.uint8))
        yield MapCase("no argument", kind, ())
        yield MapCase("one argument", kind, (x1,))
        yield MapCase("named points", kind, (), named)
        yield MapCase("points twice", kind, (x1, x2), named)
        yield MapCase("unknown keyword", kind, (x1, x2), {"treshold": 3.0})
        yield MapCase("mask by its other name", kind, (x1, x2), {"mask": mask})
        yield MapCase("too many", kind, (x1, x2, *[None] * 9))
        if is_3d(kind):
            yield MapCase("all", kind, (x1, x2, None, mask, 3.0, 0.99))
            for value in (True, 1, None, "x"):
                kwargs = {"force_rotation": value}
                yield MapCase(f"force_rotation {value!r}", kind, (x1, x2), kwargs)
            yield MapCase("third True", kind, (x1, x2, True))
        else:
            yield MapCase("all", kind, (x1, x2, mask, 8, 3.0, 2000, 0.99, 10))
            yield MapCase("None", kind, (x1, x2, None, None, None, None, None, None))
            yield MapCase("params", kind, (x1, x2, usac_params()))
            yield MapCase("params, mask", kind, (x1, x2, usac_params(), mask))
            yield MapCase("params by name", kind, (x1, x2), {"params": usac_params()})
            yield MapCase("params none", kind, (x1, x2), {"params": None})
            kwargs = {"pts1": x1, "pts2": x2, "params": usac_params()}
            yield MapCase("all by name", kind, (), kwargs)
            kwargs = {"params": usac_params(), "method": 8}
            yield MapCase("params and method", kind, (x1, x2), kwargs)
            for values in ({"sampler": 4}, {"score": 9}, {"confidence": 2.0}):
                params = usac_params(**values)
                yield MapCase(f"params {values}", kind, (x1, x2, params))


def mask_of(shape, dtype=np.uint8):
    return Fresh(lambda: np.full(shape, 7, dtype))


OUTPUTS = {
    "none": None,
    "column": mask_of((NUM, 1)),
    "flat": mask_of(NUM),
    "row": mask_of((1, NUM)),
    "deep": mask_of((NUM, 1, 1)),
    "too short": mask_of((3, 1)),
    "two columns": mask_of((NUM, 2)),
    "empty": mask_of((0, 1)),
    **{t: mask_of((NUM, 1), t) for t in ("int32", "float32", "float64", "bool")},
    "read-only": Fresh(lambda: read_only(np.full((NUM, 1), 7, np.uint8))),
    "strided": Fresh(lambda: np.full((NUM, 3), 7, np.uint8)[:, 1:2]),
    "list": [7] * NUM,
    "number": 1,
    "text": "mask",
    "UMat": Fresh(lambda: cv2.UMat(np.full((NUM, 1), 7, np.uint8))),
    "matrix": mask_of((3, 4), float),
    "vector": mask_of((1, 3), float),
    "standing vector": mask_of((3, 1), float),
    "read-only matrix": Fresh(lambda: read_only(np.zeros((3, 4)))),
}


def output_cases():
    for kind in MAPS:
        for name, output in OUTPUTS.items():
            for num in (NUM, SAMPLE_SIZES.get(kind, 4)):
                given = points(kind, num)
                title = f"{name}, {num} points"
                yield MapCase(f"inliers {title}", kind, given, {"inliers": output})
                if is_3d(kind):
                    yield MapCase(f"out {title}", kind, given, {"out": output})


CALLS = [*container_cases(), *choice_cases(), *form_cases(), *output_cases()]
