"""Kernels do not count references to the arrays that they are given.

numba counts every view of an array in and out, atomically: a row of a matrix, taken in
a loop, costs ten nanoseconds, and a fifth of the time of an essential matrix went into
such counting.  But who calls a kernel holds its arguments until it returns, so that no
count of them can reach zero meanwhile.  What a kernel neither returns nor stores it
need not count at all.

The counts are taken out of the optimised code of our kernels, function by function: all
of one argument, or none.  Other functions that numba compiles are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from llvmlite import binding
from numba.core.codegen import CPUCodeLibrary

OUR_PREFIX = "_ZN7cvscore"  # how the names of our functions begin
OUR_FUNCTION = re.compile(
    rf"^define [^\n]*@{OUR_PREFIX}.*?^}}$", re.MULTILINE | re.DOTALL
)
VALUE_NAME = re.compile(r'%(?:"[^"]*"|[\w.$-]+)')
# LLVM writes pointers as ``ptr``, and as ``i8*`` before its version 15.
COUNTING_LINE = re.compile(
    r"^ *(?:tail )?call void @NRT_(?:incref|decref)\((?:ptr|i8\*) [^%]*(%[^)]+)\)"
)
PHI_LINE = re.compile(r"^ *(%\S+) = phi (?:ptr|i8\*) (.*)$")
PHI_VALUE = re.compile(r"\[ ([^,]+), ")
NO_POINTER = {"null", "undef", "poison"}


def count_no_borrowed_arrays() -> None:
    """Let numba compile our kernels so, and the functions of others as before."""
    optimise = CPUCodeLibrary._optimize_final_module

    def optimise_and_borrow(library: Any) -> None:
        optimise(library)
        module = library._final_module
        if not any(
            function.name.startswith(OUR_PREFIX) for function in module.functions
        ):
            return
        text = str(module)
        borrowing = OUR_FUNCTION.sub(lambda found: without_counts(found[0]), text)
        if borrowing != text:
            library._final_module = binding.parse_assembly(borrowing)
            library._final_module.name = module.name

    replaced = "_optimize_final_module"
    setattr(CPUCodeLibrary, replaced, optimise_and_borrow)


def without_counts(function: str) -> str:
    """Return a function, in LLVM's language, that counts no borrowed argument."""
    lines = function.split("\n")
    if not any(COUNTING_LINE.match(line) for line in lines):
        return function
    borrowed = _borrowed_names(lines)

    def is_needed(line: str) -> bool:
        count = COUNTING_LINE.match(line)
        return count is None or count[1] not in borrowed

    return "\n".join(filter(is_needed, lines))


def _borrowed_names(lines: list[str]) -> set[str]:
    """Return the names whose counts can go: arguments, and choices among these.

    A name stays if it is only counted, compared, passed on to other functions, which
    borrow it in their turn, or chosen between (phi) where the choice stays as well.
    """
    values = {
        phi[1]: PHI_VALUE.findall(phi[2])
        for line in lines
        if (phi := PHI_LINE.match(line))
    }
    users: dict[str, list[str]] = {}
    for line in lines[1:]:
        for name in VALUE_NAME.findall(line):
            users.setdefault(name, []).append(line)
    borrowed = {*VALUE_NAME.findall(lines[0]), *values}

    def stays(name: str) -> bool:
        known = borrowed | NO_POINTER
        return known.issuperset(values.get(name, ())) and all(
            _borrows(line, borrowed) for line in users.get(name, ())
        )

    return _largest_fixed_set(borrowed, stays)


def _borrows(line: str, borrowed: set[str]) -> bool:
    """Whether a line neither keeps what it uses, nor mixes it with what is owned."""
    phi = PHI_LINE.match(line)
    if phi is not None:
        return phi[1] in borrowed
    return " call " in line or " icmp " in line


def _largest_fixed_set(names: set[str], stays: Callable[[str], bool]) -> set[str]:
    """Take out what does not stay until all do, in place."""
    while leaving := {name for name in names if not stays(name)}:
        names -= leaving
    return names
