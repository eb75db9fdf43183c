"""The likelier one of the two poses of a plane, for those who need one.

`python -m benchmarks alternatives` measures how often it is wrong: of walls and nothing
else every eighth, where the better fit is wrong in two of five.
"""

from __future__ import annotations

from dataclasses import replace

from cvscore.estimators.alternatives import OtherAnswers
from cvscore.two_view.degeneracy.planar_pose_ambiguity import less_aslant
from cvscore.types import Estimate


def likeliest_pose(found: Estimate) -> Estimate:
    """Return the estimate of an essential matrix, or of the plane's likelier pose.

    Unchanged where the inliers are not on a plane.
    """
    others = found.others
    if not isinstance(others, OtherAnswers):
        return found
    best = less_aslant(others.objective, others.best)
    if best is others.best:
        return found
    return others.estimator.conclude(
        others.problem,
        others.objective,
        best,
        others.iterations,
        others=replace(others, best=best),
    )
