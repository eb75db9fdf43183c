"""A compiled kernel as bytes, and back, without what only compiling needs.

numba's own cache keeps the same parts, but a process that reads them waits half a
second.  Here the bitcode is parsed only when a kernel that is compiled links this one.
Environments without constants are left out: nothing reads them, and each imports its
module.  And numba's context is not refreshed: that is for compiling.
"""

from __future__ import annotations

import hashlib
import json
import pickle
from typing import Any

from llvmlite import binding
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from cvscore._numba import linking

Header = dict[str, Any]


def pack(header: Header, content: bytes) -> bytes:
    """Return one string of bytes that shows if any of them was altered."""
    body = json.dumps(header).encode() + b"\n" + content
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def unpack(packed: bytes) -> tuple[Header, bytes] | None:
    """Return header and content; None if a byte of them is not as it was."""
    digest, _, body = packed.partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != digest:
        return None
    header, _, content = body.partition(b"\n")
    return json.loads(header), content


def can_be_stored(result: Any) -> bool:
    """Whether the code holds no address of this process."""
    return not (result.lifted or result.library.has_dynamic_globals)


def dump(result: Any, identity: Header) -> bytes:
    """Return a compiled kernel as bytes."""
    module = result.library._final_module
    library, descriptor, *between, _source, init, environments = result._reduce()
    name, kind, (code, bitcode) = library
    library = name, kind, (code, _names_of(module))
    environments = tuple(each for each in environments if each.consts)
    reduced = library, descriptor, *between, "", init, environments
    symbols = _symbols_needed(module)
    callees = linking.callees_among(symbols)
    is_apart = linking.is_apart(result.library)
    content: bytes = dumps((reduced, bitcode, is_apart, symbols, callees))
    return pack(identity, content)


def load(packed: bytes, identity: Header, context: Any) -> Any:
    """Return the compiled kernel, if these bytes are it and what it calls is here."""
    found = unpack(packed)
    if found is None or found[0] != identity:
        return None
    try:
        reduced, bitcode, is_apart, symbols, callees = pickle.loads(found[1])
    except Exception:  # whatever it refers to is not here: the bytes are right
        return None
    rtsys.initialize(context)
    if not linking.bring(callees):
        return None
    if not _are_here(symbols):
        context.refresh()  # takes 0.4 s, and brings what few kernels need
        if not _are_here(symbols):
            return None
    result = CompileResult._rebuild(context, *reduced)
    if is_apart:
        linking.set_apart(result.library)
    else:
        _parse_when_linked(result.library, bitcode)
    return result


def _names_of(module: Any) -> bytes:
    """Return a module, never run, with the names that the code of another defines."""
    names = [each.name for each in module.functions if not each.is_declaration]
    text = "".join(f'define void @"{name}"() {{ ret void }}\n' for name in names)
    bitcode: bytes = binding.parse_assembly(text).as_bitcode()
    return bitcode


def _symbols_needed(module: Any) -> list[str]:
    """Return what the code takes from the process; numba aborts where it is missing."""
    found = (*module.functions, *module.global_variables)
    names = (each.name for each in found if each.is_declaration)
    return [name for name in names if not name.startswith("llvm.")]


def _are_here(symbols: list[str]) -> bool:
    return all(binding.address_of_symbol(name) for name in symbols)


def _parse_when_linked(library: Any, bitcode: bytes) -> None:
    """Keep the bitcode for kernels compiled here that call this one: 5 ms to parse."""

    def module() -> Any:
        if library._shared_module is None:
            library._shared_module = binding.parse_bitcode(bitcode)
        return library._shared_module

    library._shared_module = None
    library._get_module_for_linking = module
