"""The page of a pair holds the numbers of its estimate, and is small."""

import json
import re

import numpy as np
import pytest
from synthetic import planar_scene, two_view_scene

import cvscore
from cvscore.report import PairViews, example_page, page_without_model, pair_page
from cvscore.report.pair import LINE, PLACE


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page)[1])


def test_numbers_are_those_of_the_estimate(rng):
    scene = two_view_scene(rng)
    estimate = cvscore.estimate_essential(scene.x1, scene.x2, scene.K1, scene.K2)
    views = PairViews(scene.x1, scene.x2, cameras=(scene.K1, scene.K2))
    data = data_of(pair_page(views, estimate, "essential", scene="some words"))
    assert sum(data["inliers"]) == estimate.num_inliers
    np.testing.assert_allclose(data["residuals"], estimate.residuals, rtol=1e-5)
    np.testing.assert_allclose(data["points"][1], scene.x2.ravel(), rtol=1e-5)
    for name in ("threshold", "scale", "evidence"):
        assert data[name] == pytest.approx(getattr(estimate, name))
    assert data["sweep"]["k"] == estimate.num_inliers
    scores = [-np.inf if s is None else s for s in data["sweep"]["scores"]]
    assert np.argmax(scores) == data["sweep"]["k"] - 1
    assert (data["kind"], data["relation"]) == ("essential", LINE)
    # The matrix of the page is for pixels: right matches lie on its lines.
    F = np.array(data["matrix"])
    one = np.append(scene.x1, np.ones((len(scene.x1), 1)), axis=1)
    two = np.append(scene.x2, np.ones((len(scene.x2), 1)), axis=1)
    lines = one @ F.T
    distance = np.abs((two * lines).sum(axis=1)) / np.hypot(lines[:, 0], lines[:, 1])
    assert np.median(distance[scene.is_inlier]) < 1.5
    for frame, x in zip(data["frames"], (scene.x1, scene.x2), strict=True):
        low, high = x.min(axis=0), x.max(axis=0)
        assert (np.array([frame["left"], frame["top"]]) < low).all()
        assert frame["left"] + frame["width"] > high[0]
        assert frame["source"] is None


def test_a_map_of_two_rows_says_where_points_go_too(rng):
    x1 = rng.uniform(0, 1000, (60, 2))
    x2 = x1 @ [[0.9, 0.2], [-0.1, 1.1]] + [30.0, 5.0] + rng.normal(0, 0.5, x1.shape)
    estimate = cvscore.estimate_affine(x1, x2)
    data = data_of(pair_page(PairViews(x1, x2), estimate, "affine"))
    assert data["relation"] == PLACE
    np.testing.assert_allclose(data["matrix"], [*estimate.model, [0, 0, 1]])


def test_two_large_photographs_and_many_matches_take_less_than_5_mb(rng):
    images = rng.integers(0, 256, (2, 2400, 3200, 3), dtype=np.uint8)  # the worst case
    scene = planar_scene(rng, num=8000)
    estimate = cvscore.estimate_homography(scene.x1, scene.x2)
    views = PairViews(scene.x1, scene.x2, ("a", "b"), (images[0], images[1]))
    page = pair_page(views, estimate, "homography")
    assert data_of(page)["relation"] == PLACE
    assert len(page.encode()) < 5_000_000


def test_a_page_without_a_model_says_why():
    x = np.arange(6.0).reshape(3, 2)
    estimate = cvscore.estimate_homography(x, x)
    assert not estimate
    page = pair_page(PairViews(x, x), estimate, "homography")
    assert data_of(page)["reason"] == estimate.reason
    assert data_of(page)["kind"] is None
    empty = np.empty((0, 2))
    assert (
        data_of(page_without_model(PairViews(empty, empty), "why"))["points"][0] == []
    )


def test_the_example_of_the_documentation_is_complete():
    page = example_page()
    data = data_of(page)
    assert data["kind"] == "essential"
    assert 200 < sum(data["inliers"]) < len(data["inliers"]) / 2
    assert all(
        frame["source"].startswith("data:image/jpeg") for frame in data["frames"]
    )
    assert len(page) < 500_000


def test_residuals_of_weighted_matches_are_those_of_mean_weight(rng):
    scene = planar_scene(rng)
    weights = np.exp(rng.uniform(-2.0, 2.0, len(scene.x1)))
    estimate = cvscore.estimate_homography(scene.x1, scene.x2, weights=weights)
    views = PairViews(scene.x1, scene.x2, weights=weights)
    data = data_of(pair_page(views, estimate, "homography"))
    within = np.array(data["residuals"], dtype=float) <= data["threshold"]
    np.testing.assert_array_equal(within, estimate.inliers)
