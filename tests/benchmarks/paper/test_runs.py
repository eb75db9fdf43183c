"""Runs that are killed, damaged, spread over processes, and the commands themselves."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from paper_pairs import MadePairs
from processes import run_python

from benchmarks.paper import record as records
from benchmarks.paper.cli import main
from benchmarks.paper.methods import BASELINES, START, Grid
from benchmarks.paper.pairs import DataError, PairKey
from benchmarks.paper.schedule import Progress, Work, complete
from benchmarks.paper.smoke import make_stand_ins
from benchmarks.paper.store import Store, stamp_of

NUM_PAIRS = 24
GRIDS = {name: Grid.around(START[name], 5) for name in BASELINES}
SETTINGS = records.Settings("H", num_samples=20)


def work_of(dataset):
    # How slow or broken the test makes a dataset is no part of its records.
    stamp = stamp_of(SETTINGS, GRIDS, MadePairs(dataset.num))
    return Work(dataset, SETTINGS, GRIDS, stamp)


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The records of an undisturbed run, by pair."""
    dataset = MadePairs(NUM_PAIRS)
    work = work_of(dataset)
    store = Store(tmp_path_factory.mktemp("reference"), work.stamp)
    complete(store, work, dataset.keys(), workers=1)
    return contents(store, dataset)


def contents(store, dataset):
    return {key: store.path_of(key).read_bytes() for key in dataset.keys()}  # noqa: SIM118


# Records on disk


def test_a_finished_run_computes_nothing_again(reference, tmp_path):
    dataset = MadePairs(NUM_PAIRS)
    work = work_of(dataset)
    store = Store(tmp_path, work.stamp)
    for key, data in reference.items():
        store.write(key, data)
    broken = MadePairs(NUM_PAIRS, fails=True)  # would raise if it were read
    assert complete(store, work_of(broken), dataset.keys(), workers=1) == 0.0


def test_damaged_missing_and_foreign_records_are_made_again(reference, tmp_path):
    dataset = MadePairs(NUM_PAIRS)
    work = work_of(dataset)
    store = Store(tmp_path, work.stamp)
    keys = dataset.keys()
    for key, data in reference.items():
        store.write(key, data)
    half = store.path_of(keys[0])
    half.write_bytes(half.read_bytes()[: half.stat().st_size // 2])
    flipped = bytearray(reference[keys[1]])
    flipped[len(flipped) // 2] ^= 4
    store.path_of(keys[1]).write_bytes(flipped)
    store.path_of(keys[2]).unlink()
    store.path_of(keys[3]).write_bytes(b"")
    store.path_of(keys[4]).write_bytes(reference[keys[5]])  # of another pair
    assert store.missing(keys) == keys[:5]
    with pytest.raises(KeyError, match="missing or damaged"):
        list(store.read_all(keys))
    complete(store, work, keys, workers=1)
    assert contents(store, dataset) == reference
    assert Store(tmp_path, "other").missing(keys) == keys


def test_stamps_tell_settings_grids_and_options_apart():
    dataset = MadePairs(3)
    stamp = stamp_of(SETTINGS, GRIDS, dataset)
    assert stamp == stamp_of(SETTINGS, GRIDS, MadePairs(3))
    others = [
        stamp_of(records.Settings("H", num_samples=21), GRIDS, dataset),
        stamp_of(SETTINGS, {**GRIDS, "MSAC": Grid.around(2.0, 5)}, dataset),
        stamp_of(SETTINGS, GRIDS, MadePairs(4)),
    ]
    assert len({stamp, *others}) == 4


def test_names_of_pairs_and_scenes_need_not_be_names_of_files(tmp_path):
    store = Store(tmp_path, "s")
    for key in (PairKey("../../etc", "a/b"), PairKey("", ".."), PairKey(".x", "\0")):
        assert tmp_path in store.path_of(key).resolve().parents


# Killed


COMMAND = """
import sys
from pathlib import Path
from benchmarks.paper.schedule import complete
from benchmarks.paper.store import Store
from test_paper_runs import work_of
from paper_pairs import MadePairs
dataset = MadePairs({num}, seconds={seconds})
work = work_of(dataset)
if __name__ == "__main__":
    store = Store(Path(sys.argv[1]), work.stamp)
    complete(store, work, dataset.keys(), workers={workers})
"""


def start_run(folder, script, num=NUM_PAIRS, seconds=0.05, workers=1):
    script.write_text(COMMAND.format(num=num, seconds=seconds, workers=workers))
    folders = ROOT, ROOT / "tests", ROOT / "tests" / "support"
    paths = os.pathsep.join(map(str, folders))
    environment = {**os.environ, "PYTHONPATH": paths}
    command = [sys.executable, str(script), str(folder)]
    return subprocess.Popen(
        command, env=environment, stderr=subprocess.DEVNULL, start_new_session=True
    )


def wait_for_records(folder, count, process, timeout=120):
    end = time.monotonic() + timeout
    while len(list(folder.rglob("*.rec"))) < count:
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.parametrize(("workers", "kills"), [(1, (1, 10)), (2, (8,))])
def test_a_killed_run_goes_on_and_ends_with_identical_records(
    reference, tmp_path, workers, kills
):
    dataset, folder = MadePairs(NUM_PAIRS), tmp_path / "out"
    work = work_of(dataset)
    store = Store(folder, work.stamp)
    for count in kills:
        process = start_run(folder, tmp_path / "run.py", workers=workers)
        wait_for_records(folder, count, process)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    kept = NUM_PAIRS - len(store.missing(dataset.keys()))
    assert max(kills) <= kept < NUM_PAIRS
    complete(store, work, dataset.keys(), workers=1)
    assert contents(store, dataset) == reference


# Spread over processes


def test_several_processes_make_the_same_records(reference, tmp_path):
    dataset = MadePairs(NUM_PAIRS)
    work = work_of(dataset)
    store = Store(tmp_path, work.stamp)
    assert complete(store, work, dataset.keys(), workers=2) > 0
    assert contents(store, dataset) == reference


def test_broken_data_end_a_run_with_their_name(tmp_path):
    dataset = MadePairs(NUM_PAIRS, fails=True)
    work = work_of(dataset)
    for workers in (1, 2):
        with pytest.raises(DataError, match="made-up file"):
            complete(Store(tmp_path, work.stamp), work, dataset.keys(), workers=workers)


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        processes=True,
        threads_per_worker=1,
        dashboard_address=None,
        worker_dashboard_address=None,
        scheduler_port=0,
    ) as running:
        yield running


@pytest.mark.filterwarnings("ignore")  # Dask's own, while its worker is killed
def test_a_cluster_whose_worker_is_killed_makes_the_same_records(
    reference, tmp_path, cluster
):
    dataset = MadePairs(NUM_PAIRS, seconds=0.1)
    work = work_of(dataset)
    store = Store(tmp_path, work.stamp)
    victim = cluster.workers[0].pid
    killed = []

    def kill_in_mid_run():
        while len(list(tmp_path.rglob("*.rec"))) < 2:
            time.sleep(0.01)
        killed.append(len(list(tmp_path.rglob("*.rec"))))
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill_in_mid_run, daemon=True)
    killer.start()
    complete(store, work, dataset.keys(), scheduler=cluster.scheduler_address)
    killer.join(timeout=30)
    assert killed
    assert killed[0] < NUM_PAIRS
    assert contents(store, dataset) == reference


# Progress


def test_progress_tells_rate_and_time_left(capsys):
    progress = Progress(7200, 5, "pairs")
    progress.advance(720)
    line = progress.line(360.0)
    assert "720/7200" in line
    assert "2.00 pairs/s" in line
    assert "0:54:00 left" in line
    progress.close()
    assert "5 kept, 7200 to do" in capsys.readouterr().err


# The commands


def test_wrong_commands_end_with_one_line(tmp_path, capsys):
    for words, message in (
        (["profile", "heb", "--data", str(tmp_path)], "holds no"),
        (["profile", "eth3d", "--data", str(tmp_path)], "needs matches"),
        (["report", str(tmp_path)], "summary.json"),
    ):
        assert main(words) == 1
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1
        assert message in lines[0]


def test_the_smoke_run_does_everything_in_two_minutes():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run_python("-m", "benchmarks", "--smoke")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Of processor time: on a machine with other work the clock says nothing.
    assert after.ru_utime - before.ru_utime < 120
    page = done.stdout.rsplit("\n", 2)[-2].split(",")[0]
    html = Path(page).read_text()
    for title in ("HEB stand-in", "PhotoTourism stand-in", "ETH3D stand-in"):
        assert title in html
        assert title in done.stdout


def test_one_command_resumes_and_repeats_its_files(tmp_path, capsys):
    datasets = make_stand_ins(tmp_path / "data", 1, 3)
    words = ["profile", "phototourism", "--data", str(datasets["phototourism"].root)]
    words += ["--out", str(tmp_path / "out"), "--samples", "50", "--workers", "1"]
    assert main(words) == 0
    names = ["profile.csv", "profile.png", "profile.pdf", "report.html"]
    first = {name: (tmp_path / "out" / name).read_bytes() for name in names}
    records_made = sorted((tmp_path / "out" / "records").rglob("*.rec"))
    assert len(records_made) == 3
    records_made[1].write_bytes(records_made[1].read_bytes()[:100])
    capsys.readouterr()
    assert main(words) == 0
    assert "2 kept, 1 to do" in capsys.readouterr().err
    assert {name: (tmp_path / "out" / name).read_bytes() for name in names} == first
    assert np.loadtxt(
        tmp_path / "out" / "profile.csv", delimiter=",", skiprows=1, usecols=(1, 2, 3)
    ).shape == (7 * 200, 3)
