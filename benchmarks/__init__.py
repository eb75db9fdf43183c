"""Full estimators side by side: one pair, every method, the same matches."""

from benchmarks.environment import fresh_kernels, one_thread

one_thread()
fresh_kernels()
