"""Files that are written whole or not at all.

A crash, a full disk or an interrupt leaves what was there before.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Yield the name of a new file that becomes ``path`` when all went well.

    The new file is in the same folder, which is made where it is missing, and has the
    same ending.  Links are followed.  What is no regular file, such as a pipe, can't be
    replaced: it is written to when the new file is complete.

    Raises
    ------
    OSError
        Where the file can't be written; its ``filename`` is ``path``.
    """
    target = Path(os.path.realpath(path))
    replaceable = target.is_file() or not target.exists()
    folder = target.parent if replaceable else Path(_temporary_folder())
    part = folder / f".cvscore-{secrets.token_hex(8)}{target.suffix}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_file():
            target.open("ab").close()  # what may not be written is not replaced either
        yield part
        if replaceable:
            _replace(target, part)
        else:
            with part.open("rb") as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(error.errno or 0, reason, str(path)) from error
    finally:
        with suppress(OSError):  # the first error says what happened
            part.unlink(missing_ok=True)


def _replace(target: Path, part: Path) -> None:
    with part.open("rb+") as file:
        os.fsync(file.fileno())  # else a crash may leave the name without the content
    if target.exists():
        shutil.copymode(target, part)
    part.replace(target)


def _temporary_folder() -> str:
    import tempfile

    return tempfile.gettempdir()
