"""What an estimate is asked afterwards: how sure it is, where it takes points.

Numbers may be infinite, where the inliers leave something open, and never NaN; what
was not asked for sensibly is refused as everywhere (`checks`).
"""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np

from benchmarks.attack.arguments import draw_pose_matrix
from benchmarks.attack.checks import wrong_with, wrong_with_refusal
from benchmarks.attack.containers import Rng, in_some_form
from cvscore.types import Array, Estimate

MASSES = (0.5, 0.95, 1e-300, 1.0 - 1e-15, 0.0, 1.0, -1.0, np.nan, "0.9", None)
IMAGES = (1, 2, 0, 3, True, "1", None)


def check_members(rng: Rng, found: Estimate, points: Any) -> None:
    """Ask an estimate everything, with arguments sane and hostile."""
    assert bool(found.reason_undetermined) != found.is_determined, "no reason"
    copy = pickle.loads(pickle.dumps(found))
    assert np.array_equal(copy.inliers, found.inliers), "another after pickling"
    _refused_or(lambda: found.scale_interval(_one_of(rng, MASSES)), _is_interval)
    likely = found.probabilities
    assert likely.shape == found.inliers.shape, "other probabilities"
    assert ((likely >= 0.0) & (likely <= 1.0)).all(), f"probabilities {likely}"
    if rng.random() < 0.2:  # a search of their own
        for other in found.alternatives:
            wrong = wrong_with(other)
            assert wrong is None, f"an alternative: {wrong}"
    if found.covariance is None:
        return
    _check_covariance(found.covariance, "covariance")
    deviations = found.uncertainty.standard_deviations
    assert (deviations >= 0.0).all(), f"standard deviations {deviations}"
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asked, other = _draw_points(rng, points), _draw_model(rng, found)
    mass = _one_of(rng, MASSES)
    _refused_or(lambda: found.transfer(asked), _check_mapped)
    image = _one_of(rng, IMAGES) if rng.random() < 0.2 else 1
    _refused_or(lambda: found.epipolar_lines(asked, image), _check_places)
    _refused_or(lambda: found.contains(other, mass), _is_bool)
    here = found.model if found.pose is None else np.column_stack(found.pose)
    assert found.contains(here), "it does not contain itself"


def _one_of(rng: Rng, choices: tuple[Any, ...]) -> Any:
    return choices[int(rng.integers(len(choices)))]


def _draw_points(rng: Rng, points: Any) -> Any:
    """Return points of the problem, others of any size, or none at all."""
    if rng.random() < 0.5:
        return points
    drawn = rng.uniform(-1, 1, (int(rng.integers(0, 5)), int(rng.integers(2, 4))))
    return in_some_form(rng, drawn * 10.0 ** rng.uniform(-320, 308))


def _draw_model(rng: Rng, found: Estimate) -> Any:
    """Return another model: near, far, or none."""
    assert found.model is not None
    here = found.model if found.pose is None else np.column_stack(found.pose)
    others = [
        here * (1.0 + 1e-6 * rng.normal(size=here.shape)),
        rng.uniform(-1, 1, here.shape) * 10.0 ** rng.uniform(-320, 308),
        draw_pose_matrix(rng),
        np.zeros((3, 4)),
        np.zeros(here.shape),
        np.full(here.shape, np.nan),
        here[:2],
        here.tolist(),
        here.astype(str),
        None,
    ]
    return others[int(rng.integers(len(others)))]


def _refused_or(ask: Any, check: Any) -> None:
    """Check an answer, or that it was refused in words of ours."""
    try:
        answer = ask()
    except (TypeError, ValueError) as error:
        wrong = wrong_with_refusal(error)
        assert wrong is None, wrong
        return
    check(answer)


def _is_interval(interval: tuple[float, float]) -> None:
    low, high = interval
    unknown = np.isnan(low) and np.isnan(high)
    assert unknown or 0.0 <= low <= high, f"an interval of {interval}"


def _is_bool(answer: Any) -> None:
    assert answer in (True, False), f"{answer} is no answer"


def _check_mapped(found: tuple[Array, Array]) -> None:
    assert not np.isnan(found[0]).any(), f"places {found[0]}"
    _check_places(found)


def _check_places(found: tuple[Array, Array]) -> None:
    places, covariances = found
    unknown = np.isnan(places)
    # The epipole has no line.
    assert (unknown.all(axis=1) == unknown.any(axis=1)).all(), f"places {places}"
    assert covariances.shape == (*places.shape, places.shape[1]), "shapes"
    for one in covariances:
        _check_covariance(one, "covariance of a place")


def _check_covariance(covariance: Array, name: str) -> None:
    assert not np.isnan(covariance).any(), f"a {name} of {covariance}"
    assert (np.diag(covariance) >= 0.0).all(), f"a {name} of {covariance}"
    if np.isfinite(covariance).all():
        symmetric = np.abs(covariance - covariance.T) <= 1e-6 * np.abs(covariance).max()
        assert symmetric.all(), f"a {name} of {covariance}"
