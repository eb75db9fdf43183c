"""The record of a pair: right matches, errors by brute force, and every byte kept."""

import numpy as np
import pytest
from paper_pairs import pair_for, pair_of
from synthetic import two_view_scene

from benchmarks.methods.scores import BASELINES, SCORES
from benchmarks.paper import record as records
from benchmarks.paper.evaluation import evaluate
from benchmarks.paper.grid import Grid
from benchmarks.paper.pool import chunks, draw_models, prepare
from benchmarks.paper.rotations import FAILURE
from benchmarks.paper.truth import noise_variance, right_matches


@pytest.mark.parametrize("problem", ["E", "F"])
def test_right_matches_of_a_known_pose_need_no_threshold(rng, problem):
    for noise in (0.1, 1.0, 4.0):
        scene = two_view_scene(rng, num=400, noise=noise)
        pair = pair_of(scene, with_labels=False)
        prepared = prepare(pair, problem)
        found = right_matches(pair, prepared)
        assert found[scene.is_inlier].mean() > 0.8
        assert noise_variance(pair, prepared, found) == pytest.approx(noise**2, rel=0.5)


def test_variance_of_a_plane_is_that_of_its_noise(rng):
    pair = pair_for("H", rng, num=800, noise=0.6)
    prepared = prepare(pair, "H")
    variance = noise_variance(pair, prepared, right_matches(pair, prepared))
    # 400 matches of two dimensions: the standard error is five percent.
    assert variance == pytest.approx(0.36, rel=0.3)


class OnePair:
    def __init__(self, pair):
        self.pair = pair

    def keys(self):
        return [self.pair.key]

    def load(self, key):
        return self.pair


def small_grids(num=12):
    return {name: Grid.around(SCORES[name].start, num) for name in BASELINES}


@pytest.mark.parametrize("problem", ["E", "F", "H"])
def test_a_record_holds_what_brute_force_finds(rng, problem):
    pair = pair_for(problem, rng, num=150)
    settings = records.Settings(problem, num_samples=80)
    grids = small_grids()
    record = evaluate(OnePair(pair), pair.key, settings, grids, "stamp")
    prepared = prepare(pair, problem)
    models = draw_models(pair, prepared, 80, seed=0)
    errors = prepared.errors(models, pair.R)
    assert record.num_models == len(models)
    assert record.oracle == errors.min()
    sq_residuals = np.vstack([r for _, r in chunks(prepared, models)])
    counts = prepared.geometry.residual_dim, prepared.geometry.num_params
    for row, name in enumerate(BASELINES):
        for g, tau in enumerate(grids[name].values):
            best = np.argmax(
                SCORES[name].at_threshold(tau).evaluate(sq_residuals, *counts)
            )
            assert record.baselines[row, g] == np.float32(errors[best])


def test_too_few_matches_are_a_failure(rng):
    pair = pair_of(two_view_scene(rng, num=4, inlier_ratio=1.0), with_labels=False)
    settings = records.Settings("E", num_samples=20)
    record = evaluate(OnePair(pair), pair.key, settings, small_grids(), "stamp")
    assert record.num_models == 0
    assert (record.baselines == FAILURE).all()
    assert record.oracle == FAILURE
    assert np.isnan(record.variance)


def test_records_round_trip_and_every_flipped_byte_is_noticed(rng):
    pair = pair_for("F", rng, num=60)
    settings = records.Settings("F", num_samples=20)
    record = evaluate(OnePair(pair), pair.key, settings, small_grids(3), "s")
    data = records.to_bytes(record)
    assert data == records.to_bytes(record)
    again = records.from_bytes(data)
    for name, value in vars(record).items():
        assert np.array_equal(getattr(again, name), value, equal_nan=name == "variance")
    for place in rng.integers(0, len(data), 50):
        broken = bytearray(data)
        broken[place] ^= 1
        with pytest.raises(records.CorruptRecord):
            records.from_bytes(bytes(broken))
    for length in (0, 5, len(data) // 2, len(data) - 1):
        with pytest.raises(records.CorruptRecord):
            records.from_bytes(data[:length])
