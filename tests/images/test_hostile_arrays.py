"""Files whose arrays are not what they say: refused by name, and nothing is run."""

import io
import os
import pickle
import warnings
import zipfile

import h5py
import numpy as np
import pytest

from cvscore.images.hdf5_group import MOST_ARRAY_BYTES
from cvscore.images.match_files import load_correspondences

X1 = np.random.default_rng(0).uniform(0, 500, (40, 2))
X2 = X1 + 1.0
KEYPOINTS = {"keypoints0": X1, "keypoints1": X2}


class Trap:
    """Makes a folder where it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("sprung",)


def of_objects(path):
    np.savez(path, x1=np.array([[Trap(), 1.0]] * 9, dtype=object), x2=X2)


def of_a_pickle(path):
    path.write_bytes(pickle.dumps(Trap()))


@pytest.mark.parametrize("write", [of_objects, of_a_pickle])
def test_no_pickle_is_loaded_nor_is_anybody_told_how_to(write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "m.npz")
    with pytest.raises(ValueError, match=r"it holds Python objects$"):
        load_correspondences("m.npz")
    assert not (tmp_path / "sprung").exists()


def test_hdf5_that_declares_what_it_does_not_hold(tmp_path):
    path = tmp_path / "m.h5"
    with h5py.File(path, "w") as file:
        for name in ("x1", "x2"):
            file.create_dataset(name, (MOST_ARRAY_BYTES, 2), "f4", chunks=(1000, 2))
    assert path.stat().st_size < 10_000
    with pytest.raises(ValueError, match="x1 goes on beyond a gigabyte"):
        load_correspondences(path)


def test_an_archive_that_is_packed_small(tmp_path, monkeypatch):
    monkeypatch.setattr("cvscore.images.match_files.MOST_ARRAY_BYTES", 1 << 20)
    path, content = tmp_path / "m.npz", io.BytesIO()
    np.save(content, np.zeros((1 << 17, 2)))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x1.npy", content.getvalue())
        archive.writestr("x2.npy", content.getvalue())
    assert path.stat().st_size < 10_000
    with pytest.raises(ValueError, match="goes on beyond a gigabyte"):
        load_correspondences(path)


LARGE = X1.astype(np.longdouble) * 1e300 * 1e300
ODD = {
    "indices that are not finite": ({**KEYPOINTS, "matches0": np.full(40, np.nan)}, 0),
    "indices beyond numbers": ({**KEYPOINTS, "matches0": np.full(40, 1e300)}, 0),
    "indices of text": ({**KEYPOINTS, "matches": np.full((40, 2), "a")}, 0),
    "complex indices": ({**KEYPOINTS, "matches": np.full((40, 2), 1j)}, 0),
    "quality of text": ({"x1": X1, "x2": X2, "quality": np.full(40, "good")}, 0),
    "complex quality": ({"x1": X1, "x2": X2, "quality": np.full(40, 1j)}, 0),
    "long doubles": ({"x1": LARGE, "x2": X2}, 40),
}


@pytest.mark.parametrize(("arrays", "num_read"), ODD.values(), ids=ODD)
def test_odd_numbers_are_refused_or_read_without_a_warning(tmp_path, arrays, num_read):
    path = tmp_path / "m.npz"
    np.savez(path, **arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if num_read:
            assert len(load_correspondences(path)) == num_read
            return
        with pytest.raises(ValueError, match=f"{path.name} must"):
            load_correspondences(path)


def test_numbers_that_numpy_has_not_are_refused_by_name(tmp_path):
    path = tmp_path / "odd.h5"
    six_bytes = h5py.h5t.STD_I64BE.copy()
    six_bytes.set_precision(48)
    six_bytes.set_size(6)
    with h5py.File(path, "w") as file:
        space = h5py.h5s.create_simple((40, 2))
        h5py.h5d.create(file.id, b"x1", six_bytes, space)
        file["x2"] = X2
    with pytest.raises(ValueError, match="x1 has numbers of a kind"):
        load_correspondences(path)
