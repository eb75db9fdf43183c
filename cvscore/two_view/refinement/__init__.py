"""The last fit of two-view models."""
