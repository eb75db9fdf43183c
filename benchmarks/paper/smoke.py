"""Everything once, small: rendered scenes in all three layouts, to figures and page."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from benchmarks.paper.cli import MAX_PAIRS, PROBLEMS, TITLES, run_figures
from benchmarks.paper.datasets import stand_in
from benchmarks.paper.datasets.eth3d import Eth3d
from benchmarks.paper.datasets.heb import Heb
from benchmarks.paper.datasets.hloc import HlocMatches
from benchmarks.paper.datasets.phototourism import PhotoTourism
from benchmarks.paper.experiment import Experiment
from benchmarks.paper.output import load_finished
from benchmarks.paper.page import save_report
from benchmarks.paper.record import Settings

NUM_SCENES, NUM_VIEWS = 2, 4
NUM_SAMPLES = 200
NUM_TRIALS = 100


def run_smoke(folder: Path | None = None) -> Path:
    """Run both experiments on stand-ins for all datasets; return the page's path."""
    start = time.monotonic()
    folder = folder or Path(tempfile.mkdtemp(prefix="cvscore-smoke-"))
    datasets = make_stand_ins(folder / "data", NUM_SCENES, NUM_VIEWS)
    for name, dataset in datasets.items():
        experiment = Experiment(
            name=f"{TITLES[name]} stand-in",
            dataset=dataset,
            settings=Settings(PROBLEMS[name], num_samples=NUM_SAMPLES),
            folder=folder / name,
            by_scene=name == "heb",
            max_pairs=MAX_PAIRS[name],
            workers=1,
        )
        run_figures(experiment, name, sensitivity=True, trials=NUM_TRIALS)
    page = save_report([load_finished(folder / name) for name in datasets], folder)
    print(f"wrote {page}, after {time.monotonic() - start:.0f} s")
    print("next: python -m benchmarks paper small, or a dataset (docs/paper.md)")
    return page


def make_stand_ins(
    root: Path, num_scenes: int, num_views: int
) -> dict[str, Heb | PhotoTourism | Eth3d]:
    """Render scenes and write them in all three layouts; return their readers."""
    stand_in.write_heb(root / "heb", num_scenes, num_views)
    stand_in.write_phototourism(root / "phototourism", num_scenes, num_views)
    paths = stand_in.write_eth3d(root / "eth3d", num_scenes, num_views)
    return {
        "heb": Heb(root / "heb"),
        "phototourism": PhotoTourism(root / "phototourism"),
        "eth3d": Eth3d(root / "eth3d", HlocMatches(*paths)),
    }
