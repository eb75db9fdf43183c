"""The keyword-only arguments of the drop-ins, which cv2 does not have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from numpy.typing import ArrayLike

from cvscore.scores.calibration import Calibration
from cvscore.scores.marginal_score import MarginalScore
from cvscore.scores.priors import InverseGamma
from cvscore.types import MOST_SEED, real_number, whole_number


@dataclass(frozen=True)
class Extras:
    """What a call gives of them."""

    mask_threshold: float | None = None
    seed: int | None = None
    prior: InverseGamma | None = None
    half_width: float | None = None
    quality: ArrayLike | None = None
    weights: ArrayLike | None = None
    solver: str = "native"
    calibration: Calibration | None = None

    def __post_init__(self) -> None:
        one_by_one = self.prior is not None or self.half_width is not None
        if self.calibration is not None and one_by_one:
            raise ValueError("give prior and half_width or a calibration, not both")
        if self.mask_threshold is not None:
            largest = real_number(self.mask_threshold, "mask_threshold")
            if not largest >= 0.0:
                raise ValueError(f"mask_threshold must not be negative, got {largest}")
            object.__setattr__(self, "mask_threshold", largest)
        if self.seed is not None:
            whole_number(self.seed, "seed", 0, MOST_SEED)

    @property
    def score(self) -> MarginalScore | None:
        """The score these arguments describe; None leaves it to the estimator."""
        if self.prior is None and self.half_width is None:
            return None
        prior = InverseGamma.jeffreys() if self.prior is None else self.prior
        return MarginalScore(prior=prior, half_width=self.half_width)


NO_EXTRAS = Extras()
EXTRA_NAMES = frozenset(field.name for field in fields(Extras))


def take_extras(
    kwargs: Mapping[str, Any], *, with_solver: bool = True
) -> tuple[dict[str, Any], Extras]:
    """Return what cv2 may be asked, and the arguments that it does not have.

    ``with_solver`` says whether there is a choice of minimal solvers.
    """
    own = {name: value for name, value in kwargs.items() if name in EXTRA_NAMES}
    if not own:
        return dict(kwargs), NO_EXTRAS
    if "solver" in own and not with_solver:
        raise TypeError("solver is no argument here: there is one minimal solver")
    return {n: v for n, v in kwargs.items() if n not in own}, Extras(**own)
