"""What is open is named, and the study counts it."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.data import synthetic
from benchmarks.data.pair import Pose
from benchmarks.studies import undetermined
from benchmarks.studies.undetermined import (
    DETERMINED,
    NEARLY,
    OPEN,
    Outcome,
    count,
    outcome,
)


@pytest.mark.parametrize("name", OPEN)
def test_what_is_open_is_named(name):
    assert OPEN[name](np.random.default_rng(0), "clouds").is_named


@pytest.mark.parametrize("name", DETERMINED)
@pytest.mark.parametrize("scene", ["surfaces", "street"])
def test_what_is_not_is_not(name, scene):
    assert not DETERMINED[name](np.random.default_rng(1), scene).is_named


def test_nearly_flat_scenes_are_named_where_they_are_wrong_rather_than_where_right():
    case = NEARLY["F, nearly flat"]
    found = [case(np.random.default_rng([3, k]), "clouds") for k in range(40)]
    right, wrong = (
        [f.is_named for f in found if f.is_wrong == is_wrong]
        for is_wrong in (False, True)
    )
    assert np.mean(wrong) > np.mean(right) + 0.2


def test_counts_are_named_of_right_and_of_wrong():
    outcomes = [Outcome(True, True)] * 3 + [Outcome(False, True), Outcome(False)]
    assert count(outcomes).split() == ["0", "of", "1", "3", "of", "4"]


def test_no_answer_is_right_where_the_camera_did_not_move():
    pair = synthetic.generate("E", "easy", 0)
    assert outcome(pair) == Outcome(is_named=False, is_wrong=False)
    still = replace(pair, truth=Pose(pair.truth.R, np.zeros(3)))
    assert outcome(still).is_wrong


def test_clips_are_counted_by_kind_and_model(monkeypatch, capsys):
    pairs = [synthetic.generate("E", "easy", k) for k in range(2)]
    asked = []

    def clips_of(kind, seeds, texture):
        asked.append((kind, list(seeds)))
        return iter(pairs)

    monkeypatch.setattr(undetermined, "clips_of", clips_of)
    monkeypatch.setattr(undetermined, "textures", lambda: {"drawn": None})
    undetermined.main(["--clips", "--num", "3", "--seed", "300"])
    _, *lines = capsys.readouterr().out.splitlines()
    assert [kind for kind, _ in asked] == list(undetermined.KINDS)
    assert all(seeds == [300, 301, 302] for _, seeds in asked)
    assert len(lines) == 2 * len(asked)
    assert lines[0].split()[:5] == ["drawn", "F,", "wall", "0", "of"]
