"""Who costs what in a call, in percent of its processor time.

    python -m benchmarks costs

Typical validation pairs.  The loop is run by its own source, interpreted, with the same
compiled steps and a clock around each of them; what the interpreter adds to the loop is
left out, because a call of the package does without.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import cvscore.estimators.estimate
from benchmarks.command_line import parser_of
from benchmarks.data.pair import PROBLEMS
from benchmarks.data.synthetic import generate
from benchmarks.machine import describe_run
from benchmarks.methods.cvscore import estimate_pair
from cvscore._numba.bound import FUNCTIONS
from cvscore.ransac import loop as ransac
from cvscore.ransac.objective import Candidate, Objective, best_of, climb, source_of

Clock = defaultdict[str, float]


def timed(name: str, function: Callable[..., Any], clock: Clock) -> Callable[..., Any]:
    """Return the function with a clock around it."""

    def run(*given: Any, **named: Any) -> Any:
        start = time.thread_time()
        result = function(*given, **named)
        clock[name] += time.thread_time() - start
        return result

    return run


def timed_search(clock: Clock) -> Callable[..., Any]:
    """Return `cvscore.ransac.loop.search` with a clock around each step of the loop."""

    def search(objective: Objective, sampler: Any, options: Any) -> Any:
        addresses, constants = objective._functions, objective._constants
        kernels = objective.model.kernels
        score = objective.score.kernels(
            objective.points.shape[1],
            objective.model.residual_dim,
            objective.model.num_params,
        )

        def bound(step: Callable[..., Any]) -> Callable[..., Any]:
            return lambda _, constants, *given: step(addresses, constants, *given)

        steps = {
            "solve": timed("solver", kernels.solve, clock),
            "inliers": timed("inliers", score.inliers, clock),
            "summarise": timed("inliers", score.summarise, clock),
            "best_of": timed("comparison of models", bound(best_of), clock),
            "climb": timed("climbs", bound(climb), clock),
        }
        draw = timed("samples, coherence", sampler.kernel, clock)
        limits = (
            objective.model.sample_size,
            options.max_iterations,
            options.min_iterations,
            options.confidence,
            objective.model.residual_dim,
            objective.model.num_params,
            objective.model.fine_gain,
            objective.model.climbs_from_every_batch,
        )
        *found, iterations = source_of(ransac._search)(
            tuple(steps.get(name) for name in FUNCTIONS),
            constants,
            kernels.stages,
            draw,
            tuple(sampler.memory),
            ransac.generator(options.seed),
            objective.points,
            objective.some,
            limits,
        )
        return Candidate(*found), iterations

    return search


@contextmanager
def clocks(clock: Clock) -> Iterator[None]:
    """Put clocks around the stages of an estimate."""
    estimate = cvscore.estimators.estimate
    with ExitStack() as stack:
        for name, label in (
            ("prepare", "preparation"),
            ("escape_plane_and_repeats", "planes"),
            ("widen", "half-width"),
            ("polish_on_half_lines", "polish"),
            ("polish", "polish"),
            ("conclude", "conclusion"),
        ):
            one = timed(label, getattr(estimate, name), clock)
            stack.enter_context(mock.patch.object(estimate, name, one))
        stack.enter_context(mock.patch.object(estimate, "search", timed_search(clock)))
        yield


def main(arguments: list[str] | None = None) -> None:
    """Print the shares for each problem, largest first."""
    parser = parser_of("costs", __doc__)
    parser.add_argument("--num", type=int, default=60, help="pairs")
    num = parser.parse_args(arguments).num
    print(describe_run(["numba", "numpy"], seed=0))
    for problem in PROBLEMS:
        pairs = [generate(problem, "typical", i, "val") for i in range(num)]
        for pair in pairs[:2]:
            estimate_pair(pair)  # compiles, or loads what was compiled
        whole: Clock = defaultdict(float)
        for pair in pairs:
            timed("call", estimate_pair, whole)(pair)
        clock: Clock = defaultdict(float)
        with clocks(clock):
            for pair in pairs:
                estimate_pair(pair)
        clock["the rest"] = max(0.0, whole["call"] - sum(clock.values()))
        total = sum(clock.values())
        shares = sorted(clock.items(), key=lambda item: -item[1])
        print(f"{problem}: {1e3 * whole['call'] / num:.1f} ms a call; ", end="")
        print(", ".join(f"{name} {100 * s / total:.0f} %" for name, s in shares))
