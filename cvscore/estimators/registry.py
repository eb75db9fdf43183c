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
from cvscore.types import Array, Estimate, ModelCounts

Function = TypeVar("Function", bound=Callable[..., Estimate])


class Form(NamedTuple):
    """Counts of a model for one kind of data, and these data."""

    counts: ModelCounts
    data: PointSets


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
    counts : ModelCounts
        Of its model.
    data : PointSets
        What it is fitted to.
    needs_cameras : bool
        Whether camera matrices follow the points.
    in_space : Form or None
        Counts and data for points of three coordinates, where these are another form.
    """

    name: str
    estimate: Callable[..., Estimate]
    counts: ModelCounts
    data: PointSets
    needs_cameras: bool
    in_space: Form | None = None

    @property
    def forms(self) -> tuple[Form, ...]:
        """All kinds of data that it takes, and the counts of its model for each."""
        first = Form(self.counts, self.data)
        return (first,) if self.in_space is None else (first, self.in_space)

    def form_of(self, *sets: ArrayLike) -> Form:
        """Return the form for sets of points, by their numbers of coordinates."""
        dims = tuple(np.shape(points)[-1] for points in sets if np.ndim(points))
        fitting = (form for form in self.forms if form.data.dims == dims)
        return next(fitting, self.forms[0])

    def run(
        self, *sets: Any, cameras: tuple[Array | None, ...] = (), **choices: Any
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
    counts: ModelCounts,
    data: PointSets,
    *,
    needs_cameras: bool = False,
    in_space: Form | None = None,
) -> Callable[[Function], Function]:
    """Return a decorator that makes an ``estimate_NAME`` known by its NAME."""

    def register_function(function: Function) -> Function:
        name = function.__name__.removeprefix("estimate_")
        ESTIMATORS[name] = RegisteredEstimator(
            name, function, counts, data, needs_cameras, in_space
        )
        return function

    return register_function


def of_image_pairs() -> list[str]:
    """Return the names of the estimators that take matches of two images."""
    return [name for name, entry in ESTIMATORS.items() if entry.data.dims == (2, 2)]


def registered(name: str) -> RegisteredEstimator:
    """Return an estimator by the name of its model."""
    if name not in ESTIMATORS:
        raise ValueError(f"model must be one of {tuple(ESTIMATORS)}, got {name!r}")
    return ESTIMATORS[name]
