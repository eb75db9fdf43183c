"""What a model may be."""

import pytest

from cvscore.types import MAX_RESIDUAL_DIM, GeometricModel, ModelCounts


def model_of(residual_dim):
    counts = ModelCounts("thing", 2, 3, residual_dim)
    return GeometricModel.of_counts(counts, solve=None, residuals=None, refit=None)


@pytest.mark.parametrize("dim", range(1, MAX_RESIDUAL_DIM + 1))
def test_any_tabulated_number_of_constraints_is_accepted(dim):
    assert model_of(dim).residual_dim == dim


@pytest.mark.parametrize("dim", [-1, 0, MAX_RESIDUAL_DIM + 1, 12])
def test_another_number_of_constraints_is_refused_by_name(dim):
    with pytest.raises(ValueError, match=rf"residual_dim must be 1 to 6, got {dim}"):
        model_of(dim)
