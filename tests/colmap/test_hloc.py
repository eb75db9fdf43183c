"""The lines for hloc in the documentation, on a stand-in with its names and signatures.

hloc is not on PyPI.  Its `reconstruction` imports the verifying function by name from
`triangulation`, which calls it too where it is asked to estimate two-view geometries;
by default triangulation checks matches against the known poses.
"""

import re
import sys
import types

import numpy as np
import pytest
from conftest import ROOT
from seen_points import pose_error, seen_points

import cvscore

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


# As hloc's `QueryLocalizer.localize` calls it.
LOCALISE = """
import pycolmap

def localize(points2D, points3D, query_camera):
    config = {"estimation": {"ransac": {"max_error": 12}}}
    return pycolmap.estimate_and_refine_absolute_pose(
        points2D,
        points3D,
        query_camera,
        estimation_options=config.get("estimation", {}),
        refinement_options=config.get("refinement", {}),
    )
"""


def test_two_lines_put_our_pose_into_the_localisation(rng, monkeypatch):
    (patch,) = re.findall(r"for localisation.*?\n\n```\n(.*?)```", PAGE, re.DOTALL)
    assert len(patch.splitlines()) == 2
    theirs = pycolmap.estimate_and_refine_absolute_pose
    monkeypatch.setattr(pycolmap, "estimate_and_refine_absolute_pose", theirs)
    seen = seen_points(rng, 200, 0.3)
    camera = pycolmap.Camera(
        model="PINHOLE",
        width=1280,
        height=960,
        params=[*np.diag(seen.K)[:2], *seen.K[:2, 2]],
    )
    exec(patch, {})
    localiser = {}
    exec(LOCALISE, localiser)
    found = localiser["localize"](seen.x, seen.X, camera)
    pose = found["cam_from_world"].matrix()
    ours = cvscore.estimate_absolute_pose(seen.x, seen.X, seen.K)
    np.testing.assert_allclose(pose, ours.model, atol=1e-9)
    np.testing.assert_array_equal(found["inlier_mask"], ours.inliers)
    assert pose_error(pose, seen) < 1.0
