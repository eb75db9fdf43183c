"""Full estimators side by side: one pair, every method, the same matches.

Each call is timed on one thread, so the pools of BLAS and OpenMP are closed here,
before numpy is imported: afterwards it is too late.
"""

import os

for _pool in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ.setdefault(f"{_pool}_NUM_THREADS", "1")
