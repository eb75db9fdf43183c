"""Verification by any number of workers, or a cluster, gives the same."""

import threading
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import pytest

pytest.importorskip("pycolmap")

from colmap_scenes import contents, write_scene

from cvscore.colmap import verification, verify_matches
from cvscore.colmap.verification import estimate_item
from cvscore.parallel import ordered_map


def test_result_does_not_depend_on_the_workers(path, rng):
    write_scene(path, rng, num_images=5)
    verify_matches(path, num_workers=1, progress=False)
    alone = contents(path)
    verify_matches(path, num_workers=3, overwrite=True, progress=False)
    assert contents(path) == alone
    with ProcessPoolExecutor(1, mp_context=spawn()) as executor:
        verify_matches(path, overwrite=True, executor=executor, progress=False)
    assert contents(path) == alone


def test_the_caller_works_beside_the_others(path, rng, monkeypatch):
    write_scene(path, rng, num_images=6)
    verify_matches(path, num_workers=1, progress=False)
    alone = contents(path)
    workers = Counter()

    def observed(options, item):
        workers[threading.current_thread()] += 1
        time.sleep(0.01)  # so that the other thread has its share, however slow it is
        return estimate_item(options, item)

    monkeypatch.setattr(ordered_map, "ITEMS_PER_TASK", 1)
    monkeypatch.setattr(verification, "estimate_item", observed)
    verify_matches(path, num_workers=2, overwrite=True, progress=False)
    assert contents(path) == alone
    assert workers.total() == 15
    assert len(workers) == 2
    assert workers[threading.current_thread()] > 0


def test_an_error_in_a_thread_is_the_callers(path, rng, monkeypatch):
    write_scene(path, rng, num_images=4)

    def broken(options, item):
        raise MemoryError("no memory left")

    monkeypatch.setattr(verification, "estimate_item", broken)
    for num_workers in (1, 3):
        with pytest.raises(MemoryError, match="no memory left"):
            verify_matches(path, num_workers=num_workers, progress=False)
    monkeypatch.undo()
    assert verify_matches(path, progress=False).num_kept == 0


def spawn():
    import multiprocessing

    return multiprocessing.get_context("spawn")


@pytest.mark.filterwarnings("default")  # what Dask deprecates is not our concern
def test_dask_cluster_gives_the_same(path, rng):
    distributed = pytest.importorskip("distributed")
    write_scene(path, rng, num_images=4)
    verify_matches(path, num_workers=1, progress=False)
    alone = contents(path)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        summary = verify_matches(
            path, overwrite=True, executor=client.get_executor(), progress=False
        )
    assert summary.num_accepted == 6
    assert contents(path) == alone


def test_no_workers_is_an_error(path, rng):
    write_scene(path, rng, num_images=2)
    with pytest.raises(ValueError, match="num_workers must be at least 1, got 0"):
        verify_matches(path, num_workers=0)
