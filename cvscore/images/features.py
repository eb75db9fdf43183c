"""Matches of two images by OpenCV's SIFT and the ratio test: for commands and examples.

Nothing else in the package depends on where matches come from.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvscore.files.whole_files import written_whole
from cvscore.images.match_files import Correspondences

# Of the features of an image, the strongest; more make matching slow and little better.
MAX_FEATURES = 4000
MOST_FEATURES = 2**31 - 1  # OpenCV counts them by a C int
# A match is kept where its descriptor is nearer than this times the second nearest.
# More permissive than the usual 0.75: wrong matches cost the estimators little.
RATIO = 0.85
# Of an image file.  OpenCV takes no image of more than 2**30 pixels; a device may never
# end.
MOST_IMAGE_BYTES = 1 << 30


def read_image(path: str | Path) -> NDArray[np.uint8]:
    """Read an image file as BGR (height, width, 3), turned as its EXIF data say.

    Raises OSError where the file can't be read and ValueError where it is no image.
    """
    import cv2

    with Path(path).open("rb") as file:
        content = file.read(MOST_IMAGE_BYTES + 1)  # of a pipe too, which has no size
    if len(content) > MOST_IMAGE_BYTES:
        raise ValueError(f"{path} is not an image: it goes on beyond a gigabyte")
    data = np.frombuffer(content, dtype=np.uint8)
    image: Any = None
    if data.size:
        try:
            image = cv2.imdecode(data, cv2.IMREAD_COLOR)
        except cv2.error:  # some damaged files raise instead of giving None
            image = None
    if image is None:
        raise ValueError(f"{path} is not an image that OpenCV can read")
    return np.asarray(image, dtype=np.uint8)


def write_image(path: str | Path, image: NDArray[np.uint8]) -> None:
    """Write an image whole, in the format of the file's ending, making its folder.

    Raises OSError where the file can't be written and ValueError for an unknown ending.
    """
    import cv2

    path = Path(path)
    check_picture_name(path)
    _, data = cv2.imencode(path.suffix, image)
    with written_whole(path) as part:
        part.write_bytes(data.tobytes())


def check_picture_name(path: Path) -> None:
    """Raise a ValueError where a picture can't have this name."""
    import cv2

    if path.is_dir():
        raise ValueError(f"{path} is a folder, not the name of a picture")
    # OpenCV looks at the ending alone, and crashes on names that are not UTF-8.
    if not path.suffix.isascii() or not cv2.haveImageWriter(f"picture{path.suffix}"):
        raise ValueError(f"{path}: pictures end in .png or .jpg, for example")


def match_images(
    image1: NDArray[np.uint8],
    image2: NDArray[np.uint8],
    *,
    ratio: float = RATIO,
    max_features: int = MAX_FEATURES,
) -> Correspondences:
    """Match SIFT features of two images.

    Parameters
    ----------
    image1, image2 : (height, width) or (height, width, 3) uint8 array
        Grey or BGR.
    ratio : float
        Between 0 and 1; smaller for fewer and better matches.
    max_features : int
        Of each image.

    Returns
    -------
    Correspondences
        ``quality`` is one minus the ratio of the two nearest descriptors' distances.
    """
    if not 0.0 < ratio <= 1.0:
        raise ValueError(f"ratio must be in (0, 1], got {ratio}")
    if not 1 <= max_features <= MOST_FEATURES:
        raise ValueError(
            f"max_features must be in [1, {MOST_FEATURES}], got {max_features}"
        )
    keys1, first = _features(image1, max_features)
    keys2, second = _features(image2, max_features)
    if not keys1 or len(keys2) < 2:  # the test compares with the second nearest
        nothing = np.empty((0, 2))
        return Correspondences(nothing, nothing, np.empty(0))
    import cv2

    pairs = cv2.BFMatcher(cv2.NORM_L2).knnMatch(first, second, k=2)
    good = [(a, b) for a, b in pairs if a.distance <= ratio * b.distance]
    x1 = np.array([keys1[a.queryIdx].pt for a, _ in good]).reshape(-1, 2)
    x2 = np.array([keys2[a.trainIdx].pt for a, _ in good]).reshape(-1, 2)
    # Two equal descriptors at distance 0 tell nothing apart.
    quality = [1.0 - a.distance / b.distance if b.distance else 0.0 for a, b in good]
    return Correspondences(x1, x2, np.array(quality))


def _features(image: NDArray[np.uint8], max_features: int) -> tuple[Any, Any]:
    import cv2

    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image
    sift: Any = cv2.SIFT_create(max_features)  # type: ignore[attr-defined]
    keypoints, descriptors = sift.detectAndCompute(grey, None)
    return keypoints, descriptors
