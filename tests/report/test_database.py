"""The page of a database: all pairs, small whatever there is, and safe."""

import cv2
import numpy as np
import pytest
from hostile_names import HOSTILE

from cvscore.colmap.pair_table import PairRow
from cvscore.report import database_page


def table(num):
    """Pairs of neighbours among images, with numbers that tell them apart."""
    return [
        PairRow(
            (f"{i:04}.jpg", f"{i + 1:04}.jpg"), 500 + i, 3 * i, "CALIBRATED", 0.5, i
        )
        for i in range(num)
    ]


def test_a_thousand_pairs_with_thumbnails_take_a_few_megabytes(tmp_path, rng):
    image = cv2.resize(rng.integers(0, 256, (15, 20, 3), dtype=np.uint8), (160, 120))
    cv2.imwrite(str(tmp_path / "0000.jpg"), image)
    for i in range(1, 1001):
        (tmp_path / f"{i:04}.jpg").symlink_to("0000.jpg")
    page = database_page(table(1000), "d.db", folder=tmp_path)
    assert page.count("data:image/jpeg") == 1001  # each image once
    assert len(page) < 4_000_000


def test_missing_images_have_no_thumbnail(tmp_path):
    page = database_page(table(3), "d.db", folder=tmp_path)
    assert '"thumbnails":[null,null,null,null]' in page
    assert '"thumbnails":[]' in database_page([], "d.db", folder=tmp_path)


@pytest.fixture
def opened(browser, tmp_path):
    rows = [
        PairRow(("a.jpg", "b.jpg"), 100, 60, "CALIBRATED", 0.5, 200.0),
        PairRow(("a.jpg", "c.jpg"), 90, 0, "DEGENERATE", np.nan, 2.0, "by chance"),
        PairRow(("b.jpg", "c.jpg"), 120, 0, "DEGENERATE", np.nan, 1.0, "by chance"),
        PairRow(("b.jpg", "d.jpg"), 80, 20, "PLANAR", 1.5, 30.0),
        PairRow(("c.jpg", "d.jpg"), 10, 0, "NOT_VERIFIED"),
    ]
    cv2.imwrite(str(tmp_path / "a.jpg"), np.full((60, 80), 120, np.uint8))
    page = database_page(rows, "d.db", folder=tmp_path)
    browser.open(tmp_path / "page.html", page)
    return browser


def shown(browser):
    """The pairs in the order of the table."""
    return [row.text.split() for row in browser.all("#rows .names")]


def test_the_worst_pairs_come_first(opened):
    first = [["b.jpg", "c.jpg"], ["a.jpg", "c.jpg"], ["c.jpg", "d.jpg"]]
    assert shown(opened) == [*first, ["b.jpg", "d.jpg"], ["a.jpg", "b.jpg"]]
    assert "5\nof 4 images" in opened.text("#tiles")
    assert "by chance" in opened.text("#rows tr")
    assert len(opened.all("#rows img")) == 2  # a.jpg, in two pairs


def test_columns_sort_both_ways_and_unknown_is_last(opened):
    button = opened.get("#column-scale button")
    button.click()
    assert shown(opened)[:2] == [["a.jpg", "b.jpg"], ["b.jpg", "d.jpg"]]
    button.send_keys("\n")  # by the keyboard, the other way round
    assert shown(opened)[:2] == [["b.jpg", "d.jpg"], ["a.jpg", "b.jpg"]]
    head = opened.get("#column-scale")
    assert head.get_attribute("aria-sort") == "descending"
    assert opened.get("#column-inliers").get_attribute("aria-sort") is None


def test_filters_choose_pairs(opened):
    opened.get("#text").send_keys("D.j")
    assert shown(opened) == [["c.jpg", "d.jpg"], ["b.jpg", "d.jpg"]]
    assert opened.text("#count") == "2 of 5 pairs"
    opened.get("#text").clear()
    opened.get("#least").send_keys("\ue009a\ue000" + "20")  # in place of what is there
    assert shown(opened) == [["b.jpg", "d.jpg"], ["a.jpg", "b.jpg"]]
    opened.get("#configuration").send_keys("planar")
    assert shown(opened) == [["b.jpg", "d.jpg"]]


def test_many_pairs_are_shown_bit_by_bit(browser, tmp_path):
    browser.open(tmp_path / "page.html", database_page(table(450), "d.db"))
    for expected in (200, 400, 450):
        assert len(browser.all("#rows tr")) == expected
        if expected < 450:
            browser.get("#more").click()
    assert not browser.get("#more").is_displayed()


def test_hostile_names_are_shown_and_do_nothing(browser, tmp_path):
    rows = [
        PairRow((name, HOSTILE[0]), 9, 0, "DEGENERATE", reason=name) for name in HOSTILE
    ]
    page = database_page(rows, HOSTILE[0], folder=tmp_path)
    browser.open(tmp_path / "page.html", page)
    assert browser.run("return window.broken") is None
    assert len(browser.all("#rows tr")) == len(HOSTILE)
    assert browser.run("return byId('title').textContent") == HOSTILE[0]
    assert not browser.all("img")
    assert len(browser.all("script:not([type])")) == page.count("<script>")
