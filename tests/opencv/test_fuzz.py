"""Random arguments: an answer or an error, and never an unfilled mask."""

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numba.core import config as numba_config
from opencv_case import CAMERAS, FUNCTIONS, K, usac_params
from opencv_points import CONTAINERS

from cvscore import opencv

UNFILLED = 7
NUM_EXAMPLES = 5 if numba_config.DISABLE_JIT else 50

coordinates = st.one_of(
    st.floats(0, 1000),
    st.integers(0, 3).map(float),
    st.sampled_from([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e300, -1e30, 1e-30, 1e7]),
)
scalars = st.one_of(
    st.none(),
    st.integers(-3, 3),
    st.floats(),
    st.sampled_from([0.5, 0.99, 8, 16, 32, 38, 200, "x", True, (1.0, 2.0), [], K]),
)
arrays = st.sampled_from(
    [None, K, K[:2], K.ravel(), 0 * K, np.eye(3), np.zeros(5), np.zeros(3), 800.0, "K"]
)
masks = st.sampled_from(
    [None, (-1, 1), (-1,), (1, -1), (3, 1), "int32", "bool", "read-only", "UMat", 5]
)
names = st.sampled_from(
    [
        *(
            "method",
            "ransacReprojThreshold",
            "threshold",
            "confidence",
            "prob",
            "focal",
        ),
        *("pp", "maxIters", "mask_threshold", "seed", "quality", "weights", "params"),
        "nonsense",
    ]
)
params = st.builds(
    usac_params,
    confidence=st.floats(),
    maxIterations=st.integers(-2, 300),
    sampler=st.integers(-1, 4),
    randomGeneratorState=st.integers(-(2**31), 2**31 - 1),
)


@st.composite
def point_pairs(draw):
    num = draw(st.integers(0, 24))
    values = draw(st.lists(coordinates, min_size=4 * num, max_size=4 * num))
    x1, x2 = np.array(values, dtype=float).reshape(2, num, 2)
    if draw(st.booleans()):  # a true motion, so that models are found too
        x2 = x1 * [0.9, 1.1] + 5.0
    containers = st.sampled_from(["Nx2", "Nx1x2", "list", "float32", "Nx3", "UMat"])
    with np.errstate(over="ignore"):
        return num, *(CONTAINERS[draw(containers)][0](x) for x in (x1, x2))


def make_mask(kind, num):
    if kind is None or isinstance(kind, int):
        return kind
    shape = (
        [num if n == -1 else n for n in kind] if isinstance(kind, tuple) else (num, 1)
    )
    if kind == "UMat":
        return cv2.UMat(np.full((max(num, 1), 1), UNFILLED, np.uint8))
    dtype = kind if kind in ("int32", "bool") else np.uint8
    mask = np.full(shape, UNFILLED, dtype)
    mask.setflags(write=kind != "read-only")
    return mask


@pytest.mark.parametrize("kind", FUNCTIONS)
@settings(
    max_examples=NUM_EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(
    pair=point_pairs(),
    rest=st.lists(st.one_of(scalars, arrays, params), max_size=4),
    named=st.dictionaries(names, st.one_of(scalars, params), max_size=2),
    mask_kind=masks,
    keep_camera=st.booleans(),
)
def test_random_arguments(kind, pair, rest, named, mask_kind, keep_camera):
    num, x1, x2 = pair
    cameras = CAMERAS[kind] if keep_camera else ()
    mask = make_mask(mask_kind, num)
    try:
        model, returned = getattr(opencv, FUNCTIONS[kind])(
            x1, x2, *cameras, *rest, **named, mask=mask
        )
    except cv2.error:
        return
    except (ValueError, TypeError):
        if named.keys() & {"mask_threshold", "seed", "quality", "weights"}:
            return
        raise
    if isinstance(returned, cv2.UMat):
        returned = returned.get()
    if returned is None:
        assert model is None
        return
    if model is None:
        assert not np.any(returned)
    else:
        assert model.dtype == np.float64
        assert model.shape[1] == 3
        assert (returned.dtype, returned.size) == (np.uint8, num)
        assert set(np.unique(returned)) <= {0, 1}
