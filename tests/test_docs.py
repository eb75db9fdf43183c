"""What the pages show and what examples/ holds runs, and links lead somewhere."""

import doctest
import re
from importlib import import_module

import numpy as np
import pytest
from conftest import ROOT
from processes import run_python

DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text()
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# The pages of people; tables/ includes what is generated.
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.glob("*.md"))]
DOCTESTED = (
    "cvscore",
    "cvscore.images.match_files",
    "cvscore.estimators.affine",
    "cvscore.estimators.homography",
    "cvscore.estimators.many_pairs",
    "cvscore.scores.priors",
    "cvscore.types.extras",
    "cvscore._numba.progress",
    "cvscore.images.rendering",
)


def blocks_of(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)


WITH_CODE = [page for page in PAGES if blocks_of(page)]


def test_there_is_something_to_run():
    assert len(WITH_CODE) >= 8
    assert len(EXAMPLES) >= 3


def test_the_readme_is_short():
    assert len(README.encode()) < 10_000


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.stem)
def test_blocks_of_a_page_run_one_after_the_other(page, rng, tmp_path, monkeypatch):
    if page.stem == "colmap":
        pytest.importorskip("pycolmap")
    monkeypatch.chdir(tmp_path)  # some write a file
    src = rng.uniform(0, 1000, (100, 2))
    names = {"src": src, "dst": src + rng.normal(5, 0.5, (100, 2))}
    for block in blocks_of(page):
        exec(block, names)


def anchor(heading):
    """The anchor that GitHub and the site give a heading."""
    words = re.sub(r"[^\w\- ]", "", heading.lower()).strip()
    return words.replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        assert "://" not in target, "what is linked to is in the repository"
        name, _, place = target.partition("#")
        path = page.parent / name if name else page
        assert path.exists(), target
        if place:
            headings = re.findall(r"^#+ (.*)$", path.read_text(), flags=re.M)
            assert place in map(anchor, headings), target


def test_every_page_is_in_the_contents():
    contents = (DOCS / "index.md").read_text() + (DOCS / "benchmarks.md").read_text()
    for page in (*DOCS.glob("*.md"), *DOCS.glob("tables/*.md"), DOCS / "api.rst"):
        name = page.relative_to(DOCS).with_suffix("").as_posix()
        assert name == "index" or re.search(rf"^{name}$", contents, flags=re.M), name


@pytest.mark.parametrize("name", ["poster.jpg", "masks.png", "trust.png"])
def test_the_pictures_of_the_pages_can_be_drawn(name, tmp_path):
    import cv2

    script = (DOCS / "pictures" / name).with_suffix(".py")
    num = ["4"] if name == "poster.jpg" else []  # photographs; all take a minute
    done = run_python(script, tmp_path / name, *num, MPLBACKEND="Agg")
    assert done.stdout.count("cvscore") == 1
    drawn, shown = (cv2.imread(str(p / name)) for p in (tmp_path, script.parent))
    assert drawn.shape == shown.shape
    assert (script.parent / name).stat().st_size < 150_000


def test_the_citation_names_the_version_and_the_paper():
    text = (ROOT / "CITATION.cff").read_text()
    assert f"version: {import_module('cvscore').__version__}" in text
    assert "RANSAC Scoring Done Right" in text


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example_runs(path, tmp_path):
    done = run_python(path, folder=tmp_path, MPLBACKEND="Agg")
    assert done.stdout.strip()
    assert len(path.read_text().splitlines()) <= 60
    for picture in tmp_path.rglob("*.png"):
        assert picture.stat().st_size > 1000


def test_readme_commands_are_those_of_ci():
    script = (ROOT / ".ci" / "run").read_text()
    assert 'pip install --quiet ".[test]" && python -m pytest' in script
    assert '.venv/bin/pip install ".[test]" && .venv/bin/python -m pytest' in README


def test_the_picture_of_the_main_job_shows_the_inliers(tmp_path):
    import cv2

    run_python(ROOT / "examples" / "two_views.py", folder=tmp_path)
    picture = cv2.imread(str(tmp_path / "out" / "two_views.png"))
    assert picture.shape == (480, 1280, 3)
    coloured = np.ptp(picture.astype(int), axis=2) > 60
    assert coloured.mean() > 0.01


@pytest.mark.parametrize("name", DOCTESTED)
def test_docstring_examples_run(name):
    results = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert results.attempted > 0
    assert results.failed == 0


def test_the_picture_of_the_method_is_what_its_example_draws(tmp_path):
    import cv2

    drawn = tmp_path / "sweep.png"
    run_python(ROOT / "examples" / "score_sweep.py", drawn, folder=tmp_path)
    ours, theirs = (
        cv2.imread(str(path), cv2.IMREAD_GRAYSCALE).astype(float)
        for path in (drawn, ROOT / "docs" / "sweep.png")
    )
    assert ours.shape[1] == theirs.shape[1] == 1000
    # Up to fonts and the last digit of a refit, which the versions of packages change.
    height = min(len(ours), len(theirs))
    assert np.abs(ours[:height] - theirs[:height]).mean() < 12


def test_the_example_of_photographs_keeps_its_model(tmp_path):
    pycolmap = pytest.importorskip("pycolmap")
    if not hasattr(pycolmap, "global_mapping"):
        pytest.skip("needs pycolmap 4")
    script = ROOT / "examples" / "sfm.py"
    words = ("--output", "model", "--global")
    done = run_python(script, *words, folder=tmp_path, MPLBACKEND="Agg")
    (opened,) = re.findall(r"--import_path (\S+)", done.stdout)
    model = pycolmap.Reconstruction(tmp_path / opened)
    assert model.num_reg_images() == 12
    assert (tmp_path / "model" / "points.ply").stat().st_size > 1000
