"""Every problem that is measured, by the name it has in files and commands.

A problem is one entry: its data, the unit and limit of its figure, and its estimator.
``TWO_VIEW`` are those of real pairs and of the paper.
"""

from __future__ import annotations

from benchmarks.problems import absolute_pose, maps, two_view
from benchmarks.problems.problem import Problem

__all__ = ["PROBLEMS", "TWO_VIEW", "Problem"]

TWO_VIEW = tuple(problem.name for problem in two_view.PROBLEMS)
PROBLEMS: dict[str, Problem] = {
    problem.name: problem
    for group in (two_view.PROBLEMS, absolute_pose.PROBLEMS, maps.PROBLEMS)
    for problem in group
}
