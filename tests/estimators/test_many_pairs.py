"""Many pairs in one call: what one by one gives, and no pair is fatal."""

import dataclasses
import io
import multiprocessing
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from map_scenes import map_scene
from seen_points import seen_points
from synthetic import planar_scene, two_view_scene

import cvscore
from cvscore import RansacOptions, estimate_many
from cvscore.estimators import ESTIMATORS

MAPS = ("translation", "rigid", "similarity", "affine")


def arguments_of(rng, model, num=60):
    """What the estimator of a model takes, by position."""
    if model == "absolute_pose":
        seen = seen_points(rng, num=num)
        return seen.x, seen.X, seen.K
    if model in MAPS:
        scene = map_scene(rng, model, dim=int(rng.integers(2, 4)), num=num)
        return scene.x1, scene.x2
    if model == "homography":
        scene = planar_scene(rng, num=num)
        return scene.x1, scene.x2
    scene = two_view_scene(rng, num=num)
    cameras = (scene.K1, scene.K2) if model == "essential" else ()
    return scene.x1, scene.x2, *cameras


def bits(estimate):
    """All that an estimate says, bit by bit.

    Not its pickle: that also tells which objects two of its fields share, which is not
    the same in a process that has just compiled.
    """
    state = vars(pickle.loads(pickle.dumps(estimate)))
    # Only there where it was asked for; it is what `evidence_from` has become.
    state.pop("evidence", None)
    state.pop("alternatives", None)
    # It travels as what is searched again; what it finds is what counts.
    others = state.pop("others")
    found = () if others is None else others.find(estimate)
    state["alternatives"] = tuple(bits(other) for other in found)
    return {name: as_bytes(value) for name, value in state.items()}


def as_bytes(value):
    if dataclasses.is_dataclass(value):  # the posterior: every field of it
        names = [field.name for field in dataclasses.fields(value)]
        return {name: as_bytes(getattr(value, name)) for name in names}
    if callable(value):
        return value.__module__, value.__name__
    if isinstance(value, dict):  # of bits
        return value
    if isinstance(value, tuple):
        return [as_bytes(one) for one in value]
    array = np.asarray("None" if value is None else value)
    return array.dtype.str, array.shape, array.tobytes()


@pytest.fixture
def homographies(rng):
    return [arguments_of(rng, "homography") for _ in range(10)]


@pytest.mark.parametrize("model", ESTIMATORS)
def test_every_model_gives_the_bits_of_one_by_one(model, rng):
    pairs = [arguments_of(rng, model) for _ in range(6)]
    one_by_one = [ESTIMATORS[model].estimate(*pair) for pair in pairs]
    assert sum(map(bool, one_by_one)) >= 5
    expected = list(map(bits, one_by_one))
    for num_workers in (1, 3):
        found = estimate_many(iter(pairs), model, num_workers=num_workers)
        assert list(map(bits, found)) == expected


def test_options_and_choices_are_the_estimators(homographies):
    choices = {
        "options": RansacOptions(max_iterations=50, seed=7),
        "score": cvscore.Msac(threshold=1.0),
    }
    found = estimate_many(homographies, model="homography", **choices)
    for estimate, pair in zip(found, homographies, strict=True):
        assert bits(estimate) == bits(cvscore.estimate_homography(*pair, **choices))
    plain = list(estimate_many(homographies, model="homography"))
    assert bits(plain[0]) != bits(estimate)


def test_a_pair_may_have_arguments_of_its_own(homographies, rng):
    x1, x2 = homographies[0]
    own = {"quality": rng.random(len(x1)), "options": RansacOptions(seed=5)}
    alone, plain = estimate_many([(x1, x2, own), [x1, x2]], "homography")
    assert bits(alone) == bits(cvscore.estimate_homography(x1, x2, **own))
    assert bits(plain) == bits(cvscore.estimate_homography(x1, x2))


def test_one_source_serves_models_with_and_without_cameras(rng):
    x1, x2, K1, K2 = arguments_of(rng, "essential")
    sources = [(x1, x2, K1, K2), (x1, x2, K1), (x1, x2, K1, None)]
    for estimate in estimate_many(sources, "fundamental"):
        assert bits(estimate) == bits(cvscore.estimate_fundamental(x1, x2))
    for estimate in estimate_many(sources, "essential"):
        assert estimate.pose is not None


def bad_pairs(x1, x2):
    gap = x1.copy()
    gap[3] = np.nan
    return {
        "x1 has NaN or infinite coordinates in 1 of 60 rows": (gap, x2),
        "x2 must have shape (N, 2), got (60, 3)": (x1, np.ones((60, 3))),
        "x1 and x2 must have the same length, got 60 and 59": (x1, x2[1:]),
        "x1 must hold real numbers, got dtype object": (None, x2),
        "a pair must be a tuple, got None": None,
        "a pair must be a tuple, got 3": 3,
        "a pair must have x1 and x2, then camera matrices, got 0 arrays": (),
        "a pair must have x1 and x2, then camera matrices, got 1 arrays": (x1,),
        "a pair must have x1 and x2, then camera matrices, got 5 arrays": (x1, x2) * 2
        + (x1,),
        "quality must have 60 entries, got 2": (x1, x2, {"quality": [1, 2]}),
        "options must be RansacOptions, got 3": (x1, x2, {"options": 3}),
    }


@pytest.mark.parametrize("num_workers", [1, 3])
def test_a_bad_pair_is_a_false_estimate_that_says_why(num_workers, rng):
    x1, x2 = arguments_of(rng, "homography")
    bad = bad_pairs(x1, x2)
    pairs = [(x1, x2), *bad.values(), (x1, x2)]
    first, *found, last = estimate_many(pairs, "homography", num_workers=num_workers)
    assert first
    assert bits(first) == bits(last)
    assert [estimate.reason for estimate in found] == list(bad)
    for estimate in found:
        assert not estimate
        assert not estimate.is_significant
        assert not estimate.inliers.any()
        assert np.isinf(estimate.residuals).all()
        bits(estimate)  # can be pickled
    assert found[0].inliers.shape == (60,)


def test_a_pair_without_a_camera_is_a_bad_one(rng):
    x1, x2, K1, K2 = arguments_of(rng, "essential")
    bad, good = estimate_many([(x1, x2), (x1, x2, K1, K2)], "essential")
    assert bad.reason == "the essential matrix needs the camera matrix K1"
    assert good


def test_what_is_wrong_for_all_pairs_is_an_error_at_once():
    def unread():
        raise AssertionError("no pair is needed to see it")
        yield

    for choices, kind, message in (
        ({"model": "conic"}, ValueError, "model must be one of"),
        ({"num_workers": 0}, ValueError, "num_workers must be at least 1"),
        ({"options": {"seed": 3}}, TypeError, "options must be RansacOptions"),
        ({"iterations": 3}, TypeError, "unexpected keyword argument 'iterations'"),
        ({"solver": "magic"}, ValueError, "solver must be one of"),
        ({"score": cvscore.Msac}, TypeError, "score must be a score"),
        ({"quality": [1.0, 2.0]}, TypeError, "quality is a pair's own"),
        ({"model": ["homography"]}, ValueError, "model must be one of"),
        ({"pairs": None}, TypeError, "pairs must be iterable, got None"),
    ):
        with pytest.raises(kind, match=message):
            estimate_many(**{"pairs": unread(), "model": "homography", **choices})
    prior = cvscore.MarginalScore(prior=cvscore.InverseGamma(1.0, 0.25))
    for model in ESTIMATORS:  # which unit the points have, no points can tell
        assert list(estimate_many([], model, score=prior)) == []


def test_pairs_are_read_as_they_are_needed(rng):
    pair = arguments_of(rng, "translation")
    num_read = 0

    def endless():
        nonlocal num_read
        while True:
            num_read += 1
            yield pair

    before = threading.active_count()
    found = estimate_many(endless(), "translation", num_workers=2)
    assert num_read == 0
    for _ in range(100):
        assert next(found)
    assert num_read <= 100 + 48  # a window, whatever came before
    found.close()
    assert threading.active_count() == before
    assert next(found, None) is None


def test_a_process_pool_gives_the_same_bits(homographies):
    x1, x2 = homographies[0]
    pairs = [*homographies, (x1, x2[:-1])]
    *expected, bad = estimate_many(pairs, "homography", num_workers=1)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as executor:
        *found, told = estimate_many(pairs, "homography", executor=executor)
    assert list(map(bits, found)) == list(map(bits, expected))
    assert [one.evidence for one in found] == [one.evidence for one in expected]
    assert told.reason == bad.reason != ""


@pytest.mark.filterwarnings("default")  # what Dask deprecates is not our concern
def test_a_dask_cluster_gives_the_same_bits(homographies):
    distributed = pytest.importorskip("distributed")
    expected = list(estimate_many(homographies, "homography", num_workers=1))
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = list(
            estimate_many(homographies, "homography", executor=client.get_executor())
        )
    assert list(map(bits, found)) == list(map(bits, expected))


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("progress", [True, False])
def test_people_at_a_terminal_see_a_bar(progress, homographies, monkeypatch):
    from cvscore._numba import progress as module

    monkeypatch.setattr(module, "DELAY_SECONDS", 0.0)
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    list(estimate_many(homographies, "homography", progress=progress))
    assert ("/10" in terminal.getvalue()) == progress
