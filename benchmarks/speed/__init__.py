"""Where the time goes: stages, sizes, threads, solvers, scores."""
