"""The half-width follows what surrounds a model where it cuts off right matches."""

import numpy as np
import pytest
from scipy import stats
from synthetic import homogeneous, packed, planar_scene, two_view_scene

from cvscore import (
    MarginalScore,
    Msac,
    estimate_essential,
    estimate_fundamental,
    estimate_homography,
)
from cvscore.data.normalization import region_of
from cvscore.inference.outlier_width import FULL_CUTS, half_width_around
from cvscore.scores.marginal_score import MAX_WIDENING
from cvscore.types import MAX_RESIDUAL_DIM


def start_of(scene):
    """The half-width that a search begins with, pixels."""
    region = region_of(packed(scene.x1, scene.x2))
    return MarginalScore().half_width_fraction * region.extent((2, 2))


def estimates(scene, **choices):
    if scene.H is not None:
        return [estimate_homography(scene.x1, scene.x2, **choices)]
    return [
        estimate_fundamental(scene.x1, scene.x2, **choices),
        estimate_essential(scene.x1, scene.x2, scene.K1, scene.K2, **choices),
    ]


@pytest.mark.parametrize("make", [planar_scene, two_view_scene])
def test_small_noise_leaves_it_alone(rng, make):
    scene = make(rng, num=400, noise=0.5)
    for found in estimates(scene):
        assert found.half_width == pytest.approx(start_of(scene), rel=1e-12)


@pytest.mark.parametrize("make", [planar_scene, two_view_scene])
def test_large_noise_among_few_wrong_matches_widens_it(rng, make):
    scene = make(rng, num=600, inlier_ratio=0.8, noise=12.0)
    start = start_of(scene)
    for found in estimates(scene):
        assert 1.5 * start < found.half_width <= MAX_WIDENING * start * (1 + 1e-12)
        narrow = MarginalScore(half_width=start)
    for wide, cut in zip(estimates(scene), estimates(scene, score=narrow), strict=True):
        right = scene.is_inlier
        assert wide.inliers[right].mean() > cut.inliers[right].mean() + 0.05
        assert abs(wide.scale - 12.0) < abs(cut.scale - 12.0)


@pytest.mark.parametrize("make", [planar_scene, two_view_scene])
def test_what_the_caller_gives_is_kept(rng, make):
    scene = make(rng, num=600, inlier_ratio=0.8, noise=12.0)
    for found in estimates(scene, score=MarginalScore(half_width=30.0)):
        assert found.half_width == pytest.approx(30.0, rel=1e-12)
    for found in estimates(scene, score=Msac(20.0)):
        assert np.isnan(found.half_width)


def test_it_has_the_unit_of_the_points(rng):
    # By a power of two: any other factor rounds, and rounding decides close calls.
    unit = 2.0**-10
    scene = two_view_scene(rng, num=600, inlier_ratio=0.8, noise=12.0)
    pixels = estimate_fundamental(scene.x1, scene.x2)
    others = estimate_fundamental(unit * scene.x1, unit * scene.x2)
    assert pixels.half_width > 1.5 * start_of(scene)
    assert others.half_width == pytest.approx(unit * pixels.half_width, rel=1e-12)
    np.testing.assert_array_equal(others.inliers, pixels.inliers)


@pytest.mark.parametrize("dim", range(1, MAX_RESIDUAL_DIM + 1))
def test_full_cuts_hold_nearly_all_of_the_noise(dim):
    assert len(FULL_CUTS) == MAX_RESIDUAL_DIM + 1
    cut = np.sqrt(stats.chi2(dim).ppf(0.975))
    assert FULL_CUTS[dim] == pytest.approx(cut, abs=5e-4)


@pytest.mark.parametrize(
    ("dim", "side"), [(1, 40.0), (2, 16.0), (3, 12.0), (4, 10.0), (5, 9.0), (6, 8.4)]
)
def test_the_law_holds_in_any_dimension(dim, side, rng):
    """(2 a)^d = k / g, for k right residuals among wrong ones of density g."""
    num, noise = 4000, 1.0
    right = rng.normal(0.0, noise, (num, dim))
    wrong = rng.uniform(-side / 2, side / 2, (num, dim))
    q = (np.vstack([right, wrong]) ** 2).sum(axis=1)
    # As many right as wrong: the half-width is that of the box.
    found = half_width_around(q, dim, 0.7 * noise)
    assert found == pytest.approx(0.5 * side, rel=0.08)


def test_it_is_where_noise_and_wrong_matches_are_equally_dense(rng):
    """Right and wrong matches about lines, as dense as they were made."""
    num_right, num_wrong, noise, reach = 3000, 3000, 10.0, 100.0
    scene = two_view_scene(rng, num=num_right + num_wrong, inlier_ratio=1.0, noise=0.0)
    lines = homogeneous(scene.x1) @ scene.F.T
    lines /= np.linalg.norm(lines[:, :2], axis=1)[:, None]
    # The Sampson distance shares an offset in one image between two.
    offsets = np.sqrt(2.0) * np.append(
        rng.normal(0.0, noise, num_right), rng.uniform(-reach, reach, num_wrong)
    )
    x2 = scene.x2 + offsets[:, None] * lines[:, :2]
    found = estimate_fundamental(scene.x1, x2)
    # (2 a) = k / g, and g = num_wrong / (2 reach)
    expected = num_right * reach / num_wrong
    start = start_of(scene)
    assert start < 0.6 * expected < 0.6 * MAX_WIDENING * start
    assert found.half_width == pytest.approx(expected, rel=0.15)
