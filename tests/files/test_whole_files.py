"""Files are written whole or not at all, and only where that was asked for."""

import os
import stat
import sys
from pathlib import Path

import numpy as np
import pytest
from processes import run_python

from cvscore.files.whole_files import written_whole
from cvscore.images.features import write_image

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX has them")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_and_its_folders_appear_when_all_is_written(tmp_path):
    path = tmp_path / "a" / "b.txt"
    with written_whole(path) as part:
        part.write_text("one")
        assert part.parent == path.parent
        assert part.suffix == path.suffix
        assert not path.exists()
    assert path.read_text() == "one"
    with written_whole(path) as part:
        part.write_text("two")
        assert path.read_text() == "one"
    assert path.read_text() == "two"
    assert names(path.parent) == ["b.txt"]


@pytest.mark.parametrize(
    "error", [OSError(28, "No space"), KeyboardInterrupt, KeyError]
)
def test_what_fails_leaves_what_was_there(tmp_path, error):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail():
        with written_whole(path) as part:
            part.write_text("half of the ne")
            raise error

    with pytest.raises(error if isinstance(error, type) else OSError):
        fail()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_an_error_names_the_file_that_was_asked_for(tmp_path):
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "a.txt"
    with pytest.raises(OSError) as caught, written_whole(path):
        pass
    assert caught.value.filename == str(path)


@posix
def test_permissions_are_those_of_the_old_file_or_the_usual_ones(tmp_path):
    for path, mode in ((tmp_path / "new", None), (tmp_path / "old", 0o604)):
        if mode is not None:
            path.touch()
            path.chmod(mode)
        usual = tmp_path / "usual"
        usual.touch()
        with written_whole(path) as part:
            part.write_text("x")
        expected = stat.S_IMODE(usual.stat().st_mode) if mode is None else mode
        assert stat.S_IMODE(path.stat().st_mode) == expected


@posix
def test_links_are_followed_and_devices_stay(tmp_path):
    (tmp_path / "target").write_text("old")
    link = tmp_path / "link"
    link.symlink_to("target")
    with written_whole(link) as part:
        part.write_text("new")
    assert link.is_symlink()
    assert (tmp_path / "target").read_text() == "new"
    with written_whole("/dev/null") as part:
        part.write_text("x")
    assert Path("/dev/null").is_char_device()
    if Path("/dev/full").exists():
        with pytest.raises(OSError, match="No space left") as caught:
            write_to_full_disk(b"x")
        assert caught.value.filename == "/dev/full"
        assert Path("/dev/full").is_char_device()


def write_to_full_disk(data):
    with written_whole("/dev/full") as part:
        part.write_bytes(data)


@posix
def test_a_name_that_is_not_utf8(tmp_path):
    path = tmp_path / os.fsdecode(b"a\xff.png")
    write_image(path, np.zeros((8, 8), np.uint8))
    assert path.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="pictures end in"):
        write_image(tmp_path / os.fsdecode(b"a.p\xffng"), np.zeros((8, 8), np.uint8))


LIMITED = """
import resource, signal, sys
import numpy as np
from cvscore.images.features import write_image
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
noise = np.random.default_rng(0).integers(0, 255, (99, 99), dtype=np.uint8)
try:
    write_image(sys.argv[1], noise)
except OSError as error:
    print(error.filename)
"""


@posix
def test_a_disk_that_is_full_halfway_leaves_the_old_picture(tmp_path):
    path = tmp_path / "a.png"
    path.write_text("old")
    done = run_python("-c", LIMITED, path)
    assert done.stdout.strip() == str(path)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.png"]
