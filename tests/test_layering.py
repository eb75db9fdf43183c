"""The picture of the architecture, held by reading the imports."""

import ast

import pytest
from conftest import ROOT

PACKAGE = ROOT / "cvscore"
MODULES = sorted(PACKAGE.rglob("*.py"))
ADAPTERS = {"cvscore.opencv", "cvscore.colmap", "cvscore.cli", "cvscore.draw"}
LOOP = {
    "objective",
    "redescent",
    "sampling",
    "types",
    "_kernel",
    "_calls",
    "_operations",
    "_smallest",
}
HEAVY = {"cv2", "pycolmap", "scipy", "matplotlib", "h5py", "dask"}


def name_of(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path, *, top_level_only=False):
    tree = ast.parse(path.read_text())
    nodes = tree.body if top_level_only else ast.walk(tree)
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in {path}"
            found |= {node.module}
    return found


def layer_of(module):
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[0] == "cvscore" else ""


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_layers(path):
    module, layer = name_of(path), layer_of(name_of(path))
    ours = {name for name in imports_of(path) if layer_of(name)}
    layers = {layer_of(name) for name in ours}
    if layer == "types":
        assert layers <= {"types"}
    if layer == "models":
        assert layers <= {"models", "types", "_kernel", "_calls"}
    if layer == "scores":
        assert layers <= {"scores", "types", "_kernel", "_smallest", "priors"}
    if layer in {"ransac", "objective", "sampling", "redescent", "polish"}:
        assert layers <= LOOP
    if module not in ADAPTERS and layer not in {"", "__main__", "cli", "opencv"}:
        assert not ours & ADAPTERS
    if {"models", "scores"} <= layers:
        # The second only compiles what the first will call.
        assert layer in {"estimate", "_compile_ahead"}, "who knows models and scores?"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_heavy_packages_are_imported_by_adapters_or_when_needed(path):
    if layer_of(name_of(path)) == "opencv" or "_cv_" in path.name:
        return
    roots = {name.split(".")[0] for name in imports_of(path, top_level_only=True)}
    assert not roots & HEAVY


def test_the_loop_fits_on_a_screen():
    tree = ast.parse((PACKAGE / "ransac.py").read_text())
    (loop,) = [n for n in tree.body if getattr(n, "name", "") == "_search"]
    docstring = loop.body[0]
    code = (loop.end_lineno - loop.lineno) - (docstring.end_lineno - docstring.lineno)
    assert code <= 40
