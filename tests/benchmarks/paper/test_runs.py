"""Runs that are killed, damaged, spread over processes, and the commands themselves."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import ROOT
from paper_pairs import MadePairs
from paper_runs import GRIDS, SETTINGS, contents, num_rows, work_of
from processes import run_python

from benchmarks.paper import record as records
from benchmarks.paper.cli import main
from benchmarks.paper.datasets.pairs import DataError
from benchmarks.paper.grid import Grid
from benchmarks.paper.record_files import RecordFiles, stamp_of
from benchmarks.paper.schedule import Progress, complete
from benchmarks.paper.smoke import make_stand_ins

NUM_PAIRS = 24


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The records of an undisturbed run, by pair."""
    dataset = MadePairs(NUM_PAIRS)
    work = work_of(dataset)
    files = RecordFiles(tmp_path_factory.mktemp("reference"), work.stamp)
    complete(files, work, dataset.keys(), workers=1)
    return contents(files, dataset)


# Records on disk


def test_a_finished_run_computes_nothing_again(reference, tmp_path):
    dataset = MadePairs(NUM_PAIRS)
    work = work_of(dataset)
    files = RecordFiles(tmp_path, work.stamp)
    writer = files.writer()
    for key, data in reference.items():
        writer.append(key, data)
    broken = MadePairs(NUM_PAIRS, fails=True)  # would raise if it were read
    assert complete(files, work_of(broken), dataset.keys(), workers=1) == 0.0


def test_damaged_missing_and_foreign_records_are_made_again(reference, tmp_path):
    dataset = MadePairs(NUM_PAIRS)
    work = work_of(dataset)
    files = RecordFiles(tmp_path, work.stamp)
    keys = dataset.keys()
    writer = files.writer()
    for key, data in reference.items():
        writer.append(key, data)
    path = files.path_of("scene0")  # of every other pair
    lines = path.read_bytes().splitlines(keepends=True)
    flipped = bytearray(lines[1])
    flipped[len(flipped) // 2] ^= 4
    foreign = files.path_of("scene1").read_bytes().splitlines(keepends=True)[0]
    lines[1:4] = [bytes(flipped), foreign, b"{}\n"]
    path.write_bytes(b"".join(lines)[:-100])
    lost = [keys[2], keys[4], keys[6], keys[NUM_PAIRS - 2]]
    assert files.missing(keys) == lost
    with pytest.raises(KeyError, match="missing or damaged"):
        list(files.read_all(keys))
    complete(files, work, keys, workers=1)
    assert contents(files, dataset) == reference
    assert RecordFiles(tmp_path, "other").missing(keys) == keys


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
    files = RecordFiles(tmp_path, "s")
    for scene in ("../../etc", "", ".x", "\0"):
        assert files.path_of(scene).resolve().parent == tmp_path


# Killed


COMMAND = """
import sys
from pathlib import Path
from benchmarks.paper.schedule import complete
from benchmarks.paper.record_files import RecordFiles
from paper_pairs import MadePairs
from paper_runs import work_of
from paper_runs import GRIDS, SETTINGS, contents, num_rows, work_of
dataset = MadePairs({num}, seconds={seconds})
work = work_of(dataset)
if __name__ == "__main__":
    files = RecordFiles(Path(sys.argv[1]), work.stamp)
    complete(files, work, dataset.keys(), workers={workers})
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
    while num_rows(folder) < count:
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.parametrize(("workers", "kills"), [(1, (1, 10)), (2, (8,))])
def test_a_killed_run_goes_on_and_ends_with_identical_records(
    reference, tmp_path, workers, kills
):
    dataset, folder = MadePairs(NUM_PAIRS), tmp_path / "out"
    work = work_of(dataset)
    files = RecordFiles(folder, work.stamp)
    for count in kills:
        process = start_run(folder, tmp_path / "run.py", workers=workers)
        wait_for_records(folder, count, process)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    kept = NUM_PAIRS - len(files.missing(dataset.keys()))
    assert max(kills) <= kept < NUM_PAIRS
    complete(files, work, dataset.keys(), workers=1)
    assert contents(files, dataset) == reference


# Spread over processes


def test_several_processes_make_the_same_records(reference, tmp_path):
    dataset = MadePairs(NUM_PAIRS)
    work = work_of(dataset)
    files = RecordFiles(tmp_path, work.stamp)
    assert complete(files, work, dataset.keys(), workers=2) > 0
    assert contents(files, dataset) == reference


def test_broken_data_end_a_run_with_their_name(tmp_path):
    dataset = MadePairs(NUM_PAIRS, fails=True)
    work = work_of(dataset)
    for workers in (1, 2):
        with pytest.raises(DataError, match="made-up file"):
            complete(
                RecordFiles(tmp_path, work.stamp), work, dataset.keys(), workers=workers
            )


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
    files = RecordFiles(tmp_path, work.stamp)
    victim = cluster.workers[0].pid
    killed = []

    def kill_in_mid_run():
        while num_rows(tmp_path) < 2:
            time.sleep(0.01)
        killed.append(num_rows(tmp_path))
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill_in_mid_run, daemon=True)
    killer.start()
    complete(files, work, dataset.keys(), scheduler=cluster.scheduler_address)
    killer.join(timeout=30)
    assert killed
    assert killed[0] < NUM_PAIRS
    assert contents(files, dataset) == reference


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


def test_the_smoke_run_does_everything_in_two_minutes(tmp_path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run_python("-m", "benchmarks", "paper", "--smoke", "--out", tmp_path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Of processor time: on a machine with other work the clock says nothing.
    assert after.ru_utime - before.ru_utime < 120
    *_, wrote, following = done.stdout.strip().splitlines()
    assert wrote.startswith(f"wrote {tmp_path / 'report.html'}, after")
    assert following.startswith("next: python -m benchmarks paper ")
    html = (tmp_path / "report.html").read_text()
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
    (made,) = (tmp_path / "out" / "records").glob("*.jsonl")
    assert num_rows(made.parent) == 3
    made.write_bytes(made.read_bytes()[:-100])
    capsys.readouterr()
    assert main(words) == 0
    assert "2 kept, 1 to do" in capsys.readouterr().err
    assert {name: (tmp_path / "out" / name).read_bytes() for name in names} == first
    assert np.loadtxt(
        tmp_path / "out" / "profile.csv", delimiter=",", skiprows=1, usecols=(1, 2, 3)
    ).shape == (7 * 200, 3)
