"""The study of calibrations: clouds in one unit, and one line a problem and regime."""

import numpy as np
import pytest

from benchmarks.methods.cvscore import error_with
from benchmarks.problems import PROBLEMS
from benchmarks.studies.calibration import in_one_unit, labelled, main


@pytest.mark.parametrize("problem", ["H", "affine2d", "rigid3d"])
def test_another_unit_changes_no_error(problem):
    pair = PROBLEMS[problem].generate("typical", 0, "val")
    other = in_one_unit(pair)
    assert error_with(other) == pytest.approx(error_with(pair), rel=1e-6)
    if problem == "rigid3d":
        mapped = other.x1 @ other.model[:, :3].T + other.model[:, 3]
        off = np.linalg.norm(mapped - other.x2, axis=1)[other.is_inlier]
        assert np.median(off) < 10.0  # thousandths of the diagonal


@pytest.mark.parametrize("problem", PROBLEMS)
def test_pairs_of_every_problem_can_be_learned_from(problem):
    pair = PROBLEMS[problem].generate("typical", 0, "val")
    assert labelled(in_one_unit(pair)).variance(PROBLEMS[problem].model) > 0.0


def test_a_line_for_each_regime(capsys):
    sizes = ["--few", "1", "--many", "2", "--sets", "1", "--test", "2"]
    main(["--problems", "PnP", "rigid3d", *sizes])
    lines = capsys.readouterr().out.splitlines()
    begins = [line.split(":")[0] for line in lines]
    assert begins == ["PnP typical", "PnP sig3", "rigid3d typical", "rigid3d sig3"]
