"""The drop-in beside cv2: the table of calls, the signatures, what a call asks for."""

import re

import cv2
import numpy as np
import pytest
from numba.core import config as numba_config
from opencv_calls import CALLS
from opencv_case import CAMERAS, DIST, FUNCTIONS, NUM, K, points, usac_params

from cvscore import opencv
from cvscore.opencv.call_forms import Form
from cvscore.scores.priors import InverseGamma

# Compiled, the whole table takes seconds; interpreted, some of it has to do.
TABLE = CALLS[::20] if numba_config.DISABLE_JIT else CALLS
TARGETS = {
    "findHomography": opencv.homography._HOMOGRAPHY,
    "findFundamentalMat": opencv.fundamental._FUNDAMENTAL,
    "findEssentialMat": opencv.essential.ESSENTIAL,
}
KINDS = pytest.mark.parametrize("kind", FUNCTIONS)


def call(kind, *args, **kwargs):
    """Call the drop-in with the points and cameras of this kind, then ``args``."""
    function = getattr(opencv, FUNCTIONS[kind])
    return function(*points(kind), *CAMERAS[kind], *args, **kwargs)


def assert_same(first, second):
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.fixture
def asked(monkeypatch):
    """What the native estimators are asked for, call by call."""
    requests = []

    def spied(native):
        def spy(*args, **kwargs):
            requests.append((args, kwargs))
            return native(*args, **kwargs)

        return spy

    for model in ("homography", "fundamental", "essential"):
        module, name = getattr(opencv, model), f"estimate_{model}"
        monkeypatch.setattr(module, name, spied(getattr(module, name)))
    return requests


def described(value):
    if isinstance(value, cv2.UMat):
        return "UMat", described(value.get())
    if isinstance(value, np.ndarray):
        return value.dtype.name, value.shape, value.flags.c_contiguous
    return type(value).__name__


def outcome(module, case):
    """What came back, by type and shape, or the error by class and code."""
    args, kwargs = case.arguments()
    try:
        model, mask = getattr(module, case.function)(*args, **kwargs)
    except cv2.error as error:
        return "error", error.code
    given = kwargs.get("mask")
    returned_itself = isinstance(given, np.ndarray) and mask is given
    return described(model), described(mask), returned_itself


def is_answered_beyond_cv2(case, theirs, ours):
    """What is accepted beyond cv2 is answered in full, and not half understood."""
    if not case.more or theirs[0] not in ("error", "NoneType"):
        return False
    mask = ours[1][1] if ours[1][0] == "UMat" else ours[1]
    return (ours[0], mask) == (("float64", (3, 3), True), ("uint8", (NUM, 1), True))


@KINDS
def test_answers_have_the_form_of_cv2(kind):
    differences = []
    for case in (case for case in TABLE if case.kind == kind):
        theirs, ours = outcome(cv2, case), outcome(opencv, case)
        if ours != theirs and not is_answered_beyond_cv2(case, theirs, ours):
            differences.append((case.name, theirs, ours))
    assert not differences


@pytest.mark.parametrize("reason", sorted({case.more for case in CALLS} - {""}))
def test_what_is_accepted_beyond_cv2_is_rejected_by_it(reason):
    """A list of extras that the installed cv2 has caught up with would be a lie."""
    assert any(
        outcome(cv2, case)[0] in ("error", "NoneType")
        for case in CALLS
        if case.more == reason
    )


def test_table_is_of_the_promised_size():
    assert len(CALLS) >= 300
    assert len({(case.kind, case.name) for case in CALLS}) == len(CALLS)


def signatures(docstring, name):
    joined = " ".join(docstring.split())
    return re.findall(rf"{name}\([^)]*\) -> retval, mask", joined)


@pytest.mark.parametrize("name", TARGETS)
def test_signatures_are_those_of_the_installed_cv2(name):
    theirs = signatures(getattr(cv2, name).__doc__, name)
    assert signatures(getattr(opencv, name).__doc__, name) == theirs
    forms = [
        Form.parse(signature[len(name) + 1 : signature.index(")")])
        for signature in theirs
    ]
    assert list(TARGETS[name].forms) == forms


@pytest.mark.parametrize("name", TARGETS)
def test_defaults_are_those_of_cv2(name):
    """cv2 answers alike with the defaults that are written down here and without."""
    kind = {"findHomography": "H", "findFundamentalMat": "F"}.get(name, "E")
    x1, x2 = points(kind)
    target = TARGETS[name]
    function, cameras = getattr(cv2, name), CAMERAS[kind]
    key = "prob" if kind == "E" else "confidence"
    for flag in (cv2.RANSAC, cv2.USAC_MAGSAC):
        left_out = function(x1, x2, *cameras, flag)
        explicit = {"maxIters": target.max_iters, key: target.confidence}
        if kind == "F":  # this form has no default for the threshold
            explicit["ransacReprojThreshold"] = 3.0
        assert_same(left_out, function(x1, x2, *cameras, flag, **explicit))


@KINDS
def test_none_is_the_default_of_every_scalar(kind, asked):
    plain = call(kind)
    threshold = "ransacReprojThreshold" if kind in "HF" else "threshold"
    confidence = "confidence" if kind in "HF" else "prob"
    kwargs = {"method": None, threshold: None, confidence: None, "mask": None}
    assert_same(plain, call(kind, **kwargs, maxIters=None))
    (_, first), (_, second) = asked
    assert first["options"] == second["options"]


def test_none_for_max_iters_is_not_one_iteration(asked):
    """cv2 reads the None in the sixth place as maxIters = 0 and draws one sample."""
    assert_same(call("F", 8, 3.0, 0.99, None), call("F"))
    assert [kwargs["options"].max_iterations for _, kwargs in asked] == [1000, 1000]


@KINDS
def test_cv2_defaults_are_asked_for(kind, asked):
    call(kind)
    ((_, kwargs),) = asked
    options = kwargs["options"]
    expected = {"H": (2000, 0.995), "F": (1000, 0.99)}.get(kind, (1000, 0.999))
    assert (options.max_iterations, options.confidence) == expected
    assert kwargs["score"] is kwargs["quality"] is None


@KINDS
def test_max_iters_is_honoured_in_every_form(kind, asked):
    call(kind, maxIters=77)
    call(kind, cv2.USAC_FAST, maxIters=np.int64(77))
    if kind in "HF":
        call(kind, usac_params(maxIterations=500), maxIters=77)
    assert {kwargs["options"].max_iterations for _, kwargs in asked} == {77}


@KINDS
@pytest.mark.parametrize("method", [cv2.RANSAC, cv2.LMEDS, cv2.RHO, *range(32, 39)])
def test_every_robust_method_is_the_native_estimator(kind, method, asked):
    call(kind, method)
    assert len(asked) == 1


def test_a_homography_is_robust_when_the_method_is_left_out(asked):
    call("H")
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("kind", "method"),
    [("H", 0), ("F", cv2.FM_7POINT), ("F", cv2.FM_8POINT), ("F", 0), ("E", 0)],
)
def test_other_methods_are_left_to_cv2(kind, method, asked):
    theirs = getattr(cv2, FUNCTIONS[kind])(*points(kind), *CAMERAS[kind], method)
    assert_same(call(kind, method), theirs)
    assert not asked


@KINDS
@pytest.mark.parametrize("method", [cv2.RANSAC, cv2.USAC_MAGSAC])
def test_minimal_input_gives_the_solutions_of_cv2(kind, method, asked):
    num = {"H": 4, "F": 7}.get(kind, 5)
    args = (*points(kind, num), *CAMERAS[kind], method)
    theirs = getattr(cv2, FUNCTIONS[kind])(*args)
    assert_same(getattr(opencv, FUNCTIONS[kind])(*args), theirs)
    assert not asked


def test_usac_params_describe_the_search(asked):
    params = usac_params(
        confidence=0.7, maxIterations=123, randomGeneratorState=5, threshold=1e-9
    )
    call("H", params)
    ((_, kwargs),) = asked
    options = kwargs["options"]
    assert (options.confidence, options.max_iterations) == (0.7, 123)
    assert options.seed == 5
    assert kwargs["quality"] is None


def test_usac_params_with_a_negative_state(asked):
    call("H", usac_params(randomGeneratorState=-1))
    call("H", usac_params(randomGeneratorState=-1), seed=3)
    assert [kwargs["options"].seed for _, kwargs in asked] == [2**32 - 1, 3]


@pytest.mark.parametrize(
    "choice", [cv2.USAC_PROSAC, usac_params(sampler=cv2.SAMPLING_PROSAC)]
)
def test_prosac_takes_the_rows_for_sorted(choice, asked):
    call("H", choice)
    call("H", choice, quality=np.zeros(NUM))
    assert (np.diff(asked[0][1]["quality"]) < 0).all()
    assert not asked[1][1]["quality"].any()


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1.0, 2.0, np.nan])
def test_confidence_out_of_range(confidence, asked):
    """Rejected where cv2 rejects it, and cv2's default where cv2 takes it."""
    for kind in ("H", "E"):
        with pytest.raises(cv2.error, match="confidence > 0"):
            call(kind, 8, **{"prob" if kind == "E" else "confidence": confidence})
    assert not asked
    call("H", cv2.USAC_MAGSAC, confidence=confidence)
    assert asked[0][1]["options"].confidence == 0.995


def test_no_budget_is_one_sample_or_none_as_in_cv2(asked):
    call("H", cv2.RANSAC, maxIters=0)
    assert asked[0][1]["options"].max_iterations == 1
    for maxIters in (0, -1):
        model, mask = call("H", cv2.USAC_MAGSAC, maxIters=maxIters)
        assert model is None
        assert not mask.any()
    assert len(asked) == 1


@KINDS
def test_extras_reach_the_estimator(kind, asked):
    prior, quality = InverseGamma(2.0, 3.0), np.arange(NUM)
    weights = 1.0 + quality
    given = {"quality": quality, "weights": weights, "seed": 11, "solver": "opencv"}
    call(kind, prior=prior, half_width=9.0, **given)
    ((_, kwargs),) = asked
    assert (kwargs["score"].prior, kwargs["score"].half_width) == (prior, 9.0)
    np.testing.assert_array_equal(kwargs["quality"], quality)
    ratios = kwargs["weights"] / weights
    np.testing.assert_allclose(ratios, ratios[0])
    assert (kwargs["options"].seed, kwargs["solver"]) == (11, "opencv")


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"quality": np.ones(3)}, "quality must have 40 entries, got 3"),
        ({"weights": np.ones(3)}, r"weights must have shape \(40,\), got \(3,\)"),
        ({"weights": -np.ones(40)}, "weights must be positive and finite"),
        ({"seed": -1}, "seed must not be negative"),
        ({"half_width": 0.0}, "half_width must be"),
        ({"mask_threshold": -1.0}, "mask_threshold must not be negative, got -1.0"),
        ({"solver": "none"}, "none"),
    ],
)
def test_wrong_extras_are_a_value_error(extra, message):
    with pytest.raises(ValueError, match=message):
        call("H", **extra)


def test_extras_are_keyword_only():
    with pytest.raises(cv2.error):
        call("H", 8, 3.0, None, 2000, 0.995, 1.0)


def test_errors_are_about_the_fault_and_not_about_lists():
    x1, x2 = points("H")
    with pytest.raises(cv2.error, match="'method' is required to be an integer"):
        opencv.findHomography(x1.tolist(), x2.tolist(), "RANSAC")


@pytest.mark.parametrize("which", [0, 1])
def test_distortion_of_one_camera_alone(which, asked):
    """cv2's UsacParams form leaves the other camera's points in raw pixels."""
    dists = [None, None]
    dists[which] = DIST
    zeros = [np.zeros(5) if dist is None else dist for dist in dists]
    x1, x2 = points("E")
    alone = opencv.findEssentialMat(x1, x2, K, K, *dists, usac_params())
    both = opencv.findEssentialMat(x1, x2, K, K, *zeros, usac_params())
    assert_same(alone, both)
    names = ("dist1", "dist2")
    given = [asked[0][1][name] for name in names]
    np.testing.assert_array_equal(given[which], DIST)
    assert not np.any(given[1 - which])
