"""What mypy, an editor and help() see of the drop-ins."""

import ast
import inspect
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import cv2
import numpy as np
import pytest
from conftest import ROOT

import cvscore
from cvscore import opencv
from cvscore.opencv.answer import Extras
from cvscore.opencv.typed import ExtraArguments

FORMS = {
    "estimateAffine2D": opencv.maps_2d._AFFINE_2D.forms,
    "estimateAffine3D": opencv.maps_3d._AFFINE_3D.forms,
    "findHomography": opencv.homography._HOMOGRAPHY.forms,
    "findFundamentalMat": opencv.fundamental._FUNDAMENTAL.forms,
    "findEssentialMat": opencv.essential._ESSENTIAL.forms,
    "solvePnPRansac": opencv.pnp.FORMS,
}
HEAD = """
import cv2, cvscore
import numpy as np
a = np.zeros((9, 2), np.float32)
b = np.zeros((9, 3))
K = np.eye(3)
prior = cvscore.InverseGamma(1.0, 1.0)
"""
GOOD = """
H, mask = cvscore.findHomography(a, a)
H, mask = cvscore.findHomography(a, a, cv2.USAC_MAGSAC, 3.0)
H, mask = cvscore.findHomography(a, a, method=cv2.RANSAC, ransacReprojThreshold=3.0)
H, mask = cvscore.findHomography(a, a, cv2.RANSAC, 3.0, None, 2000, 0.99, seed=3)
H, mask = cvscore.findHomography([(1, 2), (3, 4)], a, quality=[1, 2], prior=prior)
H, mask = cvscore.findHomography(a, a, cv2.UsacParams(), mask=mask)
F, mask = cvscore.findFundamentalMat(a, a, cv2.FM_RANSAC, 3.0, 0.99)
F, mask = cvscore.findFundamentalMat(a, a, cv2.FM_RANSAC, 3.0, 0.99, 1000, mask)
F, mask = cvscore.findFundamentalMat(points1=a, points2=a, maxIters=1000)
E, mask = cvscore.findEssentialMat(a, a, K, cv2.RANSAC, 0.999, 1.0)
E, mask = cvscore.findEssentialMat(a, a, 500.0, (320.0, 240.0), threshold=1.0)
E, mask = cvscore.findEssentialMat(a, a, K, None, K, None, cv2.RANSAC)
E, mask = cvscore.findEssentialMat(a, a, K, K, None, None, cv2.UsacParams())
A, mask = cvscore.estimateAffine2D(a, a, None, cv2.RANSAC, 3.0)
A, mask = cvscore.estimateAffine2D(a, a, cv2.UsacParams())
A, mask = cvscore.estimateAffinePartial2D(a, a, method=cv2.LMEDS, seed=1)
found, A, mask = cvscore.estimateAffine3D(b, b, None, None, 0.1)
A, scale = cvscore.estimateAffine3D(b, b, force_rotation=True)
found, t, mask = cvscore.estimateTranslation3D(b, b)
found, rvec, tvec, rows = cvscore.solvePnPRansac(a, a, K, None, seed=3)
num, E, R, t, mask = cvscore.recoverPose(a, a, K, None, K, None, method=cv2.RANSAC)
num, R, t, mask = cvscore.recoverPose(E, a, a, K, mask=mask)
projected = H @ np.ones(3)
kept = a[mask.ravel() == 1]
"""
BAD = {
    'cvscore.findHomography(a, a, "ransac")': "call-overload",
    "cvscore.findHomography(a)": "call-overload",
    "cvscore.findHomography(a, a, treshold=3.0)": "call-overload",
    'cvscore.findHomography(a, a, seed="three")': "call-overload",
    "cvscore.findHomography(points1=a, points2=a)": "call-overload",
    "cvscore.findFundamentalMat(a, a, cv2.FM_RANSAC, 3.0, None, 0.9, 1000)": "overload",
    "cvscore.findEssentialMat(a, a, K, cameraMatrix2=K)": "call-overload",
    "cvscore.estimateAffine2D(a, a, treshold=3.0)": "call-overload",
    "cvscore.findHomographie(a, a)": "attr-defined",
    'cvscore.solvePnPRansac(a, a, K, None, flags="epnp")': "call-overload",
    'cvscore.recoverPose(a, a, K, None, K, None, method="ransac")': "call-overload",
}


def mypy(folder, *names):
    pytest.importorskip("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", *names],
        cwd=folder,
        env={"MYPYPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def test_mypy_takes_cv2s_calls_and_refuses_others(tmp_path):
    """One run, since most of its time goes into reading numpy and cv2."""
    bad = "\n".join(BAD)
    (tmp_path / "good.py").write_text(HEAD + GOOD)
    (tmp_path / "bad.py").write_text(HEAD + bad)
    found = mypy(tmp_path, "good.py", "bad.py")
    assert "good.py" not in found, found
    first = HEAD.count("\n") + 1
    for line, (call, code) in enumerate(BAD.items(), first):
        errors = [m for m in found.splitlines() if m.startswith(f"bad.py:{line}: err")]
        assert any(code in message for message in errors), (call, found)


def overloads(name):
    """Names and defaults of each overload that stands above a function."""
    source = Path(inspect.getfile(getattr(opencv, name))).read_text()
    for node in ast.parse(source).body:
        if not isinstance(node, ast.FunctionDef) or node.name != name:
            continue
        if any(getattr(d, "id", "") == "overload" for d in node.decorator_list):
            positional = [a.arg for a in node.args.args]
            num_required = len(positional) - len(node.args.defaults)
            named = {a.arg for a in node.args.kwonlyargs}
            yield (
                tuple(positional[:num_required]),
                tuple(positional[num_required:]),
                {
                    *named,
                    *positional,
                },
            )


@pytest.mark.parametrize("name", FORMS)
def test_the_overloads_are_the_forms_of_cv2(name):
    written = list(overloads(name))
    assert [(r, o) for r, o, _ in written] == [
        (form.required, form.optional) for form in FORMS[name]
    ]
    if name != "solvePnPRansac":  # which counts by another name
        # Least squares of cv2's own takes no samples.
        assert all({"maxIters", "force_rotation"} & names for _, _, names in written)


@pytest.mark.parametrize("name", [*FORMS, "recoverPose"])
def test_help_shows_the_arguments_of_cv2_and_the_extras(name):
    shown = set(inspect.signature(getattr(cvscore, name)).parameters)
    extras = set(ExtraArguments.__annotations__)
    assert extras - shown <= {"solver"}
    assert not {"args", "kwargs"} & shown


def test_the_pose_of_two_cameras_takes_the_extras(rng):
    X = rng.uniform([-2, -2, 4], [2, 2, 8], (60, 3))
    K, t = np.array([[800.0, 0, 320], [0, 800, 240], [0, 0, 1]]), np.array([1.0, 0, 0])
    x1, x2 = (cv2.projectPoints(X, np.zeros(3), s, K, None)[0] for s in (0 * t, t))
    found = opencv.recoverPose(x1, x2, K, None, K, None, seed=3, solver="native")
    assert found[0] == 60


def test_the_typed_extras_are_those_that_are_taken():
    assert set(ExtraArguments.__annotations__) == {f.name for f in fields(Extras)}


def test_the_package_shows_public_names_only():
    assert set(dir(cvscore)) == {*cvscore.__all__, "__version__"}
