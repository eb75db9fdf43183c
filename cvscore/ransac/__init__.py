"""The robust search.  It knows neither what it fits nor how fits are compared."""

from cvscore.ransac.irls import polish
from cvscore.ransac.loop import ransac
from cvscore.ransac.samplers import ProsacSampler, UniformSampler

__all__ = ["ProsacSampler", "UniformSampler", "polish", "ransac"]
