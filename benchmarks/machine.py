"""What a time was measured with: versions, processor, commit."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.folders import ROOT


def describe_run(packages: Iterable[str], **settings: Any) -> dict[str, Any]:
    """Describe the machine and the settings; equal descriptions have equal ids."""
    description = {
        **settings,
        "commit": commit(),
        "cpu": _cpu(),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in sorted(set(packages))},
    }
    text = json.dumps(description, sort_keys=True)
    return {"run": hashlib.sha256(text.encode()).hexdigest()[:8], **description}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _cpu() -> str:
    """Return the processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    return names[0] if names else platform.machine()


def commit() -> str:
    """Return the checkout's commit, with "+" if the package differs from it."""
    try:
        head = _git("rev-parse", "--short=10", "HEAD")
        return head + ("+" if _git("status", "--porcelain", "--", "cvscore") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
