"""The names that `import cvscore` gives, and the little that it imports."""

import ast
import subprocess
import sys
from pathlib import Path

import cv2

import cvscore
from cvscore import opencv

DOCUMENTED = {
    "BetaPrior",
    "Calibration",
    "LabelledPair",
    "calibrate",
    "Estimate",
    "GaussianUniform",
    "GeometricModel",
    "InlierCount",
    "InverseGamma",
    "MagsacPlusPlus",
    "MarginalScore",
    "Msac",
    "Pose",
    "RansacOptions",
    "Selection",
    "estimate_absolute_pose",
    "estimateAffine2D",
    "estimateAffine3D",
    "estimateAffinePartial2D",
    "estimateTranslation3D",
    "estimate_affine",
    "estimate_essential",
    "estimate_fundamental",
    "estimate_homography",
    "estimate_many",
    "estimate_rigid",
    "estimate_similarity",
    "estimate_translation",
    "findEssentialMat",
    "findFundamentalMat",
    "findHomography",
    "fisheye",
    "fit_mle",
    "fit_robust",
    "recoverPose",
    "solvePnPRansac",
    "select_model",
    "variance_given_pose",
    "variance_unconstrained",
}


def test_the_public_names_are_the_documented_ones():
    assert set(cvscore.__all__) == DOCUMENTED
    for name in DOCUMENTED:
        assert getattr(cvscore, name).__doc__, name
    assert set(cvscore.__all__) <= set(dir(cvscore))


def test_what_only_some_versions_of_opencv_have_is_there_with_these():
    assert hasattr(cvscore, "estimateTranslation2D") == hasattr(
        cv2, "estimateTranslation2D"
    )
    assert ("estimateTranslation2D" in opencv.__all__) == hasattr(
        cv2, "estimateTranslation2D"
    )
    assert "estimateTranslation2D" not in cvscore.__all__  # `import *` works with all


def test_editors_are_told_of_the_drop_ins_that_there_are_at_run_time():
    tree = ast.parse(Path(cvscore.__file__).read_text())
    blocks = [node for node in tree.body if isinstance(node, ast.If)]
    imports = [
        node
        for block in blocks
        if ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module == "cvscore.opencv"
    ]
    told = {name.asname or name.name for node in imports for name in node.names}
    assert told == {*opencv.__all__, "estimateTranslation2D"}
    assert told == set(cvscore._FROM_OPENCV)
    assert set(opencv.__all__) - {"estimateTranslation2D"} <= set(cvscore.__all__)


def test_a_wrong_name_is_an_attribute_error():
    assert not hasattr(cvscore, "findHomographie")


def test_the_import_brings_in_nothing_heavy():
    heavy = ["cv2", "scipy.special", "scipy.linalg", "matplotlib", "pycolmap"]
    script = f"import cvscore, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
