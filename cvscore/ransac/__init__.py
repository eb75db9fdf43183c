"""The robust search.  It knows neither what it fits nor how fits are compared."""

from cvscore.ransac.loop import ransac
from cvscore.ransac.samplers import ProsacSampler, UniformSampler

__all__ = ["ProsacSampler", "UniformSampler", "ransac"]
