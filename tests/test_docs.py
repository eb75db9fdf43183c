"""What the README shows and what examples/ holds runs."""

import doctest
import re
from importlib import import_module

import numpy as np
import pytest
from conftest import ROOT
from processes import run_python

README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
DOCTESTED = (
    "cvscore",
    "cvscore.images.match_files",
    "cvscore.estimators.homography",
    "cvscore.scores.priors",
    "cvscore.types.extras",
    "cvscore._numba.progress",
    "cvscore.images.rendering",
)


def test_there_is_something_to_run():
    assert len(BLOCKS) >= 4
    assert len(EXAMPLES) >= 3


@pytest.mark.parametrize("block", BLOCKS, ids=[f"block{i}" for i in range(len(BLOCKS))])
def test_readme_block_runs(block, rng, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write a file
    src = rng.uniform(0, 1000, (100, 2))
    exec(block, {"src": src, "dst": src + rng.normal(5, 0.5, (100, 2))})


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
