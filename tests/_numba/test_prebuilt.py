"""Kernels in the wheel: a first call that compiles nothing, and never a wrong one.

The wheel has the kernels of the homography only; .ci/test_wheel tests the whole one.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import numba
import numpy as np
import pytest
from conftest import ROOT
from processes import run_python
from read_only import forbid_writing, held_to_permissions

from cvscore._numba import prebuilt, stored

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT or numba.config.BOUNDSCHECK),
    reason="kernels come with the wheel for the compiler as it is by default",
)

STEPS = ["homography matrix"]
# Prints the layer that a kernel of every estimator came from, and why.
CALL = """
import numpy as np
from numba.core.registry import cpu_target
from cvscore._numba import prebuilt
from cvscore._numba.compile import kernels
from cvscore.numerics.matrix3 import scale_to_unit_norm
matrix = np.eye(3)
scale_to_unit_norm(matrix)
assert np.isclose(np.linalg.norm(matrix), 1.0)
layers = {layer for each in kernels for layer in each._cache.layers.values()}
trouble = prebuilt.find(cpu_target.target_context.codegen()).trouble
print(": ".join([*sorted(layers), str(trouble)]) + "\\n", end="", flush=True)
"""
# That the import of numba takes on the machine for which times are asked here.
USUAL_SECONDS = 0.2
NOTHING = {
    "PYTHONPATH": None,
    "NUMBA_CACHE_DIR": None,
    "CVSCORE_PREBUILT": None,
    "PYTHONDONTWRITEBYTECODE": "1",
}


def build_wheel(target, **variables):
    run_python(
        *("-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", target, ROOT),
        PYTHONPATH=None,
        **variables,
    )
    (wheel,) = target.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """The folder of the kernels of a wheel."""
    folder = tmp_path_factory.mktemp("kernels")
    run_python(ROOT / ".ci" / "compile_kernels.py", folder, *STEPS)
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory, kernels):
    """A new environment with the wheel; what it needs is taken from this one."""
    folder = tmp_path_factory.mktemp("environment")
    wheel = build_wheel(folder, CVSCORE_WHEEL_KERNELS=str(kernels))
    python = install(folder / "venv", wheel)
    return wheel, python


def install(folder, *what, **variables):
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    packages = next(folder.rglob("site-packages"))
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    run_python(
        *("-m", "pip", "--python", python, "install", "--quiet", "--no-deps"),
        # This environment, which the other one sees, may hold the same version.
        *("--ignore-installed", *what),
        PYTHONPATH=None,
        **variables,
    )
    return python


@pytest.fixture
def installed(environment, tmp_path):
    """A copy of the installed package, to be tampered with, and how to call it."""
    _, python = environment
    package = next(python.parents[1].rglob("site-packages/cvscore"))
    copy = tmp_path / "packages" / "cvscore"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def call(package, before="", **variables):
    """The layer of a kernel and the trouble, and what was said."""
    given = {**NOTHING, "PYTHONPATH": str(package.parent), **variables}
    given.setdefault("NUMBA_CACHE_DIR", str(package.parents[1] / "cache"))
    done = run_python("-c", before + CALL, folder=package.parents[1], **given)
    layer, trouble = done.stdout.strip().split(": ", 1)
    return layer, trouble, done.stderr


def shipped_folder(package):
    return next((package / "_numba" / prebuilt.SHIPPED_FOLDER.name).iterdir())


def first_calls(python, folder, *, prefix=(), **variables):
    done = run_python(
        ROOT / "tests" / "first_calls.py",
        *STEPS,
        python=python,
        folder=folder,
        prefix=prefix,
        **variables,
    )
    return json.loads(done.stdout), done.stderr


def seconds_of_numba(python):
    """How long numba alone takes to be imported, which tells how slow a machine is."""
    program = "import time; t = time.time(); import numba; print(time.time() - t)"
    return float(run_python("-c", program, python=python, **NOTHING).stdout)


def test_the_first_calls_of_a_wheel_compile_nothing(environment, tmp_path):
    wheel, python = environment
    assert f"cp{sys.version_info[0]}{sys.version_info[1]}-" in wheel.name
    assert not wheel.name.endswith("-any.whl")
    assert wheel.stat().st_size < 12e6
    home = tmp_path / "home"
    home.mkdir()
    nothing = {**NOTHING, "HOME": str(home), "XDG_CACHE_HOME": None}
    forbid_writing(python.parents[1])
    forbid_writing(home)
    of_numba = seconds_of_numba(python)
    try:
        found, said = first_calls(
            python, tmp_path, prefix=held_to_permissions(), **nothing
        )
    finally:
        forbid_writing(python.parents[1], forbid=False)
        forbid_writing(home, forbid=False)
    assert "site-packages" in found["file"]
    assert (found["compiled"], found["layers"], said) == ([], ["shipped"], "")
    assert not list(home.iterdir())
    slowness = max(1.0, max(of_numba, seconds_of_numba(python)) / USUAL_SECONDS)
    assert found["seconds"].pop("import") < 0.6 * slowness
    assert max(found["seconds"].values()) < 0.3 * slowness
    compiled, _ = first_calls(sys.executable, ROOT, CVSCORE_PREBUILT="0")
    assert "shipped" not in compiled["layers"]
    for label, result in compiled["results"].items():
        ours = found["results"][label]
        assert ours["inliers"] == result["inliers"]
        np.testing.assert_allclose(ours["model"], result["model"], rtol=0, atol=1e-9)


def test_without_compiled_kernels_the_wheel_is_for_every_platform(tmp_path):
    wheel = build_wheel(tmp_path, CVSCORE_WHEEL_KERNELS=None)
    assert wheel.name.endswith("-py3-none-any.whl")


def test_an_editable_install_compiles_here(kernels, tmp_path):
    python = install(
        tmp_path / "venv", "--editable", ROOT, CVSCORE_WHEEL_KERNELS=str(kernels)
    )
    script = "import cvscore; print(cvscore.__file__)\n" + CALL
    variables = {**NOTHING, "NUMBA_CACHE_DIR": os.environ["NUMBA_CACHE_DIR"]}
    done = run_python("-c", script, python=python, folder=tmp_path, **variables)
    assert str(ROOT / "cvscore") in done.stdout
    assert prebuilt.NONE_CAME in done.stdout
    assert not prebuilt.SHIPPED_FOLDER.exists()


def test_processes_threads_and_forks_share_the_kernels(installed, tmp_path):
    if not hasattr(os, "fork"):
        pytest.skip("there is no fork here")
    script = (
        "import os, threading\n"
        "import cvscore\n"
        "child = os.fork()\n"
        f"def work():\n    exec({CALL!r}, {{}})\n"
        "threads = [threading.Thread(target=work) for _ in range(4)]\n"
        "[thread.start() for thread in threads]\n"
        "[thread.join() for thread in threads]\n"
        "if child:\n    assert os.waitpid(child, 0)[1] == 0\n"
    )
    variables = {**os.environ, **NOTHING, "PYTHONPATH": str(installed.parent)}
    variables = {name: value for name, value in variables.items() if value is not None}
    several = [
        subprocess.Popen(
            [sys.executable, "-c", script],
            cwd=tmp_path,
            env=variables,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in several:
        with process:
            printed = process.communicate()[0]
        assert process.returncode == 0
        assert set(printed.splitlines()) == {"shipped: None"}


ELSEWHERE = {
    "another numba": "import numba; numba.__version__ = '0.1'\n",
    "another llvmlite": "import numba, llvmlite; llvmlite.__version__ = '0.1'\n",
    "another Python": "import sys, numba; sys.implementation.cache_tag = 'cp99'\n",
    "another machine": "import platform, numba; platform.machine = lambda: 'riscv64'\n",
}


@pytest.mark.parametrize("before", ELSEWHERE.values(), ids=ELSEWHERE)
def test_elsewhere_kernels_are_compiled_and_one_line_says_why(installed, before):
    layer, trouble, said = call(installed, before)
    assert layer == "process"
    assert said.count("\n") == 1
    assert f"those of the wheel are not used: {trouble}" in said
    layer, _, said = call(installed, before)
    assert (layer, said) == ("machine", "")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("NUMBA_CPU_FEATURES", "+sse2", "this CPU is not of the baseline"),
        ("NUMBA_CPU_NAME", "generic", "this CPU is not of the baseline"),
        ("NUMBA_BOUNDSCHECK", "1", "other options"),
        ("NUMBA_OPT", "1", "other options"),
        ("CVSCORE_PREBUILT", "0", prebuilt.SWITCHED_OFF),
        ("CVSCORE_PREBUILT", os.devnull, prebuilt.NONE_CAME),
    ],
)
def test_with_other_settings_kernels_are_compiled(installed, name, value, words):
    if "baseline" in words and not prebuilt.BASELINES[prebuilt.MACHINE][1]:
        pytest.skip("the baseline asks for nothing here")
    layer, trouble, said = call(installed, **{name: value})
    assert layer == "process"
    assert words in trouble
    assert said.count("\n") == 1
    assert call(installed)[0] == "shipped"


def test_without_the_jit_the_wheel_works_too(installed, tmp_path):
    variables = {"PYTHONPATH": str(installed.parent), "NUMBA_DISABLE_JIT": "1"}
    done = run_python("-c", CALL, folder=tmp_path, **{**NOTHING, **variables})
    assert (done.stdout, done.stderr) == ("None\n", "")


def test_an_edited_source_switches_the_kernels_off(installed):
    assert call(installed)[0] == "shipped"
    with (installed / "types" / "arrays.py").open("a") as file:
        file.write("# edited\n")
    layer, trouble, _ = call(installed)
    assert (layer, trouble) == ("process", "they were made with other sources")


def truncate(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def zero(path):
    path.write_bytes(bytes(path.stat().st_size))


DAMAGES = {"missing": Path.unlink, "truncated": truncate, "overwritten": zero}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("name", [prebuilt.INDEX, prebuilt.CODE])
def test_damaged_files_are_as_good_as_none(installed, name, damage):
    if (damage, name) == (truncate, prebuilt.CODE):  # leave no kernel whole
        path = shipped_folder(installed) / name
        path.write_bytes(path.read_bytes()[:100])
    else:
        damage(shipped_folder(installed) / name)
    layer, _, _ = call(installed)
    assert layer == "process"
    assert call(installed)[0] == "machine"


def test_no_altered_byte_is_run_or_raises(kernels, tmp_path, monkeypatch):
    right = next(kernels.glob(f"*{numba.__version__}"))
    places = prebuilt._read(right, json.dumps({})).places
    assert len(places) > 15
    key, (offset, size) = min(places.items(), key=lambda item: item[1][1])
    code = (right / prebuilt.CODE).read_bytes()
    identity, _ = stored.unpack(code[offset : offset + size])
    assert prebuilt.key_of(identity) == key
    index = (right / prebuilt.INDEX).read_bytes()
    folder = tmp_path / right.name
    folder.mkdir()
    (folder / prebuilt.CODE).write_bytes(code)
    monkeypatch.setenv(prebuilt.VARIABLE, str(tmp_path))
    # What is read goes to this function only if it is the kernel as it was shipped.
    monkeypatch.setattr(prebuilt.stored, "load", lambda packed, *_: packed)
    monkeypatch.setattr(prebuilt, "BASELINES", {prebuilt.MACHINE: ("", frozenset())})
    context = numba.core.registry.cpu_target.target_context
    rng = random.Random(1)
    outcomes = []
    for _ in range(1000):
        altered = bytearray(index)
        for _ in range(rng.choice([1, 1, 5])):
            altered[rng.randrange(len(altered))] = rng.randrange(256)
        (folder / prebuilt.INDEX).write_bytes(altered)
        prebuilt._read.cache_clear()
        packed = prebuilt.load(identity, context)
        whole = packed is not None and stored.unpack(packed) is not None
        assert not whole or stored.unpack(packed)[0] == identity
        outcomes.append(whole)
    prebuilt._read.cache_clear()
    assert 0 <= sum(outcomes) < 1000
