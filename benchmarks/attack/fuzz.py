"""Random calls of everything public, counted, with those whose outcome can't be.

    python -m benchmarks fuzz --hours 1
    python -m benchmarks fuzz --calls 2000 --seed 7

Each call has a seed of its own, which is printed with a violation: `--only SEED` makes
that call again.  docs/robustness.md has the figures of a long run.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.attack.calls import draw_call
from benchmarks.attack.checks import violation_of
from benchmarks.command_line import parser_of

# No problem is so large that its call could take this long, of processors.
MAX_SECONDS = 5.0
# Violations that are printed; all are counted.
MAX_SHOWN = 50
# Seconds between two lines of progress.
PROGRESS = 60.0


class Outcome(NamedTuple):
    """What was called, and what is wrong: None if nothing is."""

    name: str
    violation: str | None


def attack(seed: int, index: int) -> Outcome:
    """Make one random call."""
    wrong, seconds = None, np.inf
    for _ in range(2):  # the first may have had to compile
        with np.errstate(all="ignore"):  # arguments are drawn of any size
            call = draw_call(np.random.default_rng([seed, index]))
        start = time.process_time()
        wrong = violation_of(call.run, call.inputs)
        seconds = time.process_time() - start
        if wrong is not None or seconds <= MAX_SECONDS:
            break
    if wrong is None and seconds > MAX_SECONDS:
        wrong = f"it took {seconds:.1f} s"
    return Outcome(call.name, wrong)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the count of calls and violations; the status is 1 if there are any."""
    parser = parser_of("fuzz", __doc__)
    parser.add_argument("--hours", type=float, default=None)
    parser.add_argument("--calls", type=int, default=None)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--only", type=int, default=None, help="one call, by its number"
    )
    args = parser.parse_args(arguments)
    if args.only is not None:
        outcome = attack(args.seed, args.only)
        print(outcome)
        return int(outcome.violation is not None)
    hours = 1.0 if args.hours is None and args.calls is None else args.hours
    end = time.monotonic() + 3600.0 * (np.inf if hours is None else hours)
    most = np.inf if args.calls is None else args.calls
    counts: Counter[str] = Counter()
    index = num_wrong = 0
    told = time.monotonic()
    while index < most and time.monotonic() < end:
        outcome = attack(args.seed, index)
        counts[outcome.name] += 1
        if outcome.violation is not None:
            num_wrong += 1
            if num_wrong <= MAX_SHOWN:
                print(f"{index}: {outcome.name}: {outcome.violation}", flush=True)
        index += 1
        if time.monotonic() - told > PROGRESS:
            told = time.monotonic()
            print(f"... {index} calls, {num_wrong} violations", flush=True)
    for name, num in counts.most_common():
        print(f"{num:9d} {name}")
    print(f"{index} calls with seed {args.seed}, {num_wrong} violations")
    return int(num_wrong > 0)
