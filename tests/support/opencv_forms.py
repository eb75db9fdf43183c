"""Calls by position and by name, in every form of the three functions."""

import numpy as np
from opencv_case import (
    CAMERAS,
    DIST,
    FUNCTIONS,
    ITERATIONS,
    NAMES,
    NUM,
    Case,
    Fresh,
    K,
    points,
    usac_params,
)


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
