"""What the drop-in reads and writes: containers of points, camera matrices, masks."""

import cv2
import numpy as np
import pytest
from numba.core import config as numba_config
from opencv_case import CAMERAS, FUNCTIONS, NUM, K, points
from opencv_points import CONTAINERS, homogeneous

from cvscore import opencv
from cvscore.opencv.arrays import read_points
from cvscore.opencv.arrays import read_points_of_map as map_points

KINDS = pytest.mark.parametrize("kind", FUNCTIONS)
METHODS = pytest.mark.parametrize("method", [cv2.RANSAC, cv2.USAC_MAGSAC])
# Layouts that hold the very same numbers as Nx2, read by cvscore with every method.
EXACT = [
    *("Nx1x2", "1xNx2", "Nx2x1", "2xN", "2x1xN", "grid", "Nx3", "Nx1x3", "1xNx3"),
    *("Nx3 w=2", "3xN", "long double", "Fortran", "strided", "every other"),
    *("reversed twice", "read-only", "matrix", "masked", "list", "tuple"),
    *("list of arrays", "list of 1x2", "UMat"),
]
EXACT = EXACT[::8] if numba_config.DISABLE_JIT else EXACT


def find(kind, x1, x2, *args, **kwargs):
    function = getattr(opencv, FUNCTIONS[kind])
    model, mask = function(x1, x2, *CAMERAS[kind], *args, **kwargs)
    return model, mask.get() if isinstance(mask, cv2.UMat) else mask


def assert_same(first, second):
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


@KINDS
@METHODS
def test_every_container_is_read_alike(kind, method):
    x1, x2 = points(kind)
    plain = find(kind, x1, x2, method)
    for name in EXACT:
        make = CONTAINERS[name][0]
        assert_same(find(kind, make(x1), make(x2), method), plain)
        assert_same(find(kind, x1, make(x2), method), plain)


@KINDS
@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i4", "<i8", ">u2"])
def test_every_type_is_read_by_value(kind, dtype):
    """cv2 reads the bytes of another byte order as they lie."""
    x1, x2 = (x.astype(dtype) for x in points(kind))
    plain = find(kind, x1.astype(float), x2.astype(float))
    assert_same(find(kind, x1, x2), plain)


@pytest.mark.parametrize("kind", ["H", "F", "E"])
@METHODS
def test_homogeneous_points_are_divided_by_w(kind, method):
    """cv2's USAC methods drop w, and its essential matrix takes no third column."""
    x1, x2 = points(kind)
    w = np.random.default_rng(5).uniform(0.5, 2.0, (NUM, 1))
    model, mask = find(kind, homogeneous(x1, 1.0) * w, homogeneous(x2) / w, method)
    plain_model, plain_mask = find(kind, x1, x2, method)
    np.testing.assert_array_equal(mask, plain_mask)
    # Rounding in w may send the search another way, to the same place up to sign.
    model *= np.sign(np.vdot(model, plain_model))
    np.testing.assert_allclose(model, plain_model, rtol=1e-6, atol=1e-6)


def test_a_point_at_infinity_is_an_outlier():
    x1, x2 = points("H")
    far = homogeneous(x1)
    far[3, 2] = 0.0
    _, mask = opencv.findHomography(far, homogeneous(x2))
    assert mask[3] == 0
    assert mask.sum() > NUM / 2


def test_key_points():
    x1, x2 = (x.astype(np.float32) for x in points("H"))
    lists = (CONTAINERS["key points"][0](x) for x in (x1, x2))
    assert_same(opencv.findHomography(*lists), opencv.findHomography(x1, x2))


@KINDS
def test_minimal_input_in_containers_that_cv2_does_not_take(kind):
    num = {"H": 4, "F": 7}.get(kind, 5)
    x1, x2 = points(kind, num)
    theirs = getattr(cv2, FUNCTIONS[kind])(x1, x2, *CAMERAS[kind])
    for make in (list, lambda x: x.astype(">f8"), lambda x: np.repeat(x, 2, 1)[:, ::2]):
        assert_same(find(kind, make(x1), make(x2)), theirs)


@pytest.mark.parametrize("num", [5, NUM])
def test_camera_matrices_of_every_type(num):
    x1, x2 = points("E", num)
    plain = opencv.findEssentialMat(x1, x2, K)
    for matrix in (K.astype(int), K.astype(">f8"), K[:, :, None], cv2.UMat(K)):
        model, mask = opencv.findEssentialMat(x1, x2, matrix)
        mask = mask.get() if isinstance(mask, cv2.UMat) else mask
        assert_same((model, mask), plain)
    mixed = opencv.findEssentialMat(x1, x2, K.astype(np.float32), None, K, None)
    assert_same(mixed, opencv.findEssentialMat(x1, x2, K, None, K, None))


@pytest.mark.parametrize("mirror", [(1, -1), (-1, 1), (-1, -1)])
def test_negative_focal_lengths(mirror):
    """An image whose axis points the other way: same rays, same essential matrix."""
    x1, x2 = points("E")
    flip = np.array(mirror, dtype=float)
    flipped = np.diag([*flip, 1.0]) @ K
    mirrored = opencv.findEssentialMat(x1 * flip, x2 * flip, flipped)
    assert_same(mirrored, opencv.findEssentialMat(x1, x2, K))


@pytest.mark.parametrize(
    "matrix", [0 * K, np.nan * K, np.diag([0.0, 1.0, 1.0]), np.full((3, 3), np.inf)]
)
def test_a_camera_that_is_none(matrix):
    x1, x2 = points("E")
    model, mask = opencv.findEssentialMat(x1, x2, matrix)
    assert model is None
    assert mask.shape == (NUM, 1)
    assert not mask.any()


MASK_SHAPES = [(NUM, 1), (NUM,), (1, NUM), (NUM, 1, 1), (1, NUM, 1)]


@KINDS
@METHODS
@pytest.mark.parametrize("shape", MASK_SHAPES)
def test_mask_is_filled_in_place(kind, method, shape):
    x1, x2 = points(kind)
    mask = np.full(shape, 7, np.uint8)
    _, returned = find(kind, x1, x2, method, mask=mask)
    np.testing.assert_array_equal(mask.ravel(), returned.ravel())
    assert set(np.unique(mask)) == {0, 1}


@KINDS
@METHODS
def test_mask_is_fresh_and_writable(kind, method):
    x1, x2 = points(kind)
    mask = find(kind, x1, x2, method)[1]
    assert (mask.dtype, mask.shape) == (np.uint8, (NUM, 1))
    assert mask.flags.writeable
    assert mask.flags.owndata


def test_a_umat_mask_is_filled_in_place():
    x1, x2 = points("H")
    mask = cv2.UMat(np.full((NUM, 1), 7, np.uint8))
    _, returned = opencv.findHomography(x1, x2, mask=mask)
    plain = opencv.findHomography(x1, x2)[1]
    np.testing.assert_array_equal(mask.get(), plain)
    np.testing.assert_array_equal(returned.get(), plain)


@KINDS
def test_a_read_only_mask_is_an_error_and_stays_as_it_is(kind):
    mask = np.full((NUM, 1), 7, np.uint8)
    mask.setflags(write=False)
    with pytest.raises(cv2.error):
        find(kind, *points(kind), mask=mask)
    assert (mask == 7).all()


@pytest.mark.parametrize("mask", [np.full((3, 1), 7, np.uint8), np.full((NUM, 1), 7.0)])
@KINDS
def test_a_mask_that_does_not_fit_is_left_alone(kind, mask):
    before = mask.copy()
    _, returned = find(kind, *points(kind), mask=mask)
    np.testing.assert_array_equal(mask, before)
    assert returned.shape == (NUM, 1)


@KINDS
@pytest.mark.parametrize("num", range(4, NUM, 5))
def test_mask_of_a_failure_is_zero(kind, num):
    """cv2 leaves it uninitialised, or untouched."""
    x = np.ones((num, 2))
    mask = np.full((num, 1), 7, np.uint8)
    model, returned = find(kind, x, x, mask=mask)
    if model is None:
        assert not mask.any()
        assert not returned.any()
    assert set(np.unique(returned)) <= {0, 1}


def test_points_reach_kernels_in_one_form():
    """Kernels would be compiled anew for arrays that are locked, or lie askew."""
    locked = np.arange(40.0).reshape(20, 2)
    locked.flags.writeable = False
    askew = np.frombuffer(bytearray(321), dtype=np.float64, offset=1, count=40)
    askew = askew.reshape(20, 2)
    askew[:] = locked
    for given in (locked, askew, locked[::-1][::-1], locked.astype(np.float32)):
        for found in (read_points(given, any_columns=False), map_points(given, 2)):
            assert found.dtype == np.float64
            assert found.flags.carray
            np.testing.assert_array_equal(found, locked)
