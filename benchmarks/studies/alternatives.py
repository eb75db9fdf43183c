"""Whether the right answer is among the alternatives where the one returned is wrong.

    python -m benchmarks alternatives --num 300
    python -m benchmarks alternatives --clips --num 14 --first 300

Essential matrices first.  Pairs are those of `planar` (70 to 97 % of the inliers on a
plane; val and surfaces), of walls and nothing else (`data.walls`), of scenes with
depth, of photographs and of the planes in them (`data.photographed_planes`).  A pose is
wrong if it is off by more than 10 degrees.  Counted are the wrong ones of which a pose
of the plane is right: how often that is among the alternatives.  And how many are wrong
if another one is taken: that of most evidence, the likeliest one (as `recoverPose`
does), and the one that is written to a database of COLMAP.  With ``--clips`` pairs are
those of rendered clips (`data.clips`), and nothing else is measured.

Then absolute poses before a plane (`data.flat_targets`), which looks nearly alike from
two sides when it is far away; a pose of the plane is one of the two of IPPE in cv2.

Then structures: pairs with a second plane or motion of some part of the inliers of the
first, and with none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.data.clips import clips_of, textures
from benchmarks.data.flat_targets import Target, draw_target
from benchmarks.data.noisy_pair import num_inliers_of
from benchmarks.data.pair import Array, Pair, Pose
from benchmarks.data.photographed_planes import planes_of_photographs
from benchmarks.data.splits import load_pair, pair_ids, regimes_of
from benchmarks.data.synthetic import generate
from benchmarks.data.views import (
    Views,
    cloud_matches,
    log_uniform,
    other_motion,
    plane_matches,
    random_plane,
    random_views,
)
from benchmarks.data.walls import NOISE, draw_wall
from benchmarks.protocols.homography import apply_homography
from benchmarks.protocols.relative_pose import direction_angle, rotation_angle
from cvscore import (
    Estimate,
    RansacOptions,
    estimate_absolute_pose,
    estimate_essential,
    estimate_fundamental,
    estimate_homography,
)
from cvscore.estimators.likeliest_pose import likeliest_pose
from cvscore.estimators.pair_geometry import PairMatches, PairOptions, estimate_pair

CLIPS = ("wall", "nearly flat", "depth")  # those whose camera moves
WRONG = 10.0  # degrees
MIN_INLIERS = 15  # of a pair of a database, COLMAP's default
PLANE_THRESHOLD = 3.0  # noise scales: of the homography that truth is read from
STRUCTURES = (0.0, 0.4, 0.6, 0.8, 1.0)  # of the inliers of the first
OUTLIERS = 0.5  # of the inliers
PATCH = (0.4, 0.7)  # of the image's sides: what a plane covers
# So much of a second plane is so many noise scales off the first: else they are one.
MIN_SHARE_APART = 0.9
APART = 5.0
TARGETS_FOR_A_PAIR = 10  # of which few are returned with the wrong pose


def wall(index: int) -> Pair:
    """Return the wall of a number."""
    return draw_wall(np.random.default_rng([index, 21]))


def regime_of(regime: str, split: str) -> Callable[[int], Pair]:
    """Return the problems of a regime."""
    return lambda index: generate("E", regime, index, split)


PAIRS = {
    "planar (val)": regime_of("planar", "val"),
    "planar (surfaces)": regime_of("planar", "surfaces"),
    "walls": wall,
    "with depth, easy (val)": regime_of("easy", "val"),
    "with depth, typical (val)": regime_of("typical", "val"),
    "with depth, typical (surfaces)": regime_of("typical", "surfaces"),
    "with depth, 3 px (val)": regime_of("sig3", "val"),
}


class Outcome(NamedTuple):
    """What became of one pair: errors in degrees, times in seconds."""

    error: float  # of the pose returned
    of_plane: float  # of the better pose of the plane
    among: float  # the smallest of the alternatives
    most: float  # of that of most evidence
    likeliest: float  # of `likeliest_pose`
    verified: float  # of the verification of COLMAP databases
    num: int  # of alternatives
    seconds: float  # of the estimate
    of_alternatives: float  # seconds more
    of_likeliest: float  # seconds more


def error_of(pose: Pose, truth: Pose) -> float:
    """Return the larger of the rotation and the direction error, degrees."""
    turn = rotation_angle(pose.R.T @ truth.R)
    return max(turn, direction_angle(np.ravel(pose.t), truth.t))


def error_of_plane(pair: Pair, scale: float) -> float:
    """Return the error of the better pose of the plane of most true inliers."""
    rows = slice(None) if pair.is_inlier is None else pair.is_inlier
    x1, x2 = pair.x1[rows], pair.x2[rows]
    H, mask = cv2.findHomography(x1, x2, cv2.RANSAC, PLANE_THRESHOLD * scale)
    if H is None:
        return np.inf
    on_plane = mask.ravel() > 0
    H, _ = cv2.findHomography(x1[on_plane], x2[on_plane])
    between_rays = np.linalg.inv(pair.K2) @ H @ pair.K1
    _, turns, shifts, _ = cv2.decomposeHomographyMat(between_rays, np.eye(3))
    poses = [Pose(R, t[:, 0]) for R, t in zip(turns, shifts, strict=True)]
    return min((error_of(pose, pair.truth) for pose in poses), default=np.inf)


def outcome_of(pair: Pair) -> Outcome | None:
    """Estimate a pair and its alternatives; None where there is no model."""
    given = pair.x1, pair.x2, pair.K1, pair.K2
    found, seconds = timed(lambda: estimate_essential(*given))
    if not found:
        return None
    others, of_alternatives = timed(lambda: found.alternatives)
    likeliest, of_likeliest = timed(lambda: likeliest_pose(found))
    errors = [error_of(one.pose, pair.truth) for one in (found, *others)]
    gains = [0.0, *(other.evidence_difference for other in others)]
    return Outcome(
        errors[0],
        error_of_plane(pair, found.scale),
        min(errors[1:], default=np.inf),
        errors[int(np.argmax(gains))],
        error_of(likeliest.pose, pair.truth),
        error_of_verified(pair),
        len(others),
        seconds,
        of_alternatives,
        of_likeliest,
    )


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a function does, and the processor time that it took."""
    started = time.thread_time()
    return function(), time.thread_time() - started


def error_of_verified(pair: Pair) -> float:
    """Return the error of the pose that a database of COLMAP gets."""
    keypoints = np.column_stack([np.arange(len(pair.x1))] * 2)
    matches = PairMatches(pair.x1, pair.x2, keypoints, pair.K1, pair.K2, True)
    pose = estimate_pair(matches, PairOptions(RansacOptions(), MIN_INLIERS)).pose
    # A rotation alone has no direction.
    is_one = pose is not None and np.any(pose.t)
    return error_of(pose, pair.truth) if is_one else np.inf


def photographs(num: int) -> Iterator[Pair]:
    """Yield ``num`` pairs of each set of photographs that is here."""
    for regime in regimes_of("E", "real"):
        for pair_id in pair_ids("E", regime, "real", num):
            yield load_pair("E", regime, "real", pair_id)


def all_pairs(num: int, first: int) -> dict[str, Iterable[Pair]]:
    """Return ``num`` pairs of every set that is here, by its name."""
    sets: dict[str, Iterable[Pair]] = {
        name: map(pair_of, range(first, first + num)) for name, pair_of in PAIRS.items()
    }
    sets["photographs"] = photographs(num)
    sets["planes of photographs"] = planes_of_photographs(num)
    return sets


def pairs_of_clips(num: int, first: int) -> dict[str, Iterable[Pair]]:
    """Return the pairs of ``num`` rendered clips of every kind, by its name."""
    return {
        f"clips, {kind} ({surface})": clips_of(kind, range(first, first + num), texture)
        for surface, texture in textures().items()
        for kind in CLIPS
    }


def print_poses(sets: dict[str, Iterable[Pair]]) -> None:
    """Print how often the right pose is among the alternatives."""
    outcome_of(wall(0))  # kernels are loaded
    for name, pairs in sets.items():
        outcomes = [
            outcome for outcome in map(outcome_of, pairs) if outcome is not None
        ]
        if not outcomes:
            continue
        wrong = [o for o in outcomes if o.error > WRONG]
        ambiguous = [o for o in wrong if o.of_plane <= WRONG]
        right = sum(o.among <= WRONG for o in ambiguous)
        share = f" ({100 * right / len(ambiguous):.1f} %)" if ambiguous else ""
        with_others = np.mean([o.num > 0 for o in outcomes])
        most, likeliest, verified = (
            sum(getattr(o, field) > WRONG for o in outcomes)
            for field in ("most", "likeliest", "verified")
        )
        fields = "seconds", "of_alternatives", "of_likeliest"
        once, alternatives, choice = (
            1e3 * np.median([getattr(o, field) for o in outcomes]) for field in fields
        )
        print(
            f"{name}: {len(outcomes)} pairs, {len(wrong)} wrong, {len(ambiguous)} of "
            f"them with a right pose of the plane, which is among the alternatives of "
            f"{right}{share}; {100 * with_others:.1f} % of all have alternatives\n"
            f"    wrong by most evidence {most}, the likeliest {likeliest}, verified "
            f"{verified}; {once:.1f} ms, alternatives {alternatives:.1f} ms more, "
            f"likeliest pose {choice:.1f} ms more",
            flush=True,
        )


def turn_of_target(target: Target) -> float:
    """Return the error of the better pose of the plane by its right points, degrees."""
    x, X = target.points2d[target.is_inlier], target.points3d[target.is_inlier]
    _, turns, _, _ = cv2.solvePnPGeneric(X, x, target.K, None, flags=cv2.SOLVEPNP_IPPE)
    rotations = [cv2.Rodrigues(turn)[0] for turn in turns]
    return min((rotation_angle(R.T @ target.R) for R in rotations), default=np.inf)


def print_targets(num: int, first: int) -> None:
    """Print how often the right pose before a plane is among the alternatives."""
    num_wrong = num_ambiguous = num_right = num_others = 0
    times = []
    for index in range(first, first + num):
        target = draw_target(np.random.default_rng([index, 23]))
        given = target.points2d, target.points3d, target.K
        found = estimate_absolute_pose(*given)
        if not found.is_significant:  # a few points of a target that is tiny
            continue
        others, seconds = timed(lambda found=found: found.alternatives)
        times.append(1e3 * seconds)
        errors = [rotation_angle(one.pose.R.T @ target.R) for one in (found, *others)]
        num_others += len(others) > 0
        if errors[0] > WRONG:
            num_wrong += 1
            if turn_of_target(target) <= WRONG:
                num_ambiguous += 1
                num_right += min(errors[1:], default=np.inf) <= WRONG
    print(
        f"planes before one camera: {len(times)}, {num_wrong} wrong, {num_ambiguous} "
        f"of them with a right pose of the plane, which is among the alternatives of "
        f"{num_right}; {num_others} of all have alternatives, {np.median(times):.1f} "
        "ms",
        flush=True,
    )


def draw_structures(
    rng: np.random.Generator, model: str, share: float
) -> tuple[Views, Array, int, int]:
    """Return views, matches (N, 4), and how many are of a first and a second one."""
    num = num_inliers_of(rng)
    num_second, noise = round(share * num), log_uniform(rng, *NOISE)
    if model == "homography":
        views, parts = draw_planes(rng, (num, num_second), noise)
    else:
        views = random_views(rng)
        moving = other_motion(rng, views)
        parts = [cloud_matches(rng, views, num), cloud_matches(rng, moving, num_second)]
    matches = np.vstack(parts)
    matches += noise * rng.normal(size=matches.shape)
    wrong = views.random_matches(rng, round(OUTLIERS * num))
    return views, np.vstack([matches, wrong]), num, num_second


def draw_planes(
    rng: np.random.Generator, counts: tuple[int, int], noise: float
) -> tuple[Views, list[Array]]:
    """Return views of two planes, and matches of them, few of which are on both."""
    while True:
        views = random_views(rng)
        first, second = (random_plane(rng, views) for _ in range(2))
        parts = [
            plane_matches(rng, views, plane, count, rng.uniform(*PATCH))
            for plane, count in zip((first, second), counts, strict=True)
        ]
        mapped = apply_homography(views.homography(first), parts[1][:, :2])
        off = np.linalg.norm(mapped - parts[1][:, 2:], axis=1)
        if np.sum(off > APART * noise) >= MIN_SHARE_APART * len(off):
            return views, parts


def holds_second(found: Estimate, num: int, num_second: int) -> bool:
    """Whether an alternative has most of the structure that was not returned."""
    first = found.inliers[:num].mean() > found.inliers[num : num + num_second].mean()
    second = slice(num, num + num_second) if first else slice(0, num)
    return any(other.inliers[second].mean() > 0.5 for other in found.alternatives)


def print_structures(num: int, first: int) -> None:
    """Print how often a second structure is listed, and where there is none."""
    estimators = {
        "homography": estimate_homography,
        "fundamental": estimate_fundamental,
        "essential": estimate_essential,
    }
    for model, estimate in estimators.items():
        words = []
        for share in STRUCTURES:
            listed = 0
            for index in range(first, first + num):
                rng = np.random.default_rng([index, round(10 * share), 22])
                views, rows, *counts = draw_structures(rng, model, share)
                cameras = (views.camera1.K, views.camera2.K)
                given = cameras if model == "essential" else ()
                found = estimate(rows[:, :2], rows[:, 2:], *given)
                if share == 0.0:
                    listed += len(found.alternatives) > 0
                else:
                    listed += bool(found) and holds_second(found, *counts)
            words.append(f"{share:.1f}: {100 * listed / num:.0f} %")
        print(f"{model}, a second structure of so many matches: {', '.join(words)}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all of it."""
    parser = parser_of("alternatives", __doc__)
    parser.add_argument("--num", type=int, default=100, help="pairs of each kind")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--clips", action="store_true", help="rendered clips instead")
    args = parser.parse_args(arguments)
    if args.clips:
        print_poses(pairs_of_clips(args.num, args.first))
        return
    print_poses(all_pairs(args.num, args.first))
    print_targets(TARGETS_FOR_A_PAIR * args.num, args.first)
    print_structures(args.num, args.first)
