"""What the drop-in returns: the scale of models, masks, failures, and who uses them."""

import cv2
import numpy as np
import pytest
import synthetic
from numba.core import config as numba_config
from opencv_case import CAMERAS, FUNCTIONS, usac_params

from cvscore import opencv

NUM, NUM_SCENES = (100, 1) if numba_config.DISABLE_JIT else (200, 5)
KINDS = pytest.mark.parametrize("kind", ["H", "F", "E"])
SCENES = {
    "H": synthetic.planar_scene(np.random.default_rng(3), NUM, inlier_ratio=0.6),
    "E": synthetic.two_view_scene(np.random.default_rng(4), NUM, inlier_ratio=0.6),
}
SCENES["F"] = SCENES["E"]
K = SCENES["E"].K1


def find(kind, *args, module=opencv, **kwargs):
    scene = SCENES[kind]
    function = getattr(module, FUNCTIONS[kind])
    return function(scene.x1, scene.x2, *CAMERAS[kind], *args, **kwargs)


def residuals(kind, model):
    """Sampson distances in pixels, by a formula that is not the package's."""
    scene = SCENES[kind]
    if kind == "H":
        return synthetic.sampson_homography(model, scene.x1, scene.x2)
    if kind == "E":
        model = np.linalg.inv(K).T @ model @ np.linalg.inv(K)
    return synthetic.sampson_epipolar(model, scene.x1, scene.x2)


@KINDS
def test_mask_is_a_cut_through_the_residuals_of_the_returned_model(kind):
    model, mask = find(kind)
    chosen = mask.ravel().astype(bool)
    distances = residuals(kind, model)
    assert distances[chosen].max() <= distances[~chosen].min() + 1e-9
    truth = SCENES[kind].is_inlier
    assert chosen[truth].mean() > 0.8
    assert distances[truth & chosen].max() < 6.0  # of noise 0.5 in each coordinate


def test_homography_is_near_the_truth_and_scaled():
    H, _ = find("H")
    assert H[2, 2] == 1.0
    assert synthetic.corner_error(H, SCENES["H"]) < 1.0


def test_fundamental_matrix_has_rank_two_and_the_scale_of_cv2():
    F, _ = find("F")
    assert F[2, 2] == 1.0
    values = np.linalg.svd(F, compute_uv=False)
    assert values[2] < 1e-12 * values[0]


def test_essential_matrix_has_unit_norm_and_equal_singular_values():
    E, _ = find("E")
    values = np.linalg.svd(E, compute_uv=False)
    np.testing.assert_allclose(values, [0.5**0.5, 0.5**0.5, 0.0], atol=1e-9)


@KINDS
@pytest.mark.parametrize("method", [cv2.RANSAC, cv2.LMEDS, cv2.RHO, cv2.USAC_MAGSAC])
def test_threshold_has_no_effect(kind, method):
    name = "threshold" if kind == "E" else "ransacReprojThreshold"
    answers = [find(kind, method, **{name: value}) for value in (1e-6, 1.0, 1e6)]
    bits = {(model.tobytes(), mask.tobytes()) for model, mask in answers}
    assert len(bits) == 1


def test_threshold_of_usac_params_has_no_effect():
    answers = [find("H", usac_params(threshold=value)) for value in (1e-6, 1.0, 1e6)]
    assert len({(model.tobytes(), mask.tobytes()) for model, mask in answers}) == 1


@KINDS
def test_mask_threshold_cuts_the_mask(kind):
    model, mask = find(kind)
    distances = residuals(kind, model)
    for bound in (0.0, 0.3, 1.0, 1e9):
        same, cut = find(kind, mask_threshold=bound)
        np.testing.assert_array_equal(same, model)
        expected = mask.ravel().astype(bool) & (distances <= bound)
        np.testing.assert_array_equal(cut.ravel(), expected)


@KINDS
def test_seeds(kind):
    first, again = find(kind, seed=1), find(kind, seed=1)
    np.testing.assert_array_equal(first[0], again[0])
    cv2.setRNGSeed(99)
    np.testing.assert_array_equal(find(kind)[0], find(kind, seed=0)[0])
    # Other samples lead to the same place.
    np.testing.assert_allclose(residuals(kind, find(kind, seed=2)[0]).min(), 0, atol=1)


def test_recover_pose_takes_the_essential_matrix_and_its_mask():
    scene = SCENES["E"]
    E, mask = find("E")
    before = mask.copy()
    num, R, t, returned = cv2.recoverPose(E, scene.x1, scene.x2, K, mask=mask)
    assert returned is mask
    assert num == np.count_nonzero(mask)
    assert set(np.unique(mask)) <= {0, 1}
    assert (mask <= before).all()
    assert num > 0.9 * before.sum()
    assert synthetic.pose_error(R, t.ravel(), scene) < 2.0


def test_other_functions_of_cv2_take_the_results():
    H, _ = find("H")
    image = np.zeros((60, 80, 3), np.uint8)
    assert cv2.warpPerspective(image, H, (80, 60)).shape == image.shape
    num, rotations, _, _ = cv2.decomposeHomographyMat(H, K)
    assert num == len(rotations) == 4
    scene = SCENES["F"]
    F, mask = find("F")
    chosen = mask.ravel() == 1
    pairs = scene.x1[None, chosen], scene.x2[None, chosen]
    corrected = cv2.correctMatches(F, *pairs)
    moved = np.linalg.norm(corrected[0] - pairs[0], axis=2)
    assert moved.max() < 6.0
    lines = cv2.computeCorrespondEpilines(scene.x1, 1, F)
    assert lines.shape == (len(scene.x1), 1, 3)
    assert cv2.perspectiveTransform(scene.x1[:, None], H).shape == (NUM, 1, 2)


def evaluate_pose(module, x1, x2, K1, K2, pixels, confidence=0.99999):
    """Score a pair as matcher papers do: normalised points, threshold over focal."""
    focal = np.mean([K1[0, 0], K1[1, 1], K2[0, 0], K2[1, 1]])
    n1, n2 = (
        (x - M[[0, 1], [2, 2]]) / M[[0, 1], [0, 1]] for x, M in ((x1, K1), (x2, K2))
    )
    E, mask = module.findEssentialMat(
        n1, n2, np.eye(3), threshold=pixels / focal, prob=confidence, method=cv2.RANSAC
    )
    most, best = 0, None
    for candidate in np.split(E, len(E) // 3):
        num, R, t, _ = cv2.recoverPose(candidate, n1, n2, np.eye(3), 1e9, mask=mask)
        if num > most:
            most, best = num, (R, t[:, 0], mask.ravel() > 0)
    return best


@pytest.mark.parametrize("seed", range(NUM_SCENES))
def test_the_idiom_of_matcher_evaluations(seed):
    rng = np.random.default_rng(seed)
    scene = synthetic.two_view_scene(rng, NUM, inlier_ratio=0.5)
    R, t, inliers = evaluate_pose(opencv, scene.x1, scene.x2, scene.K1, scene.K2, 0.5)
    assert synthetic.pose_error(R, t, scene) < 3.0
    _, pixels = opencv.findEssentialMat(scene.x1, scene.x2, scene.K1)
    inverse = np.linalg.inv(scene.K1)
    n1, n2 = (synthetic.project(inverse, x) for x in (scene.x1, scene.x2))
    _, normalised = opencv.findEssentialMat(n1, n2, np.eye(3), threshold=1e-3)
    np.testing.assert_array_equal(pixels, normalised)
    assert not (inliers & (pixels.ravel() == 0)).any()


def test_the_idiom_with_five_matches():
    scene = SCENES["E"]
    five = np.flatnonzero(scene.is_inlier)[:5]
    result = evaluate_pose(opencv, scene.x1[five], scene.x2[five], K, K, 1.0)
    theirs = evaluate_pose(cv2, scene.x1[five], scene.x2[five], K, K, 1.0)
    for one, other in zip(result, theirs, strict=True):
        np.testing.assert_array_equal(one, other)


@KINDS
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_row_that_is_not_finite_is_an_outlier(kind, bad):
    scene = SCENES[kind]
    function = getattr(opencv, FUNCTIONS[kind])
    plain_model, plain_mask = find(kind)
    x1, x2 = np.insert(scene.x1, 7, bad, axis=0), np.insert(scene.x2, 7, 0.0, axis=0)
    x1[7, 0] = 5.0
    quality = np.zeros(NUM + 1)
    model, mask = function(x1, x2, *CAMERAS[kind])
    assert mask[7] == 0
    np.testing.assert_array_equal(model, plain_model)
    np.testing.assert_array_equal(np.delete(mask, 7, axis=0), plain_mask)
    assert function(x1, x2, *CAMERAS[kind], quality=quality)[1][7] == 0


@KINDS
def test_weights_stay_with_their_rows(kind, rng):
    scene = SCENES[kind]
    function = getattr(opencv, FUNCTIONS[kind])
    weights = rng.uniform(0.1, 10.0, NUM)
    weighted = function(scene.x1, scene.x2, *CAMERAS[kind], weights=weights)
    assert not np.array_equal(weighted[0], find(kind)[0])
    x1, x2 = np.insert(scene.x1, 7, np.nan, axis=0), np.insert(scene.x2, 7, 0.0, axis=0)
    more = np.insert(weights, 7, 3.0)
    model, mask = function(x1, x2, *CAMERAS[kind], weights=more)
    np.testing.assert_allclose(model, weighted[0], atol=1e-9)
    np.testing.assert_array_equal(np.delete(mask, 7, axis=0), weighted[1])


DEGENERATE = {
    "all NaN": np.full((30, 2), np.nan),
    "all zero": np.zeros((30, 2)),
    "all equal": np.full((30, 2), 3.7),
    "two places": np.repeat([[0.0, 0.0], [9.0, 5.0]], 15, axis=0),
    "three finite": np.r_[np.eye(3, 2), np.full((27, 2), np.nan)],
    "one line": np.outer(np.arange(30), [1.0, 2.0]),
    "huge": np.random.default_rng(0).uniform(-1e300, 1e300, (30, 2)),
    "tiny": np.random.default_rng(0).uniform(-1e-30, 1e-30, (30, 2)),
}


@KINDS
@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("method", [cv2.RANSAC, cv2.USAC_MAGSAC])
def test_degenerate_points_give_a_finite_model_or_none(kind, name, method):
    x = DEGENERATE[name]
    mask = np.full((30, 1), 7, np.uint8)
    function = getattr(opencv, FUNCTIONS[kind])
    model, returned = function(x, x.copy(), *CAMERAS[kind], method, mask=mask)
    assert returned is mask
    if model is None:
        assert not mask.any()
    else:
        assert np.isfinite(model).all()
        assert set(np.unique(mask)) <= {0, 1}


@pytest.mark.parametrize("offset", [1e6, 1e7])
def test_offsets_cost_no_inliers(offset):
    """cv2 works in float32: of these 200 exact matches it finds two, or none."""
    rng = np.random.default_rng(8)
    x1 = rng.uniform(0, 1000, (200, 2))
    H = np.array([[0.9, 0.1, 30.0], [-0.1, 1.1, 10.0], [1e-5, -2e-5, 1.0]])
    x2 = synthetic.project(H, x1)
    _, mask = opencv.findHomography(x1 + offset, x2 + offset, cv2.RANSAC, 3.0)
    assert mask.sum() == 200
