"""Rows that are appended, files that are replaced, and what a kill leaves."""

import pytest

from benchmarks.store import Writer, read_rows, write_atomically, write_json, write_rows

ROWS = [{"a": 1}, {"a": [2.5, None]}, {"a": "\n"}]


def test_rows_come_back_as_they_were(tmp_path):
    path = tmp_path / "folder" / "rows.jsonl"
    assert list(read_rows(path)) == []
    writer = Writer(path)
    for row in ROWS:
        writer.append(row)
    assert list(read_rows(path)) == ROWS
    write_rows(path, ROWS[1:])
    assert list(read_rows(path)) == ROWS[1:]


def test_half_a_line_is_left_out_and_then_cut_off(tmp_path):
    path = tmp_path / "rows.jsonl"
    write_rows(path, ROWS)
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        whole = content[:length].count(b"\n")
        assert list(read_rows(path)) == ROWS[:whole]
        Writer(path).append({"b": 0})
        assert list(read_rows(path)) == [*ROWS[:whole], {"b": 0}]


def test_a_damaged_line_costs_only_itself(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"a":1}\n{"a":\xff}\n3\n{"a":2}\n')
    assert list(read_rows(path)) == [{"a": 1}, {"a": 2}]


def test_what_json_cannot_say_is_refused(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        Writer(tmp_path / "rows.jsonl").append({"a": float("nan")})


def test_a_file_is_replaced_in_one_step(tmp_path):
    path = tmp_path / "new" / "file"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    write_json(path, {"b": 1, "a": 2})
    assert path.read_text().split() == ["{", '"a":', "2,", '"b":', "1", "}"]
    assert [found.name for found in path.parent.iterdir()] == ["file"]
