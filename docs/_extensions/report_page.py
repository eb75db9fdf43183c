"""The page that `cvscore match --report` writes, made for play.md when it is built."""

from __future__ import annotations

import io
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

from sphinx.application import Sphinx

from cvscore.cli import main
from cvscore.images.features import write_image
from cvscore.images.rendering import render_pair

SEED = 1  # of the room
RATIO = "0.95"  # permissive, so that there is something to sort out


def write_report(app: Sphinx, error: Exception | None) -> None:
    """Render two views of a room, and let the command write its page about them."""
    if error is not None or app.builder.format != "html":
        return
    pair = render_pair(seed=SEED)
    report = Path(app.outdir) / "_static" / "report.html"
    with tempfile.TemporaryDirectory() as folder:
        names = [str(Path(folder) / name) for name in ("left.png", "right.png")]
        for name, image in zip(names, (pair.image1, pair.image2), strict=True):
            write_image(name, image)
        words = ["match", *names, "--ratio", RATIO, "--model", "fundamental"]
        words += ["--report", str(report), "-o", str(Path(folder) / "matches.png")]
        with redirect_stdout(io.StringIO()):
            status = main(words)
    if status != 0:
        raise RuntimeError("no report")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write it last, when the folder is there."""
    app.connect("build-finished", write_report)
    return {"parallel_read_safe": True}
