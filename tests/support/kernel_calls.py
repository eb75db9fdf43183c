"""Which kernels the package has, read from its sources, and which of them have run."""

import ast
import sys
from contextlib import contextmanager
from pathlib import Path

from conftest import ROOT

DECORATORS = {
    "kernel",
    "brief_kernel",
    "bound_kernel",
    "brief_bound_kernel",
    "reordering_kernel",
}
PACKAGE = ROOT / "cvscore"


def names_of_decorators(function):
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        yield getattr(called, "id", getattr(called, "attr", ""))


def kernels_of_sources():
    """Every function of the package with a decorator of kernels: (file, name)."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and DECORATORS & {
                *names_of_decorators(node)
            }:
                found.add((path, node.name))
    return found


def in_words(kernels):
    """Kernels as ``folder/file.py: name``, sorted."""
    return sorted(f"{path.relative_to(PACKAGE)}: {name}" for path, name in kernels)


@contextmanager
def recorded_calls(codes):
    """Add the code of every function that is called meanwhile to a set."""

    def on_call(frame, event, argument):
        codes.add(frame.f_code)

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        yield
    finally:
        sys.settrace(before)


def kernels_of_codes(codes):
    """Functions of the package among codes: (file, name)."""
    pairs = {(Path(code.co_filename), code.co_name) for code in set(codes)}
    return {(path, name) for path, name in pairs if path.is_relative_to(PACKAGE)}
