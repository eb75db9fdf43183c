"""A model from outside the package gets all that the pipeline has to give.

A plane in space, a similarity of the image, rigid and affine maps of space: one, two
and three constraints a point, none of them compiled.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from own_models import (
    AFFINE,
    CLOUD,
    CLOUD_PAIR,
    MAPS,
    PLANE,
    PLANES,
    RIGID,
    SIMILARITIES,
    SIMILARITY,
)
from synthetic import rotation

from cvscore.estimators import Estimator
from cvscore.scores.marginal_score import MarginalScore
from cvscore.types import GeometricModel, RansacOptions

NUM, NUM_WRONG, NOISE = 150, 100, 0.5
SIDE = 100.0
SHIFTS = {"plane": 200.0, "similarity": 30.0, "rigid map": -400.0, "affine map": 50.0}


@dataclass(frozen=True)
class Case:
    """An estimator, its model, points (D, N), and the distance of each to the truth."""

    estimator: Estimator
    model: GeometricModel
    points: np.ndarray
    distances: np.ndarray  # (N,) residuals under the true model
    error: object  # of a model, in units of the points

    @property
    def is_right(self):
        return np.arange(self.points.shape[1]) < NUM

    def run(self, points=None, **choices):
        points = self.points if points is None else points
        return self.estimator.run(self.model, points, **choices)


def noisy(rng, exact, noise):
    return exact + rng.normal(0.0, noise, exact.shape)


def missed(rng, exact, num_missing, direction):
    """The same points, the last of them moved aside by 2 to 5."""
    moved = exact.copy()
    moved[NUM - num_missing :] += rng.uniform(2.0, 5.0, (num_missing, 1)) * direction
    return moved


def plane_case(rng, noise=NOISE, num_missing=0):
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    centre = np.full(3, SHIFTS["plane"])
    axes = np.linalg.svd(normal[None])[2][1:]
    exact = rng.uniform(-SIDE / 2, SIDE / 2, (NUM, 2)) @ axes + centre
    wrong = rng.uniform(-SIDE / 2, SIDE / 2, (NUM_WRONG, 3)) + centre
    seen = missed(rng, exact, num_missing, normal)
    x = np.vstack([noisy(rng, seen, noise), wrong])

    def error(model):
        return np.abs(exact @ model[:3] + model[3]).max() / np.linalg.norm(model[:3])

    points = CLOUD.pack(x)
    return Case(PLANES, PLANE, points, np.abs((x - centre) @ normal), error)


def similarity_case(rng, noise=NOISE, num_missing=0):
    scale, angle, shift = 1.3, 0.4, np.full(2, SHIFTS["similarity"])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    exact = rng.uniform(0, SIDE, (NUM, 2))
    x = np.vstack([noisy(rng, exact, noise), rng.uniform(0, SIDE, (NUM_WRONG, 2))])
    moved = scale * exact @ turn.T + shift
    low, high = moved.min(axis=0), moved.max(axis=0)
    seen = missed(rng, moved, num_missing, np.array([1.0, 0.5]))
    y = np.vstack([noisy(rng, seen, noise), rng.uniform(low, high, (NUM_WRONG, 2))])
    e = y - scale * x @ turn.T - shift

    def error(model):
        c, t = model
        ours = c * (exact[:, 0] + 1j * exact[:, 1]) + t
        return np.abs(ours - (moved[:, 0] + 1j * moved[:, 1])).max()

    points = SIMILARITIES.data.pack(x, y)
    distances = np.linalg.norm(e, axis=1) / np.hypot(1.0, scale)
    return Case(SIMILARITIES, SIMILARITY, points, distances, error)


def map_case(model):
    def case(rng, noise=NOISE, num_missing=0):
        A = rotation(rng.normal(0, 1, 3))
        if model is AFFINE:
            A = A + rng.normal(0, 0.3, (3, 3))
        shift = np.full(3, SHIFTS[model.name])
        exact = rng.uniform(0, SIDE, (NUM, 3))
        x = np.vstack([noisy(rng, exact, noise), rng.uniform(0, SIDE, (NUM_WRONG, 3))])
        moved = exact @ A.T + shift
        low, high = moved.min(axis=0), moved.max(axis=0)
        wrong = rng.uniform(low, high, (NUM_WRONG, 3))
        seen = missed(rng, moved, num_missing, np.array([1.0, 0.5, -1.0]))
        y = np.vstack([noisy(rng, seen, noise), wrong])
        # White noise of both clouds, seen in the difference: the Mahalanobis distance.
        root = np.linalg.cholesky(np.eye(3) + A @ A.T)
        e = np.linalg.solve(root, (y - x @ A.T - shift).T)

        def error(found):
            ours = exact @ found[:, :3].T + found[:, 3]
            return np.linalg.norm(ours - moved, axis=1).max()

        points, distances = CLOUD_PAIR.pack(x, y), np.linalg.norm(e, axis=0)
        return Case(MAPS, model, points, distances, error)

    return case


CASES = {
    "plane": plane_case,
    "similarity": similarity_case,
    "rigid": map_case(RIGID),
    "affine": map_case(AFFINE),
}
every_model = pytest.mark.parametrize("make", CASES.values(), ids=CASES)


@every_model
def test_the_truth_is_found(make, rng):
    case = make(rng)
    found = case.run()
    assert found
    assert case.error(found.model) < 1.5 * NOISE
    assert found.inliers[case.is_right].mean() > 0.9
    # Wrong ones that are inliers are those that chance has put near the truth.
    far = case.distances > 6.0 * NOISE
    assert not found.inliers[far].any()


@every_model
def test_inliers_and_residuals_are_those_of_the_model_returned(make, rng):
    """The model that is returned is one of the points as they were given."""
    case = make(rng)
    found = case.run()
    q = case.model.residuals(found.model[None], case.points)[0]
    np.testing.assert_allclose(found.residuals, np.sqrt(q), rtol=1e-6, atol=1e-9)
    inside = found.residuals <= found.threshold
    np.testing.assert_array_equal(found.inliers, inside)


@every_model
def test_near_misses_pull_the_polished_model_less(make, rng):
    """With a half-width so large that the partition holds them."""
    errors, score = [], MarginalScore(half_width=60.0)
    for _ in range(40):
        case = make(rng, 0.7, num_missing=30)
        plain = Estimator(case.estimator.data, (), case.estimator.denormalise)
        searched = plain.run(case.model, case.points, score=score)
        found = case.run(score=score).model, searched.model
        errors.append([case.error(model) for model in found])
    polished, searched = np.median(errors, axis=0)
    assert polished < 0.9 * searched


@every_model
def test_the_interval_of_the_scale_covers_the_truth(make, rng):
    covered = []
    for noise in np.geomspace(0.05, 1.5, 24):
        found = make(rng, noise).run()
        assert found.scale == pytest.approx(noise, rel=0.35)
        low, high = found.scale_interval()
        assert low < found.scale < high
        covered.append(low <= noise <= high)
    # Fewer than 17 of 24 have a probability of 1e-5 at 0.95.
    assert sum(covered) >= 17


@every_model
def test_the_threshold_follows_its_law(make, rng):
    """The cut tends to s sqrt(d log(2 a^2 / (pi s^2))) where inliers are many."""
    found = make(rng, 0.2).run()
    dim = make(rng).model.residual_dim
    ratio = 2.0 * found.half_width**2 / (np.pi * found.scale**2)
    law = found.scale * np.sqrt(dim * np.log(ratio))
    assert found.threshold == pytest.approx(law, rel=0.15)


@every_model
def test_large_noise_widens_the_half_width(make, rng):
    """A cut in the middle of the noise would show a scale that is too small."""
    narrow, wide = make(rng, 0.1).run(), make(rng, 2.5).run()
    assert wide.half_width > 1.3 * narrow.half_width
    assert wide.scale == pytest.approx(2.5, rel=0.35)


@every_model
def test_copies_count_once_and_get_the_label_of_their_original(make, rng):
    case = make(rng)
    num = case.points.shape[1]
    originals = rng.choice(num, 60)
    points = np.hstack([case.points, case.points[:, originals]])
    plain, copied = case.run(), case.run(points)
    np.testing.assert_array_equal(copied.model, plain.model)
    assert copied.score == plain.score
    assert copied.evidence == plain.evidence
    for name in ("inliers", "residuals"):
        labels, rows = getattr(copied, name), getattr(plain, name)
        np.testing.assert_array_equal(labels[:num], rows)
        np.testing.assert_array_equal(labels[num:], rows[originals])


@every_model
def test_one_point_many_times_is_no_model(make, rng):
    """Copies of a sample fit exactly; if they counted they would be the best model."""
    case = make(rng)
    crowd = case.points[:, NUM + np.arange(case.model.sample_size)]
    points = np.hstack([case.points, np.repeat(crowd, 200, axis=1)])
    found = case.run(points)
    assert case.error(found.model) < 1.5 * NOISE


@every_model
def test_the_truth_is_significant(make, rng):
    for _ in range(3):
        assert make(rng).run().is_significant


@every_model
@pytest.mark.parametrize("seed", range(8))
def test_random_points_are_not_significant(make, seed):
    rng = np.random.default_rng(seed)
    case = make(rng)
    num = (30, 100, 250)[seed % 3]
    spans = case.points.min(axis=1), case.points.max(axis=1)
    points = np.ascontiguousarray(rng.uniform(*spans, (num, len(case.points))).T)
    found = case.run(points)
    assert found.model is not None
    assert not found.is_significant


@every_model
def test_unit_and_origin_do_not_matter(make, rng):
    case = make(rng)
    plain = case.run()
    moved = case.run(1e-3 * (case.points + 1e4))
    np.testing.assert_array_equal(moved.inliers, plain.inliers)
    assert moved.scale == pytest.approx(1e-3 * plain.scale, rel=1e-5)
    assert moved.threshold == pytest.approx(1e-3 * plain.threshold, rel=1e-5)
    assert moved.evidence == pytest.approx(plain.evidence, rel=1e-5)


@every_model
def test_quality_and_options_are_heard(make, rng):
    case = make(rng)
    quality = case.is_right + 0.3 * rng.random(case.points.shape[1])
    options = RansacOptions(max_iterations=50, seed=4)
    found = case.run(quality=quality, options=options)
    assert found.iterations <= 50
    assert case.error(found.model) < 1.5 * NOISE
    same = case.run(quality=quality, options=options)
    np.testing.assert_array_equal(same.model, found.model)


@every_model
def test_too_few_or_degenerate_points_are_a_reason_by_name(make, rng):
    case = make(rng)
    size = case.model.sample_size
    few = case.run(np.ascontiguousarray(case.points[:, :size]))
    assert not few
    assert few.reason.startswith(f"{size} distinct matches, but a")
    assert few.reason.endswith(f" {case.model.name} needs at least {size + 1}")
    assert not few.inliers.any()
    assert few.inliers.shape == (size,)


def test_points_on_a_line_have_no_plane():
    steps = np.arange(30.0)
    found = PLANES.run(PLANE, CLOUD.pack(np.outer(steps, [4.0, 2.0, 1.0])))
    assert not found
    assert "degenerate" in found.reason


def test_sets_of_points_are_checked_by_name(rng):
    cloud = rng.normal(size=(9, 3))
    with pytest.raises(ValueError, match=r"x must have shape \(N, 3\), got \(9, 2\)"):
        CLOUD.pack(cloud[:, :2])
    with pytest.raises(ValueError, match="there must be 2 sets of points, got 1"):
        CLOUD_PAIR.pack(cloud)
    with pytest.raises(ValueError, match="x1 and x2 must have the same length"):
        CLOUD_PAIR.pack(cloud, cloud[:4])
    cloud[3, 1] = np.nan
    with pytest.raises(ValueError, match="x has NaN or infinite coordinates in 1 of 9"):
        CLOUD.pack(cloud)
