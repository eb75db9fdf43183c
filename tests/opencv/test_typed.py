"""What mypy, an editor and help() see of the drop-ins."""

import ast
import inspect
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import cv2
import numpy as np
import pytest
from conftest import ROOT
from opencv_case import VIEWS

import cvscore
from cvscore import opencv
from cvscore.opencv import maps_2d, maps_3d
from cvscore.opencv.call_forms import Form
from cvscore.opencv.extras import Extras
from cvscore.opencv.typed import ExtraArguments, SharedArguments

FORMS = {
    "estimateAffine2D": opencv.maps_2d._AFFINE_2D.forms,
    "estimateAffine3D": opencv.maps_3d._AFFINE_3D.forms,
    "findHomography": opencv.homography._HOMOGRAPHY.forms,
    "findFundamentalMat": opencv.fundamental._FUNDAMENTAL.forms,
    "findEssentialMat": opencv.essential.ESSENTIAL.forms,
    "solvePnPRansac": opencv.pnp.FORMS,
    # Most of which are left to cv2.
    "recoverPose": [
        Form.parse(parameters)
        for parameters in re.findall(
            r"recoverPose\(([^)]*)\) ->", " ".join(cv2.recoverPose.__doc__.split())
        )
    ],
}
ONLY_FORMS = {
    "estimateAffinePartial2D": (maps_2d._refined, maps_2d._SIMILARITY_2D.forms),
    "estimateTranslation3D": (maps_3d._robust, maps_3d._TRANSLATION_3D.forms),
}
if maps_2d.HAS_TRANSLATION:
    ONLY_FORMS["estimateTranslation2D"] = (
        maps_2d._refined,
        maps_2d._TRANSLATION_2D.forms,
    )
DROP_INS = [*FORMS, *ONLY_FORMS]
HAVE_SOLVER = {"findHomography", "findFundamentalMat", "findEssentialMat"}
HAVE_SOLVER |= {"recoverPose"}  # that of the essential matrix
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
H, mask = cvscore.findHomography(a, a, weights=[1, 2])
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
ok, t, mask = cvscore.estimateTranslation3D(b, b)
ok, t, mask = cvscore.estimateTranslation3D(b, b, t, mask, 3.0, 0.9, maxIters=9, seed=1)
A, mask = cvscore.estimateAffinePartial2D(from_=a, to=a, maxIters=9, refineIters=9)
ok, r, t, rows = cvscore.solvePnPRansac(b, a, K, None)
ok, r, t, rows = cvscore.solvePnPRansac(b, a, K, None, r, t, True, 100, 8.0, 0.99)
ok, r, t, rows = cvscore.solvePnPRansac(b, a, K, K, flags=cv2.SOLVEPNP_P3P, seed=1)
ok, K2, r, t, rows = cvscore.solvePnPRansac(b, a, K, None, params=cv2.UsacParams())
seen = b[rows.ravel()]
num, E, R, t, mask = cvscore.recoverPose(a, a, K, None, K, None)
num, E, R, t, mask = cvscore.recoverPose(a, a, K, K, K, K, method=8, seed=1)
num, E, R, t, mask = cvscore.recoverPose([(1, 2)], a, K, K, K, K, solver="opencv")
num, R, t, mask = cvscore.recoverPose(E, a, a, K, mask=mask)
num, R, t, mask = cvscore.recoverPose(E, a, a, focal=500.0, pp=(320.0, 240.0))
num, R, t, mask, X = cvscore.recoverPose(E, a, a, K, 50.0)
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
    'cvscore.estimateAffine2D(a, a, solver="native")': "call-overload",
    "M, mask, more = cvscore.estimateAffine2D(a, a)": "misc",
    "cvscore.estimateAffinePartial2D(a, a, treshold=3.0)": "call-arg",
    "cvscore.estimateAffinePartial2D(a, a, cv2.UsacParams())": "arg-type",
    'cvscore.estimateAffinePartial2D(a, a, solver="native")': "call-arg",
    "cvscore.estimateAffine3D(b, b, method=cv2.RANSAC)": "call-overload",
    "cvscore.estimateAffine3D(b, b, force_rotation=True, seed=1)": "call-overload",
    "B, many = cvscore.estimateAffine3D(b, b)": "misc",
    "cvscore.estimateTranslation3D(b)": "call-arg",
    "cvscore.estimateTranslation3D(b, b, ransacReprojThreshold=3.0)": "call-arg",
    'cvscore.estimateTranslation3D(b, b, seed="three")': "arg-type",
    "cvscore.solvePnPRansac(b, a, K)": "call-overload",
    'cvscore.solvePnPRansac(b, a, K, None, flags="epnp")': "call-overload",
    "cvscore.solvePnPRansac(b, a, K, None, maxIters=100)": "call-overload",
    'cvscore.solvePnPRansac(b, a, K, None, solver="native")': "call-overload",
    "ok, C, r, t, rows = cvscore.solvePnPRansac(b, a, K, None)": "misc",
    "cvscore.recoverPose(a, a)": "call-overload",
    'cvscore.recoverPose(a, a, K, None, K, None, method="ransac")': "call-overload",
    "cvscore.recoverPose(K, a, a, K, seed=1)": "call-overload",
    "cvscore.recoverPose(a, a, K, None, K, None, maxIters=100)": "call-overload",
    "num, R, t, mask = cvscore.recoverPose(a, a, K, None, K, None)": "misc",
    "cvscore.findHomographie(a, a)": "attr-defined",
}


if maps_2d.HAS_TRANSLATION:
    GOOD += """
(tx, ty), mask = cvscore.estimateTranslation2D(a, a, mask, cv2.LMEDS, seed=1)
"""
    BAD['cvscore.estimateTranslation2D(a, a, method="ransac")'] = "arg-type"
    BAD['cvscore.estimateTranslation2D(a, a, solver="native")'] = "call-arg"


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
    if name in ("solvePnPRansac", "recoverPose"):  # which refuse it, as cv2 does
        assert not any("maxIters" in names for _, _, names in written)
    else:
        # Least squares of cv2's own takes no samples.
        assert all({"maxIters", "force_rotation"} & names for _, _, names in written)


@pytest.mark.parametrize("name", ONLY_FORMS)
def test_a_form_without_another_is_that_of_cv2(name):
    written, (form,) = ONLY_FORMS[name]
    parameters = inspect.signature(written).parameters.values()
    positional = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert tuple(p.name for p in positional) == form.parameters
    required = [p.name for p in positional if p.default is p.empty]
    assert tuple(required) == form.required
    assert "maxIters" in {p.name for p in parameters}


def test_every_drop_in_is_typed():
    assert {*DROP_INS, "fisheye"} == set(opencv.__all__)


@pytest.mark.parametrize("name", DROP_INS)
def test_help_shows_the_arguments_of_cv2_and_the_extras(name):
    parameters = list(inspect.signature(getattr(cvscore, name)).parameters)
    extras = [field.name for field in fields(Extras)]
    if name not in HAVE_SOLVER:
        extras.remove("solver")
    forms = FORMS[name] if name in FORMS else ONLY_FORMS[name][1]
    assert parameters in [[*form.parameters, *extras] for form in forms]


@pytest.mark.parametrize("name", sorted(set(DROP_INS) - HAVE_SOLVER))
def test_a_solver_is_refused_where_there_is_no_choice(name):
    with pytest.raises(TypeError, match="solver is no argument here"):
        getattr(cvscore, name)(np.eye(9, 2), np.eye(9, 2), solver="native")


@pytest.mark.parametrize("solver", ["native", "opencv"])
def test_recover_pose_takes_the_solver_of_the_essential_matrix(solver):
    cameras = VIEWS.K1, None, VIEWS.K2, None
    E = cvscore.recoverPose(VIEWS.x1, VIEWS.x2, *cameras, solver=solver)[1]
    same, _ = cvscore.findEssentialMat(VIEWS.x1, VIEWS.x2, *cameras, solver=solver)
    np.testing.assert_array_equal(E, same)
    with pytest.raises(ValueError, match="solver must be one of"):
        cvscore.recoverPose(VIEWS.x1, VIEWS.x2, *cameras, solver="none")


def test_the_pose_of_two_cameras_takes_the_extras(rng):
    X = rng.uniform([-2, -2, 4], [2, 2, 8], (60, 3))
    K, t = np.array([[800.0, 0, 320], [0, 800, 240], [0, 0, 1]]), np.array([1.0, 0, 0])
    x1, x2 = (cv2.projectPoints(X, np.zeros(3), s, K, None)[0] for s in (0 * t, t))
    found = opencv.recoverPose(x1, x2, K, None, K, None, seed=3, solver="native")
    assert found[0] == 60


def test_the_typed_extras_are_those_that_are_taken():
    taken = {field.name for field in fields(Extras)}
    assert set(ExtraArguments.__annotations__) == taken
    assert set(SharedArguments.__annotations__) == taken - {"solver"}


def test_the_package_shows_public_names_only():
    assert set(dir(cvscore)) == {*cvscore.__all__, "__version__"}
