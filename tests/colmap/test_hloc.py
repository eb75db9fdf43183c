"""The lines for hloc in the documentation, on a stand-in with its names and signatures.

hloc is not on PyPI.  Its `reconstruction` imports the verifying function by name from
`triangulation`, which calls it too where it is asked to estimate two-view geometries;
by default triangulation checks matches against the known poses.
"""

import re
import sys
import types

import pytest
from conftest import ROOT

pycolmap = pytest.importorskip("pycolmap")

from colmap_scenes import read_geometries, write_scene  # noqa: E402

PAGE = (ROOT / "docs" / "colmap.md").read_text()
SOURCE = """
def estimation_and_geometric_verification(database_path, pairs_path, verbose=False):
    raise AssertionError("hloc's own verification ran")

def main(database, pairs, verbose=False):
    estimation_and_geometric_verification(database, pairs, verbose)
"""


def stand_in(monkeypatch):
    """Modules `hloc`, `hloc.reconstruction` and `hloc.triangulation`, in part."""
    hloc = types.ModuleType("hloc")
    monkeypatch.setitem(sys.modules, "hloc", hloc)
    for name in ("reconstruction", "triangulation"):
        module = types.ModuleType(f"hloc.{name}")
        exec(SOURCE, module.__dict__)
        setattr(hloc, name, module)
        monkeypatch.setitem(sys.modules, f"hloc.{name}", module)
    return hloc


@pytest.mark.parametrize("module", ["reconstruction", "triangulation"])
def test_four_lines_put_our_verification_into_hloc(module, tmp_path, rng, monkeypatch):
    (patch,) = re.findall(r"In hloc:\n\n```\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(patch.splitlines()) == 4
    hloc = stand_in(monkeypatch)
    exec(patch, {})
    database, pairs = tmp_path / "database.db", tmp_path / "pairs.txt"
    write_scene(database, rng, num_images=3)
    pairs.write_text("0.png 1.png\n1.png 2.png\n")
    getattr(hloc, module).main(database, pairs)
    written = read_geometries(database)
    assert set(written) == {(1, 2), (2, 3)}
    assert all(geometry.config > 1 for geometry in written.values())
