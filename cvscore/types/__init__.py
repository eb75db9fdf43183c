"""The records and protocols that every layer shares; imports nothing else of ours."""

from cvscore.types.arrays import Array, Mask
from cvscore.types.model import NO_STAGES, GeometricModel, ModelKernels
from cvscore.types.result import (
    NO_NOISE,
    SIGNIFICANT_EVIDENCE,
    Estimate,
    NoisePosterior,
    Pose,
)
from cvscore.types.score import Score, ScoreKernels, Summary
from cvscore.types.search import RansacOptions, Sampler, SamplerMemory

__all__ = [
    "NO_NOISE",
    "NO_STAGES",
    "SIGNIFICANT_EVIDENCE",
    "Array",
    "Estimate",
    "GeometricModel",
    "Mask",
    "ModelKernels",
    "NoisePosterior",
    "Pose",
    "RansacOptions",
    "Sampler",
    "SamplerMemory",
    "Score",
    "ScoreKernels",
    "Summary",
]
