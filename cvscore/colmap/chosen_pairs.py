"""Which pairs of a database are to be verified, and why others are not."""

from __future__ import annotations

import os
from pathlib import Path

from cvscore.colmap.inventory import ImagePair, Inventory
from cvscore.colmap.summary import VerificationSummary


def pairs_to_verify(
    inventory: Inventory,
    pairs_path: str | os.PathLike[str] | None,
    summary: VerificationSummary,
    *,
    overwrite: bool,
) -> list[ImagePair]:
    """Choose the pairs, and count those that were not chosen."""
    if pairs_path is None:
        pairs = inventory.pairs
        if inventory.num_self_pairs:
            summary.skipped["image with itself"] = inventory.num_self_pairs
    else:
        pairs = _read_pairs(Path(pairs_path), inventory, summary)
    for table, count in inventory.num_unnumbered.items():
        if count:
            summary.damaged[f"{count} of {table}"] = "no number in place of the id"
    summary.num_pairs = len(pairs)
    if not overwrite:
        pairs = _without_geometry(pairs, inventory, summary)
    summary.num_reversed = sum(pair in inventory.reversed_pairs for pair in pairs)
    return pairs


def _without_geometry(
    pairs: list[ImagePair], inventory: Inventory, summary: VerificationSummary
) -> list[ImagePair]:
    """Leave out the pairs that have a geometry, and name those that have a bad one."""
    new = [pair for pair in pairs if pair not in inventory.verified]
    damaged = [pair for pair in pairs if pair in inventory.damaged_geometries]
    for i, j in damaged:
        row = f"two-view geometry of images {i} and {j}"
        summary.damaged[row] = "it can't be read; overwriting would replace it"
        summary.skipped["damaged two-view geometry"] += 1
    summary.num_kept = len(pairs) - len(new) - len(damaged)
    return new


def _read_pairs(
    path: Path, inventory: Inventory, summary: VerificationSummary
) -> list[ImagePair]:
    """Read pairs of image names, in either order, each of them once."""
    matched = set(inventory.pairs)
    chosen: set[ImagePair] = set()
    # Names of files need not be UTF-8.
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    for number, line in enumerate(text.splitlines(), start=1):
        names = line.split()
        if not names or names[0].startswith("#"):
            continue
        if len(names) != 2:
            raise ValueError(
                f"{path}, line {number}: two image names, got {line[:80]!r}"
            )
        ids = [inventory.image_ids.get(name) for name in names]
        if ids[0] is None or ids[1] is None:
            summary.skipped["name of no image"] += 1
        elif ids[0] == ids[1]:
            summary.skipped["image with itself"] += 1
        elif (pair := (min(ids[0], ids[1]), max(ids[0], ids[1]))) not in matched:
            summary.skipped["no matches"] += 1
        else:
            chosen.add(pair)
    return sorted(chosen)
