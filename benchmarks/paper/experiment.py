"""One dataset's run: find the baselines' anchors, make all records, gather them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.methods.scores import BASELINES
from benchmarks.paper.anchors import AnchorSearch, first_grid
from benchmarks.paper.bootstrap import statistic
from benchmarks.paper.datasets.pairs import Dataset, PairKey, choose_pairs
from benchmarks.paper.grid import Grid
from benchmarks.paper.record import Settings
from benchmarks.paper.record_files import RecordFiles, stamp_of
from benchmarks.paper.results import Results, gather
from benchmarks.paper.schedule import Work, complete
from benchmarks.store import write_json

# Pairs that anchors are searched on: a median of a hundred is known well enough to
# centre a grid of two decades.
NUM_COARSE_PAIRS = 100


@dataclass(frozen=True)
class Experiment:
    """What to run and where to keep it.

    Attributes
    ----------
    name : str
        Of the dataset, for titles.
    dataset : Dataset
        The reader.
    settings : Settings
        Of the pools.
    folder : Path
        Of all results.
    by_scene : bool
        Whether scenes count alike and are resampled first.
    max_pairs : int or None
        Of each scene.
    workers : int
        Processes on this machine, 0 for one per core.
    scheduler : str or None
        Address of a Dask scheduler.
    """

    name: str
    dataset: Dataset
    settings: Settings
    folder: Path
    by_scene: bool = False
    max_pairs: int | None = None
    workers: int = 0
    scheduler: str | None = None

    def run(self) -> Results:
        """Make what is missing and return the results of all pairs."""
        keys = choose_pairs(self.dataset.keys(), self.max_pairs)
        anchors = self._baseline_anchors(keys)
        write_json(self.folder / "anchors.json", anchors)
        grids = {name: Grid.around(anchor) for name, anchor in anchors.items()}
        return self._results("records", keys, grids, f"{self.name} pairs")

    def _baseline_anchors(self, keys: list[PairKey]) -> dict[str, float]:
        num_scenes = len({key.scene for key in keys})
        few = choose_pairs(keys, -(-NUM_COARSE_PAIRS // num_scenes))
        searches = {name: AnchorSearch(name) for name in BASELINES}
        number = 0
        while True:
            wanted = {name: search.next_grid() for name, search in searches.items()}
            if not any(wanted.values()):
                return {name: search.anchor for name, search in searches.items()}
            # A method whose search is over has its first grid once more, for free.
            grids = {name: grid or first_grid(name) for name, grid in wanted.items()}
            label = f"{self.name} anchors" + f", extended {number} times" * (number > 0)
            results = self._results(f"coarse/{number}", few, grids, label)
            for name, grid in wanted.items():
                if grid is not None:
                    curve = statistic(results.baseline_errors(name), results.groups)
                    searches[name].absorb(grid, curve)
            number += 1

    def _results(
        self, part: str, keys: list[PairKey], grids: dict[str, Grid], label: str
    ) -> Results:
        stamp = stamp_of(self.settings, grids, self.dataset)
        files = RecordFiles(self.folder / part, stamp)
        work = Work(self.dataset, self.settings, grids, stamp)
        places = {"workers": self.workers, "scheduler": self.scheduler}
        complete(files, work, keys, label=label, **places)  # type: ignore[arg-type]
        records = files.read_all(keys)
        return gather(records, self.settings.problem, grids, by_scene=self.by_scene)
