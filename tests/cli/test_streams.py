"""What becomes of the output: full disks, closed pipes, and names of any bytes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX has them")
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")


def start(*arguments, **streams):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "cvscore", *arguments], env=environment, **streams
    )


@needs_full
@pytest.mark.parametrize("arguments", [["info"], ["info", "--json"]])
def test_a_full_disk_behind_stdout_is_one_line(arguments):
    with FULL.open("w") as full:
        process = start(*arguments, stdout=full, stderr=subprocess.PIPE, text=True)
        _, err = process.communicate()
    assert process.returncode == 1
    assert err == "cvscore: No space left on device\n"


def test_a_closed_pipe_behind_stdout_is_one_line():
    reader, writer = os.pipe()
    os.close(reader)
    process = start("info", stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    _, err = process.communicate()
    assert process.returncode == 1
    assert err == "cvscore: nobody reads the output any more\n"


@needs_full
def test_a_full_disk_and_a_closed_pipe_behind_the_output(views, tmp_path):
    folder, _ = views
    images = [folder / "left.png", folder / "right.jpg"]
    (tmp_path / "full.png").symlink_to(FULL)
    process = start(
        "match", *images, "--json", "--output", tmp_path / "full.png",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    out, err = process.communicate()
    assert process.returncode == 1
    assert err == f"cvscore: {tmp_path / 'full.png'}: No space left on device\n"
    assert json.loads(out)["error"] in err
    os.mkfifo(tmp_path / "pipe.png")
    process = start(
        "match", *images, "--json", "--output", tmp_path / "pipe.png",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    os.close(os.open(tmp_path / "pipe.png", os.O_RDONLY))  # comes, sees, goes
    out, err = process.communicate()
    assert process.returncode == 1
    assert err == f"cvscore: {tmp_path / 'pipe.png'}: Broken pipe\n"
    assert json.loads(out)["error"] in err


def test_closed_streams_and_a_name_of_any_bytes_do_no_harm(views, tmp_path):
    folder, _ = views
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.png")
    process = start(
        "match", folder / "left.png", folder / "right.jpg", "-o", name,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    assert "\\udcff\\udcfe.png" in out
    assert Path(name).stat().st_size > 1000
    script = '"$0" -m cvscore info --json >&- 2>&-'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["sh", "-c", script, sys.executable], env=environment, check=False
    )
    assert done.returncode == 0
