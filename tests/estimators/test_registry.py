"""Estimators are found by the name of their model."""

import numpy as np
import pytest

import cvscore
from cvscore.estimators import ESTIMATORS
from cvscore.estimators.registry import registered
from cvscore.models.absolute_pose import absolute_pose_model
from cvscore.models.essential import essential_model
from cvscore.models.fundamental import fundamental_model
from cvscore.models.homography import homography_model

MODELS = {
    "homography": homography_model(),
    "fundamental": fundamental_model(),
    "essential": essential_model(np.eye(3), np.eye(3)),
    "absolute_pose": absolute_pose_model(np.eye(3)),
}


def test_the_registry_holds_the_public_estimators():
    public = {name for name in cvscore.__all__ if name.startswith("estimate_")}
    assert {f"estimate_{name}" for name in ESTIMATORS} == public - {"estimate_many"}
    for name, entry in ESTIMATORS.items():
        assert entry.name == name
        assert entry.estimate is getattr(cvscore, f"estimate_{name}")


@pytest.mark.parametrize("name", MODELS)
def test_the_counts_are_those_of_the_models(name):
    counts, model = ESTIMATORS[name].counts, MODELS[name]
    for field, value in counts._asdict().items():
        assert value == getattr(model, field)


@pytest.mark.parametrize("name", ["affine", "similarity", "rigid", "translation"])
def test_maps_have_a_form_for_each_number_of_coordinates(name):
    entry = ESTIMATORS[name]
    assert [form.data.dims for form in entry.forms] == [(2, 2), (3, 3)]
    for dim, form in zip((2, 3), entry.forms, strict=True):
        assert entry.form_of(*np.zeros((2, 5, dim))) == form
        assert form.counts.residual_dim == dim


def test_an_unknown_model_is_refused_with_the_names_of_the_others():
    with pytest.raises(ValueError, match=r"one of .*'homography'.* got 'conic'"):
        registered("conic")


def test_cameras_are_asked_for_where_they_are_needed(rng):
    x1, x2 = rng.uniform(0, 1000, (2, 20, 2))
    with pytest.raises(ValueError, match="the essential matrix needs the camera"):
        registered("essential").run(x1, x2)
    assert registered("homography").run(x1, x2, cameras=(None, None)).model is not None
    with pytest.raises(ValueError, match="the camera pose needs the camera matrix K"):
        registered("absolute_pose").run(x1, rng.normal(size=(20, 3)))
