"""The directive ``public-names``: what a module exports, by the package it is from.

A name that is added to ``__all__`` appears in the reference by itself.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

# The packages in the order of the reference; those that are not named come last.
HEADINGS = {
    "estimators": "Estimators",
    "opencv": "Drop-ins for OpenCV",
    "types": "Results and options",
    "scores": "Scores and priors",
    "calibration": "Calibration",
}


class PublicNames(SphinxDirective):
    """Document every name in ``__all__`` of a module, in sections or ``:flat:``."""

    required_arguments = 1
    option_spec: ClassVar = {"flat": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Let autodoc write the names of each package."""
        exported = import_module(self.arguments[0])
        if "flat" in self.options:
            return self._documented(exported, exported.__all__, nodes.container())
        groups: dict[str, list[str]] = {}
        for name in exported.__all__:
            package = _module_of(getattr(exported, name)).split(".")[1]
            groups.setdefault(package, []).append(name)
        found: list[nodes.Node] = []
        for package in [*HEADINGS, *sorted(groups.keys() - HEADINGS.keys())]:
            if package in groups:
                text = HEADINGS.get(package, package.capitalize())
                section = nodes.section(ids=[nodes.make_id(text)])
                section += nodes.title(text, text)
                found += self._documented(exported, groups[package], section)
        return found

    def _documented(
        self, exported: ModuleType, names: list[str], parent: nodes.Element
    ) -> list[nodes.Node]:
        lines: list[str] = []
        # Functions first: they are what people look for.
        for name in sorted(names, key=lambda n: inspect.isclass(getattr(exported, n))):
            documented = getattr(exported, name)
            if inspect.ismodule(documented):
                lines += [f".. py:module:: {exported.__name__}.{name}", ""]
                lines += [
                    f".. autofunction:: {exported.__name__}.{name}.{inner}\n"
                    for inner in documented.__all__
                ]
                continue
            directive = "autoclass" if inspect.isclass(documented) else "autofunction"
            lines += [f".. {directive}:: {exported.__name__}.{name}"]
            # What a score does for the loop is nothing that people call.
            if directive == "autoclass" and not hasattr(documented, "evaluate"):
                lines += ["   :members:"]
            lines += [""]
        place = str(self.env.doc2path(self.env.docname))
        self.state.nested_parse(StringList(lines, source=place), 0, parent)
        return [parent]


def _module_of(documented: Any) -> str:
    """Return the module that a name is from; a module is its own."""
    is_module = inspect.ismodule(documented)
    return str(documented.__name__ if is_module else documented.__module__)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("public-names", PublicNames)
    return {"parallel_read_safe": True}
