"""What was learned from labelled pairs, as a small file that estimators take."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from cvscore.scores.marginal_score import MarginalScore
from cvscore.scores.priors import InverseGamma
from cvscore.types import Score

# Of the file: raised when a field changes its meaning.
VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Prior and half-width for one model, learned by `cvscore.calibrate`.

    Attributes
    ----------
    model : str
        What it is for, as "homography".
    prior : InverseGamma
        Belief about the noise variance; knows its unit.
    half_width_fraction : float
        Half-width of the outliers' residuals as a fraction of the extent of the points,
        which serves images of any size and needs no unit.
    half_width : float
        The same for the median pair, in the unit of the prior: for calls that take
        ``prior=`` and ``half_width=`` one by one.
    num_pairs, num_skipped : int
        Pairs it was learned from, and pairs with too few matches to be of use.
    """

    model: str
    prior: InverseGamma
    half_width_fraction: float
    half_width: float
    num_pairs: int
    num_skipped: int = 0

    def __post_init__(self) -> None:
        if not (isinstance(self.model, str) and self.model):
            raise ValueError(f"model must be the name of a model, got {self.model!r}")
        for name in ("half_width_fraction", "half_width"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise ValueError(f"{name} must be finite and positive, got {value}")

    @property
    def score(self) -> MarginalScore:
        """The score that estimators use with it."""
        return MarginalScore(
            prior=self.prior, half_width_fraction=self.half_width_fraction
        )

    def normalised(self, focal: float) -> Calibration:
        """Return it for points that were divided by the focal length (pixels)."""
        factor = 1.0 if self.prior.unit == "normalised" else 1.0 / focal
        prior = self.prior.normalised(focal)
        return replace(self, prior=prior, half_width=self.half_width * factor)

    def save(self, path: str | Path) -> None:
        """Write it as JSON."""
        text = json.dumps({"version": VERSION, **asdict(self)}, indent=2)
        Path(path).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Calibration:
        """Read what `save` wrote; ValueError for anything else."""
        try:
            fields = json.loads(Path(path).read_text(encoding="utf-8"))
            version = fields.pop("version")
            if version != VERSION:
                raise ValueError(
                    f"{path} has version {version}, and this package reads {VERSION}"
                )
            return cls(**{**fields, "prior": InverseGamma(**fields["prior"])})
        except (
            KeyError,
            TypeError,
            AttributeError,
            UnicodeDecodeError,
            json.JSONDecodeError,
        ) as error:
            raise ValueError(f"{path} is not a calibration: {error!r}") from error


def score_of(
    calibration: Calibration | None, score: Score | None, model: str
) -> Score | None:
    """Return the score that an estimator of ``model`` was asked to use."""
    if calibration is None:
        return score
    if score is not None:
        raise ValueError("give a score or a calibration, not both")
    if calibration.model != model:
        raise ValueError(
            f"the calibration is for the {calibration.model} matrix, and this is the "
            f"{model} matrix: calibrate(pairs, model={model!r})"
        )
    return calibration.score
