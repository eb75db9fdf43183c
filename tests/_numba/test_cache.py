"""The kernel cache: never stale, and never a reason to fail."""

import errno
import importlib.util
import os
import warnings
from pathlib import Path

import numba
import pytest
from conftest import ROOT
from numba.core.caching import FunctionCache
from processes import run_python

from cvscore._numba import cache as _cache
from cvscore._numba.compile import kernel, kernels

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled without the JIT"
)


@pytest.fixture
def function(tmp_path, monkeypatch):
    """A function in a file of its own, with a cache folder of its own."""
    source = tmp_path / "tiny.py"
    source.write_text("def add_one(x):\n    return x + 1\n")
    specification = importlib.util.spec_from_file_location("tiny", source)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setitem(_cache._state, "warned", False)
    return module.add_one


def was_cached(function):
    """Compile as a new process would, and say whether the cache had it."""
    compiled = kernel(function)
    assert compiled(1) == 2
    return sum(compiled.stats.cache_hits.values()) == 1


def test_a_kernel_is_compiled_once(function):
    assert not was_cached(function)
    assert was_cached(function)


def test_a_change_in_any_kernel_compiles_all_of_them_anew(function, monkeypatch):
    assert not was_cached(function)
    monkeypatch.setattr(_cache, "kernels_stamp", lambda: "another version")
    assert not was_cached(function)
    assert was_cached(function)


def test_the_stamp_is_that_of_the_files_with_kernels():
    assert _cache.kernels_stamp() == _cache.kernels_stamp()
    assert len(_cache.kernels_stamp()) == 64
    files = {Path(kernel.py_func.__code__.co_filename) for kernel in kernels}
    ours = {path for path in files if path.is_relative_to(ROOT / "cvscore")}
    assert len(ours) > 20
    for path in ours:
        assert any(mark in path.read_bytes() for mark in _cache.MARKS), path


@pytest.mark.parametrize("content", [b"", b"junk", b"\x80\x05K\x01."])
def test_a_damaged_cache_is_made_anew(function, tmp_path, content):
    assert not was_cached(function)
    for path in (tmp_path / "cache").rglob("*.nb?"):
        path.write_bytes(content)
    assert not was_cached(function)
    assert was_cached(function)


def test_a_full_disk_gives_one_warning_and_the_result(function, monkeypatch):
    def fail(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FunctionCache, "save_overload", fail)
    with pytest.warns(RuntimeWarning, match=r"No space left.*NUMBA_CACHE_DIR"):
        assert not was_cached(function)
    assert not _cache.is_usable()
    with warnings.catch_warnings(record=True) as seen:
        assert not was_cached(function)
    assert not seen


def test_without_a_writable_folder_there_is_one_warning_and_a_result(tmp_path):
    # A file where each __pycache__ would be: even root cannot write into that.
    script = (
        "import numpy as np\n"
        "from cvscore.data.deduplication import first_occurrences\n"
        "print(first_occurrences(np.zeros((4, 3)))[0])\n"
    )
    for source in (ROOT / "cvscore").rglob("*.py"):
        copy = tmp_path / source.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())
        (copy.parent / "__pycache__").touch()
    variables = dict.fromkeys(("HOME", "XDG_CACHE_HOME"), os.devnull)
    variables["NUMBA_CACHE_DIR"] = f"{os.devnull}/none"
    variables["PYTHONPATH"] = str(tmp_path)
    done = run_python("-c", script, folder=tmp_path, **variables)
    assert done.stdout == "[0]\n"
    assert done.stderr.count("RuntimeWarning") == 1
    assert "no writable folder" in done.stderr
    assert "compiling kernels (in every process" in done.stderr
