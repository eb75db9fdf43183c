"""The records and protocols that every layer shares; imports nothing else of ours."""

from cvscore.types.arguments import (
    LARGEST,
    MAX_SIZE_RATIO,
    SMALLEST,
    SizeError,
    one_of,
    positive_number,
    real_number,
    shown,
    whole_number,
)
from cvscore.types.arrays import Array, Mask
from cvscore.types.model import (
    MAX_RESIDUAL_DIM,
    GeometricModel,
    ModelCounts,
    ModelKernels,
)
from cvscore.types.result import (
    NO_NOISE,
    SIGNIFICANT_EVIDENCE,
    Estimate,
    EstimatedPose,
    NoisePosterior,
    Pose,
)
from cvscore.types.score import (
    DataScale,
    Score,
    ScoreKernels,
    Summary,
    VariancePrior,
    check_score,
)
from cvscore.types.search import (
    MOST_ITERATIONS,
    MOST_SEED,
    RansacOptions,
    Sampler,
    SamplerState,
)

__all__ = [
    "LARGEST",
    "MAX_RESIDUAL_DIM",
    "MAX_SIZE_RATIO",
    "MOST_ITERATIONS",
    "MOST_SEED",
    "NO_NOISE",
    "SIGNIFICANT_EVIDENCE",
    "SMALLEST",
    "Array",
    "DataScale",
    "Estimate",
    "EstimatedPose",
    "GeometricModel",
    "Mask",
    "ModelCounts",
    "ModelKernels",
    "NoisePosterior",
    "Pose",
    "RansacOptions",
    "Sampler",
    "SamplerState",
    "Score",
    "ScoreKernels",
    "SizeError",
    "Summary",
    "VariancePrior",
    "check_score",
    "one_of",
    "positive_number",
    "real_number",
    "shown",
    "whole_number",
]
