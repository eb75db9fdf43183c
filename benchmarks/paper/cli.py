"""The commands: one a figure, one for the report, one for the small real data."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.folders import OUT, data_root
from benchmarks.paper.datasets.eth3d import MIN_COVISIBLE, Eth3d
from benchmarks.paper.datasets.heb import Heb
from benchmarks.paper.datasets.hloc import FlatMatches, HlocMatches
from benchmarks.paper.datasets.pairs import DataError, Dataset
from benchmarks.paper.datasets.phototourism import ROOTSIFT, PhotoTourism
from benchmarks.paper.experiment import Experiment
from benchmarks.paper.output import load_finished, save_profile, save_sensitivity
from benchmarks.paper.page import report_text, save_report
from benchmarks.paper.profile import make_profile
from benchmarks.paper.record import Settings
from benchmarks.paper.sensitivity import (
    DEFAULT_MAX_SIZE,
    MAX_SIZE,
    NUM_TRIALS,
    make_sensitivity,
)
from benchmarks.paper.small import keep_rows, write_page

RECORDS = OUT / "paper"
TITLES = {"heb": "HEB", "phototourism": "PhotoTourism", "eth3d": "ETH3D"}
PROBLEMS = {"heb": "H", "phototourism": "E", "eth3d": "F"}
# Pairs of a scene: together about the 70,000 pairs of the paper.
MAX_PAIRS = {"heb": 1000, "phototourism": 2500, "eth3d": 1000}


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of `python -m benchmarks paper`."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks paper",
        description="The paper's experiments; see docs/paper.md.",
    )
    parser.add_argument(
        "--smoke", action="store_true", help="run everything on small rendered scenes"
    )
    parser.add_argument(
        "--out", type=Path, dest="smoke_out", help="of --smoke; a new folder by default"
    )
    commands = parser.add_subparsers(dest="command")
    for name, text in (
        ("profile", "error against hyper-parameter (first figure)"),
        ("sensitivity", "error against the number of validation pairs (second figure)"),
    ):
        _add_run(commands.add_parser(name, help=text))
    small = commands.add_parser(
        "small", help="both figures and the report on the small real data"
    )
    small.add_argument("--data", type=Path, default=None, help="shared/data by default")
    small.add_argument("--out", type=Path, default=RECORDS / "small")
    small.add_argument("--samples", type=int, default=1000, help="minimal, per pair")
    small.add_argument("--seeds", type=int, default=1, help="how many, from 0 on")
    small.add_argument(
        "--write", action="store_true", help="keep rows and write the tables of docs"
    )
    _add_places(small)
    commands.add_parser("cost", help="processor time of a pair, and of the whole paper")
    report = commands.add_parser("report", help="one page of finished runs")
    report.add_argument("folders", type=Path, nargs="+", help="their --out folders")
    report.add_argument("--to", type=Path, default=RECORDS / "report")
    return parser


def _add_places(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--workers", type=int, default=0, help="0: one per core")
    parser.add_argument("--scheduler", help="address of a Dask scheduler")
    parser.add_argument("--trials", type=int, default=NUM_TRIALS)


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", choices=list(TITLES))
    parser.add_argument("--data", type=Path, required=True, help="root of the dataset")
    parser.add_argument("--out", type=Path, help="benchmarks/out/paper/DATASET")
    parser.add_argument("--problem", choices=list("EFH"), help="H, E and F by default")
    parser.add_argument("--samples", type=int, default=1000, help="minimal, per pair")
    parser.add_argument("--solver", choices=("native", "opencv"), default="native")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max-pairs", type=int, help="of each scene; 0 for all")
    parser.add_argument("--max-ratio", type=float, help="of SIFT matches kept")
    parser.add_argument("--matcher", default=ROOTSIFT, help="PhotoTourism: file prefix")
    parser.add_argument("--features", type=Path, help="ETH3D: hloc's features.h5")
    parser.add_argument("--matches", type=Path, help="ETH3D: hloc's matches.h5")
    parser.add_argument(
        "--flat-matches", type=Path, nargs=2, help="ETH3D: flat matches and scores"
    )
    parser.add_argument("--min-covisible", type=int, default=MIN_COVISIBLE)
    _add_places(parser)


def make_dataset(options: argparse.Namespace) -> Dataset:
    """Return the reader that the options ask for."""
    ratio = {} if options.max_ratio is None else {"max_ratio": options.max_ratio}
    if options.dataset == "heb":
        return Heb(options.data, **ratio)
    if options.dataset == "phototourism":
        return PhotoTourism(options.data, matcher=options.matcher, **ratio)
    if options.flat_matches is not None:
        source: FlatMatches | HlocMatches = FlatMatches(*options.flat_matches)
    elif options.features is not None and options.matches is not None:
        source = HlocMatches(options.features, options.matches)
    else:
        raise DataError(
            "ETH3D needs matches: --features and --matches (hloc's files, with "
            "{scene} where the name of the scene belongs), or --flat-matches"
        )
    return Eth3d(options.data, source, options.min_covisible)


def _experiment(options: argparse.Namespace) -> Experiment:
    name = options.dataset
    settings = Settings(
        problem=options.problem or PROBLEMS[name],
        num_samples=options.samples,
        solver=options.solver,
        seed=options.seed,
    )
    limit = MAX_PAIRS[name] if options.max_pairs is None else options.max_pairs
    return Experiment(
        name=TITLES[name],
        dataset=make_dataset(options),
        settings=settings,
        folder=options.out or RECORDS / name,
        by_scene=name == "heb",
        max_pairs=limit or None,
        workers=options.workers,
        scheduler=options.scheduler,
    )


def run_figures(
    experiment: Experiment, name: str, *, sensitivity: bool, trials: int = NUM_TRIALS
) -> None:
    """Make the records and what is drawn from them, for one dataset."""
    folder = experiment.folder
    results = experiment.run()
    profile = make_profile(results)
    save_profile(folder, name, experiment.name, profile)
    if sensitivity:
        largest = MAX_SIZE.get(name, DEFAULT_MAX_SIZE)
        save_sensitivity(folder, make_sensitivity(results, profile, largest, trials))
    finished = load_finished(folder)
    print(report_text(finished))
    print(f"wrote {save_report([finished], folder)}")


def _next_step(command: str, folder: Path) -> str:
    """Say what to run after a figure."""
    if command == "profile":
        return "next: the same words after `sensitivity`; the records are kept"
    return f"next: python -m benchmarks paper report {folder} ..., all datasets in one"


def _run_small(options: argparse.Namespace) -> None:
    """Both figures on the real data in the three layouts beside the checkout."""
    root = options.data or data_root()
    flat = root / "phototourism" / "strecha" / "fountain_P11"
    extra = {
        "heb": ["--data", root / "heb"],
        "phototourism": ["--data", root / "phototourism"],
        "eth3d": ["--data", root / "eth3d", "--flat-matches"]
        + [flat / f"aliked_lg_{kind}.h5" for kind in ("matches", "scores")],
    }
    runs = []
    for seed in range(options.seeds):
        folder = options.out / f"seed-{seed}"
        for name, arguments in extra.items():
            words = [str(word) for word in ("sensitivity", name, *arguments)]
            chosen = build_parser().parse_args(words)
            chosen.out, chosen.seed = folder / name, seed
            chosen.samples = options.samples
            chosen.workers, chosen.scheduler = options.workers, options.scheduler
            run_figures(
                _experiment(chosen), name, sensitivity=True, trials=options.trials
            )
        finished = [load_finished(folder / name) for name in extra]
        runs += [(seed, run) for run in finished]
        print(f"wrote {save_report(finished, folder)}")
    if not options.write:
        print("next: --seeds 3 for intervals, --write for the tables of docs/paper.md")
        return
    print(f"wrote {keep_rows(runs, options.samples, options.trials)}, {write_page()}")
    print("next: read the sentences of that page against its tables, and commit")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; problems with the data end it with one line."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    try:
        if options.smoke:
            from benchmarks.paper.smoke import run_smoke

            run_smoke(options.smoke_out)
        elif options.command == "report":
            runs = [load_finished(folder) for folder in options.folders]
            print("\n\n".join(report_text(run) for run in runs))
            print(f"wrote {save_report(runs, options.to)}")
            print("next: open it in a browser; it needs no other file")
        elif options.command == "small":
            _run_small(options)
        elif options.command == "cost":
            from benchmarks.paper.cost import print_cost

            print_cost()
        elif options.command is None:
            parser.print_help()
            return 2
        else:
            is_second = options.command == "sensitivity"
            experiment = _experiment(options)
            run_figures(
                experiment,
                options.dataset,
                sensitivity=is_second,
                trials=options.trials,
            )
            print(_next_step(options.command, experiment.folder))
    except (DataError, FileNotFoundError, ImportError, RuntimeError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    return 0
