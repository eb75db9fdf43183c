"""Calibrations: learned from pairs, kept in files, taken by everybody; and units."""

import json
from dataclasses import replace

import numba
import numpy as np
import pytest
from map_scenes import KINDS, map_scene
from seen_points import seen_points
from synthetic import planar_scene, two_view_scene

import cvscore
from cvscore import (
    Calibration,
    InverseGamma,
    LabelledPair,
    MarginalScore,
    calibrate,
    estimate_essential,
    estimate_fundamental,
    estimate_homography,
)
from cvscore.calibration.calibrate import _choose
from cvscore.scores.marginal_score import HALF_WIDTH_FRACTION
from cvscore.types import Pose

JIT = not numba.config.DISABLE_JIT
NOISE = 0.8


def labelled(model, rng, num=150, ratio=0.5):
    if model == "homography":
        s = planar_scene(rng, num, inlier_ratio=ratio, noise=NOISE)
        return LabelledPair(x1=s.x1, x2=s.x2, inliers=s.is_inlier, H=s.H)
    s = two_view_scene(rng, num, inlier_ratio=ratio, noise=NOISE)
    pose = {"K1": s.K1, "K2": s.K2, "R": s.R, "t": s.t}
    return LabelledPair(x1=s.x1, x2=s.x2, inliers=s.is_inlier, **pose)


def a_calibration(model="essential", **changes):
    fields = {
        "model": model,
        "prior": InverseGamma(1.0, 0.64),
        "half_width_fraction": 0.04,
        "half_width": 48.0,
        "num_pairs": 7,
        "num_skipped": 1,
    }
    return Calibration(**{**fields, **changes})


# Learning.


@pytest.mark.parametrize("model", ["homography", "fundamental", "essential"])
@pytest.mark.parametrize("fit", ["robust", "mle"])
def test_noise_of_the_pairs_is_learned(model, fit, rng):
    pairs = [labelled(model, rng) for _ in range(3 if JIT else 2)]
    pairs.append(labelled(model, rng, num=8))  # too few matches to say anything
    learned = calibrate(pairs, model=model, fit=fit, half_widths=(0.02, 0.05))
    prior = learned.prior
    # 75 inliers tell a variance to 16 %, 150 dimensions of them to 12 %.
    assert prior.beta / prior.alpha == pytest.approx(NOISE**2, rel=0.5)
    assert (learned.num_pairs, learned.num_skipped) == (len(pairs), 1)
    assert learned.half_width_fraction in (0.02, 0.05)
    assert learned.half_width > 5.0


def labelled_map(kind, dim, rng, unit=1.0, num=150):
    s = map_scene(rng, kind, dim, num, noise=NOISE)
    return LabelledPair(
        x1=unit * s.x1,
        x2=unit * s.x2,
        inliers=s.is_right,
        H=np.column_stack([s.model[:, :dim], unit * s.model[:, dim]]),
    )


def labelled_view(rng, num=150):
    s = seen_points(rng, num, 0.5, noise=NOISE)
    return LabelledPair(x1=s.x, x2=s.X, inliers=s.is_inlier, K1=s.K, R=s.R, t=s.t)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [2, 3])
def test_maps_are_calibrated(kind, dim, rng):
    unit = 1.0 if dim == 2 else 1e-3  # clouds may be in any unit
    pairs = [labelled_map(kind, dim, rng, unit) for _ in range(3)]
    learned = calibrate(pairs, model=kind, half_widths=(0.02, 0.05))
    prior, noise = learned.prior, unit * NOISE
    assert prior.beta / prior.alpha == pytest.approx(noise**2, rel=0.5)
    found = getattr(cvscore, f"estimate_{kind}")(
        pairs[0].x1, pairs[0].x2, calibration=learned
    )
    assert found.scale == pytest.approx(noise, rel=0.3)
    # The truth has no error, a shift of it has its length.
    shifted = pairs[0].H.copy()
    shifted[0, -1] += 3.0
    for model, error in ((pairs[0].H, 0.0), (shifted, 3.0)):
        assert pairs[0].error(replace(found, model=model), kind) == pytest.approx(error)


def test_absolute_poses_are_calibrated(rng):
    pairs = [labelled_view(rng) for _ in range(3)]
    widths = {"model": "absolute_pose", "half_widths": (0.02, 0.05)}
    learned = calibrate(pairs, **widths)
    assert learned.prior.beta / learned.prior.alpha == pytest.approx(NOISE**2, rel=0.5)
    one = pairs[0]
    found = cvscore.estimate_absolute_pose(one.x1, one.x2, one.K1, calibration=learned)
    assert found.scale == pytest.approx(NOISE, rel=0.3)
    true = np.column_stack([one.R, one.t])
    assert one.error(replace(found, model=true), "absolute_pose") == 0.0
    blind = replace(one, R=None, t=None)  # then measured points are the truth
    about = blind.error(found, "absolute_pose")
    assert about == pytest.approx(NOISE * np.sqrt(np.pi / 2), rel=0.3)
    with pytest.raises(ValueError, match="needs the camera matrix K"):
        calibrate([replace(blind, K1=None)], **widths)
    with pytest.raises(ValueError, match="a pose needs K1"):
        replace(one, K1=None)


def test_errors_are_those_of_the_truth(rng):
    s = two_view_scene(rng, 80, inlier_ratio=1.0, noise=1e-6)
    pair = LabelledPair(
        x1=s.x1, x2=s.x2, inliers=s.is_inlier, K1=s.K1, K2=s.K2, R=s.R, t=s.t
    )
    E, F = estimate_essential(s.x1, s.x2, s.K1), estimate_fundamental(s.x1, s.x2)
    assert pair.error(E, "essential") < 1e-3
    assert pair.error(F, "fundamental") < 1e-3
    turned = replace(E, pose=Pose(E.pose.R, -E.pose.t))
    assert pair.error(turned, "essential") == pytest.approx(180, abs=1e-3)
    blind = replace(pair, R=None, t=None)
    assert blind.error(E, "essential") < 1e-5
    assert blind.error(F, "fundamental") < 1e-5
    nothing = estimate_fundamental(s.x1[:5], s.x2[:5])
    assert pair.error(nothing, "fundamental") == np.inf
    plane = planar_scene(rng, 50, inlier_ratio=1.0, noise=0.0)
    flat = LabelledPair(x1=plane.x1, x2=plane.x2, inliers=plane.is_inlier, H=plane.H)
    shift = np.array([[1, 0, 3.0], [0, 1, 4.0], [0, 0, 1]])
    found = replace(estimate_homography(plane.x1, plane.x2), model=shift @ plane.H)
    assert flat.error(found, "homography") == pytest.approx(5.0, rel=1e-6)
    assert replace(flat, H=None).error(found, "homography") == pytest.approx(5.0)


@pytest.mark.parametrize("model", ["homography", "fundamental", "essential"])
def test_a_pair_without_a_right_match_changes_nothing(model, rng):
    pairs = [labelled(model, rng, num=60) for _ in range(2)]
    wrong = replace(pairs[0], inliers=np.zeros(60, dtype=bool))
    widths = {"model": model, "half_widths": (0.02, 0.05)}
    learned, plain = calibrate([*pairs, wrong], **widths), calibrate(pairs, **widths)
    assert learned.num_skipped == 1
    assert learned.prior == plain.prior
    assert learned.half_width_fraction == plain.half_width_fraction
    found = estimate_homography(wrong.x1, wrong.x2)
    assert wrong.error(found, "homography") == np.inf


def test_half_width_is_changed_on_evidence_only():
    widths = HALF_WIDTH_FRACTION * np.array([0.25, 1.0, 4.0])
    alike = np.array([[1.0, 2.0, 0.5], [1.1, 1.9, 0.6], [0.9, 2.2, 0.5]])
    assert _choose(alike, widths) == 1
    assert _choose(alike[:, :1], widths) == 1  # one pair says nothing
    clear = np.array([[1.0, 2.0, 0.5], [3.0, 5.9, 1.6], [9.0, 22.0, 5.0]])
    assert _choose(clear, widths) == 0
    failing = np.tile(np.where(clear > 1.5, np.inf, clear), 4)
    assert _choose(failing, widths) == 0


def test_what_cannot_be_learned_from(rng):
    pair = labelled("essential", rng, num=20)
    with pytest.raises(ValueError, match="must not be empty"):
        calibrate([], model="essential")
    with pytest.raises(ValueError, match=r"model must be one of .* got 'E'"):
        calibrate([pair], model="E")
    with pytest.raises(ValueError, match=r"fit must be one of .* got 'median'"):
        calibrate([pair], model="essential", fit="median")
    few = replace(pair, inliers=np.zeros(20, dtype=bool))
    with pytest.raises(ValueError, match="none of 1 pairs has enough right matches"):
        calibrate([few], model="essential")
    with pytest.raises(ValueError, match="inliers must be 20 booleans"):
        replace(pair, inliers=np.ones(20))
    with pytest.raises(ValueError, match="x1 must"):
        replace(pair, x1=[[1.0, 2.0], [3.0]])
    with pytest.raises(ValueError, match=r"x2 must have shape \(N, 2\)"):
        replace(pair, x2=np.zeros((20, 4)))
    with pytest.raises(ValueError, match=r"H must have shape \(3, 3\) or \(2, 3\)"):
        replace(pair, H=np.eye(2))
    with pytest.raises(ValueError, match="R and t must be given together"):
        replace(pair, t=None)
    with pytest.raises(ValueError, match="a pose needs K1 and K2"):
        replace(pair, K2=None)
    blind = replace(pair, K1=None, K2=None, R=None, t=None)
    with pytest.raises(ValueError, match="needs the camera matrix K1"):
        calibrate([blind], model="essential")


# Files.


def test_saved_is_loaded(tmp_path):
    for unit in ("px", "normalised"):
        one = a_calibration(prior=InverseGamma(1.0, 1 / 3, unit=unit))
        one.save(tmp_path / "calibration.json")
        assert Calibration.load(tmp_path / "calibration.json") == one
    assert json.loads((tmp_path / "calibration.json").read_text())["version"] == 1


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 1}', '{"version": 1, "prior": 3}', "null"]
)
def test_other_files_are_refused(text, tmp_path):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="is not a calibration"):
        Calibration.load(path)


def test_later_versions_are_refused(tmp_path):
    path = tmp_path / "later.json"
    a_calibration().save(path)
    path.write_text(path.read_text().replace('"version": 1', '"version": 2'))
    with pytest.raises(ValueError, match="has version 2, and this package reads 1"):
        Calibration.load(path)


# Use.


def test_estimators_and_drop_in_take_it(rng):
    s = two_view_scene(rng, 100)
    score = MarginalScore(prior=InverseGamma(1.0, 0.64), half_width_fraction=0.04)
    for model, native, drop_in, cameras in (
        ("homography", estimate_homography, cvscore.findHomography, ()),
        ("fundamental", estimate_fundamental, cvscore.findFundamentalMat, ()),
        ("essential", estimate_essential, cvscore.findEssentialMat, (s.K1,)),
    ):
        one = a_calibration(model)
        found = native(s.x1, s.x2, *cameras, calibration=one)
        assert found.score == native(s.x1, s.x2, *cameras, score=score).score
        _, mask = drop_in(s.x1, s.x2, *cameras, calibration=one)
        _, same = drop_in(
            s.x1, s.x2, *cameras, prior=one.prior, half_width=one.half_width
        )
        assert mask.ravel()[s.is_inlier].mean() > 0.8 or model == "homography"
        assert (mask == same).mean() > 0.9
        with pytest.raises(ValueError, match="not both"):
            native(s.x1, s.x2, *cameras, calibration=one, score=score)
        with pytest.raises(ValueError, match="not both"):
            drop_in(s.x1, s.x2, *cameras, calibration=one, prior=one.prior)


def test_each_model_has_its_own(rng):
    s = two_view_scene(rng, 60)
    with pytest.raises(ValueError, match="is for the model 'essential', and this is"):
        estimate_homography(s.x1, s.x2, calibration=a_calibration("essential"))
    with pytest.raises(ValueError, match="half_width must be finite and positive"):
        a_calibration(half_width=0.0)
    with pytest.raises(ValueError, match="must be the name of a model"):
        a_calibration("")
    with pytest.raises(ValueError, match="model must be one of"):
        calibrate([], model="line")


# Units.


def rays(x, K):
    return (x - K[:2, 2]) / np.diag(K)[:2]


@pytest.fixture
def scene(rng):
    return two_view_scene(rng, 120, focals=(1000.0, 1000.0))


def test_pixels_and_rays_give_the_same_with_converted_priors(scene):
    prior, K = InverseGamma(5.0, 1.0), scene.K1
    pixels = estimate_essential(scene.x1, scene.x2, K, score=MarginalScore(prior=prior))
    n1, n2 = rays(scene.x1, K), rays(scene.x2, K)
    converted = MarginalScore(prior=prior.normalised(1000.0))
    for found, unit in (
        (estimate_essential(n1, n2, np.eye(3), score=converted), 1000.0),
        (estimate_essential(scene.x1, scene.x2, K, score=converted), 1.0),
    ):
        assert (found.inliers == pixels.inliers).all()
        assert found.scale * unit == pytest.approx(pixels.scale, rel=1e-6)
    calibration = a_calibration().normalised(1000.0)
    assert calibration.half_width == pytest.approx(0.048)
    assert estimate_essential(n1, n2, np.eye(3), calibration=calibration)


@pytest.mark.parametrize("model", ["homography", "fundamental", "essential"])
def test_pixels_for_normalised_points_are_refused(model, scene):
    n1, n2 = rays(scene.x1, scene.K1), rays(scene.x2, scene.K1)
    cameras = (np.eye(3),) if model == "essential" else ()
    native = getattr(cvscore, f"estimate_{model}")
    drop_in = {
        "homography": cvscore.findHomography,
        "fundamental": cvscore.findFundamentalMat,
        "essential": cvscore.findEssentialMat,
    }[model]
    prior = InverseGamma(1.0, 0.5)
    refused = r"prior is in pixels but the points are not.*prior\.normalised\(focal\)"
    with pytest.raises(ValueError, match=refused):
        native(n1, n2, *cameras, score=MarginalScore(prior=prior))
    with pytest.raises(ValueError, match=refused):
        native(n1, n2, *cameras, calibration=a_calibration(model))
    with pytest.raises(ValueError, match=refused):
        drop_in(n1, n2, *cameras, prior=prior)
    with pytest.raises(ValueError, match=refused):
        drop_in(n1, n2, *cameras, calibration=a_calibration(model))
    with pytest.raises(ValueError, match="half_width = 30 exceeds the extent"):
        drop_in(n1, n2, *cameras, half_width=30.0)
    # What has no unit, or says that it is right as it is, is taken.
    for fine in (InverseGamma.jeffreys(), InverseGamma(1.0, 1e-6, unit="points")):
        assert drop_in(n1, n2, *cameras, prior=fine)[0] is not None


def test_normalised_priors_for_pixels_need_the_focal_length(scene):
    score = MarginalScore(prior=InverseGamma(1.0, 1e-6, unit="normalised"))
    for native in (estimate_homography, estimate_fundamental):
        with pytest.raises(
            ValueError, match=r"these are pixels.*prior\.pixels\(focal\)"
        ):
            native(scene.x1, scene.x2, score=score)
        assert native(rays(scene.x1, scene.K1), rays(scene.x2, scene.K1), score=score)
    assert estimate_essential(scene.x1, scene.x2, scene.K1, score=score)


def test_points_in_one_place_are_no_question_of_units():
    x = np.zeros((30, 2))
    score = MarginalScore(prior=InverseGamma(1.0, 1.0))
    assert not estimate_homography(x, x, score=score)
