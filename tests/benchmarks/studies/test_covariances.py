"""The study of covariances: its noise, its weights, and a small run."""

from dataclasses import replace

import numpy as np

from benchmarks.__main__ import main
from benchmarks.data.synthetic import generate
from benchmarks.studies.covariances import (
    REGIME,
    mean_weights,
    weights_along,
    whitened_fit,
    with_ellipses,
)


def test_noise_has_the_covariances_that_are_said():
    pair = generate("H", REGIME, 0, "val")
    whitened = []
    for seed in range(30):
        moved, covariances = with_ellipses(pair, np.random.default_rng(seed), 8.0)
        for x, before, each in zip(
            (moved.x1, moved.x2), (pair.x1, pair.x2), covariances, strict=True
        ):
            # What was there before, 0.3 pixels, is a part of the covariances.
            added = each - 0.3**2 * np.eye(2)
            moves = (x - before)[..., None]
            distances = np.linalg.solve(added + 1e-12 * np.eye(2), moves)
            whitened.append((moves * distances).sum(axis=(1, 2)))
    assert abs(np.mean(whitened) - 2.0) < 0.05


def test_round_ellipses_have_one_weight_in_every_direction(rng):
    pair = generate("F", REGIME, 0, "val")
    variances = rng.uniform(1.0, 9.0, len(pair.x1))
    round_ones = np.broadcast_to(
        variances[:, None, None] * np.eye(2), (2, len(variances), 2, 2)
    )
    mean, along = mean_weights(round_ones), weights_along(pair.model, pair, round_ones)
    np.testing.assert_allclose(along, 1.0 / variances)
    np.testing.assert_allclose(mean, 0.25 / variances)


def test_the_whitened_fit_of_exact_matches_is_the_truth(rng):
    pair = generate("H", REGIME, 0, "val")
    H = pair.model / pair.model[2, 2]
    mapped = np.hstack([pair.x1, np.ones((len(pair.x1), 1))]) @ H.T
    pair = replace(pair, x2=mapped[:, :2] / mapped[:, 2:])
    covariances = np.broadcast_to(np.eye(2), (2, len(pair.x1), 2, 2))
    start = H * (1.0 + 1e-4 * rng.normal(size=(3, 3)))
    found = whitened_fit(start, pair, covariances, pair.is_inlier)
    np.testing.assert_allclose(found, H, rtol=1e-5, atol=1e-7)


def test_a_small_run_has_a_line_for_each_problem(capsys):
    assert main(["covariances", "--num", "2", "--splits", "val"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["E", "F", "H"]
    assert all("mean" in line and "full" in line for line in lines)
