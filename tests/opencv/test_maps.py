"""The drop-ins of maps beside cv2: the table of calls, results, and what is asked."""

import re

import cv2
import numpy as np
import pytest
from numba.core import config as numba_config
from opencv_case import usac_params
from opencv_map_calls import CALLS, LINEAR, MAPS, NUM, SAMPLE_SIZES, is_3d, scene

from cvscore import opencv
from cvscore.opencv import maps_2d, maps_3d
from cvscore.opencv.call_forms import Form

TABLE = CALLS[::20] if numba_config.DISABLE_JIT else CALLS
KINDS = pytest.mark.parametrize("kind", MAPS)
TARGETS = {
    "estimateAffine2D": maps_2d._AFFINE_2D,
    "estimateAffinePartial2D": maps_2d._SIMILARITY_2D,
    "estimateAffine3D": maps_3d._AFFINE_3D,
    "estimateTranslation3D": maps_3d._TRANSLATION_3D,
}
if hasattr(cv2, "estimateTranslation2D"):
    TARGETS["estimateTranslation2D"] = maps_2d._TRANSLATION_2D


def call(kind, *args, module=opencv, **kwargs):
    """Points of a scene with many wrong matches, then ``args``."""
    x1, x2, _ = scene(kind, 120, 0.4)
    return getattr(module, MAPS[kind])(x1, x2, *args, **kwargs)


def model_of(kind, answer):
    """The map as a matrix."""
    model = np.asarray(answer[-2])
    if not kind.startswith("translation"):
        return model
    return np.column_stack([LINEAR[kind], model.ravel()])


def described(value):
    if isinstance(value, cv2.UMat):
        return "UMat", described(value.get())
    if isinstance(value, np.ndarray):
        return value.dtype.name, value.shape, value.flags.c_contiguous
    if isinstance(value, tuple):
        return tuple(map(described, value))
    if isinstance(value, (bool, int)):
        return type(value).__name__, value
    return type(value).__name__


def outcome(module, case):
    """What came back, by type and shape, or the error by class and code."""
    args, kwargs = case.arguments()
    try:
        answer = getattr(module, case.function)(*args, **kwargs)
    except cv2.error as error:
        return "error", error.code
    given = [
        kwargs[name] for name in ("out", "inliers") if kwargs.get(name) is not None
    ]
    itself = [any(value is one for one in given) for value in answer]
    return *map(described, answer), *itself


def is_answered_beyond_cv2(case, theirs, ours):
    if not case.more or ours[0] == "error":
        return False
    is_failure = theirs[0] in ("error", "NoneType", ("bool", False), ("int", 0))
    mask = ours[2 if is_3d(case.kind) else 1]
    mask = mask[1] if mask[0] == "UMat" else mask
    return is_failure and mask == ("uint8", (NUM, 1), True)


@KINDS
def test_answers_have_the_form_of_cv2(kind):
    differences = []
    for case in (case for case in TABLE if case.kind == kind):
        theirs, ours = outcome(cv2, case), outcome(opencv, case)
        if ours != theirs and not is_answered_beyond_cv2(case, theirs, ours):
            differences.append((case.name, theirs, ours))
    assert not differences


def test_the_names_of_cases_are_unique():
    assert len({(case.kind, case.name) for case in CALLS}) == len(CALLS) > 500


@pytest.mark.parametrize("name", TARGETS)
def test_signatures_are_those_of_the_installed_cv2(name):
    def signatures(text):
        return re.findall(
            rf"{name}\([^)]*\) -> [\w, ]*?\w+(?= \.| {name}| [A-Z]|$)",
            " ".join(text.split()),
        )

    theirs = signatures(getattr(cv2, name).__doc__)
    forms = [Form.parse(s[len(name) + 1 : s.index(")")]) for s in theirs]
    assert forms
    assert list(TARGETS[name].forms) == forms


@KINDS
def test_the_truth_is_found(kind):
    x1, x2, is_right = scene(kind, 120, 0.4)
    answer = call(kind)
    A = np.column_stack([LINEAR[kind], np.full(len(LINEAR[kind]), 30.0)])
    found = model_of(kind, answer)
    corners = 1000.0 * np.vstack([np.zeros(len(A)), np.eye(len(A)), np.ones(len(A))])
    error = corners @ (found - A)[:, :-1].T + (found - A)[:, -1]
    assert np.linalg.norm(error, axis=1).max() < 1.0
    mask = answer[-1].ravel() > 0
    assert mask[is_right].mean() > 0.95
    distances = np.linalg.norm(x1 @ found[:, :-1].T + found[:, -1] - x2, axis=1)
    assert distances[mask].max() < 3.0


@KINDS
def test_the_threshold_has_no_effect(kind):
    name = "ransacThreshold" if is_3d(kind) else "ransacReprojThreshold"
    answers = [call(kind, **{name: value}) for value in (1e-6, 1.0, 1e6)]
    bits = {
        (np.asarray(answer[-2]).tobytes(), answer[-1].tobytes()) for answer in answers
    }
    assert len(bits) == 1


def test_the_threshold_of_params_has_no_effect():
    answers = [call("affine", usac_params(threshold=t)) for t in (1e-6, 1.0, 1e6)]
    assert len({(model.tobytes(), mask.tobytes()) for model, mask in answers}) == 1


@KINDS
def test_minimal_input_gives_the_answer_of_cv2(kind):
    num = SAMPLE_SIZES.get(kind, 4)
    x1, x2, _ = scene(kind, num, 0.0)
    ours = getattr(opencv, MAPS[kind])(x1, x2)
    theirs = getattr(cv2, MAPS[kind])(x1, x2)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_least_squares_form_is_that_of_cv2():
    x1, x2, _ = scene("affine 3-D")
    ours = opencv.estimateAffine3D(x1, x2, force_rotation=True)
    theirs = cv2.estimateAffine3D(x1, x2, force_rotation=True)
    np.testing.assert_array_equal(ours[0], theirs[0])
    assert ours[1] == theirs[1]


@KINDS
def test_the_output_arrays_of_the_caller_are_filled(kind):
    mask = np.full((120, 1), 7, np.uint8)
    if not is_3d(kind):
        assert call(kind, mask)[-1] is mask
    else:
        out = np.full((3, 4) if kind.startswith("affine") else (1, 3), np.nan)
        answer = call(kind, out, mask)
        assert answer[1] is out
        assert answer[2] is mask
        assert np.isfinite(out).all()
    assert 60 < mask.sum() < 80


@KINDS
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_row_that_is_not_finite_is_an_outlier(kind, bad):
    x1, x2, _ = scene(kind, 120, 0.4)
    plain = getattr(opencv, MAPS[kind])(x1, x2)
    x1, x2 = np.insert(x1, 7, bad, axis=0), np.insert(x2, 7, 0.0, axis=0)
    found = getattr(opencv, MAPS[kind])(x1, x2)
    np.testing.assert_array_equal(found[-2], plain[-2])
    assert found[-1][7] == 0


DEGENERATE = {
    "all NaN": lambda dim: np.full((30, dim), np.nan),
    "all equal": lambda dim: np.full((30, dim), 3.7),
    "two places": lambda dim: np.repeat(np.eye(2, dim), 15, axis=0),
    "one line": lambda dim: np.outer(np.arange(30.0), np.arange(1.0, dim + 1)),
    "huge": lambda dim: np.random.default_rng(0).uniform(-1e300, 1e300, (30, dim)),
    "tiny": lambda dim: np.random.default_rng(0).uniform(-1e-30, 1e-30, (30, dim)),
}


@KINDS
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_points_give_a_finite_model_or_none(kind, name):
    x = DEGENERATE[name](len(LINEAR[kind]))
    answer = getattr(opencv, MAPS[kind])(x, x.copy())
    mask = answer[-1]
    assert set(np.unique(mask)) <= {0, 1}
    model = answer[-2]
    if model is None or np.isnan(model).any():
        assert not mask.any()
        assert kind == "translation" or model is None
    else:
        assert np.isfinite(model).all()
    if is_3d(kind):
        assert bool(answer[0]) == (model is not None)


@pytest.fixture
def asked(monkeypatch):
    """What the search is asked for, call by call."""
    requests = []
    native = maps_2d._AFFINE_2D.estimator(None)

    def spy(*args, **kwargs):
        requests.append(kwargs)
        return native(*args, **kwargs)

    monkeypatch.setattr(maps_2d, "_AFFINE_2D", _replaced(spy))
    return requests


def _replaced(estimator):
    from dataclasses import replace

    return replace(maps_2d._AFFINE_2D, estimator=lambda _: estimator)


def test_the_arguments_describe_the_search(asked):
    call("affine")
    call("affine", None, cv2.LMEDS, 3.0, 77, 0.9, seed=4)
    call("affine", usac_params(confidence=0.7, maxIterations=123))
    call("affine", method=cv2.USAC_PROSAC)
    options = [kwargs["options"] for kwargs in asked]
    limits = [(o.max_iterations, o.confidence, o.seed) for o in options]
    assert limits == [(2000, 0.99, 0), (77, 0.9, 4), (123, 0.7, 0), (2000, 0.99, 0)]
    assert (np.diff(asked[3]["quality"]) < 0).all()


def test_mask_threshold_cuts_the_mask():
    model, mask = call("similarity")
    same, cut = call("similarity", mask_threshold=0.2)
    np.testing.assert_array_equal(same, model)
    assert 0 < cut.sum() < mask.sum()
    assert (cut <= mask).all()
