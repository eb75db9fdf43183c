"""Arguments of a wrong type or size are refused by their own name, in our words."""

import re

import numpy as np
import pytest

import cvscore
from cvscore import RansacOptions

X = np.random.default_rng(0).uniform(0, 1000, (30, 2))
K = np.array([[1000.0, 0, 500], [0, 1000.0, 500], [0, 0, 1]])
FOREIGN = re.compile("numpy|numba|inhomogeneous|could not convert|unhashable|isfinite")


@pytest.mark.parametrize("number", [1e4, np.int32(10_000), np.float32(1e4), 10_000])
def test_whole_numbers_of_any_type_are_the_same_number(number):
    options = RansacOptions(max_iterations=number, min_iterations=number, seed=number)
    assert options == RansacOptions(
        max_iterations=10_000, min_iterations=10_000, seed=10_000
    )
    assert type(options.max_iterations) is type(options.seed) is int


@pytest.mark.parametrize("name", ["max_iterations", "min_iterations", "seed"])
@pytest.mark.parametrize(
    "value",
    [True, np.True_, "9", None, 1.5, np.nan, np.inf, -1, 2**64, 10**5000, 1j, [1], X],
    ids=lambda value: str(type(value).__name__),
)
def test_what_is_no_whole_number_is_refused_by_name(name, value):
    with pytest.raises((TypeError, ValueError), match=f"^{name} must") as caught:
        RansacOptions(**{name: value})
    assert len(str(caught.value)) < 150
    assert not FOREIGN.search(str(caught.value))


def test_the_largest_numbers():
    largest = RansacOptions(max_iterations=2**31 - 1, seed=2**64 - 1)
    assert cvscore.estimate_homography(X, 2 * X, options=RansacOptions(seed=2**64 - 1))
    assert (largest.max_iterations, largest.seed) == (2**31 - 1, 2**64 - 1)
    for name, beyond in (("max_iterations", 2**31), ("seed", 2**64)):
        with pytest.raises(ValueError, match=f"{name} must be at most {beyond - 1}"):
            RansacOptions(**{name: beyond})


ESTIMATORS = {
    "homography": lambda **given: cvscore.estimate_homography(X, X + 1, **given),
    "fundamental": lambda **given: cvscore.estimate_fundamental(X, X + 1, **given),
    "essential": lambda **given: cvscore.estimate_essential(X, X + 1, K, **given),
}


@pytest.mark.parametrize("estimate", ESTIMATORS.values(), ids=ESTIMATORS)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("score", 3),
        ("score", "msac"),
        ("score", cvscore.MarginalScore),
        ("options", 5),
        ("options", {"seed": 1}),
        ("options", RansacOptions),
        ("calibration", "file.json"),
        ("calibration", cvscore.MarginalScore()),
        ("quality", "good"),
        ("quality", ["a"] * 30),
        ("quality", [[1], [2, 3]]),
        ("quality", object()),
        ("solver", 3),
        ("solver", []),
        ("solver", None),
    ],
    ids=str,
)
def test_what_no_estimator_can_use_is_refused_by_name(estimate, name, value):
    with pytest.raises((TypeError, ValueError), match=f"^{name} must") as caught:
        estimate(**{name: value})
    assert not FOREIGN.search(str(caught.value))


@pytest.mark.parametrize("bad", ["x", [[1, 2], [3]], [["a", "b"]], object(), None, 1j])
def test_points_and_cameras_that_are_no_numbers(bad):
    calls = {
        "x1": lambda: cvscore.estimate_homography(bad, X),
        "K1": lambda: cvscore.estimate_essential(X, X, bad),
        "dist1": lambda: cvscore.estimate_essential(X, X, K, dist1=bad or "x"),
        "variances": lambda: cvscore.fit_robust(bad),
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match=f"^{name} must") as caught:
            call()
        assert not FOREIGN.search(str(caught.value))


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("alpha", lambda value: cvscore.InverseGamma(value, 1.0)),
        ("beta", lambda value: cvscore.InverseGamma(1.0, value)),
        ("a", lambda value: cvscore.BetaPrior(value)),
        ("threshold", lambda value: cvscore.Msac(value)),
        ("half_width_fraction", lambda v: cvscore.MarginalScore(half_width_fraction=v)),
        ("half_width", lambda value: cvscore.MarginalScore(half_width=value)),
        ("rss_floor", lambda value: cvscore.MarginalScore(rss_floor=value)),
        ("prior", lambda value: cvscore.MarginalScore(prior=value)),
        ("label_prior", lambda value: cvscore.MarginalScore(label_prior=value)),
    ],
)
@pytest.mark.parametrize("value", [True, "1", -1.0, np.nan, 10**400, [1.0], 1j])
def test_records_check_their_numbers(name, make, value):
    with pytest.raises((TypeError, ValueError), match=f"^{name} must") as caught:
        make(value)
    assert not FOREIGN.search(str(caught.value))


@pytest.mark.parametrize("seed", [True, "1", -1, 2**64, 0.5])
def test_the_drop_in_names_its_own_arguments(seed):
    pytest.importorskip("cv2")
    with pytest.raises((TypeError, ValueError), match=r"^seed must"):
        cvscore.findHomography(X, X + 1, seed=seed)
    with pytest.raises((TypeError, ValueError), match=r"^mask_threshold must"):
        cvscore.findHomography(X, X + 1, mask_threshold="1")


def test_a_number_of_too_many_digits_is_not_printed():
    with pytest.raises(ValueError, match=r"^confidence .{0,120}$"):
        RansacOptions(confidence=10**400)


class Unordered(int):
    """A number that can't be compared, as those of some units can't."""

    def __lt__(self, other):
        raise RuntimeError("of another unit")

    __gt__ = __le__ = __ge__ = __lt__


def test_a_number_of_a_kind_of_its_own_is_a_number():
    options = RansacOptions(max_iterations=Unordered(100))
    assert options == RansacOptions(max_iterations=100)
    assert type(options.max_iterations) is int


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_iterations", 0),
        ("max_iterations", "many"),
        ("min_iterations", 10**30),
        ("seed", None),
        ("confidence", 5.0),
    ],
)
def test_options_that_were_changed_by_force_are_refused(name, value):
    options = RansacOptions()
    object.__setattr__(options, name, value)
    with pytest.raises((TypeError, ValueError), match=f"^{name} must"):
        cvscore.estimate_homography(X, X + 1, options=options)


def test_options_that_were_changed_by_force_are_what_kernels_take():
    options = RansacOptions()
    object.__setattr__(options, "max_iterations", 1e3)
    assert cvscore.estimate_homography(X, X + 1, options=options)


def test_estimates_are_compared_as_objects_are():
    one, other = (cvscore.estimate_homography(X, X + 1) for _ in range(2))
    assert one == one
    assert one != other
    assert len({one, other}) == 2
    assert other in [one, other]
    assert one.uncertainty != other.uncertainty


@pytest.mark.skipif(
    np.finfo(np.longdouble).max <= np.finfo(float).max, reason="no longer than doubles"
)
def test_numbers_too_large_for_a_double_are_infinite_without_a_warning():
    large = X.astype(np.longdouble)
    large[:3] *= np.longdouble("1e4000")
    with pytest.raises(ValueError, match=r"^x1 has NaN or infinite coordinates"):
        cvscore.estimate_homography(large, X)
    with pytest.raises(ValueError, match=r"^K1 has NaN or infinite entries"):
        cvscore.estimate_essential(X, X, K * np.longdouble("1e4000"))
    pytest.importorskip("cv2")
    _, mask = cvscore.findHomography(large, X + 1)
    assert mask.ravel().tolist() == [0] * 3 + [1] * 27
