"""The drop-in from many threads: the same bits as from one."""

import sys
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
import pytest
from numba.core import config as numba_config
from opencv_case import CAMERAS, FUNCTIONS, usac_params
from synthetic import planar_scene, two_view_scene

from cvscore import opencv

NUM_THREADS = 8
NUM_CALLS = 16 if numba_config.DISABLE_JIT else 1000
METHODS = [cv2.RANSAC, cv2.LMEDS, cv2.USAC_MAGSAC, cv2.USAC_PROSAC]


def mixed_calls(num):
    """Calls of all functions on scenes of all sizes, some to be rejected."""
    rng = np.random.default_rng(6)
    kinds = list(FUNCTIONS)
    for index in range(num):
        kind = kinds[index % len(kinds)]
        make = planar_scene if kind == "H" else two_view_scene
        # Every size of the score's tables and of cv2's shortcuts: minimal and more.
        scene = make(rng, int(rng.integers(5, 60)), inlier_ratio=0.9)
        method = METHODS[rng.integers(len(METHODS))]
        if kind in "HF" and index % 7 == 0:
            method = usac_params(randomGeneratorState=index)
        yield kind, (scene.x1, scene.x2, *CAMERAS[kind], method)


def answer(call):
    kind, args = call
    mask = np.full((len(args[0]), 1), 7, np.uint8)
    try:
        model, mask = getattr(opencv, FUNCTIONS[kind])(*args, mask=mask)
    except cv2.error as error:
        return str(error)
    return None if model is None else model.tobytes(), mask.tobytes()


@pytest.fixture
def frequent_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("frequent_switches")
def test_threads_give_the_bits_of_a_serial_run():
    calls = list(mixed_calls(NUM_CALLS))
    serial = [answer(call) for call in calls]
    assert len({str(one) for one in serial}) > 0.9 * len(serial)
    with ThreadPoolExecutor(NUM_THREADS) as pool:
        assert list(pool.map(answer, calls)) == serial
