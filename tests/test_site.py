"""The documentation site: built without a warning, complete, and readable offline.

Needs the extra `docs`; .ci/run installs it and runs this file.
"""

import inspect
import re
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from conftest import ROOT
from processes import run_python

import cvscore

pytest.importorskip("sphinx")
pytest.importorskip("furo")
pytest.importorskip("myst_parser")

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src"}


class Page(HTMLParser):
    """What a page loads, where its links lead, and the places in it."""

    def __init__(self, path):
        super().__init__()
        self.loaded, self.links, self.places = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places.add(given.get("id"))
        if tag in LOADED and given.get(LOADED[tag]):
            self.loaded.append(given[LOADED[tag]])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    options = ("-W", "--keep-going", "-q", "-d", folder / "trees")
    run_python("-m", "sphinx", *options, ROOT / "docs", folder / "html")
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html")}


def test_nothing_is_loaded_from_elsewhere(site, pages):
    assert len(pages) > 20
    for path, page in pages.items():
        for target in page.loaded:
            assert not re.match(r"(https?:)?//", target), (path.name, target)
            if not target.startswith(("data:", "#")):
                assert (path.parent / target.partition("?")[0]).exists(), target
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", text), style


def test_links_lead_to_pages_and_places_that_are_there(pages):
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"\w+:", link):
                continue
            name, _, place = unquote(link).partition("#")
            target = (path.parent / name).resolve() if name else path
            assert target.exists(), (path.name, link)
            if place and target in pages:
                assert place in pages[target].places, (path.name, link)


def test_the_reference_has_every_public_name(site, pages):
    places = pages[site / "api.html"].places
    for name in cvscore.__all__:
        is_module = inspect.ismodule(getattr(cvscore, name))
        assert f"{'module-' if is_module else ''}cvscore.{name}" in places
    assert "cvscore.fisheye.solvePnPRansac" in places


def test_formulas_are_drawn_by_the_browser(site):
    text = (site / "mathematics.html").read_text(encoding="utf-8")
    assert text.count("<math") > 20
