"""The file of a calibration: written whole, and read only if it is one."""

import json

import pytest

from cvscore import Calibration, InverseGamma

FOUND = Calibration(
    model="homography",
    prior=InverseGamma(1.0, 0.25),
    half_width_fraction=0.025,
    half_width=30.0,
    num_pairs=3,
)


def test_it_comes_back(tmp_path):
    FOUND.save(tmp_path / "c.json")
    assert Calibration.load(tmp_path / "c.json") == FOUND


def test_what_can_not_be_written_leaves_the_file(tmp_path, monkeypatch):
    path = tmp_path / "c.json"
    FOUND.save(path)
    before = path.read_text()

    def fail(*arguments, **keywords):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="No space"):
        FOUND.save(path)
    assert path.read_text() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["c.json"]


def spoilt(**changes):
    return json.dumps({**json.loads(_TEXT), **changes})


_TEXT = """{"version": 1, "model": "homography", "prior": {"alpha": 1.0, "beta": 0.25,
"unit": "px"}, "half_width_fraction": 0.025, "half_width": 30.0, "num_pairs": 3}"""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "3",
        "[" * 100_000,
        '{"a":' * 100_000,
        _TEXT + " " * (1 << 20),
        _TEXT.replace("30.0", "NaN"),
        _TEXT.replace("30.0", "Infinity"),
        _TEXT.replace("30.0", "1e999"),
        _TEXT.replace("30.0", "1" + "0" * 400),
        _TEXT.replace("30.0", "1" + "0" * 10_000),
        _TEXT.replace("30.0", "true"),
        spoilt(half_width="30"),
        spoilt(num_pairs=1.5),
        spoilt(prior=3),
        spoilt(prior={"alpha": 1}),
        spoilt(more=1),
        spoilt(version=2),
        spoilt(model=3),
    ],
    ids=range(19),
)
def test_what_is_no_calibration_is_refused_in_a_line(tmp_path, text):
    path = tmp_path / "c.json"
    path.write_text(_TEXT)
    assert Calibration.load(path) == FOUND
    path.write_text(text)
    with pytest.raises(ValueError, match=r"c\.json") as caught:
        Calibration.load(path)
    assert len(str(caught.value).splitlines()) == 1
