"""Pairs and datasets made up in memory, without a file."""

import time
from dataclasses import dataclass

import numpy as np
from synthetic import two_view_scene

from benchmarks.paper.datasets.pairs import DataError, PairKey, PaperPair

SOME_KEY = PairKey("scene", "pair")


def pair_of(scene, key=SOME_KEY, *, with_labels=True):
    """The pair of a made-up scene, labelled or not."""
    return PaperPair(
        key=key,
        x1=scene.x1,
        x2=scene.x2,
        K1=scene.K1,
        K2=scene.K2,
        R=scene.R,
        t=scene.t,
        confidence=np.ones(len(scene.x1)),
        is_inlier=scene.is_inlier if with_labels else None,
    )


def pair_for(problem, rng, num=300, noise=0.7, inlier_ratio=0.5):
    """Two views with their pose; of a plane, and labelled, as HEB has them, for H."""
    is_plane = problem == "H"
    scene = two_view_scene(rng, num, inlier_ratio, noise, planar=is_plane)
    return pair_of(scene, with_labels=is_plane)


@dataclass(frozen=True)
class MadePairs:
    """Planes in two views, picklable; optionally slow, or broken in the middle."""

    num: int
    seconds: float = 0.0
    fails: bool = False

    def keys(self):
        return [PairKey(f"scene{i % 2}", str(i)) for i in range(self.num)]

    def load(self, key):
        time.sleep(self.seconds)
        if self.fails:
            raise DataError(f"a made-up file has no pair {key.name}")
        scene = two_view_scene(np.random.default_rng(int(key.name)), 60, planar=True)
        return pair_of(scene, key)
