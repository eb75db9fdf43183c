"""The README's three lines for hloc, on a stand-in with hloc's names and signatures.

hloc is not on PyPI.  Its `reconstruction` imports the verifying function by name and
calls it with the paths of a database and of a file of pairs.
"""

import re
import sys
import types

import pytest
from conftest import ROOT

pycolmap = pytest.importorskip("pycolmap")

from colmap_scenes import read_geometries, write_scene  # noqa: E402

README = (ROOT / "README.md").read_text()


def stand_in(monkeypatch):
    """Modules `hloc` and `hloc.reconstruction`, the latter with a part of its main."""
    hloc = types.ModuleType("hloc")
    hloc.reconstruction = types.ModuleType("hloc.reconstruction")
    source = """
def estimation_and_geometric_verification(database_path, pairs_path, verbose=False):
    raise AssertionError("hloc's own verification ran")

def main(database, pairs, verbose=False):
    estimation_and_geometric_verification(database, pairs, verbose)
"""
    exec(source, hloc.reconstruction.__dict__)
    monkeypatch.setitem(sys.modules, "hloc", hloc)
    monkeypatch.setitem(sys.modules, "hloc.reconstruction", hloc.reconstruction)
    return hloc.reconstruction


def test_three_lines_put_our_verification_into_hloc(tmp_path, rng, monkeypatch):
    (patch,) = re.findall(r"In hloc:\n\n```\n(.*?)```", README, flags=re.DOTALL)
    assert len(patch.splitlines()) == 3
    reconstruction = stand_in(monkeypatch)
    exec(patch, {})
    database, pairs = tmp_path / "database.db", tmp_path / "pairs.txt"
    write_scene(database, rng, num_images=3)
    pairs.write_text("0.png 1.png\n1.png 2.png\n")
    reconstruction.main(database, pairs)
    written = read_geometries(database)
    assert set(written) == {(1, 2), (2, 3)}
    assert all(geometry.config > 1 for geometry in written.values())
