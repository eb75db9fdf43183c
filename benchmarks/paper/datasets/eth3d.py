"""ETH3D, high resolution, multi view: calibration, depth maps, and given matches.

    <scene>/dslr_calibration_undistorted/{cameras,images}.{txt,bin}   COLMAP's model
    <scene>/dslr_calibration_jpg/{cameras,images}.{txt,bin}           of the depth maps
    <scene>/ground_truth_depth/dslr_images/<image>                    see `depth`

Matches come from outside (`hloc`).  Right matches are those on which the depth maps
agree; a scene without maps has none that are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from pathlib import Path

import numpy as np

from benchmarks.paper.datasets.colmap_model import (
    ModelCamera,
    ModelImage,
    SparseModel,
    read_model,
)
from benchmarks.paper.datasets.depth import consistent, depth_at, read_depth
from benchmarks.paper.datasets.hloc import FlatMatches, HlocMatches, Matches
from benchmarks.paper.datasets.pairs import (
    DataError,
    PairKey,
    PaperPair,
    check_intrinsics,
)
from cvscore.types import Array, Mask

UNDISTORTED, DISTORTED = "dslr_calibration_undistorted", "dslr_calibration_jpg"
DEPTHS = Path("ground_truth_depth") / "dslr_images"
# COLMAP's pixel centres are at (0.5, 0.5), those of OpenCV and of matchers at (0, 0).
HALF_PIXEL = 0.5
# Common points of a pair, as in the published loaders.
MIN_COVISIBLE = 500


@dataclass(frozen=True)
class Eth3d:
    """The scenes below ``root``.

    Parameters
    ----------
    root : Path
        The folder of the scenes.
    matches : HlocMatches or FlatMatches
        For all scenes; "{scene}" in a path stands for the name of the scene.
    min_covisible : int
        Pairs with fewer common points of the sparse model are left out.
    """

    root: Path
    matches: HlocMatches | FlatMatches
    min_covisible: int = MIN_COVISIBLE

    def keys(self) -> list[PairKey]:
        """List the pairs with enough in common, whether they were matched or not."""
        scenes = [
            path.parent.name for path in sorted(self.root.glob(f"*/{UNDISTORTED}"))
        ]
        if not scenes:
            raise DataError(f"{self.root} holds no */{UNDISTORTED}")
        found = []
        for scene in scenes:
            images = self._images(scene)
            seen = {stem: set(ids_of(image)) for stem, image in images.items()}
            found += [
                PairKey(scene, f"{one}-{two}")
                for one, two in combinations(sorted(images), 2)
                if len(seen[one] & seen[two]) >= self.min_covisible
            ]
        return found

    def load(self, key: PairKey) -> PaperPair:
        """Read one pair; one that was not matched has no matches."""
        folder = self.root / key.scene
        model = read_model(folder / UNDISTORTED)
        images = self._images(key.scene)
        stems = key.name.split("-")
        if len(stems) != 2 or not set(stems) <= set(images):
            raise DataError(f"{folder / UNDISTORTED} has no images {key.name!r}")
        one, two = (images[stem] for stem in stems)
        K1, K2 = (
            intrinsics(model.cameras[image.camera], f"{folder / UNDISTORTED}: cameras")
            for image in (one, two)
        )
        found = self._read_matches(key.scene, one.name, two.name)
        R = two.R @ one.R.T
        t = two.t - R @ one.t
        return PaperPair(
            key=key,
            x1=found.x1,
            x2=found.x2,
            K1=K1,
            K2=K2,
            R=R,
            t=t,
            confidence=found.confidence,
            is_inlier=self._right_matches(folder, stems, found, K1, K2, R, t),
        )

    def _images(self, scene: str) -> dict[str, ModelImage]:
        """Return the images of a scene by the stem of their files."""
        images = read_model(self.root / scene / UNDISTORTED).images.values()
        return {Path(image.name).stem: image for image in images}

    def _read_matches(self, scene: str, name1: str, name2: str) -> Matches:
        paths = {
            name: Path(str(path).replace("{scene}", scene))
            for name, path in vars(self.matches).items()
        }
        found = type(self.matches)(**paths).read(name1, name2)
        empty = np.empty((0, 2))
        return Matches(empty, empty, np.empty(0)) if found is None else found

    def _right_matches(
        self,
        folder: Path,
        stems: list[str],
        found: Matches,
        K1: Array,
        K2: Array,
        R: Array,
        t: Array,
    ) -> Mask | None:
        if not (folder / DEPTHS).is_dir():
            return None
        distorted = read_model(folder / DISTORTED)
        rays = [_rays(x, K) for x, K in ((found.x1, K1), (found.x2, K2))]
        depths = [
            depth_at(*_depth_map(folder, distorted, stem), ray)
            for stem, ray in zip(stems, rays, strict=True)
        ]
        return consistent(*rays, *depths, R, t)


def ids_of(image: ModelImage) -> Array:
    """Return the 3-D points that an image sees."""
    return image.point_ids[image.point_ids >= 0]


def intrinsics(camera: ModelCamera, where: str) -> Array:
    """Return K (3, 3) of a pinhole camera for OpenCV's pixel centres."""
    if camera.model != "PINHOLE":
        raise DataError(f"{where} must be PINHOLE, got {camera.model}")
    fx, fy, cx, cy = camera.params
    K = np.array([[fx, 0, cx - HALF_PIXEL], [0, fy, cy - HALF_PIXEL], [0, 0, 1.0]])
    return check_intrinsics(K, where)


def _rays(x: Array, K: Array) -> Array:
    return (x - K[:2, 2]) / np.diag(K)[:2]


# An image is in many pairs, and its map has a hundred megabytes.
@lru_cache(maxsize=4)
def _cached_depth(path: Path, stem: str, width: int, height: int) -> Array:
    return read_depth(path, ModelCamera("PINHOLE", width, height, np.empty(0)))


def _depth_map(
    folder: Path, distorted: SparseModel, stem: str
) -> tuple[Array, ModelCamera]:
    for image in distorted.images.values():
        if Path(image.name).stem == stem:
            camera = distorted.cameras[image.camera]
            path = folder / DEPTHS / Path(image.name).name
            return _cached_depth(path, stem, camera.width, camera.height), camera
    raise DataError(f"{folder / DISTORTED} has no image {stem}")
