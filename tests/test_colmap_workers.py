"""Verification by any number of workers, or a cluster, gives the same."""

from concurrent.futures import ProcessPoolExecutor

import pytest

pytest.importorskip("pycolmap")

from colmap_scenes import contents, write_scene

from cvscore.colmap import verify_matches


def test_result_does_not_depend_on_the_workers(path, rng):
    write_scene(path, rng, num_images=5)
    verify_matches(path, num_workers=1, progress=False)
    alone = contents(path)
    verify_matches(path, num_workers=3, overwrite=True, progress=False)
    assert contents(path) == alone
    with ProcessPoolExecutor(1, mp_context=spawn()) as executor:
        verify_matches(path, overwrite=True, executor=executor, progress=False)
    assert contents(path) == alone


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
