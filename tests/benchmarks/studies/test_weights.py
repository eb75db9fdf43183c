"""The study of weights: the noise it adds, and a small run."""

import numpy as np

from benchmarks.__main__ import main
from benchmarks.data.synthetic import REGIMES, generate
from benchmarks.studies.weights import REGIME, mixed_scales


def test_noise_is_as_many_times_larger_as_is_said(rng):
    pair = generate("H", REGIME, 0, "val")
    sigma = REGIMES[REGIME].noise[0]
    moved, factors = mixed_scales(pair, rng, 8.0)
    assert factors.min() >= 1.0
    assert factors.max() <= 8.0
    added = (moved.x1 - pair.x1) / np.sqrt(factors**2 - 1.0)[:, None]
    assert 0.8 * sigma < added.std() < 1.2 * sigma


def test_a_small_run_has_a_line_for_each_kind_of_weights(capsys):
    assert main(["weights", "--num", "2", "--problems", "H", "--splits", "val"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    names = [line.split()[2] for line in lines]
    assert names == ["none", "exact", "rough", "equal", "wrong"]
    assert lines[0].split()[3:] == lines[3].split()[3:]
