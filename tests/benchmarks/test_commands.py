"""One command: it lists all others, and nothing else can be run."""

import importlib
import os
import re

import pytest
from conftest import ROOT
from processes import run_python

from benchmarks.__main__ import BY_NAME, help_text, main

BENCHMARKS = ROOT / "benchmarks"
NEEDED = {"colmap": "pycolmap"}


def test_without_a_command_all_are_listed(capsys):
    for words in ([], ["--help"], ["-h"]):
        assert main(words) == 0
        assert capsys.readouterr().out.strip() == help_text()
    for name, command in BY_NAME.items():
        assert f"  {name:16s} {command.text}" in help_text()


def test_an_unknown_command_is_named(capsys):
    assert main(["compere"]) == 2
    assert "no command 'compere'" in capsys.readouterr().err


@pytest.mark.parametrize("name", BY_NAME)
def test_every_command_has_help(name, capsys):
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    with pytest.raises(SystemExit, match="0"):
        main([name, "--help"])
    assert f"usage: python -m benchmarks {name}" in capsys.readouterr().out


def test_nothing_else_can_be_run():
    reachable = {
        BENCHMARKS / f"{c.module.replace('.', '/')}.py" for c in BY_NAME.values()
    }
    for path in BENCHMARKS.rglob("*.py"):
        text = path.read_text()
        assert ("__name__ ==" in text) == (path.name == "__main__.py"), path
        has_main = re.search(r"^(def main\(|main =)", text, flags=re.M) is not None
        assert has_main == (path in reachable or path.name == "__main__.py"), path


def test_every_command_that_a_page_shows_exists():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    pages += [*BENCHMARKS.rglob("*.md"), *BENCHMARKS.rglob("*.py")]
    for path in pages:
        text = path.read_text()
        assert not re.search(r"-m benchmarks\.\w", text), path
        for name in re.findall(r"python -m benchmarks ([a-z][\w-]*)", text):
            assert name in BY_NAME, (path, name)


def test_the_page_lists_every_command():
    page = (BENCHMARKS / "README.md").read_text()
    for name in BY_NAME:
        assert f"`{name}`" in page


def test_the_page_is_short():
    assert (BENCHMARKS / "README.md").stat().st_size < 15_000


def test_every_module_can_be_imported():
    for path in BENCHMARKS.rglob("*.py"):
        if path.name == "__main__.py" or "colmap" in path.parts:
            continue
        names = path.relative_to(ROOT).with_suffix("").parts
        importlib.import_module(".".join(names).removesuffix(".__init__"))


def test_threads_are_closed_before_numpy_is_imported():
    code = "import benchmarks, os; print(os.environ['OMP_NUM_THREADS'])"
    unset = {name: None for name in os.environ if "_NUM_THREADS" in name}
    assert run_python("-c", code, **unset).stdout.strip() == "1"
