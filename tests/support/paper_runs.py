"""Runs of the paper's records on made-up pairs, and what they leave on disk."""

from paper_pairs import MadePairs

from benchmarks.methods.scores import BASELINES, SCORES
from benchmarks.paper.grid import Grid
from benchmarks.paper.record import Settings, to_bytes
from benchmarks.paper.record_files import stamp_of
from benchmarks.paper.schedule import Work

GRIDS = {name: Grid.around(SCORES[name].start, 5) for name in BASELINES}
SETTINGS = Settings("H", num_samples=20)


def work_of(dataset):
    # How slow or broken the test makes a dataset is no part of its records.
    stamp = stamp_of(SETTINGS, GRIDS, MadePairs(dataset.num))
    return Work(dataset, SETTINGS, GRIDS, stamp)


def contents(files, dataset):
    """The bytes of every record that is there."""
    found = files.read(dataset.keys())
    return {key: to_bytes(record) for key, record in found.items()}


def num_rows(folder):
    """How many whole rows there are in all files."""
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.jsonl"))
