"""The page of a pair in a real browser: clicks, keys, slider and colours."""

import numpy as np
import pytest
from hostile_names import HOSTILE
from synthetic import homogeneous, planar_scene, project, two_view_scene

import cvscore
from cvscore.report import PairViews, page_without_model, pair_page

SIZE = 960, 1280, 3


def images(rng):
    one, two = rng.integers(40, 200, (2, *SIZE[:2]), dtype=np.uint8)
    return one, two


@pytest.fixture(scope="module")
def epipolar():
    """A scene, its estimate, and the page."""
    rng = np.random.default_rng(7)
    scene = two_view_scene(rng, num=90, noise=0.6)
    estimate = cvscore.estimate_fundamental(scene.x1, scene.x2)
    views = PairViews(scene.x1, scene.x2, ("left.jpg", "right.jpg"), images(rng))
    return scene, estimate, pair_page(views, estimate, "fundamental")


@pytest.fixture(scope="module")
def planar():
    rng = np.random.default_rng(8)
    scene = planar_scene(rng, num=90, noise=0.6)
    estimate = cvscore.estimate_homography(scene.x1, scene.x2)
    views = PairViews(scene.x1, scene.x2)
    return scene, estimate, pair_page(views, estimate, "homography")


def counts(browser):
    """What the legend says, by label."""
    labels = "inlier", "outlier", "gained", "lost"
    script = "return byId(arguments[0]).querySelector('span').textContent"
    found = (browser.run(script, f"chip-{label}") for label in labels)
    return dict(zip(labels, (int(text.split()[0]) for text in found), strict=True))


def num_marked(browser):
    """How many pixels of the overlay are drawn on."""
    return browser.run(
        "const from = byId('overlay'), to = document.createElement('canvas');"
        "Object.assign(to, { width: from.width, height: from.height });"
        "const pen = to.getContext('2d', { willReadFrequently: true });"
        "pen.drawImage(from, 0, 0);"
        "const { data } = pen.getImageData(0, 0, to.width, to.height);"
        "return data.reduce((n, v, i) => n + (i % 4 === 3 && v > 0), 0)"
    )


def place_in_window(browser, side, i):
    return browser.run(
        "const box = byId('views').getBoundingClientRect();"
        "const [side, i] = arguments;"
        "const [x, y] = views.place(side, views.point(side, i));"
        "return [box.left + x, box.top + y]",
        side, i,
    )  # fmt: skip


def test_counts_and_numbers_are_the_estimates(browser, tmp_path, epipolar):
    _, estimate, page = epipolar
    browser.open(tmp_path / "page.html", page)
    num = estimate.num_inliers
    found = counts(browser)
    assert (found["inlier"], found["outlier"]) == (num, len(estimate.inliers) - num)
    assert found["gained"] == found["lost"] == 0
    tiles = browser.text("#tiles")
    assert f"{num}\nof {len(estimate.inliers)} matches" in tiles
    assert f"{estimate.scale:.3g} px" in tiles
    assert f"{estimate.threshold:.3g} px" in tiles
    assert browser.text("h1").split() == ["left.jpg", "↔", "right.jpg"]
    assert f"k = {num} of" in browser.text("#sweep-note")
    loaded = browser.run(
        "return performance.getEntriesByType('resource').map((e) => e.name)"
    )
    assert all(name.startswith("data:") for name in loaded)
    assert browser.run(
        "return [...document.images].every((i) => i.complete && i.naturalWidth > 0)"
    )


def test_a_click_shows_the_match_and_its_line(browser, tmp_path, epipolar):
    scene, estimate, page = epipolar
    browser.open(tmp_path / "page.html", page)
    assert not browser.get("#inspector").is_displayed()
    # A match that stands apart, so that no other is under the pointer.
    apart = np.linalg.norm(scene.x2[:, None] - scene.x2, axis=2)
    np.fill_diagonal(apart, np.inf)
    inside = ((scene.x2 > 50) & (scene.x2 < [1200, 900])).all(axis=1)
    i = int(np.argmax(np.where(estimate.inliers & inside, apart.min(axis=1), 0.0)))
    browser.click_at(*place_in_window(browser, 1, i))
    detail = browser.text("#detail")
    assert detail.startswith(f"Match {i}: an inlier, residual ")
    shown = float(detail.split()[-2])
    assert shown == pytest.approx(estimate.residuals[i], rel=0.01)
    assert "epipolar line" in browser.text("#caption1")
    browser.click_at(2, 2)  # outside of the images nothing changes
    assert browser.text("#detail") == detail
    browser.get("#leave").click()
    assert not browser.get("#inspector").is_displayed()


def test_lines_are_those_of_the_matrix_and_bands_those_of_the_residuals(
    browser, tmp_path, epipolar
):
    scene, estimate, page = epipolar
    browser.open(tmp_path / "page.html", page)
    found = browser.run(
        "return [...Array(labels.num).keys()].map((i) => [0, 1].map((side) => {"
        "const p = model.predict(views.match(i), side, views.radius);"
        "return [...p.line, p.halfWidth, distanceTo(p, views.point(side, i))]; }))"
    )
    both = (scene.x1, estimate.model.T, scene.x2), (scene.x2, estimate.model, scene.x1)
    for side, (own, matrix, others) in enumerate(both):
        lines = homogeneous(others) @ matrix.T
        lines /= np.hypot(lines[:, 0], lines[:, 1])[:, None]
        shown = np.array(found)[:, side]
        sign = np.sign((shown[:, :2] * lines[:, :2]).sum(axis=1))
        np.testing.assert_allclose(shown[:, :3] * sign[:, None], lines, atol=2e-2)
        distance = np.abs((lines * homogeneous(own)).sum(axis=1))
        np.testing.assert_allclose(shown[:, 4], distance, atol=2e-2)
        # A match is inside its band where its residual is within the threshold.
        is_clear = np.abs(estimate.residuals - estimate.threshold) > 0.05
        inside = shown[:, 4] <= shown[:, 3]
        assert (inside == (estimate.residuals <= estimate.threshold))[is_clear].all()


def test_places_are_those_of_the_homography(browser, tmp_path, planar):
    scene, estimate, page = planar
    browser.open(tmp_path / "page.html", page)
    found = np.array(
        browser.run(
            "return [...Array(labels.num).keys()].map((i) => {"
            "const p = model.predict(views.match(i), 1, views.radius);"
            "return [...p.place, ...p.axes]; })"
        )
    )
    np.testing.assert_allclose(
        found[:, :2], project(estimate.model, scene.x1), atol=2e-2
    )
    # The transfer of a point is about as uncertain as two points, as H hardly scales.
    radius = estimate.threshold * np.sqrt(2.0)
    np.testing.assert_allclose(found[:, 2:], radius, rtol=0.6)
    distance = np.linalg.norm(scene.x2 - found[:, :2], axis=1)
    assert (distance <= found[:, 2])[estimate.inliers].mean() > 0.95
    assert (distance > found[:, 3])[~estimate.inliers].all()
    browser.get("#views").click()
    browser.press("\ue014")  # right
    assert "mapped place" in browser.text("#caption0")


def test_keys_go_from_match_to_match(browser, tmp_path, epipolar):
    _, estimate, page = epipolar
    browser.open(tmp_path / "page.html", page)
    from selenium.webdriver.common.keys import Keys

    order = np.argsort(estimate.residuals, kind="stable")
    for _ in range(20):  # by Tab alone
        browser.press(Keys.TAB)
        if browser.run("return document.activeElement.id") == "views":
            break
    assert browser.text("#detail").startswith(f"Match {order[0]}:")  # by its focus
    for key, rank in (
        (Keys.ARROW_RIGHT, 1),
        (Keys.ARROW_DOWN, 2),
        (Keys.ARROW_LEFT, 1),
        (Keys.END, len(order) - 1),
        (Keys.PAGE_UP, len(order) - 21),
        (Keys.HOME, 0),
    ):
        browser.press(key)
        assert browser.text("#detail").startswith(f"Match {order[rank]}:")
    browser.press(Keys.ESCAPE)
    assert not browser.get("#inspector").is_displayed()
    # Every control has a name for those who can't see it.
    for element in browser.all("button, input, select, canvas[role], svg[role]"):
        if element.is_displayed():
            assert element.accessible_name, element.get_attribute("outerHTML")


def test_a_threshold_recolours_and_counts(browser, tmp_path, epipolar):
    _, estimate, page = epipolar
    browser.open(tmp_path / "page.html", page)
    (three,) = browser.all("[data-threshold='3']")
    assert "OpenCV" in three.text
    three.click()
    within = estimate.residuals <= 3.0
    assert counts(browser) == {
        "inlier": int((within & estimate.inliers).sum()),
        "outlier": int((~within & ~estimate.inliers).sum()),
        "gained": int((within & ~estimate.inliers).sum()),
        "lost": int((~within & estimate.inliers).sum()),
    }
    assert browser.text("#yours") == str(within.sum())
    assert browser.text("#ours") == str(estimate.num_inliers)
    slider = browser.get("#slider")
    before = int(slider.get_attribute("value"))
    slider.send_keys("\ue012" * 60)  # left
    assert int(slider.get_attribute("value")) == before - 60
    threshold = browser.run("return labels.threshold")
    assert threshold < 3.0
    assert browser.text("#yours") == str((estimate.residuals <= threshold).sum())
    assert "px" in slider.get_attribute("aria-valuetext")
    chart = browser.get("#sweep").rect
    browser.run("scrollTo(0, arguments[0])", chart["y"] - 100)
    top = browser.run("return byId('sweep').getBoundingClientRect().top")
    browser.click_at(chart["x"] + chart["width"] - 20, top + 40)
    assert int(browser.text("#yours")) > 0.95 * len(within)
    assert "nats less" in browser.text("#sweep-note")
    browser.get("#presets button").click()
    assert browser.run("return labels.threshold") is None
    assert counts(browser)["inlier"] == estimate.num_inliers


def test_marks_are_switched_on_and_off(browser, tmp_path, epipolar):
    _, _, page = epipolar
    browser.open(tmp_path / "page.html", page)
    everything = num_marked(browser)
    browser.get("#chip-outlier").click()
    inliers = num_marked(browser)
    assert 0 < inliers < everything
    browser.get("#chip-lines").click()
    assert num_marked(browser) > inliers
    browser.get("#chip-lines").click()
    browser.get("#show-inlier").send_keys(" ")  # by the keyboard
    assert num_marked(browser) == 0
    browser.get("#views").click()  # no point is there to be found
    assert not browser.get("#inspector").is_displayed()


@pytest.mark.parametrize("dark", [False, True])
def test_light_and_dark_follow_the_system_and_the_button(
    browser, tmp_path, epipolar, dark
):
    _, _, page = epipolar
    browser.open(tmp_path / "page.html", page, dark=dark)
    script = "return getComputedStyle(document.body).backgroundColor"
    seen = []
    for _ in range(2):
        seen.append(sum(map(int, browser.run(script)[4:-1].split(","))) < 200)
        browser.get("#theme").click()
    assert seen == [dark, not dark]


def test_images_are_stacked_where_there_is_little_room(browser, tmp_path, epipolar):
    _, _, page = epipolar
    for width, is_stacked in ((1280, False), (420, True)):
        browser.open(tmp_path / "page.html", page, width=width)
        one, two = (view.rect for view in browser.all(".view"))
        assert (two["y"] >= one["y"] + one["height"]) == is_stacked
        assert (two["x"] >= one["x"] + one["width"]) != is_stacked
        assert browser.run("return document.documentElement.scrollWidth") <= width
        assert num_marked(browser) > 0


def test_a_page_without_a_model_says_why(browser, tmp_path, rng):
    x1, x2 = rng.uniform(0, 100, (2, 30, 2))
    page = page_without_model(PairViews(x1, x2), f"because {HOSTILE[0]}")
    browser.open(tmp_path / "page.html", page)
    assert browser.text("#failure") == f"No model: because {HOSTILE[0]}"
    assert not browser.get("#analysis").is_displayed()
    browser.get("#views").click()
    browser.press("\ue014")
    assert browser.text("#detail").endswith("rejected")


def test_hostile_names_are_shown_and_do_nothing(browser, tmp_path, rng):
    x1, x2 = rng.uniform(0, 100, (2, 5, 2))
    for name, other in zip(HOSTILE[::2], HOSTILE[1::2], strict=True):
        page = page_without_model(PairViews(x1, x2, (name, other)), "none")
        browser.open(tmp_path / "page.html", page)
        assert browser.run("return window.broken") is None
        title = browser.run("return byId('title').textContent")
        assert title == "  ↔  ".join(data_name(n) for n in (name, other))
        assert browser.run("return document.querySelectorAll('img').length") == 0


def data_name(name):
    return name.encode("utf-8", "backslashreplace").decode()
