"""What residuals tell once there is a model: noise, chance, significance, labels."""
