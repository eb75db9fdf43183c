"""What is promised about the package as an installed thing."""

import re
from importlib import import_module

import pytest
from conftest import ROOT
from processes import run_python

import cvscore
from cvscore.types.extras import DISTRIBUTION

PYPROJECT = (ROOT / "pyproject.toml").read_text()
README = (ROOT / "README.md").read_text()
OPTIONAL = ("cv2", "matplotlib", "h5py", "pycolmap")


def run_without(packages, script):
    """Run a script in which these packages can't be imported."""
    block = f"import sys\nfor name in {list(packages)}: sys.modules[name] = None\n"
    return run_python("-c", block + script, may_fail=True)


def test_the_command_is_installed_and_exists():
    module, function = re.search(r'^cvscore = "(.*):(.*)"$', PYPROJECT, re.M).groups()
    assert callable(getattr(import_module(module), function))


def test_nobody_is_told_to_install_the_other_project():
    # On the package index `cvscore` is somebody else's; ours is cvscore-ransac.
    assert f'name = "{DISTRIBUTION}"' in PYPROJECT
    wrong = re.compile(r"""pip3? install [^\n&;`)]*?["'\s]cvscore(?![\w-])""")
    assert wrong.search('pip install "cvscore[draw]"')
    assert wrong.search("pip install -U cvscore\n")
    assert not wrong.search('pip install "cvscore-ransac[draw]" ".[draw]"')
    for path in tracked_files():
        for line in path.read_text().splitlines():
            assert not wrong.search(line) or "wrong.search" in line, (path, line)


def tracked_files():
    for pattern in ("*.py", "*.md", "*.toml", "*.yml", "*.cff", ".ci/*"):
        for path in ROOT.rglob(pattern):
            parts = path.relative_to(ROOT).parts
            if path.is_file() and not any(part.startswith(".venv") for part in parts):
                yield path


def test_extras_that_messages_name_exist():
    extras = set(re.findall(r"^(\w+) = \[", PYPROJECT, re.M))
    named = set()
    for path in (ROOT / "cvscore").rglob("*.py"):
        named |= set(
            re.findall(r"install_command\([\"'](\w+)[\"']\)", path.read_text())
        )
    assert named
    assert named <= extras


def test_the_package_says_that_it_is_typed_and_what_changed():
    assert (ROOT / "cvscore" / "py.typed").exists()
    assert f"## {cvscore.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_no_build_of_opencv_is_forced_upon_another():
    (required,) = re.findall(r"^dependencies = (.*)$", PYPROJECT, re.M)
    assert "opencv" not in required
    for name in ("opencv", "headless", "test", "bench"):
        (extra,) = re.findall(rf"^{name} = (.*)$", PYPROJECT, re.M)
        assert "opencv-python" in extra


def test_oldest_versions_are_those_that_ci_installs():
    script = (ROOT / ".ci" / "other_modes").read_text()
    for name in ("numpy", "scipy", "numba"):
        floor = re.search(rf'"{name}>=([\d.]+)"', PYPROJECT).group(1)
        assert f'"{name}=={floor}.' in script
        assert re.search(rf"{name} {re.escape(floor)}", README)
    assert 'requires-python = ">=3.10"' in PYPROJECT
    assert "oldest 3.10" in script


def test_the_native_functions_need_nothing_optional():
    script = (
        "import numpy as np, cvscore\n"
        "x1 = np.random.default_rng(0).uniform(0, 99, (50, 2))\n"
        "print(cvscore.estimate_homography(x1, x1 + 1.0).num_inliers)\n"
    )
    done = run_without(OPTIONAL, script)
    assert done.stdout == "50\n", done.stderr


@pytest.mark.parametrize(
    ("missing", "script", "words"),
    [
        ("cv2", "import cvscore; cvscore.findHomography", "cvscore-ransac[opencv]"),
        (
            "pycolmap",
            "from cvscore.colmap import verify_matches as v; v('a')",
            "cvscore-ransac[colmap]",
        ),
    ],
)
def test_what_is_missing_is_named_with_its_extra(missing, script, words):
    done = run_without([missing], script)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError")
    assert words in last


def test_the_command_without_opencv_is_one_line():
    script = "from cvscore.cli import main; sys.exit(main(['demo']))"
    done = run_without(["cv2"], script)
    assert done.returncode == 1
    assert "cvscore-ransac[opencv]" in done.stderr
    assert done.stderr.count("\n") == 1
