"""Residuals to score, and the models and priors to score them with."""

from cvscore.scores.priors import InverseGamma

# (residual_dim, num_params) of essential matrix, fundamental matrix and homography.
MODELS = [(1, 5), (1, 7), (2, 8)]
PRIORS = [InverseGamma.jeffreys(), InverseGamma(1.0, 0.5), InverseGamma(2.5, 1e3)]


def contaminated(rng, num_points, sigma=1.0, half_width=100.0, share=0.6):
    """Squared residuals, ``share`` of them Gaussian and the others uniform."""
    residuals = rng.uniform(-half_width, half_width, num_points)
    num_inliers = int(share * num_points)
    residuals[:num_inliers] = sigma * rng.standard_normal(num_inliers)
    return rng.permutation(residuals**2)
