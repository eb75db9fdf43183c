"""Pictures: what they show is where the data say."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from synthetic import planar_scene, project, two_view_scene
from walls import K, Wall

import cvscore
from cvscore.draw import (
    draw_epipolar_lines,
    draw_matches,
    draw_overlay,
    plot_poses,
    plot_sweep,
    plot_transfer,
    stack,
)
from cvscore.draw.canvas import INLIER_COLOUR, MAX_IMAGE_WIDTH, OUTLIER_COLOUR, Canvas
from cvscore.draw.epipolar import LINE_COLOURS
from cvscore.draw.matches import MAX_LINES
from cvscore.draw.poses import triangulated
from cvscore.draw.sweep import densities
from cvscore.types import Pose


def near(picture, x, y, colour, tolerance=40):
    return np.abs(picture[y, x].astype(int) - colour).max() < tolerance


def test_matches_are_drawn_where_they_are():
    image = np.zeros((100, 100), np.uint8)
    x1 = np.array([[20.0, 20.0], [70.0, 70.0]])
    picture = draw_matches(image, image, x1, x1, np.array([True, False]))
    assert picture.shape == (100, 200, 3)
    assert tuple(picture[70, 70]) == OUTLIER_COLOUR
    assert tuple(picture[70, 170]) == OUTLIER_COLOUR
    assert near(picture, 70, 20, INLIER_COLOUR)


@pytest.mark.parametrize("far", [1e5, 1e10, 1e300, -1e300])
def test_points_far_outside_are_drawn_as_far_as_can_be(far):
    image = np.zeros((100, 100), np.uint8)
    x1 = np.array([[20.0, 20.0], [far, 70.0], [30.0, far]])
    for inliers in (np.ones(3, bool), np.zeros(3, bool)):
        draw_matches(image, image, x1, x1[::-1], inliers)
    for F in (np.eye(3), 1e-300 * np.eye(3), np.diag([1e-300, 1e-300, 1.0])):
        draw_epipolar_lines(image, image, x1, x1, F, np.ones(3, bool))


def test_many_matches_do_not_hide_the_images(rng):
    image = np.zeros((400, 400, 3), np.uint8)
    x1 = rng.uniform(0, 399, (5000, 2))
    picture = draw_matches(image, image, x1, x1, np.ones(5000, bool))
    assert MAX_LINES < 5000
    assert (picture == 0).all(axis=2).mean() > 0.2


def test_large_images_are_shown_smaller_and_points_stay_on_them():
    image = np.zeros((1500, 2000), np.uint8)
    image[1000:1010, 500:510] = 255
    canvas = Canvas(image, image)
    assert canvas.picture.shape == (600, 2 * MAX_IMAGE_WIDTH, 3)
    for side in (0, 1):
        x, y = canvas.place([504.5, 1004.5], side)[0]
        assert canvas.picture[y, x].min() > 200


@pytest.mark.parametrize("shape", [(5,), (5, 5, 3, 1), (0, 4)])
def test_what_is_no_image_is_refused(shape):
    good = np.zeros((4, 4), np.uint8)
    nothing = np.empty((0, 2))
    with pytest.raises(ValueError, match="an image must be"):
        draw_matches(np.zeros(shape, np.uint8), good, nothing, nothing, np.empty(0))
    with pytest.raises(ValueError, match="float64"):
        draw_matches(good.astype(float), good, nothing, nothing, np.empty(0))


def test_epipolar_lines_run_through_the_partners():
    # A camera that moves along x: epipolar lines are rows.
    F = np.array([[0.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    image = np.zeros((100, 120), np.uint8)
    x1 = np.array([[30.0, 40.0], [60.0, 80.0]])
    x2 = x1 - [10.0, 0.0]
    picture = draw_epipolar_lines(image, image, x1, x2, F, np.array([True, False]))
    for x in (5, 100, 130, 235):
        assert near(picture, x, 40, LINE_COLOURS[0], 80)
    assert near(picture, 30, 40, LINE_COLOURS[0])
    assert near(picture, 120 + 20, 40, LINE_COLOURS[0])
    assert not picture[75:85].any()  # an outlier has no lines
    upright = draw_epipolar_lines(
        image, image, x1[:, ::-1], x2[:, ::-1], F[[1, 0, 2]][:, [1, 0, 2]], [True, True]
    )
    assert near(upright, 40, 5, LINE_COLOURS[0], 80)


def test_an_overlay_of_aligned_images_is_grey(rng):
    image = rng.integers(0, 256, (60, 80), dtype=np.uint8)
    shift = np.array([[1.0, 0, 5], [0, 1, 0], [0, 0, 1]])
    moved = np.roll(image, 5, axis=1)
    picture = draw_overlay(image, moved, shift).astype(int)
    assert np.ptp(picture[:, 6:], axis=2).max() == 0
    np.testing.assert_array_equal(picture[:, 6:, 0], moved[:, 6:])
    assert picture[:, :4].max() <= 255 // 3  # only the second image is there
    wrong = draw_overlay(image, moved, np.eye(3)).astype(int)
    assert np.ptp(wrong, axis=2).mean() > 30


def test_stacked_pictures_keep_their_order_and_captions():
    low, high = (np.full((10, w, 3), v, np.uint8) for w, v in ((40, 90), (60, 190)))
    picture = stack([("one", low), ("two", high)])
    assert picture.shape == (2 * (28 + 10), 60, 3)
    assert (picture[28:38, 10:50] == 90).all()
    assert (picture[-10:] == 190).all()


@pytest.mark.parametrize("dim", [1, 2])
def test_densities_are_densities_and_meet_at_the_asymptotic_threshold(dim):
    scale, width = 0.5, 40.0
    area, _ = quad(lambda r: densities(np.array(r), scale, width, dim)[0], 0, 10)
    assert area == pytest.approx(1.0)
    # The docstring of the score: q < d s^2 log(2 a^2 / (pi s^2)) for many inliers.
    threshold = scale * np.sqrt(dim * np.log(2 * width**2 / (np.pi * scale**2)))
    inside, outside = densities(np.array([0.99, 1.01]) * threshold, scale, width, dim)
    assert inside[0] > outside[0]
    assert inside[1] < outside[1]


def test_the_sweep_of_points_in_space(rng):
    x1 = rng.uniform(0, 100, (120, 3))
    x2 = np.where(np.arange(120)[:, None] < 80, x1 + 5.0, rng.uniform(0, 100, x1.shape))
    x2 += rng.normal(0, 0.1, x2.shape)
    found = cvscore.estimate_rigid(x1, x2)
    sweep = plot_sweep(found, x1, x2, "rigid").axes[0]
    number, score = sweep.lines[0].get_data()
    assert number[np.argmax(score)] == found.num_inliers


@pytest.mark.parametrize("kind", ["essential", "fundamental", "homography"])
def test_the_sweep_has_its_maximum_at_the_inliers(kind, rng):
    scene = planar_scene(rng) if kind == "homography" else two_view_scene(rng)
    rows = np.concatenate([np.arange(len(scene.x1)), [0, 1, 2]])  # copies count once
    x1, x2 = scene.x1[rows], scene.x2[rows]
    cameras = (scene.K1, scene.K2) if kind == "essential" else ()
    found = getattr(cvscore, f"estimate_{kind}")(x1, x2, *cameras)
    figure = plot_sweep(found, x1, x2, kind)
    sweep, density = figure.axes[0], figure.axes[1]
    number, score = sweep.lines[0].get_data()
    k = int(found.inliers[: len(scene.x1)].sum())
    assert number[np.argmax(score)] == k
    assert f"k* = {k}" in sweep.texts[0].get_text()
    assert f"{found.threshold:.3g}" in density.texts[0].get_text()
    figure.canvas.draw()  # everything has a place
    assert figure.get_size_inches()[0] * figure.dpi == 1000


def test_a_plot_of_nothing_or_of_something_else_is_refused(rng):
    x1, x2 = rng.uniform(0, 100, (2, 5, 2))
    nothing = cvscore.estimate_fundamental(x1, x2)
    with pytest.raises(ValueError, match="no model"):
        plot_sweep(nothing, x1, x2, "fundamental")
    scene = planar_scene(rng)
    found = cvscore.estimate_homography(scene.x1, scene.x2)
    with pytest.raises(ValueError, match="kind must be one of"):
        plot_sweep(found, scene.x1, scene.x2, "conic")
    other = replace(found, half_width=np.nan)  # as scores without one leave it
    with pytest.raises(ValueError, match="not a MarginalScore"):
        plot_sweep(other, scene.x1, scene.x2, "homography")


def test_without_matplotlib_the_extra_is_named(rng, monkeypatch):
    scene = planar_scene(rng)
    found = cvscore.estimate_homography(scene.x1, scene.x2)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"cvscore-ransac\[draw\]"):
        plot_sweep(found, scene.x1, scene.x2, "homography")


def test_ellipses_of_mapped_points_hold_the_truth(rng):
    scene = planar_scene(rng, num=80)
    found = cvscore.estimate_homography(scene.x1, scene.x2)
    grid = np.stack(np.meshgrid(*[np.linspace(100, 900, 5)] * 2), -1).reshape(-1, 2)
    figure = plot_transfer(found, grid, scene.x2)
    (axes,) = figure.axes
    figure.canvas.draw()
    outliers, inliers, *ellipses, mapped = axes.lines
    assert len(outliers.get_xdata()) + len(inliers.get_xdata()) == 80
    assert len(ellipses) == len(mapped.get_xdata()) == 25
    larger = float(axes.get_title().split()[-2])
    assert larger > 1.0
    truth = project(scene.H, grid)
    held = []
    for ellipse, place, true in zip(ellipses, mapped.get_xydata(), truth, strict=True):
        corners = (ellipse.get_xydata() - place) / larger
        # Within it, where the line from the middle through the truth leaves it later.
        normals = np.linalg.solve(np.cov(corners[:-1].T) * 2.0, true - place)
        held.append((true - place) @ normals <= 1.0)
        assert np.allclose(corners.mean(axis=0), 0.0, atol=0.1 * np.abs(corners).max())
    assert np.mean(held) > 0.6  # of one map: places move together


def test_both_poses_of_a_wall_are_plotted():
    wall = Wall(0)
    found = wall.estimate()
    figure = plot_poses(found, wall.x1, wall.x2, K)
    figure.canvas.draw()
    titles = [axes.get_title() for axes in figure.axes]
    assert titles[0] == "found"
    assert titles[1].startswith("fits too (")
    for axes, answer in zip(figure.axes, (found, *found.alternatives), strict=True):
        x, z = axes.lines[0].get_data()
        assert (z > 0.0).all()  # in front of the first camera
        assert 0.9 * answer.num_inliers < len(x) <= answer.num_inliers
    general = cvscore.estimate_fundamental(wall.x1, wall.x2)
    with pytest.raises(ValueError, match="have a pose"):
        plot_poses(general, wall.x1, wall.x2, K)


def test_triangulated_points_are_where_they_were(rng):
    X = rng.uniform([-2, -2, 4], [2, 2, 8], (50, 3))
    pose = Pose(Wall.R, Wall.t)
    seen = X @ pose.R.T + pose.t
    rays = [y / y[:, 2:] for y in (X, seen)]
    np.testing.assert_allclose(triangulated(*rays, pose), X, rtol=1e-9)


def test_the_sweep_of_weighted_matches_has_its_maximum_at_the_inliers(rng):
    scene = planar_scene(rng)
    weights = np.exp(rng.uniform(-2.0, 2.0, len(scene.x1)))
    found = cvscore.estimate_homography(scene.x1, scene.x2, weights=weights)
    given = found, scene.x1, scene.x2, "homography"
    number, score = plot_sweep(*given, weights=weights).axes[0].lines[0].get_data()
    assert number[np.argmax(score)] == found.num_inliers
