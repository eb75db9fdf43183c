"""Fixtures, and a folder for compiled kernels."""

import os
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent


# Before cvscore is imported: numba reads the variable when it is itself imported.
if "NUMBA_CACHE_DIR" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = str(ROOT / ".numba_cache")


if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
    # Compiled, 0/0 is NaN and an overflow wraps; interpreted, NumPy warns of them too.
    np.seterr(all="ignore")


def pytest_sessionstart(session):
    import after_warmup
    import checked_entries
    from numba.core import event

    checked_entries.check_entries()
    if after_warmup.is_asked_for():
        session.compiled = after_warmup.Listener(ROOT / "cvscore")
        event.register("numba:compile", session.compiled)


def pytest_sessionfinish(session):
    if getattr(session, "compiled", None) and session.compiled.found:
        print(
            "\ncompiled though `cvscore warmup` was run:",
            *session.compiled.found,
            sep="\n",
        )
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def rng():
    return np.random.default_rng(20261116)


@pytest.fixture
def path(tmp_path):
    """Where a test may put a database."""
    return tmp_path / "database.db"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def views(tmp_path_factory):
    """Two rendered views on disk, and the truth about them."""
    import cv2

    from cvscore.images.rendering import render_pair

    folder = tmp_path_factory.mktemp("views")
    pair = render_pair(0, width=400, height=300)
    cv2.imwrite(str(folder / "left.png"), pair.image1)
    cv2.imwrite(str(folder / "right.jpg"), pair.image2)
    return folder, pair


def shared_data():
    """The folder of real image pairs, or None where it is not there."""
    folder = Path(os.environ.get("CVSCORE_DATA", ROOT.parent / "shared" / "data"))
    return folder if folder.is_dir() else None


needs_shared_data = pytest.mark.skipif(
    shared_data() is None, reason="the real pairs (../shared/data) are not here"
)
