"""The files of compiled kernels: never stale, and never a reason to fail."""

import ast
import errno
import importlib.util
import os
import random
import shutil
import subprocess
import sys
import threading
import warnings
import zipfile
from pathlib import Path

import numba
import pytest
from conftest import ROOT
from numba.core.registry import cpu_target
from processes import run_python
from read_only import forbid_writing, held_to_permissions

from cvscore._numba import cache as _cache
from cvscore._numba import provenance, stored
from cvscore._numba.compile import kernel

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled without the JIT"
)

CONSTANT = "numerics/probe_constant.py"
KERNEL = """
from cvscore._numba.compile import kernel
from cvscore.numerics.probe_constant import VALUE


@kernel
def probe():
    return VALUE
"""
# Prints what the kernel returns and which layer its code came from.
CALL = """
from cvscore.numerics.probe_kernel import probe
print(probe(), *probe._cache.layers.values())
"""


@pytest.fixture
def function(tmp_path, monkeypatch):
    """A function in a file of its own, with a cache folder of its own."""
    source = tmp_path / "tiny.py"
    source.write_text("def add_one(x):\n    return x + 1\n")
    monkeypatch.setattr(_cache, "folders", lambda: [tmp_path / "cache"])
    monkeypatch.setitem(_cache._state, "warned", False)
    return function_of(source)


def function_of(source):
    specification = importlib.util.spec_from_file_location("tiny", source)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.add_one


@pytest.fixture
def copy(tmp_path):
    """A copy of the package, with a kernel that returns a constant of another file."""
    ignored = shutil.ignore_patterns("__pycache__", "shipped_kernels")
    shutil.copytree(ROOT / "cvscore", tmp_path / "copy" / "cvscore", ignore=ignored)
    package = tmp_path / "copy" / "cvscore"
    (package / CONSTANT).write_text("VALUE = 1\n")
    (package / "numerics/probe_kernel.py").write_text(KERNEL)
    return package


def call(package, script=CALL, **more):
    variables = {"PYTHONPATH": str(package.parent), "NUMBA_CACHE_DIR": None, **more}
    return run_python("-c", script, folder=package.parents[1], **variables)


def was_cached(function):
    """Compile as a new process would, and say whether the cache had it."""
    compiled = kernel(function)
    assert compiled(1) == 2
    return sum(compiled.stats.cache_hits.values()) == 1


def files_in(folder):
    return sorted(Path(folder).rglob(f"*{_cache.ENDING}"))


def test_a_kernel_is_compiled_once(function):
    assert not was_cached(function)
    assert was_cached(function)


def test_a_change_of_its_sources_compiles_a_kernel_anew(
    function, monkeypatch, tmp_path
):
    assert not was_cached(function)
    monkeypatch.setattr(provenance, "sources_of", lambda module: "another version")
    assert not was_cached(function)
    assert was_cached(function)
    assert len(files_in(tmp_path)) == 1  # the old file was replaced


def test_another_function_of_the_same_name_is_compiled(function, tmp_path):
    assert not was_cached(function)
    source = tmp_path / "tiny.py"
    source.write_text("def add_one(x):\n    return 2 + x - 1\n")
    assert not was_cached(function_of(source))


def test_a_constant_of_a_file_without_kernels_is_never_stale(copy):
    assert call(copy).stdout == "1 process\n"
    assert call(copy).stdout == "1 machine\n"
    (copy / CONSTANT).write_text("VALUE = 22\n")
    assert call(copy).stdout == "22 process\n"


@pytest.mark.parametrize(
    ("statement", "other", "is_used"),
    [
        ("from cvscore.numerics.probe_other import NOTHING", "numerics", True),
        ("import cvscore.numerics.probe_other", "numerics", True),
        ("from cvscore.numerics import (\n    probe_other,\n)", "numerics", True),
        ("def later():\n    from cvscore.files.probe_other import N", "files", True),
        ("NAME = 'cvscore.files.probe_other'", "files", False),
    ],
)
def test_what_is_imported_on_the_way_is_a_source(copy, statement, other, is_used):
    """And what is not need not be compiled anew when it is edited."""
    (copy / CONSTANT).write_text(f"{statement}\nVALUE = 1\n")
    edited = copy / other / "probe_other.py"
    edited.write_text("NOTHING = 0\n")
    assert call(copy).stdout == "1 process\n"
    edited.write_text("NOTHING = 1\n")
    assert call(copy).stdout == ("1 process\n" if is_used else "1 machine\n")


def test_the_imports_found_are_those_that_python_finds():
    """The names of modules, found by a pattern, are those of the syntax tree."""
    for name, content in provenance._CONTENTS.items():
        nodes = list(ast.walk(ast.parse(content)))
        modules = {n.module for n in nodes if isinstance(n, ast.ImportFrom)}
        for node in nodes:
            if isinstance(node, ast.Import):
                modules |= {alias.name for alias in node.names}
        ours = {each for each in modules if each.split(".")[0] == "cvscore"}
        expected = {each for module in ours for each in provenance._names_of(module)}
        assert expected <= set(provenance._imported_by(name)), name


def test_an_upgrade_under_a_running_process_leaves_no_old_code(copy):
    upgrade = (
        "from pathlib import Path\n"
        "import cvscore.numerics.probe_kernel\n"
        f"Path({str(copy / CONSTANT)!r}).write_text('VALUE = 22\\n')\n"
    )
    assert call(copy, upgrade + CALL).stdout == "1 process\n"
    assert not files_in(copy)
    assert call(copy).stdout == "22 process\n"
    assert call(copy).stdout == "22 machine\n"


def test_a_module_imported_after_an_upgrade_leaves_no_mixed_code(copy):
    upgrade = (
        "from pathlib import Path\n"
        "import cvscore\n"
        f"Path({str(copy / CONSTANT)!r}).write_text('VALUE = 22\\n')\n"
    )
    assert call(copy, upgrade + CALL).stdout == "22 process\n"
    (copy / CONSTANT).write_text("VALUE = 1\n")
    assert call(copy).stdout == "1 process\n"


def test_in_an_archive_the_stamp_is_that_of_its_files(copy, tmp_path):
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in copy.rglob("*.py"):
            file.write(path, path.relative_to(copy.parent))
    stamp = "from cvscore._numba.provenance import SOURCES\nprint(SOURCES)\n"
    folder = str(tmp_path / "cache")
    given = {"PYTHONPATH": str(archive), "NUMBA_CACHE_DIR": folder}
    first = call(copy, CALL + stamp, **given).stdout
    assert first == f"1 process\n{call(copy, stamp).stdout}"
    assert call(copy, **given).stdout == "1 machine\n"


def test_without_sources_nothing_is_kept(tmp_path, function, monkeypatch):
    (tmp_path / "empty").mkdir()
    assert provenance.read_sources(tmp_path / "empty") == ({}, {})
    assert provenance.stamp_of({}) is None
    monkeypatch.setattr(provenance, "SOURCES", None)
    assert not was_cached(function)
    assert not was_cached(function)
    assert not files_in(tmp_path)


@pytest.mark.parametrize("option", ["BOUNDSCHECK", "OPT", "SLP_VECTORIZE"])
def test_each_setting_of_the_compiler_has_code_of_its_own(
    function, monkeypatch, option
):
    assert not was_cached(function)
    with monkeypatch.context() as patch:
        patch.setattr(numba.config, option, 1)
        assert not was_cached(function)
        assert was_cached(function)
    assert was_cached(function)


@pytest.mark.parametrize(("module", "name"), [("numba", "numba"), ("llvmlite",) * 2])
def test_another_compiler_has_code_of_its_own(function, monkeypatch, module, name):
    assert not was_cached(function)
    monkeypatch.setattr(f"cvscore._numba.provenance.{module}.__version__", "0.1")
    assert not was_cached(function)


@pytest.mark.parametrize("content", [b"", b"junk", b"\x80\x05K\x01.", b"\n\n", b"{}\n"])
def test_a_damaged_file_is_replaced(function, tmp_path, content):
    assert not was_cached(function)
    (path,) = files_in(tmp_path)
    path.write_bytes(content)
    assert not was_cached(function)
    assert was_cached(function)


def test_a_folder_in_place_of_the_file_is_no_error(function, tmp_path):
    assert not was_cached(function)
    (path,) = files_in(tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.warns(RuntimeWarning, match="Is a directory"):
        assert not was_cached(function)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_in_place_of_the_file_is_not_waited_for(function, tmp_path):
    assert not was_cached(function)
    (path,) = files_in(tmp_path)
    path.unlink()
    os.mkfifo(path)
    codegen = cpu_target.target_context.codegen()
    assert _cache.kernels_on_machine(codegen) == set()
    assert not was_cached(function)
    assert was_cached(function)


# Folders and files whose names are no text, or nobody's to read, and pipes.
NAMES = {"latin 1": b"caf\xe9", "utf-8": "café".encode()}


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux")
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_the_package_may_be_anywhere_and_among_anything(copy, tmp_path, name):
    package = tmp_path / os.fsdecode(name) / "cvscore"
    shutil.copytree(copy, package)
    (package / os.fsdecode(name + b".py")).touch()
    (package / "secret.py").touch(mode=0)
    os.mkfifo(package / "pipe.py")
    variables = {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    prefix = held_to_permissions()
    assert call(package, prefix=prefix, **variables).stdout == "1 process\n"
    assert call(package, prefix=prefix, **variables).stdout == "1 machine\n"


def test_no_altered_byte_goes_unseen(function, tmp_path):
    assert not was_cached(function)
    (path,) = files_in(tmp_path)
    right = path.read_bytes()
    assert stored.unpack(right) is not None
    rng = random.Random(0)
    for _ in range(3000):
        content = bytearray(right)
        match rng.randrange(3):
            case 0:  # another byte
                content[rng.randrange(len(content))] ^= rng.randrange(1, 256)
            case 1:  # a missing end
                del content[rng.randrange(len(content)) :]
            case _:  # a hole
                place = rng.randrange(len(content) - 1)
                del content[place : place + rng.randrange(1, 100)]
        assert stored.unpack(bytes(content)) is None


def test_a_full_disk_gives_one_warning_and_the_result(function, monkeypatch):
    def fail(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_cache, "_write", fail)
    with pytest.warns(RuntimeWarning, match=r"No space left.*NUMBA_CACHE_DIR"):
        assert not was_cached(function)
    assert not _cache.is_usable()
    with warnings.catch_warnings(record=True) as seen:
        assert not was_cached(function)
    assert not seen


def test_what_can_be_read_is_used_though_nothing_can_be_written(function, monkeypatch):
    def fail(*arguments):
        raise PermissionError(errno.EACCES, "Permission denied")

    assert not was_cached(function)
    monkeypatch.setattr(_cache, "_write", fail)
    assert was_cached(function)


def test_a_damaged_file_that_cannot_be_replaced_is_passed_by(
    function, tmp_path, monkeypatch
):
    assert not was_cached(function)
    (path,) = files_in(tmp_path)
    path.write_bytes(b"junk")
    other = tmp_path / "other"
    monkeypatch.setattr(_cache, "folders", lambda: [path.parent, other])
    write = _cache._write

    def fail_in_the_first(file, content):
        if file.parent == path.parent:
            raise PermissionError(errno.EACCES, "Permission denied")
        write(file, content)

    monkeypatch.setattr(_cache, "_write", fail_in_the_first)
    assert not was_cached(function)
    assert was_cached(function)
    assert files_in(other)


@pytest.mark.parametrize("place", ["beside the package", "where NUMBA_CACHE_DIR says"])
def test_what_another_user_compiled_is_used(copy, tmp_path, place):
    given = {} if place == "beside the package" else {"NUMBA_CACHE_DIR": tmp_path}
    given = {name: str(folder) for name, folder in given.items()}
    assert call(copy, **given).stdout == "1 process\n"
    (path,) = files_in(tmp_path)
    assert path.stat().st_mode & 0o044 == 0o044  # others may read it
    forbid_writing(tmp_path)
    try:
        done = call(copy, prefix=held_to_permissions(), HOME=str(tmp_path), **given)
        assert (done.stdout, done.stderr) == ("1 machine\n", "")
        path.chmod(0)  # and where not even that is allowed
        done = call(copy, prefix=held_to_permissions(), HOME=str(tmp_path), **given)
        assert done.stdout == "1 process\n"
        assert done.stderr.count("RuntimeWarning") == 1
    finally:
        forbid_writing(tmp_path, forbid=False)


def test_processes_may_compile_at_once(copy):
    environment = {**os.environ, "PYTHONPATH": str(copy.parent)}
    environment.pop("NUMBA_CACHE_DIR")
    several = [
        subprocess.Popen(
            [sys.executable, "-c", CALL],
            cwd=copy.parents[1],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in several:
        with process:
            assert process.communicate()[0].startswith("1 ")
        assert process.returncode == 0
    assert call(copy).stdout == "1 machine\n"
    assert len(list((copy / "__pycache__/kernels").iterdir())) == 1


def test_threads_may_compile_at_once(function):
    compiled = kernel(function)
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(compiled(1))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [2] * 8
    assert len(compiled.signatures) == 1


def test_without_a_writable_folder_there_is_one_warning_and_a_result(copy):
    # A file where each folder would be: even root cannot write into that.
    (copy / "__pycache__").touch()
    variables = dict.fromkeys(("HOME", "XDG_CACHE_HOME"), os.devnull)
    variables["NUMBA_CACHE_DIR"] = f"{os.devnull}/none"
    done = call(copy, **variables)
    assert done.stdout == "1 process\n"
    assert done.stderr.count("RuntimeWarning") == 1
    assert "no writable folder" in done.stderr
    assert "compiling kernels (in every process" in done.stderr
