"""What ``cvscore match`` tells of an estimate: all of it as JSON, the gist in lines."""

from __future__ import annotations

from typing import Any

import numpy as np

from cvscore.estimators.likeliest_pose import likeliest_pose
from cvscore.models.parametrisations.turns import rotation_vector
from cvscore.types import Array, Estimate, Pose

MASS = 0.95  # of the interval of the noise scale
SCENES = {
    "general": "general: depth and motion",
    "planar": "planar, or without depth",
    "rotation": "the camera only turned",
    "planar_or_rotation": "planar, or the camera only turned",
}
# Of the inliers of an alternative: with more it explains the matches of the first.
MIN_COMMON = 0.5
MAX_NARROWER = 0.5  # of the scale: fits to near misses are two times as wide or more
NUM_TURNS = 3  # the first coordinates of a relative pose are of its rotation


def summary_of(num_matches: int, estimate: Estimate) -> dict[str, Any]:
    """Return all that an estimate tells, for JSON."""
    others = [_of_alternative(estimate, other) for other in estimate.alternatives]
    return {
        "model": estimate.model,
        "num_matches": num_matches,
        "num_inliers": estimate.num_inliers,
        "inliers": np.flatnonzero(estimate.inliers),
        "probabilities": estimate.probabilities,
        "scale": estimate.scale,
        "scale_interval": estimate.scale_interval(MASS),
        "threshold": estimate.threshold,
        "evidence": estimate.evidence,
        "is_significant": estimate.is_significant,
        "iterations": estimate.iterations,
        **_how_sure(estimate),
        "alternatives": others,
    }


def _of_alternative(estimate: Estimate, other: Estimate) -> dict[str, Any]:
    shared = np.count_nonzero(estimate.inliers & other.inliers)
    return {
        "model": other.model,
        "evidence_difference": other.evidence_difference,
        "is_of_the_same_matches": bool(shared > MIN_COMMON * other.num_inliers),
        "num_inliers": other.num_inliers,
        "inliers": np.flatnonzero(other.inliers),
        "scale": other.scale,
        "threshold": other.threshold,
        "evidence": other.evidence,
        **_how_sure(other),
    }


def poses_of_plane(epipolar: Estimate) -> list[dict[str, Any]]:
    """Return the poses of a plane that fit, the likelier one first, for JSON."""
    likeliest = likeliest_pose(epipolar)
    poses = [_of_alternative(likeliest, one) for one in likeliest.alternatives]
    same = [other for other in poses if other["is_of_the_same_matches"]]
    return [_of_alternative(likeliest, likeliest), *same]


def _how_sure(estimate: Estimate) -> dict[str, Any]:
    content: dict[str, Any] = {
        "is_determined": estimate.is_determined,
        "reason_undetermined": estimate.reason_undetermined,
    }
    if estimate.pose is not None:
        content |= {"R": estimate.pose.R, "t": estimate.pose.t}
    uncertainty = estimate.uncertainty
    if uncertainty is not None:
        content |= {
            "coordinates": uncertainty.names,
            "covariance": uncertainty.covariance,
            "standard_deviations": uncertainty.standard_deviations,
            "degrees_of_freedom": uncertainty.degrees_of_freedom,
        }
    return content


def lines_of(
    content: dict[str, Any], estimate: Estimate, x1: Array
) -> list[tuple[str, str]]:
    """Return names and texts of the lines that are printed of a summary.

    ``content`` has the ``scene``, the ``kind`` and the ``plane_poses`` too; ``x1`` are
    the points (N, 2) of the first image.
    """
    share = 100.0 * content["num_inliers"] / content["num_matches"]
    rows = np.array2string(content["model"], precision=6, suppress_small=False)
    interval = " to ".join(f"{end:.3g}" for end in content["scale_interval"])
    verdict = "" if content["is_significant"] else "; not significant"
    scene = [("scene", SCENES[content["scene"]])] if content["scene"] else []
    return [
        *scene,
        ("model", content["kind"]),
        ("", rows.replace("\n", "\n" + " " * 12)),
        (
            "inliers",
            f"{content['num_inliers']} of {content['num_matches']} matches "
            f"({share:.0f} %)",
        ),
        ("scale", f"{content['scale']:.3g} px ({100 * MASS:.0f} %: {interval})"),
        ("threshold", f"{content['threshold']:.3g} px (a result; nothing was set)"),
        ("evidence", f"{content['evidence']:.0f} nats over 'by chance'{verdict}"),
        *_lines_of_place(content, estimate, x1),
        *_lines_of_doubt(content),
    ]


def _lines_of_place(
    content: dict[str, Any], estimate: Estimate, x1: Array
) -> list[tuple[str, str]]:
    """Return the pose and how sure it is; of a map, how sure it puts its inliers."""
    lines = []
    if content["kind"] == "essential":
        lines += _lines_of_pose(content)
    elif content["plane_poses"]:
        lines += _lines_of_pose(content["plane_poses"][0])
    if content["kind"] not in ("essential", "fundamental"):
        covariances = estimate.transfer(x1[estimate.inliers]).covariances
        variances = np.trace(covariances, axis1=1, axis2=2) / covariances.shape[-1]
        deviation = np.sqrt(np.median(variances))
        lines.append(("mapped", f"inliers to {deviation:.2g} px (standard deviation)"))
    return lines


def _lines_of_pose(content: dict[str, Any]) -> list[tuple[str, str]]:
    pose = Pose(content["R"], content["t"])
    deviations = np.degrees(content["standard_deviations"])
    turns, directions = (
        " ".join(f"{one:.2g}" for one in part)
        for part in (deviations[:NUM_TURNS], deviations[NUM_TURNS:])
    )
    words = _in_words(pose)
    known = "standard deviations"
    return [
        ("pose", f"rotation {words[0]}; {known} {turns} degrees"),
        ("", f"direction {words[1]}; {known} {directions} degrees"),
    ]


def _in_words(pose: Pose) -> tuple[str, str]:
    """Return rotation and direction in words."""
    turn = rotation_vector(pose.R)
    angle = float(np.linalg.norm(turn))
    axis = turn / angle if angle > 0.0 else turn
    return f"{np.degrees(angle):.2f} degrees about {_vector(axis)}", _vector(pose.t)


def _vector(vector: Array) -> str:
    return f"({', '.join(f'{one:.3f}' for one in vector)})"


def _is_narrower(other: dict[str, Any], content: dict[str, Any]) -> bool:
    """Whether an alternative says that the model was fitted to near misses."""
    is_likelier: bool = other["evidence_difference"] > 0.0
    return is_likelier and other["scale"] < MAX_NARROWER * content["scale"]


def _lines_of_doubt(content: dict[str, Any]) -> list[tuple[str, str]]:
    lines = []
    if not content["is_determined"]:
        lines.append(("warning", f"undetermined: {content['reason_undetermined']}"))
    same = [o for o in content["alternatives"] if o["is_of_the_same_matches"]]
    narrower = [other for other in same if _is_narrower(other, content)]
    poses = [
        other for other in same if "R" in other and not _is_narrower(other, content)
    ]
    for other in narrower:
        lines.append(
            (
                "warning",
                f"a narrower fit is likelier: {other['num_inliers']} inliers at "
                f"{other['scale']:.3g} px ({other['evidence_difference']:+.1f} nats)",
            )
        )
    for other in (*poses, *content["plane_poses"][1:]):
        turn, direction = _in_words(Pose(other["R"], other["t"]))
        lines.append(
            (
                "warning",
                f"two poses fit, also rotation {turn} and direction {direction} "
                f"({other['evidence_difference']:+.1f} nats)",
            )
        )
    for other in content["alternatives"]:
        if not other["is_of_the_same_matches"]:
            lines.append(
                (
                    "warning",
                    f"another structure has {other['num_inliers']} inliers "
                    f"({other['evidence_difference']:+.0f} nats)",
                )
            )
    return lines
