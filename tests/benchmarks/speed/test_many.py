"""Throughput beside other libraries."""

import re

import numba
import pytest

from benchmarks.problems import TWO_VIEW
from benchmarks.speed import many


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="times compiled kernels")
def test_every_library_has_a_rate_for_every_problem(capsys, monkeypatch):
    monkeypatch.setattr(many, "NUM_MATCHES", 50)
    monkeypatch.setattr(many, "NUM_DISTINCT", 4)
    many.main(["--num", "10", "--workers", "2"])
    lines = capsys.readouterr().out.splitlines()
    for problem in TWO_VIEW:
        for threads in (1, 2):
            start = f"{problem}, threads {threads}: "
            (line,) = [line for line in lines if line.startswith(start)]
            for name, _ in many.runs_of(problem):
                assert re.search(rf"{name} [1-9]\d* \(\d+\.\d+\)", line), name


def test_pairs_are_as_many_as_asked_for():
    seen = []

    def run(pairs, num_workers):
        seen.extend(pairs)

    speed = many.measure(run, "abc", 7, 1)
    assert "".join(seen) == "abcabca"
    assert speed.pairs_per_second > 0
