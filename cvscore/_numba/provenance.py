"""What compiled code is made from, beside the kernel itself.

Code is taken from a file only if all of this is the same here as where it was compiled.
A kernel holds constants and code of other files too, so its sources are its own file
and all that this one imports, directly or not.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core import config
from numba.core.serialize import dumps

PACKAGE = Path(__file__).parents[1]
ENDINGS = (".py", ".pyc")  # the second where only compiled sources were installed

# What numba's configuration changes in the code.
_OPTIONS = (
    "OPT",
    "BOUNDSCHECK",
    "DEBUGINFO_DEFAULT",
    "DEBUG_NRT",
    "EXTEND_VARIABLE_LIFETIMES",
    "JIT_COVERAGE",
    "LLVM_REFPRUNE_FLAGS",
    "LLVM_REFPRUNE_PASS",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
)


def _sources(folder: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield names and files, of a folder or of an archive that was imported from."""
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _sources(entry, f"{name}{entry.name}/")
        elif entry.name.endswith(ENDINGS):
            yield f"{name}{entry.name}", entry


def _state_of(path: Path) -> tuple[int, ...] | None:
    """Return what changes when a file is replaced, whatever its dates say."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def read_sources(package: Path) -> tuple[dict[str, bytes], dict[Path, Any]]:
    """Return all sources by name, and the files to watch for a change of them.

    None of them where there is nothing to tell one version from another.
    """
    in_archive = not package.is_dir()
    try:
        root = importlib.resources.files("cvscore") if in_archive else package
        found = sorted(_sources(root))
    except (OSError, TypeError):  # frozen into a program, say
        found = []
    if not found:
        return {}, {}
    files = [Path(str(file)) for _, file in found]
    if in_archive:  # some folder above is a file
        files = [path for path in package.parents if path.is_file()]
    states = {path: _state_of(path) for path in files}
    return {name: _content_of(file) for name, file in found}, states


def _content_of(file: Any) -> bytes:
    """Return what a source holds: nothing, if it is a link to nowhere or not ours."""
    try:
        content: bytes = file.read_bytes() if file.is_file() else b""
    except PermissionError:
        return b""
    return content


def stamp_of(contents: dict[str, bytes]) -> str | None:
    """Return a hash of sources and their names; None without any."""
    digest = hashlib.sha256()
    for name, content in sorted(contents.items()):
        digest.update(os.fsencode(f"{name} {len(content)}\n"))
        digest.update(content)
    return digest.hexdigest() if contents else None


# Once, at import: an upgrade may replace the files under a running process.
_CONTENTS, _STATES = read_sources(PACKAGE)
SOURCES = stamp_of(_CONTENTS)


@cache
def sources_of(module: str) -> str | None:
    """Return a hash of a module and of all modules of ours that it imports.

    Of the whole package for a module that is not ours, or whose source is not here.
    """
    return stamp_of({name: _CONTENTS[name] for name in _used_by(module)})


@cache
def _used_by(module: str) -> frozenset[str]:
    """Return the names of the sources of a module, as for `sources_of`."""
    names = _names_of(module)
    if len(names) != 1 or not names[0].endswith(".py"):
        return frozenset(_CONTENTS)
    used, found = set(names), names
    while found:
        imported = {each for name in found for each in _imported_by(name)}
        found = sorted(imported - used)
        used |= imported
    return frozenset(used)


# At any indentation.  The names that follow need not be read: where they are imported
# from a package, any of its modules may be meant, and all are taken.
_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([\w.]+)", re.MULTILINE)


@cache
def _imported_by(name: str) -> list[str]:
    imported = {match.decode() for match in _IMPORT.findall(_CONTENTS[name])}
    return [each for module in imported for each in _names_of(module)]


def _names_of(module: str) -> list[str]:
    """Return the source of a module; of a package, those of all its modules."""
    top, *path = module.split(".")
    if top != PACKAGE.name:
        return []
    place = "/".join(path)
    if f"{place}.py" in _CONTENTS:
        return [f"{place}.py"]
    folder = f"{place}/" if place else ""
    return [name for name in _CONTENTS if name.startswith(folder)]


def sources_are_as_imported(module: str) -> bool:
    """Whether no source of a module was replaced since the package was imported."""
    used = {PACKAGE / name for name in _used_by(module)}
    watched = used & _STATES.keys() or _STATES.keys()  # or the archive that has all
    return all(_state_of(path) == _STATES[path] for path in watched)


def compiler() -> dict[str, Any]:
    """Return all that the code depends on beside sources and CPU, in terms of JSON."""
    options = {name: getattr(config, name, None) for name in _OPTIONS}
    return {
        "python": [sys.implementation.cache_tag, getattr(sys, "abiflags", "")],
        "platform": sys.platform,
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "options": {name: str(value) for name, value in options.items()},
    }


def name_of(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """Return the name of a kernel for these types: the same in every process."""
    types = ", ".join(map(str, arguments))
    return f"{function.__module__}.{function.__qualname__}({types})"


def identity(
    function: Any, arguments: tuple[Any, ...], *, for_interpreter: bool
) -> dict[str, Any]:
    """Return what must be written on code for it to be taken for that of a kernel."""
    return {
        "kernel": name_of(function, arguments),
        "for interpreter": for_interpreter,
        "body": _body_of(function),
        "module": function.__module__,
        "sources": sources_of(function.__module__),
    }


def _body_of(function: Any) -> str:
    """Return a hash of the function itself; of its file too, if that is not ours."""
    digest = hashlib.sha256(function.__code__.co_code)
    if function.__closure__:
        digest.update(dumps([cell.cell_contents for cell in function.__closure__]))
    if function.__module__.split(".")[0] != PACKAGE.name:
        file = Path(function.__code__.co_filename)
        digest.update(file.read_bytes() if file.is_file() else os.urandom(16))
    return digest.hexdigest()
