"""Who costs what in a call, in percent of its processor time.

    python -m benchmarks costs

Typical validation pairs, and small ones of 20 matches where the call itself shows.  The
loop is run by its own source, interpreted, with the same compiled parts and a clock
around each of them; what the interpreter adds to the loop is left out, because a call
of the package does without.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

from benchmarks.command_line import parser_of
from benchmarks.data.pair import Pair
from benchmarks.machine import describe_run
from benchmarks.methods.cvscore import estimate_pair
from benchmarks.problems import PROBLEMS
from benchmarks.studies.variants import estimating_with, estimator_of
from cvscore._numba.bound import run_bound
from cvscore.estimators import pipeline
from cvscore.ransac import loop
from cvscore.ransac.local_optimization import locally_optimise
from cvscore.ransac.objective import Candidate, Objective, best_of
from cvscore.ransac.samplers import KernelSampler
from cvscore.ransac.stopping import SearchStyle, limits_of

Clock = defaultdict[str, float]
SMALL = 20  # matches of a pair whose time is the call's own


def timed(name: str, function: Callable[..., Any], clock: Clock) -> Callable[..., Any]:
    """Return the function with a clock around it."""

    def run(*given: Any, **named: Any) -> Any:
        start = time.thread_time()
        result = function(*given, **named)
        clock[name] += time.thread_time() - start
        return result

    return run


def timed_search(clock: Clock) -> Callable[..., Any]:
    """Return `cvscore.ransac.loop.search` with a clock around each of its parts."""

    def search(
        objective: Objective, sampler: KernelSampler, style: SearchStyle
    ) -> tuple[Candidate, int]:
        model, num = objective.model, objective.points.shape[1]
        score = objective.score.kernels(num, model.residual_dim, model.num_params)
        solve = model.kernels.solve

        def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
            return lambda *given: run_bound(function, *given, compiled=True)

        parts = {
            "best_of": ("comparison of models", compiled(best_of)),
            "locally_optimise": ("local optimisation", compiled(locally_optimise)),
            "call_solve": ("solver", lambda m, *given: solve(*given, m.constants)),
            "call_draw": (
                "samples",
                lambda s, points, n: sampler.kernel(points, n, s.state),
            ),
            "call_inliers": (
                "inliers",
                lambda s, row: score.inliers(row, s.constants),
            ),
            "sample_budget": ("stopping", loop.sample_budget),
        }
        with ExitStack() as stack:
            for name, (label, function) in parts.items():
                one = timed(label, function, clock)
                stack.enter_context(mock.patch.object(loop, name, one))
            given = (
                objective.bound,
                loop._bound_sampler(sampler, compiled=True),
                loop.generator(objective.options.seed),
                limits_of(objective.options, style),
            )
            state = loop.new_search(objective.options.max_iterations)
            while not state.is_over:
                state = loop.search_slice(*given, state)
        return state.best, state.iterations

    return search


@contextmanager
def clocks(problem: str, clock: Clock) -> Iterator[None]:
    """Put clocks around the parts of an estimate."""
    full = estimator_of(problem)
    steps = tuple(timed(step.__name__, step, clock) for step in full.steps)
    with ExitStack() as stack:
        parts = {
            name: timed(name, getattr(pipeline, name), clock)
            for name in ("prepare", "result", "fit_last")
        }
        search = timed_search(clock)

        def search_and_fit(
            objective: Objective,
            sampler: KernelSampler,
            style: SearchStyle,
            *given: Any,
        ) -> tuple[Any, int]:
            best, iterations = search(objective, sampler, style)
            return parts["fit_last"](objective, best, *given), iterations

        parts |= {"search": search, "search_and_fit": search_and_fit}
        for name, one in parts.items():
            stack.enter_context(mock.patch.object(pipeline, name, one))
        stack.enter_context(estimating_with(problem, replace(full, steps=steps)))
        yield


def print_costs(problem: str, label: str, pairs: Sequence[Pair]) -> None:
    """Print the shares of a call on these pairs, largest first."""
    for pair in pairs[:2]:
        estimate_pair(pair)  # compiles, or loads what was compiled
    whole: Clock = defaultdict(float)
    for pair in pairs:
        timed("call", estimate_pair, whole)(pair)
    clock: Clock = defaultdict(float)
    with clocks(problem, clock):
        for pair in pairs[:2]:
            estimate_pair(pair)  # so do the parts, which else only kernels call
        clock.clear()
        for pair in pairs:
            estimate_pair(pair)
    clock["the rest"] = max(0.0, whole["call"] - sum(clock.values()))
    total = sum(clock.values())
    shares = sorted(clock.items(), key=lambda item: -item[1])
    print(
        f"{problem} {label}: {1e3 * whole['call'] / len(pairs):.2f} ms a call; ", end=""
    )
    print(", ".join(f"{name} {100 * s / total:.0f} %" for name, s in shares))


def first_matches(pair: Pair, num: int) -> Pair:
    """Return a pair with its first right matches only."""
    right = pair.is_inlier.nonzero()[0][:num]
    return replace(
        pair, x1=pair.x1[right], x2=pair.x2[right], quality=None, is_inlier=None
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the shares for each problem."""
    parser = parser_of("costs", __doc__)
    parser.add_argument("--num", type=int, default=60, help="pairs")
    num = parser.parse_args(arguments).num
    print(describe_run(["numba", "numpy"], seed=0))
    for problem in PROBLEMS:
        pairs = [PROBLEMS[problem].generate("typical", i, "val") for i in range(num)]
        print_costs(problem, "typical", pairs)
        small = [first_matches(pair, SMALL) for pair in pairs]
        print_costs(problem, f"{SMALL} right matches", small)
