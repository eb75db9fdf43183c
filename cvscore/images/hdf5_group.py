"""The arrays of an HDF5 group, from the file itself and from no other.

HDF5 files may refer to others, whatever these hold; a file of matches that somebody
sent must not be able to read one's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Of an array in a file, whatever its declared size: files of matches are far smaller.
MOST_ARRAY_BYTES = 1 << 30


def read_hdf5_group(file: Any, group: str = "") -> dict[str, NDArray[Any]]:
    """Return the arrays of a group of an open ``h5py.File``, by their names.

    Raises a ValueError where there is no such group, where it has no arrays, where an
    array is empty of even a shape, and where the data are in another file.
    """
    node = _subgroup(file, group)
    found = {name: _read(node, name) for name in node if _is_array(node, name)}
    if not found:
        some = ", ".join(list(node)[:5])
        raise ValueError(f"no arrays here, but groups: {some} ...")
    return found


def _subgroup(file: Any, group: str) -> Any:
    import h5py

    node = file
    for part in group.split("/"):
        if part:
            _refuse_external_link(node, part)
            node = node.get(part)
        if not isinstance(node, h5py.Group):
            raise ValueError(f"there is no group {group!r}")
    _refuse_other_file(node, file, group)
    return node


def _is_array(node: Any, name: str) -> bool:
    import h5py

    _refuse_external_link(node, name)
    return isinstance(node.get(name), h5py.Dataset)


def _read(node: Any, name: str) -> NDArray[Any]:
    import h5py

    item = node[name]
    _refuse_other_file(item, node, name)
    if item.external or item.is_virtual:
        raise ValueError(f"the data of {name} are in another file")
    try:
        num_bytes = item.nbytes
    except TypeError:  # of six bytes each, say
        raise ValueError(f"{name} has numbers of a kind that NumPy has not") from None
    if num_bytes > MOST_ARRAY_BYTES:  # which need not be there
        raise ValueError(f"{name} goes on beyond a gigabyte")
    content = item[()]
    if isinstance(content, h5py.Empty):
        raise ValueError(f"{name} is empty: it has no shape")
    return np.asarray(content)


def _refuse_external_link(node: Any, name: str) -> None:
    import h5py

    if isinstance(node.get(name, getlink=True), h5py.ExternalLink):
        raise ValueError(f"{name} is a link to another file")


def _refuse_other_file(item: Any, owner: Any, name: str) -> None:
    """A link within the file may lead over one to another."""
    if item.file.filename != owner.file.filename:
        raise ValueError(f"{name} is in another file")
