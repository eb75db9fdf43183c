"""The baseline scores: their formulas, and that weights are derivatives."""

import math

import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal

from cvscore.scores.baselines import (
    GaussianUniform,
    InlierCount,
    MagsacPlusPlus,
    Msac,
)

SCORES = [InlierCount, Msac, GaussianUniform, MagsacPlusPlus]
SMOOTH = [Msac, GaussianUniform, MagsacPlusPlus]


def residual_batch(rng, shape=(7, 50)):
    """Squared residuals on both sides of a threshold of 2, and one exactly on it."""
    q = rng.exponential(4.0, shape)
    q[..., 0] = 4.0
    q[..., 1] = 0.0
    return q


def test_inlier_count_counts(rng):
    q = residual_batch(rng)
    assert_array_equal(InlierCount(2.0).evaluate(q, 1, 7), (q <= 4.0).sum(axis=1))


def test_msac_is_its_formula(rng):
    q = residual_batch(rng)
    assert_allclose(Msac(2.0).evaluate(q, 1, 7), reference.msac_scores(q, 2.0))


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_gaussian_uniform_is_its_formula(dim, rng):
    q = residual_batch(rng)
    assert_allclose(
        GaussianUniform(2.0).evaluate(q, dim, 7),
        reference.gaussian_uniform_scores(q, 2.0, dim),
        rtol=1e-12,
    )


def test_gaussian_uniform_of_many_points_does_not_overflow():
    q = np.zeros((1, 2000))
    assert_allclose(
        GaussianUniform(2.0).evaluate(q, 2, 8),
        reference.gaussian_uniform_scores(q, 2.0, 2),
        rtol=1e-12,
    )


def test_gaussian_uniform_threshold_is_the_point_of_indifference():
    """At the threshold both labels are equally likely: log 2, and half the weight."""
    score = GaussianUniform(2.0)
    assert_allclose(score.evaluate(np.array([[4.0]]), 1, 7), [math.log(2.0)])
    surely_inlier = 0.5 * (2.5758293 / 2.0) ** 2  # one over twice the variance
    (weight,) = score.weights(np.array([4.0]), 1, 7)
    assert weight == pytest.approx(surely_inlier / 2, rel=1e-6)


def test_magsac_is_its_formula(rng):
    q = residual_batch(rng)
    losses = reference.magsac_losses(np.sqrt(q), 2.0)
    whole = reference.magsac_losses(2.0, 2.0)
    assert_allclose(
        MagsacPlusPlus(2.0).evaluate(q, 1, 7),
        (1.0 - losses / whole).sum(axis=1),
        rtol=1e-9,
    )


def test_magsac_loss_has_the_published_weight():
    """d rho / d r = r w(r), w proportional to G(3/2, x) - G(3/2, kappa^2 / 2)."""
    r = np.linspace(0.05, 1.95, 39)
    step = 1e-5
    slopes = (
        reference.magsac_losses(r + step, 2.0) - reference.magsac_losses(r - step, 2.0)
    ) / (2 * step)
    weights = MagsacPlusPlus(2.0).weights(r**2, 1, 7)
    ratios = slopes / (r * weights)
    assert_allclose(ratios, ratios[0], rtol=1e-6)


def test_magsac_gain_falls_smoothly_from_one_to_zero():
    q = np.linspace(0.0, 4.0, 2001)
    gains = MagsacPlusPlus(2.0).evaluate(q[:, None], 1, 7)
    assert gains[0] == 1.0
    assert gains[-1] == pytest.approx(0.0, abs=1e-12)
    assert (np.diff(gains) < 0).all()


@pytest.mark.parametrize("kind", SMOOTH)
@pytest.mark.parametrize("dim", [1, 2])
def test_weights_are_derivatives(kind, dim):
    score, step = kind(2.0), 1e-5
    # Each residual is a row of its own; the threshold itself is a kink of Msac.
    q = np.array([0.01, 0.2, 1.0, 2.5, 3.9, 4.1, 5.0, 8.0])
    up = score.evaluate((q + step)[:, None], dim, 7)
    down = score.evaluate((q - step)[:, None], dim, 7)
    assert_allclose(
        score.weights(q, dim, 7), (down - up) / (2 * step), rtol=1e-4, atol=1e-8
    )


def test_weights_of_the_inlier_count_are_its_inliers(rng):
    """The exception: the derivative of a count is zero, which no fit could follow."""
    q = residual_batch(rng)[0]
    assert_array_equal(InlierCount(2.0).weights(q, 1, 7), q <= 4.0)


@pytest.mark.parametrize("kind", SCORES)
def test_inliers_are_within_the_threshold(kind, rng):
    q = residual_batch(rng)[0]
    assert_array_equal(kind(2.0).inliers(q, 1, 7), np.sqrt(q) <= 2.0)


@pytest.mark.parametrize("kind", SCORES)
def test_missing_residuals_are_outliers(kind):
    q = np.array([1.0, np.inf, np.nan])
    score = kind(2.0)
    assert_array_equal(score.evaluate(q[None], 1, 7), score.evaluate(q[None, :1], 1, 7))
    assert_array_equal(score.weights(q, 1, 7) > 0, [True, False, False])
    assert_array_equal(score.inliers(q, 1, 7), [True, False, False])


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("factor", [1e-3, 7.0])
def test_scores_are_equivariant(kind, factor, rng):
    q = residual_batch(rng)
    scaled = kind(2.0).scaled(factor)
    assert type(scaled) is kind
    assert scaled.threshold == pytest.approx(2.0 * factor)
    # The residual on the threshold may round to either side of it.
    free = q[:, 1:]
    assert_allclose(
        scaled.evaluate(factor**2 * free, 1, 7),
        kind(2.0).evaluate(free, 1, 7),
        rtol=1e-9,
    )


@pytest.mark.parametrize("kind", SCORES)
def test_smaller_residuals_are_never_worse(kind, rng):
    q = residual_batch(rng)
    assert (kind(2.0).evaluate(0.9 * q, 1, 7) >= kind(2.0).evaluate(q, 1, 7)).all()


@pytest.mark.parametrize("kind", SCORES)
def test_summary(kind, rng):
    q = rng.standard_normal(4000) ** 2
    score = kind(10.0)  # far outside, so that the scale is that of all residuals
    summary = score.summarise(q, 1, 7)
    assert summary.score == score.evaluate(q[None], 1, 7)[0]
    assert summary.scale == pytest.approx(1.0, abs=0.07)
    assert summary.threshold == 10.0
    assert math.isnan(summary.evidence)
    assert math.isnan(score.summarise(q[:7], 1, 7).scale)


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("threshold", [0.0, -1.0, np.inf, np.nan])
def test_bad_thresholds_are_named(kind, threshold):
    with pytest.raises(ValueError, match="threshold must be finite and positive, got"):
        kind(threshold)
