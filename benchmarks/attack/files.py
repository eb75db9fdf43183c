"""Files of matches and pictures, as matchers and cameras write them and worse."""

from __future__ import annotations

import io
from typing import Any

import cv2
import h5py
import numpy as np
from numpy.typing import NDArray

from benchmarks.attack.containers import Rng

PICTURES = (".png", ".jpg", ".bmp", ".webp", ".pgm")
DEPTHS = {".png": (np.uint8, np.uint16), ".pgm": (np.uint8, np.uint16)}
CHANNELS = {".png": (1, 3, 4), ".webp": (3, 4), ".jpg": (1, 3), ".bmp": (1, 3, 4)}
# Rows that a file says it has: no bytes are stored for them.
DECLARED = (10**4, 10**12, 2**62 // 16)


def hdf5_file(rng: Rng, x1: Any, x2: Any) -> bytes:
    """Return an HDF5 file of matches; empty where they are nothing it could hold."""
    file = io.BytesIO()
    try:
        with h5py.File(file, "w") as content:
            content["x2"] = np.asarray(x2)
            if rng.random() < 0.5:
                content["x1"] = np.asarray(x1)
            else:
                _write_odd(rng, content, np.asarray(x1))
    except Exception:  # no array, or none that HDF5 has a type for
        return b""
    return file.getvalue()


def _write_odd(rng: Rng, file: Any, x1: NDArray[Any]) -> None:
    """Write something else under the name x1."""
    kind = int(rng.integers(9))
    if kind == 0:
        file["x1"] = h5py.SoftLink("/x1")
    elif kind == 1:
        file["there"] = x1
        file["x1"] = h5py.SoftLink("/there")
    elif kind == 2:
        file["x1"] = h5py.ExternalLink("matches.h5", "/x2")
    elif kind == 3:
        layout = h5py.VirtualLayout(x1.shape, x1.dtype)
        layout[:] = h5py.VirtualSource(".", "x1", x1.shape)
        file.create_virtual_dataset("x1", layout)
    elif kind == 4:
        file["x1"] = np.zeros(len(x1), dtype=[("x", float), ("y", float)])
    elif kind == 5:
        num = int(rng.choice(DECLARED))
        file.create_dataset("x1", (num, 2), "f8", chunks=(100, 2))
    elif kind == 6:
        file["x1"] = h5py.Empty("f8")
    elif kind == 7:
        file.create_group("x1")
    else:
        file.create_dataset("x1", (len(x1),), h5py.vlen_dtype("f8"))


def picture_texture(rng: Rng) -> NDArray[Any]:
    """Return something to see, of any size down to a pixel."""
    height, width = np.minimum(rng.geometric(0.02, 2), 160).tolist()
    grey = cv2.GaussianBlur(rng.uniform(0.0, 255.0, (height, width)), (0, 0), 1.5)
    return np.asarray(grey).reshape(height, width)


def picture_file(rng: Rng, ending: str, grey: NDArray[Any], shift: int) -> bytes:
    """Return it as a file, moved by some pixels, in any depth and number of channels.

    Empty where OpenCV has no such file.
    """
    depths = DEPTHS.get(ending, (np.uint8,))
    depth = depths[int(rng.integers(len(depths)))]
    channels = int(rng.choice(CHANNELS.get(ending, (1,))))
    factor = np.iinfo(depth).max / 255.0
    moved = (np.roll(grey, shift, axis=1) * factor).astype(depth)
    picture = np.dstack([moved] * channels) if channels > 1 else moved
    try:
        return bytes(cv2.imencode(ending, picture)[1])
    except cv2.error:
        return b""
