"""Links to files of the repository: a source file gets a page that shows it.

On the repository's own pages such a link is relative; here it must lead somewhere too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = {".py": "python", ".toml": "toml", ".md": "markdown", ".cff": "yaml"}


class ShowSources(SphinxTransform):
    """Turn downloads of source files into links to their pages."""

    default_priority = 5  # before Sphinx copies what is to be downloaded

    def apply(self, **kwargs: Any) -> None:
        """Replace the links of one document that lead out of docs/."""
        docs = Path(self.env.srcdir)
        folder = Path(self.env.doc2path(self.env.docname)).parent
        downloads = self.document.findall(addnodes.download_reference)
        links = [(node, folder / node["reftarget"]) for node in downloads]
        for node in self.document.findall(addnodes.pending_xref):
            if node["refdomain"] == "doc":
                links.append((node, docs / f"{node['reftarget']}.md"))
        for node, target in links:
            path = target.resolve()
            if path.exists() and not path.is_relative_to(docs):
                node.replace_self(self._link(node, path.relative_to(ROOT).as_posix()))

    def _link(self, node: nodes.Element, name: str) -> nodes.reference:
        self.env.__dict__.setdefault("source_pages", set()).add(name)
        up = "../" * self.env.docname.count("/")
        link = nodes.reference("", "", internal=True, refuri=f"{up}source/{name}.html")
        link += node.children
        return link


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield a page for every file that is linked to."""
    for name in sorted(getattr(app.env, "source_pages", ())):
        path = ROOT / name
        text, language = path.read_text(encoding="utf-8"), LANGUAGES[path.suffix]
        shown = app.builder.highlighter.highlight_block(text, language)
        yield (
            f"source/{name}",
            {"title": name, "body": f"<h1>{name}</h1>{shown}"},
            ("page.html"),
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register both halves."""
    app.add_transform(ShowSources)
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": False}
