"""The public estimators: a model, its data and the steps it takes."""
