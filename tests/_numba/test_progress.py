"""The progress bar: on a terminal, seldom, and never in a file."""

import io

import pytest

from cvscore._numba import progress as module
from cvscore._numba.progress import ProgressBar, progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves by hand."""
    time = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: time[0])
    return time


def test_a_loop_yields_everything_and_a_file_sees_nothing(clock):
    stream = io.StringIO()
    for item in progress(range(5), stream=stream):
        clock[0] += 10.0
        assert item < 5
    assert list(progress(iter("abc"), stream=stream)) == ["a", "b", "c"]
    assert stream.getvalue() == ""


def test_a_terminal_sees_share_rate_and_time_left_then_a_clean_line(clock):
    stream = Terminal()
    for _ in progress(range(4), label="pairs", stream=stream):
        clock[0] += 30.0
    text = stream.getvalue()
    assert "pairs   25 % [######..................] 1/4  0.0333/s  1:30 left" in text
    assert "4/4" in text
    assert text.endswith("\r\x1b[K")
    assert "\n" not in text


def test_what_is_quick_shows_nothing(clock):
    stream = Terminal()
    for _ in progress(range(1000), stream=stream):
        clock[0] += 1e-4
    assert stream.getvalue() == ""


def test_a_bar_is_drawn_seldom_enough_to_cost_nothing(clock):
    stream = Terminal()
    for _ in progress(range(10_000), stream=stream):
        clock[0] += 1e-3
    assert 50 < stream.getvalue().count("left") < 110


def test_without_a_total_it_counts(clock):
    bar = ProgressBar(label="frames", stream=Terminal())
    bar.num_done = 12
    assert bar.line(4000.0) == "frames  12  0.003/s  1:06:40"


def test_it_can_be_turned_off_and_survives_an_error(clock):
    stream = Terminal()
    for _ in progress(range(3), enabled=False, stream=stream):
        clock[0] += 9.0
    assert stream.getvalue() == ""

    def steps():
        yield
        clock[0] += 9.0
        yield
        raise KeyError

    with pytest.raises(KeyError):
        list(progress(steps(), stream=stream))
    assert "2" in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_a_process_without_stderr_is_no_error(monkeypatch):
    monkeypatch.setattr(module.sys, "stderr", None)
    assert list(progress([1, 2])) == [1, 2]
