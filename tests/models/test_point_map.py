"""Maps of the plane and of space: residuals, minimal solvers and refits."""

import cv2
import numpy as np
import pytest
from map_scenes import KINDS, map_distances, map_scene, random_map
from scipy.spatial.transform import Rotation

from cvscore.models.affine import affine_model
from cvscore.models.rigid import rigid_model
from cvscore.models.similarity import similarity_model
from cvscore.models.translation import translation_model

MODELS = {
    "translation": translation_model,
    "rigid": rigid_model,
    "similarity": similarity_model,
    "affine": affine_model,
}
COUNTS = {  # parameters, constraints a match, matches in a sample
    ("translation", 2): (2, 2, 1),
    ("rigid", 2): (3, 2, 2),
    ("similarity", 2): (4, 2, 2),
    ("affine", 2): (6, 2, 3),
    ("translation", 3): (3, 3, 1),
    ("rigid", 3): (6, 3, 3),
    ("similarity", 3): (7, 3, 3),
    ("affine", 3): (12, 3, 4),
}
every_map = pytest.mark.parametrize(("kind", "dim"), COUNTS)
NUM_SAMPLES = 2000


def small_scene(rng, kind, dim, **choices):
    """A scene in coordinates of order one, as in the frame of an estimate."""
    return map_scene(rng, kind, dim, noise=1.0, **choices)


def moved(kind, model, step):
    """A map of the same kind a little further on: steps of n parameters."""
    dim = len(model)
    A, t = model[:, :-1], model[:, -1] + step[:dim]
    rest = step[dim:]
    if kind == "affine":
        A = A + rest.reshape(dim, dim)
    elif kind != "translation":
        if kind == "similarity":
            A, rest = A * np.exp(rest[-1]), rest[:-1]
        if dim == 3:
            A = Rotation.from_rotvec(rest).as_matrix() @ A
        else:
            A = Rotation.from_euler("z", rest[0]).as_matrix()[:2, :2] @ A
    return np.column_stack([A, t])


@every_map
def test_counts(kind, dim):
    model = MODELS[kind](dim)
    counts = model.num_params, model.residual_dim, model.sample_size
    assert counts == COUNTS[kind, dim]


@every_map
def test_residuals_are_distances_to_the_nearest_match(kind, dim, rng):
    scene = map_scene(rng, kind, dim, 50)
    maps = np.stack([random_map(rng, kind, dim) for _ in range(4)])
    found = MODELS[kind](dim).residuals(maps, scene.points)
    for one, q in zip(maps, found, strict=True):
        expected = map_distances(one, scene.x1, scene.x2)
        np.testing.assert_allclose(np.sqrt(q), expected, rtol=1e-9, atol=1e-9)


@every_map
def test_residuals_are_alike_from_the_other_side(kind, dim, rng):
    scene = map_scene(rng, kind, dim, 50)
    A, t = scene.model[:, :-1], scene.model[:, -1]
    inverse = np.column_stack([np.linalg.inv(A), -np.linalg.solve(A, t)])
    there = MODELS[kind](dim).residuals(scene.model[None], scene.points)
    turned = np.ascontiguousarray(np.roll(scene.points, dim, axis=0))
    back = MODELS[kind](dim).residuals(inverse[None], turned)
    np.testing.assert_allclose(there, back, rtol=1e-6, atol=1e-9)


def test_a_map_that_is_no_number_has_infinite_residuals(rng):
    for dim in (2, 3):
        model = np.full((1, dim, dim + 1), np.nan)
        points = rng.uniform(size=(2 * dim, 5))
        assert np.isinf(affine_model(dim).residuals(model, points)).all()


@every_map
def test_minimal_samples_of_exact_matches_give_the_map(kind, dim, rng):
    scene = map_scene(rng, kind, dim, 100, share_right=1.0, noise=0.0)
    model = MODELS[kind](dim)
    size = model.sample_size
    samples = np.array([rng.permutation(100)[:size] for _ in range(NUM_SAMPLES)])
    found = model.solve(scene.points, samples)
    assert len(found) == NUM_SAMPLES
    error = np.abs(found - scene.model)[:, :, :-1].max(axis=(1, 2))
    assert np.quantile(error, 0.99) < 1e-8  # thin samples lose digits


def samples_of(rng, num, size):
    return np.array([rng.permutation(num)[:size] for _ in range(NUM_SAMPLES)])


def test_affine_samples_agree_with_opencv(rng):
    points = rng.uniform(0, 1, (4, 60))
    samples = samples_of(rng, 60, 3)
    found = affine_model(2).solve(points, samples)
    assert len(found) == NUM_SAMPLES
    x1, x2 = (np.float32(x) for x in (points[:2].T, points[2:].T))
    rounded = np.ascontiguousarray(np.vstack([x1.T, x2.T]).astype(np.float64))
    found = affine_model(2).solve(rounded, samples)
    for model, sample in zip(found, samples, strict=True):
        theirs = cv2.getAffineTransform(x1[sample], x2[sample])
        np.testing.assert_allclose(model, theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["rigid", "similarity"])
def test_triangles_agree_with_pycolmap(kind, rng):
    """Noisy ones: a least-squares fit, of which pycolmap's rotation is the same."""
    pycolmap = pytest.importorskip("pycolmap")
    scene = map_scene(rng, kind, 3, 60, share_right=1.0, noise=5.0)
    samples = samples_of(rng, 60, 3)
    found = MODELS[kind](3).solve(scene.points, samples)
    theirs_of = {
        "rigid": pycolmap.estimate_rigid3d,
        "similarity": pycolmap.estimate_sim3d,
    }[kind]
    for model, sample in zip(found, samples, strict=True):
        theirs = theirs_of(scene.x1[sample], scene.x2[sample]).matrix()
        scale = np.cbrt(np.linalg.det(model[:, :3]))
        their_scale = np.cbrt(np.linalg.det(theirs[:, :3]))
        np.testing.assert_allclose(
            model[:, :3] / scale, theirs[:, :3] / their_scale, atol=1e-7
        )
        # Noise is in both sets here, and in the second alone there.
        assert scale >= their_scale - 1e-9


@pytest.mark.parametrize("dim", [2, 3])
def test_refits_of_rigid_motions_agree_with_scipy(dim, rng):
    for _ in range(200):
        a, b = rng.normal(size=(2, 30, 3))
        if dim == 2:
            a[:, 2] = b[:, 2] = 0.0
        weights = rng.uniform(0.1, 1.0, 30)
        x1, x2 = (x - weights @ x / weights.sum() for x in (a, b))
        points = np.ascontiguousarray(np.hstack([x1[:, :dim], x2[:, :dim]]).T)
        start = np.eye(dim, dim + 1)
        found = rigid_model(dim).refit(start, points, weights)
        np.testing.assert_allclose(found[:, dim], 0.0, atol=1e-12)
        R = found[:, :dim]
        if dim == 3:
            theirs = Rotation.align_vectors(x2, x1, weights=weights)[0].as_matrix()
            np.testing.assert_allclose(R, theirs, atol=1e-6)
        np.testing.assert_allclose(R @ R.T, np.eye(dim), atol=1e-12)
        assert np.linalg.det(R) > 0.0


@every_map
def test_the_gradient_vanishes_at_a_refit(kind, dim, rng):
    scene = map_scene(rng, kind, dim, 80, share_right=1.0, noise=30.0)
    points = scene.points / 1000.0
    weights = rng.uniform(0.0, 1.0, 80)
    weights[::7] = 0.0
    model = MODELS[kind](dim)
    start = scene.model.copy()
    start[:, dim] /= 1000.0
    found = model.refit(start, points, weights)

    def cost(step):
        one = moved(kind, found, step)[None]
        return weights @ model.residuals(one, points)[0]

    best, h = cost(np.zeros(model.num_params)), 1e-5
    for k in range(model.num_params):
        step = np.zeros(model.num_params)
        step[k] = h
        up, down = cost(step), cost(-step)
        assert min(up, down) > best
        slope, curvature = (up - down) / (2 * h), (up + down - 2 * best) / h**2
        assert abs(slope) < 1e-4 * curvature
    assert best <= weights @ model.residuals(start[None], points)[0]


@every_map
def test_exact_matches_are_refitted_exactly(kind, dim, rng):
    scene = map_scene(rng, kind, dim, 50, share_right=1.0, noise=0.0)
    model = MODELS[kind](dim)
    found = model.refit(np.eye(dim, dim + 1), scene.points, np.ones(50))
    np.testing.assert_allclose(found[:, :dim], scene.model[:, :dim], atol=1e-10)


@pytest.mark.parametrize("dim", [2, 3])
def test_a_similarity_becomes_its_inverse_when_the_sets_change_places(dim, rng):
    scene = map_scene(rng, "similarity", dim, 40, share_right=1.0, noise=20.0)
    model, ones = similarity_model(dim), np.ones(40)
    there = model.refit(scene.model, scene.points, ones)
    turned = np.ascontiguousarray(np.roll(scene.points, dim, axis=0))
    back = model.refit(scene.model, turned, ones)
    product = back[:, :dim] @ there[:, :dim]
    np.testing.assert_allclose(product, np.eye(dim), atol=1e-9)


@every_map
def test_too_few_or_degenerate_points_leave_the_model(kind, dim, rng):
    model = MODELS[kind](dim)
    start = random_map(rng, kind, dim)
    points = rng.uniform(size=(2 * dim, 20))
    np.testing.assert_array_equal(model.refit(start, points, np.zeros(20)), start)
    if kind == "translation":
        return
    weights = np.zeros(20)
    weights[0] = 1.0
    np.testing.assert_array_equal(model.refit(start, points, weights), start)
    same = np.ones((2 * dim, 20))
    np.testing.assert_array_equal(model.refit(start, same, np.ones(20)), start)


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("which", [0, 1])
def test_flat_samples_give_no_model(dim, which, rng):
    x = rng.uniform(size=(2, dim, 50))
    x[which] = np.outer(np.arange(1.0, dim + 1), rng.uniform(size=50))  # on a line
    points = np.ascontiguousarray(x.reshape(2 * dim, 50))
    size = dim + 1
    assert len(affine_model(dim).solve(points, samples_of(rng, 50, size))) == 0
    if dim == 3:
        assert len(rigid_model(3).solve(points, samples_of(rng, 50, 3))) == 0
        flat = rng.uniform(size=(6, 50))
        flat[2 + 3 * which] = 0.0  # a plane fixes a rotation, but no affine map
        assert len(rigid_model(3).solve(flat, samples_of(rng, 50, 3))) == NUM_SAMPLES
        assert len(affine_model(3).solve(flat, samples_of(rng, 50, 4))) == 0


@pytest.mark.parametrize("kind", KINDS[1:3])
def test_points_in_one_place_give_no_model(kind, rng):
    points = rng.uniform(size=(4, 10))
    points[:2] = 1.0
    assert len(MODELS[kind](2).solve(points, samples_of(rng, 10, 2))) == 0
