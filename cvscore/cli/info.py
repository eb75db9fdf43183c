"""``cvscore info``: versions, and where compiled kernels are kept."""

from __future__ import annotations

import argparse
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from cvscore.cli.options import add_json_option, print_json

# Installed names of what the package uses; the second list is optional.
REQUIRED = ("numpy", "scipy", "numba", "llvmlite")
OPTIONAL = ("matplotlib", "h5py", "pycolmap")
# Several distributions provide the module cv2.
OPENCV_BUILDS = (
    "opencv-python",
    "opencv-contrib-python",
    "opencv-python-headless",
    "opencv-contrib-python-headless",
)


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "info", help="versions and the cache folder", description=__doc__
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print what is installed and where."""
    content = collect()
    if options.json:
        print_json(content)
        return
    cache = content.pop("cache")
    for name, value in content.items():
        print(f"{name:12} {value or 'not installed'}")
    print(f"{'cache':12} {cache['folder'] or 'none: no writable folder'}")
    print(f"{'':12} {cache['compiled']} of {cache['kernels']} kernels compiled")


def collect() -> dict[str, Any]:
    """Return names with versions (None where not installed), and the cache."""
    import cvscore

    content: dict[str, Any] = {
        "cvscore": cvscore.__version__,
        "installed in": str(Path(cvscore.__file__).parent),
        "python": platform.python_version(),
        "platform": platform.platform(),
    }
    content |= {name: _version(name) for name in REQUIRED}
    content["opencv"] = _opencv()
    content |= {name: _version(name) for name in OPTIONAL}
    content["cache"] = _cache_state()
    return content


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _opencv() -> str | None:
    """Return the version of the module, and the builds that may provide it."""
    try:
        import cv2
    except ImportError:
        return None
    builds = [name for name in OPENCV_BUILDS if _version(name)]
    return f"{cv2.__version__} ({', '.join(builds) or 'not from a package index'})"


def _cache_state() -> dict[str, Any]:
    from cvscore._numba.compile import kernels

    caches = [kernel._cache for kernel in kernels if kernel._cache.cache_path]
    files = [Path(cache._cache_file._index_path) for cache in caches]
    folders = sorted({Path(cache.cache_path).parent for cache in caches})
    return {
        "folder": str(folders[0]) if folders else None,
        "kernels": len(kernels),
        "compiled": sum(file.exists() for file in files),
    }
