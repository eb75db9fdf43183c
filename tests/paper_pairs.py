"""A dataset made up in memory, picklable, for runs over several processes."""

import time
from dataclasses import dataclass

import numpy as np
from synthetic import two_view_scene

from benchmarks.paper.pairs import DataError, PairKey, PaperPair


@dataclass(frozen=True)
class MadePairs:
    """Planes in two views; optionally slow, or broken in the middle."""

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
        return PaperPair(
            key=key,
            x1=scene.x1,
            x2=scene.x2,
            K1=scene.K1,
            K2=scene.K2,
            R=scene.R,
            t=scene.t,
            confidence=np.ones(60),
            is_inlier=scene.is_inlier,
        )
