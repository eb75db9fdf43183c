"""The study of probabilities: deciles by hand, and a small run with its picture."""

import numpy as np

from benchmarks.__main__ import main
from benchmarks.studies.probabilities import ENOUGH, Reliability


def test_deciles_are_counted():
    probabilities = np.repeat([0.05, 0.95, 1.0], [10, 600, 200])
    is_right = np.zeros(810, dtype=bool)
    is_right[10:730] = True
    found = Reliability.of(probabilities, is_right)
    assert found.counts.tolist() == [10, *[0] * 8, 800]
    np.testing.assert_allclose(found.excess[0], -0.05)
    np.testing.assert_allclose(found.excess[-1], 720 / 800 - (570 + 200) / 800)
    assert ENOUGH > 10
    assert found.line().split() == ["(-5)", *["(-)"] * 8, "-6", "6"]


def test_a_small_run_prints_both_lines_and_draws(tmp_path, capsys):
    path = tmp_path / "probabilities.png"
    words = ["--num", "2", "--problems", "H", "--regimes", "typical", "--splits", "val"]
    assert main(["probabilities", *words, "--picture", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("H typical val  2 of 2 right")
    assert lines[2].startswith("  all")
    assert path.stat().st_size > 1000
