"""Times over OpenCV's are of the same pairs, and of warm calls."""

from benchmarks.data.splits import load_pair
from benchmarks.speed import pace


def test_the_command_prints_a_ratio_for_every_regime_asked_for(capsys):
    problems, regimes = ["--problem", "H", "E"], ["--regimes", "small", "video"]
    pace.main([*problems, *regimes, "--num", "2", "--rounds", "1"])
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.split()[:2] for line in lines] == [
        ["H", "small"],
        ["H", "video"],
        ["E", "small"],
        ["E", "video"],
    ]
    assert all("cv2 RANSAC" in line for line in lines[1::2])
    assert "(wanted 1.5)" in lines[0]


def test_the_best_round_counts(monkeypatch):
    spent = iter([9.0, 9.0, 3.0, 8.0, 5.0, 2.0])  # two warm calls, then two rounds
    monkeypatch.setattr(pace, "milliseconds", lambda *_: next(spent))
    pair = load_pair("H", "small", "val", "0")
    assert pace.medians("H", [pair], ("ours", "peer"), 2, 1000) == [3.0, 2.0]
