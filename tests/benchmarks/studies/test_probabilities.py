"""The study of probabilities: deciles by hand, and a small run with its picture."""

import numpy as np

from benchmarks.__main__ import main
from benchmarks.problems import PROBLEMS
from benchmarks.studies.probabilities import MIN_PAIRS, Reliability, told_probabilities


def pair_of(num_right):
    """Ten matches of probability 0.05, all wrong, and ten of 0.95, so many right."""
    return np.repeat([0.05, 0.95], 10), np.arange(20) >= 20 - num_right


def test_deciles_are_counted_with_intervals_over_pairs():
    pairs = [pair_of(6 + 4 * (k % 2)) for k in range(400)]
    found = Reliability.of(pairs)
    assert found.counts.sum(axis=0).tolist() == [4000, *[0] * 8, 4000]
    np.testing.assert_allclose(found.excess[[0, 9]], [-0.05, 0.8 - 0.95])
    half = found.half_intervals()
    # Shares of 0.6 and 1 by turns: their mean has a standard error of 0.2 / sqrt(400).
    np.testing.assert_allclose(half[9], 1.96 * 0.2 / 20, rtol=0.15)
    assert half[0] == 0.0
    assert np.isnan(half[1:9]).all()
    deviations, intervals, counts = (line.split() for line in found.lines())
    assert deviations == ["-5", *["-"] * 8, "-15", "15"]
    assert intervals == ["0", *["-"] * 8, "2"]
    assert counts == ["4000", *["0"] * 8, "4000"]


def test_few_pairs_are_not_told():
    few = Reliability.of([pair_of(6)] * (MIN_PAIRS - 1))
    assert np.isnan(few.half_intervals()).all()
    assert few.lines()[0].split()[-1] == "-"


def test_one_who_is_told_the_truth_knows_nearly_all_right_matches():
    for problem in ("E", "F", "H"):
        pair = PROBLEMS[problem].generate("typical", 0, "val")
        told = told_probabilities(pair)
        assert told[pair.is_inlier].mean() > 0.9
        assert told[~pair.is_inlier].mean() < 0.05


def test_a_small_run_prints_all_blocks_and_draws(tmp_path, capsys):
    path = tmp_path / "probabilities.png"
    words = ["--num", "2", "--problems", "H", "--regimes", "typical", "--splits", "val"]
    assert main(["probabilities", *words, "--picture", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("H typical val  2 of 2 right")
    assert lines[4].startswith("  all")
    assert lines[6].startswith("    matches")
    assert lines[7].startswith("  told model and noise")
    assert path.stat().st_size > 1000
