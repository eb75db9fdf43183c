"""Files of matches, in the forms that matchers and people write."""

import numpy as np
import pytest

from cvscore.images.features import match_images
from cvscore.images.match_files import load_correspondences
from cvscore.images.rendering import render_pair


@pytest.fixture
def x(rng):
    return rng.uniform(0, 640, (2, 8, 2))


@pytest.mark.parametrize(
    "names", [("x1", "x2"), ("mkpts0", "mkpts1"), ("src", "dst"), ("pts1", "pts2")]
)
def test_matched_points_under_their_usual_names(names, x, tmp_path):
    quality = np.arange(8.0)
    content = dict(zip(names, x, strict=True)) | {"confidence": quality}
    np.savez(tmp_path / "m.npz", **content)
    found = load_correspondences(tmp_path / "m.npz")
    np.testing.assert_array_equal([found.x1, found.x2], x)
    np.testing.assert_array_equal(found.quality, quality)
    assert (found.K1, len(found)) == (None, 8)


def test_superglue_has_an_index_or_minus_one_per_keypoint(x, tmp_path):
    matches = np.array([3, -1, 0, -1, 7, -1, -1, 1])
    np.savez(
        tmp_path / "m.npz",
        keypoints0=x[0].astype(np.float32),
        keypoints1=x[1].astype(np.float32),
        matches=matches,
        match_confidence=np.linspace(0, 1, 8),
    )
    found = load_correspondences(tmp_path / "m.npz")
    kept = np.flatnonzero(matches >= 0)
    np.testing.assert_allclose(found.x1, x[0, kept], rtol=1e-6)
    np.testing.assert_allclose(found.x2, x[1, matches[kept]], rtol=1e-6)
    np.testing.assert_allclose(found.quality, np.linspace(0, 1, 8)[kept])


def test_lightglue_has_pairs_of_indices_and_batches_of_one(x, tmp_path):
    pairs = np.array([[0, 1], [2, 3], [7, 4]])
    np.savez(
        tmp_path / "m.npz",
        keypoints0=x[:1],
        keypoints1=x[1:],
        matches=pairs[None],
        scores=[0.9, 0.8, 0.7],
        K0=np.eye(3),
        K1=2 * np.eye(3),
    )
    found = load_correspondences(tmp_path / "m.npz")
    np.testing.assert_array_equal(found.x1, x[0, pairs[:, 0]])
    np.testing.assert_array_equal(found.x2, x[1, pairs[:, 1]])
    np.testing.assert_array_equal(found.quality, [0.9, 0.8, 0.7])
    np.testing.assert_array_equal(found.K2, 2 * np.eye(3))


def test_points_of_opencv_and_a_quality_of_something_else(x, tmp_path):
    np.savez(tmp_path / "m.npz", x1=x[0][:, None], x2=x[1], scores=np.ones(500))
    found = load_correspondences(tmp_path / "m.npz")
    np.testing.assert_array_equal(found.x1, x[0])
    assert found.quality is None


@pytest.mark.parametrize(
    ("text", "quality"),
    [
        ("1,2,3,4\n5,6,7,8\n", None),
        ("# made by hand\n\n1 2 3 4\n5\t6\t7\t8\n", None),
        ("\ufeffx1;y1;x2;y2\n1;2;3;4\n5;6;7;8\n", None),
        ("score,x1,y1,x2,y2\nhigh,1,2,3,4\nlow,5,6,7,8\n", None),
        ('"x2","y2","x1","y1","quality"\n3,4,1,2,9\n7,8,5,6,10\n', [9, 10]),
        ("1,2,3,4,0.5\n5,6,7,8,0.25\n", [0.5, 0.25]),
    ],
)
def test_tables_with_and_without_a_header(text, quality, tmp_path):
    (tmp_path / "m.csv").write_text(text, encoding="utf-8")
    found = load_correspondences(tmp_path / "m.csv")
    np.testing.assert_array_equal(found.x1, [[1, 2], [5, 6]])
    np.testing.assert_array_equal(found.x2, [[3, 4], [7, 8]])
    assert (None if found.quality is None else found.quality.tolist()) == quality


def test_an_archive_of_one_unnamed_array_or_of_objects_is_refused(tmp_path):
    with (tmp_path / "one.npz").open("wb") as file:
        np.save(file, np.zeros((3, 2)))
    with pytest.raises(ValueError, match="one array"):
        load_correspondences(tmp_path / "one.npz")
    np.savez(tmp_path / "objects.npz", x1=np.array([None, {}]), x2=np.zeros(2))
    with pytest.raises(ValueError, match="not a readable"):
        load_correspondences(tmp_path / "objects.npz")
    with pytest.raises(ValueError, match="file ending in"):
        load_correspondences(tmp_path / "matches.mat")


def test_matches_of_images_are_good_first():
    pair = render_pair(1, width=320, height=240, planar=True)
    found = match_images(pair.image1, pair.image1)
    assert len(found) > 50
    np.testing.assert_array_equal(found.x1, found.x2)
    colour = np.repeat(pair.image2[..., None], 3, axis=2)
    strict, loose = (match_images(pair.image1, colour, ratio=r) for r in (0.6, 0.9))
    assert 0 < len(strict) < len(loose)
    assert (strict.quality >= 0.4 - 1e-6).all()
    flat = np.full((50, 50), 7, np.uint8)
    assert len(match_images(flat, pair.image1)) == 0


def test_weights_are_read_and_wrong_ones_refused(x, tmp_path):
    points = {"x1": x[0], "x2": x[1]}
    np.savez(tmp_path / "m.npz", **points, weights=np.arange(1.0, 9.0))
    found = load_correspondences(tmp_path / "m.npz")
    np.testing.assert_array_equal(found.weights, np.arange(1.0, 9.0))
    for weights, message in ((np.ones(3), "shape"), (-np.ones(8), "positive")):
        np.savez(tmp_path / "bad.npz", **points, weights=weights)
        with pytest.raises(ValueError, match=rf"bad.npz: weights must .*{message}"):
            load_correspondences(tmp_path / "bad.npz")
