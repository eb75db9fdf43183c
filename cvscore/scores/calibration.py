"""What was learned from labelled pairs, as a small file that estimators take."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from cvscore.files.whole_files import written_whole
from cvscore.scores.marginal_score import MarginalScore
from cvscore.scores.priors import InverseGamma
from cvscore.types import Score, positive_number, shown, whole_number

# Of the file: raised when a field changes its meaning.
VERSION = 1
MOST_BYTES = 1 << 20  # of a file that holds a camera or a calibration
MOST_PAIRS = 2**53  # that every reader of JSON tells apart


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
            number = positive_number(getattr(self, name), name)
            object.__setattr__(self, name, number)
        for name in ("num_pairs", "num_skipped"):
            number = whole_number(getattr(self, name), name, 0, MOST_PAIRS)
            object.__setattr__(self, name, number)
        if not isinstance(self.prior, InverseGamma):
            raise TypeError(f"prior must be an InverseGamma, got {shown(self.prior)}")

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
        """Write it as JSON: the whole file, or none."""
        text = json.dumps({"version": VERSION, **asdict(self)}, indent=2)
        with written_whole(path) as part:
            part.write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Calibration:
        """Read what `save` wrote; ValueError for anything else."""
        try:
            fields = json.loads(_text_of(Path(path)), parse_constant=_refuse_constant)
            version = fields.pop("version")
            if version != VERSION:
                raise ValueError(
                    f"{path} has version {version}, and this package reads {VERSION}"
                )
            return cls(**{**fields, "prior": InverseGamma(**fields["prior"])})
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"{path} is not a calibration: {error}") from error
        except RecursionError:
            raise ValueError(f"{path} is not a calibration: nested too deep") from None


def _text_of(path: Path) -> str:
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES} bytes")
    return content.decode("utf-8")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def check_calibration(calibration: Any) -> None:
    """Refuse what is no calibration."""
    if not isinstance(calibration, Calibration):
        raise TypeError(f"calibration must be a Calibration, got {shown(calibration)}")


def score_of(
    calibration: Calibration | None, score: Score | None, model: str
) -> Score | None:
    """Return the score that an estimator of ``model`` was asked to use."""
    if calibration is None:
        return score
    check_calibration(calibration)
    if score is not None:
        raise ValueError("give a score or a calibration, not both")
    if calibration.model != model:
        raise ValueError(
            f"the calibration is for the model {calibration.model!r}, and this is "
            f"{model!r}: calibrate(pairs, model={model!r})"
        )
    return calibration.score
