"""Pictures in pages are small, and only of the folder that was named."""

import base64

import cv2
import numpy as np

from cvscore.report.pictures import (
    MAX_BYTES,
    MAX_SIDE,
    QUALITIES,
    picture_uri,
    thumbnail_uri,
)


def decoded(uri):
    head, data = uri.split(",")
    assert head == "data:image/jpeg;base64"
    return cv2.imdecode(np.frombuffer(base64.b64decode(data), np.uint8), 1)


def test_a_small_image_keeps_its_size_and_a_large_one_its_shape(rng):
    image = rng.integers(0, 256, (60, 80), dtype=np.uint8)
    small = decoded(picture_uri(image))
    assert small.shape == (60, 80, 3)
    large = decoded(picture_uri(np.zeros((3000, 4000, 3), np.uint8)))
    assert large.shape == (MAX_SIDE * 3 // 4, MAX_SIDE, 3)


def test_what_compresses_badly_loses_quality(rng):
    image = rng.integers(0, 256, (1200, 1600, 3), dtype=np.uint8)
    assert cv2.imencode(".jpg", image, [1, QUALITIES[0]])[1].size > MAX_BYTES
    assert len(picture_uri(image)) * 3 / 4 < 1.01 * MAX_BYTES


def test_thumbnails_come_from_the_folder_alone(tmp_path):
    folder = tmp_path / "images"
    (folder / "inner").mkdir(parents=True)
    image = np.full((200, 300), 90, np.uint8)
    for path in (folder / "a.png", folder / "inner" / "b.png", tmp_path / "secret.png"):
        cv2.imwrite(str(path), image)
    (folder / "text.png").write_text("no image")
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    for name in ("a.png", "inner/b.png", "inner/../a.png"):
        assert decoded(thumbnail_uri(folder, name, 48)).shape == (32, 48, 3)
    outside = "../secret.png", str(tmp_path / "secret.png"), "link.png"
    for name in (*outside, "none.png", "text.png", "inner", "a\0b.png", "", "\ud800"):
        assert thumbnail_uri(folder, name, 48) is None, name
