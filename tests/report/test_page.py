"""Pages are complete, and nothing breaks out of the data they hold."""

import json
import re

import numpy as np
import pytest
from hostile_names import HOSTILE

from cvscore.report.page import ASSETS, filled_page, short_numbers, shown_name

TEMPLATES = "pair.html", "database.html"


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("template", TEMPLATES)
def test_no_text_breaks_out_of_a_page(name, template):
    page = filled_page(template, name, {"name": name, "list": [name]})
    harmless = filled_page(template, "title", {"name": "", "list": []})
    for tag in ("<script", "</script", "<img", "<title", "<!--", "<b>"):
        assert page.lower().count(tag) == harmless.lower().count(tag), tag
    (data,) = re.findall(r'id="data">(.*?)</script>', page)
    found = json.loads(data)
    assert found["name"] == found["list"][0] == name
    assert data.isascii()
    page.encode("utf-8")


def test_names_are_shown_as_they_are_where_that_is_possible():
    assert shown_name("Müller 東京 <b>") == "Müller 東京 <b>"
    assert shown_name(HOSTILE[5]) == "not \\udcff\\udcfe UTF-8.jpg"


def test_numbers_lose_the_digits_that_nobody_sees():
    assert short_numbers(np.array([123.456789, 1e-7 / 3])) == [123.457, 3.33333e-08]


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_page_names_no_other_file_and_no_address(template):
    page = filled_page(template, "title", {})
    assert not re.search(r'\b(src|href)="', page)
    assert "url(" not in page
    assert re.findall(r"https?://[^\"' ]+", page) in (
        [],
        ["http://www.w3.org/2000/svg"],
    )
    policy = re.search(r'Content-Security-Policy" content="(.*?)">', page)[1]
    assert policy.startswith("default-src 'none'; img-src data:;")
    scripts = page.count("<script>")
    assert policy.count("'sha256-") == scripts > 0


def test_no_script_ends_before_its_end():
    for path in ASSETS.iterdir():
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 350, path.name
        if path.name.endswith(".js"):
            assert "</script" not in text.lower()
            assert "<!--" not in text
