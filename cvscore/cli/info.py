"""``cvscore info``: versions, and where the code of each kernel comes from."""

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
# Where code comes from: the wheel, files of this machine, the compiler just now.
LAYERS = ("shipped", "machine", "process")
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
        "info", help="versions, and where compiled kernels are", description=__doc__
    )
    parser.add_argument(
        "--kernels", action="store_true", help="name each kernel and its layer"
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print what is installed and where."""
    content = collect()
    if options.json:
        print_json(content)
        return
    kernels = content.pop("kernels")
    for name, value in content.items():
        print(f"{name:12} {value or 'not installed'}")
    for line in _lines_about(kernels):
        print(line)
    if options.kernels:
        for name, layer in sorted(kernels["layers"].items()):
            print(f"{layer:12} {name}")


def _lines_about(kernels: dict[str, Any]) -> list[str]:
    shipped, machine, process = (kernels[layer] for layer in LAYERS)
    trouble = f" ({shipped['trouble']})" if shipped["trouble"] else ""
    folder = machine["folder"] or "none: no writable folder"
    return [
        f"{'kernels':12} {shipped['kernels']} shipped{trouble}",
        f"{'':12} {machine['kernels']} kept on this machine",
        f"{'':12} {process['kernels']} compiled in this process",
        f"{'cache':12} {folder}",
    ]


def collect() -> dict[str, Any]:
    """Return names with versions (None where not installed), and the kernels."""
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
    content["kernels"] = kernel_layers()
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


def kernel_layers() -> dict[str, Any]:
    """Return which layer each kernel comes from, or came from in this process.

    A kernel is named with the types of its arguments; those that are compiled into the
    code of others are not listed.
    """
    from numba.core.registry import cpu_target

    from cvscore._numba import cache, prebuilt
    from cvscore._numba.compile import kernels

    codegen = cpu_target.target_context.codegen()
    shipped = prebuilt.find(codegen)
    layers = dict.fromkeys(cache.kernels_on_machine(codegen), cache.ON_MACHINE)
    layers |= dict.fromkeys(shipped.places, cache.SHIPPED)
    for kernel in kernels:
        layers |= kernel._cache.layers
    content: dict[str, Any] = {
        name: {"kernels": list(layers.values()).count(name)} for name in LAYERS
    }
    folder = cache.writable_folder()
    content["shipped"] |= {"folder": str(prebuilt.folder()), "trouble": shipped.trouble}
    content["machine"] |= {"folder": None if folder is None else str(folder)}
    return content | {"layers": layers}
