"""The shares of the stages of a call."""

import numba
import pytest

from benchmarks.problems import PROBLEMS
from benchmarks.speed import costs


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="times compiled steps")
def test_costs_are_printed_for_every_problem(capsys):
    costs.main(["--num", "2"])
    lines = capsys.readouterr().out.splitlines()
    for problem in PROBLEMS:
        assert any(line.startswith(f"{problem} ") and "%" in line for line in lines)
