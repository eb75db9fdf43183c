"""The guide "your method, your score, your dataset", followed as a newcomer would."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

PAGE = (ROOT / "docs" / "your_own.md").read_text()
FIGURES = re.findall(r"^Figure: `(\S+)`", PAGE, flags=re.M)


def follow(folder):
    """Save the files that the page shows and give its commands, in their order."""
    lines = ["set -e"]
    for kind, block in re.findall(r"```(\w+)\n(.*?)```", PAGE, flags=re.DOTALL):
        if kind == "python":
            name = re.match(r"# (\S+\.py)\n", block).group(1)
            (folder / name).write_text(block)
        else:
            lines.append(block)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", "\n".join(lines)],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=900,
    )


def test_every_step_ends_in_its_figure(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("h5py")
    done = follow(tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(FIGURES) == 4
    for name in FIGURES:
        assert (tmp_path / name).stat().st_size > 10_000
    assert "|  | Tukey | " in done.stdout  # in the table of the loop
    assert re.search(r"^Tukey +\d", done.stdout, flags=re.M)  # and of the paper
    assert "mine" in (tmp_path / "out" / "test-H-easy.jsonl").read_text()
    assert done.stdout.count("next: ") >= 4
