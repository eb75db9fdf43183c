"""Which estimators there are, by the name of their model.

The command line, calibration, pictures, warm-up and benchmarks look here, so that a new
model is known to all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from cvscore.data.point_sets import PointSets
from cvscore.two_view.image_pairs import SCENE_MATCHES
from cvscore.types import Estimate, GeometricModel, ModelCounts, one_of

Function = TypeVar("Function", bound=Callable[..., Estimate])


class Form(NamedTuple):
    """Counts of a model for one kind of data, these data, and the model itself.

    ``make_model(*cameras)`` describes it to the loop, with the camera matrices inside
    of the frame where it has any.
    """

    counts: ModelCounts
    data: PointSets
    make_model: Callable[..., GeometricModel]


@dataclass(frozen=True)
class RegisteredEstimator:
    """A public estimator.

    Attributes
    ----------
    name : str
        Of its model: "homography" for `estimate_homography`.
    estimate : callable
        The public function: the sets of points, the camera matrices if it needs them,
        and keyword arguments.
    forms : tuple of Form
        All kinds of data that it takes.
    needs_cameras : bool
        Whether camera matrices follow the points.
    """

    name: str
    estimate: Callable[..., Estimate]
    forms: tuple[Form, ...]
    needs_cameras: bool

    @property
    def counts(self) -> ModelCounts:
        """Of its model, for the first kind of data."""
        return self.forms[0].counts

    @property
    def data(self) -> PointSets:
        """The first kind of data that it takes."""
        return self.forms[0].data

    def form_of(self, *sets: ArrayLike) -> Form:
        """Return the form for sets of points, by their numbers of coordinates."""
        dims = _dims_of(sets)
        fitting = (form for form in self.forms if form.data.dims == dims)
        return next(fitting, self.forms[0])

    def run(
        self, *sets: Any, cameras: tuple[ArrayLike | None, ...] = (), **choices: Any
    ) -> Estimate:
        """Estimate from sets of points, with the cameras of images if needed."""
        if not self.needs_cameras:
            return self.estimate(*sets, **choices)
        num_images = self.data.dims.count(2)
        if not cameras or cameras[0] is None:
            name = "K1" if num_images > 1 else "K"
            raise ValueError(f"the {self.counts.name} needs the camera matrix {name}")
        return self.estimate(*sets, *cameras[:num_images], **choices)


ESTIMATORS: dict[str, RegisteredEstimator] = {}


def register(
    *forms: Form, needs_cameras: bool = False
) -> Callable[[Function], Function]:
    """Return a decorator that makes an ``estimate_NAME`` known by its NAME."""

    def register_function(function: Function) -> Function:
        name = function.__name__.removeprefix("estimate_")
        ESTIMATORS[name] = RegisteredEstimator(name, function, forms, needs_cameras)
        return function

    return register_function


def of_image_pairs() -> list[str]:
    """Return the names of the estimators that take matches of two images."""
    return [name for name, entry in ESTIMATORS.items() if entry.data.dims == (2, 2)]


def data_of(*sets: ArrayLike) -> PointSets:
    """Return the kind of data that sets of points are, by their coordinates."""
    known = (form.data for entry in ESTIMATORS.values() for form in entry.forms)
    dims = _dims_of(sets)
    return next((data for data in known if data.dims == dims), SCENE_MATCHES)


def _dims_of(sets: tuple[ArrayLike, ...]) -> tuple[int, ...]:
    """Return the coordinates of a point in each set, none if they are no arrays."""
    try:
        return tuple(np.shape(points)[-1] for points in sets if np.ndim(points))
    except Exception:  # rows of different lengths, or made of what has no array
        return ()


def registered(name: str) -> RegisteredEstimator:
    """Return an estimator by the name of its model."""
    return ESTIMATORS[one_of(name, "model", ESTIMATORS)]
