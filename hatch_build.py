"""Put compiled kernels into the wheel: those of the folder CVSCORE_WHEEL_KERNELS.

``.ci/wheel`` fills it.  Without the variable, as when a clone is installed, the wheel
is for every platform, and its kernels are compiled at the first call.
"""

from __future__ import annotations

import os
import platform
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The code has no symbol with a version: the oldest systems that numba is built for.
PLATFORMS = {
    ("linux", "x86_64"): "manylinux_2_17_x86_64",
    ("linux", "aarch64"): "manylinux_2_17_aarch64",
    ("darwin", "arm64"): "macosx_11_0_arm64",
    ("win32", "AMD64"): "win_amd64",
}


class KernelsHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds code that was compiled by the Python that builds the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the folder, and say what the wheel is for."""
        folder = os.environ.get("CVSCORE_WHEEL_KERNELS")
        if not folder or version == "editable":
            return
        build_data["force_include"][folder] = "cvscore/_numba/shipped_kernels"
        build_data["pure_python"] = False
        python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
        abi = python + getattr(sys, "abiflags", "")
        system = PLATFORMS[sys.platform, platform.machine()]
        build_data["tag"] = f"{python}-{abi}-{system}"
