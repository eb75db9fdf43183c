"""Where a kernel's code comes from: the wheel, a file of this machine, the compiler.

numba's own cache can be read only by who may write it, runs old code where a constant
of another file has changed, and raises on a damaged file.  Here each kernel is one file
with a checksum.  A file that doesn't fit is as good as none: the kernel is compiled and
the file replaced.  Files are written whole or not at all, so that processes may share
them, and are looked for in every folder, whoever filled it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import uuid
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import config, sigutils
from numba.misc.appdirs import AppDirs

from cvscore._numba import prebuilt, provenance, stored

# The layers of `cvscore info`.
SHIPPED, ON_MACHINE, IN_PROCESS = "shipped", "machine", "process"
ENDING = ".kernel"

_state = {"warned": False}


def folders() -> list[Path]:
    """Return where kernels of this machine are looked for, in this order."""
    package = provenance.PACKAGE
    place = hashlib.sha256(os.fsencode(package)).hexdigest()[:16]
    users = Path(AppDirs(appname="numba", appauthor=False).user_cache_dir)
    given: str = config.CACHE_DIR  # type: ignore[attr-defined, unused-ignore]
    shared = [Path(given), users] if given else [users]
    found = [folder / f"{package.name}_{place}" for folder in shared]
    if package.is_dir():  # not in an archive
        found.insert(len(found) - 1, package / "__pycache__" / "kernels")
    return found


def writable_folder() -> Path | None:
    """Return the folder that the next kernel will be kept in."""
    for folder in folders():
        probe = folder / f"probe.{uuid.uuid4().hex}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            probe.touch()
            probe.unlink()
        except OSError:
            continue
        return folder
    return None


class KernelCache:
    """What numba asks for the code of one kernel, and gives it to."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.for_interpreter = False
        self.layers: dict[str, str] = {}  # that the code came from, by kernel
        self.enable()

    @property
    def cache_path(self) -> str | None:
        """The folder, for numba's statistics."""
        folder = writable_folder()
        return None if folder is None else str(folder)

    def enable(self) -> None:
        """Read and write code, if there are sources that it can be told to be of."""
        self._enabled = provenance.SOURCES is not None

    def disable(self) -> None:
        """Neither read nor write code."""
        self._enabled = False

    flush = disable  # numba's `recompile` asks for it

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function of this signature; None compiles it."""
        if not self._enabled:
            return None
        arguments = _arguments(sig)
        # What the interpreter can call, kernels can as well.
        for for_interpreter in sorted({self.for_interpreter, True}):
            identity = provenance.identity(
                self._function, arguments, for_interpreter=for_interpreter
            )
            for layer, load in ((SHIPPED, prebuilt.load), (ON_MACHINE, _load)):
                found = load(identity, target_context)
                if found is not None and tuple(found.signature.args) == arguments:
                    self.layers[prebuilt.key_of(identity)] = layer
                    return found
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function for the next process."""
        identity = provenance.identity(
            self._function, _arguments(sig), for_interpreter=self.for_interpreter
        )
        self.layers[prebuilt.key_of(identity)] = IN_PROCESS
        # Code made of replaced sources would be kept as if made of the first ones.
        module = self._function.__module__
        as_imported = self._enabled and provenance.sources_are_as_imported(module)
        if as_imported and stored.can_be_stored(data):
            _save(identity, data)


def _arguments(sig: Any) -> tuple[Any, ...]:
    return tuple(sigutils.normalize_signature(sig)[0])


def _load(identity: stored.Header, context: Any) -> Any:
    name = _file_name(identity, context.codegen())
    for folder in folders():
        packed = _content_of(folder / name)
        if packed is None:
            continue
        found = stored.load(packed, identity, context)
        if found is not None:
            return found
    return None


def _content_of(path: Path) -> bytes | None:
    """Return what a file holds; None where there is none, but a pipe, say."""
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:
        return None


def _save(identity: stored.Header, result: Any) -> None:
    name = _file_name(identity, result.codegen)
    packed = stored.dump(result, identity)
    troubles = []
    for folder in folders():
        try:
            _write(folder / name, packed)
        except OSError as error:
            troubles.append(error.strerror)
        else:
            return
    warn_once(f"could not write compiled kernels ({troubles[0]})")


def _file_name(identity: stored.Header, codegen: Any) -> str:
    """Return a name for each kernel, compiler and CPU.

    Not for each version of the sources: the code of the next one replaces the file.
    """
    kernel, for_interpreter = identity["kernel"], identity["for interpreter"]
    _triple, *cpu = codegen.magic_tuple()  # macOS has its version in the triple
    key = json.dumps([kernel, for_interpreter, provenance.compiler(), cpu])
    name = kernel.partition("(")[0].rpartition(".")[2]
    return f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}{ENDING}"


def _write(path: Path, content: bytes) -> None:
    """Write a file that others may read, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{uuid.uuid4().hex}")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    except PermissionError:
        if not (os.name == "nt" and path.exists()):  # another process has it open
            raise
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


def kernels_on_machine(codegen: Any) -> set[str]:
    """Return the names of the kernels that are kept and fit, as their files say."""
    found = set()
    for path in (path for each in folders() for path in each.glob(f"*{ENDING}")):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            if not path.is_file():
                continue
            with path.open("rb") as file:
                _checksum, header = file.readline(), json.loads(file.readline())
            right = header["sources"] == provenance.sources_of(header["module"])
            if right and path.name == _file_name(header, codegen):
                found.add(prebuilt.key_of(header))
    return found


def warn_once(trouble: str) -> None:
    """Say, once per process, that every process will have to compile."""
    if not _state["warned"]:
        _state["warned"] = True
        warnings.warn(
            f"cvscore {trouble}; they will be compiled in every process. Set "
            "NUMBA_CACHE_DIR to a writable folder to avoid this.",
            RuntimeWarning,
            stacklevel=3,
        )


def is_usable() -> bool:
    """Whether kernels can be kept; if not, say so once."""
    if not _state["warned"] and writable_folder() is None:
        warn_once("found no writable folder for compiled kernels")
    return not _state["warned"]
