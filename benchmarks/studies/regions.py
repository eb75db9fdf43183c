"""How often the 95 % region of a model's coordinates holds the truth.

    python -m benchmarks regions --num 400
    python -m benchmarks regions --real
    python -m benchmarks regions --time

Of models that were found: within 10 degrees or pixels of the truth, or what stands for
these (`benchmarks.problems`).  Synthetic problems are those of the splits "val" and
"surfaces".  On real pairs cameras are not quite what their calibration says, surfaces
are not quite planes, and the truth is itself an estimate: regions of the noise alone
are then too small, and how much so is what is printed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields

import numpy as np

from benchmarks.command_line import parser_of
from benchmarks.data.pair import Array, Fit, Pair, Placement, Pose, cross_matrix
from benchmarks.data.real import SETS, load_pair, pair_ids
from benchmarks.methods.cvscore import estimate_pair
from benchmarks.problems import PROBLEMS
from benchmarks.protocols import error_of
from cvscore import Estimate

SPLITS = ("val", "surfaces")
REGIMES = ("typical", "sig3", "small")
LIMIT = 10.0
MASS = 0.95
NUM_TIMED = 20  # repetitions, of which the fastest counts
INLIERS_TIMED = (900, 1100)


def truth_of(pair: Pair) -> Array:
    """Return the true model as `Estimate.contains` takes it."""
    if isinstance(pair.truth, Placement):
        return np.column_stack([pair.truth.R, pair.truth.t])
    if not isinstance(pair.truth, Pose):
        assert pair.model is not None
        return pair.model
    R, t = pair.truth.R, pair.truth.t / np.linalg.norm(pair.truth.t)
    if pair.problem == "E":
        return np.column_stack([R, t])
    assert pair.K1 is not None
    assert pair.K2 is not None
    return np.linalg.inv(pair.K2).T @ cross_matrix(t) @ R @ np.linalg.inv(pair.K1)


def found_models(pairs: Iterable[Pair]) -> Iterator[tuple[Pair, Estimate]]:
    """Estimate the models of pairs, and yield those that were found."""
    for pair in pairs:
        found = estimate_pair(pair)
        if found and error_of(pair, Fit(found.model, found.inliers)) <= LIMIT:
            yield pair, found


def coverage(pairs: Iterable[Pair]) -> tuple[float, int]:
    """Return the share of regions, in per cent, that hold the truth; of how many."""
    held = [found.contains(truth_of(p), MASS) for p, found in found_models(pairs)]
    return 100.0 * float(np.mean(held)) if held else np.nan, len(held)


def print_synthetic(models: Sequence[str], num: int) -> None:
    """Print coverage by model, split and regime."""
    columns = [(split, regime) for split in SPLITS for regime in REGIMES]
    print(f"{'':14s}" + "".join(f"{' '.join(c):>18s}" for c in columns))
    for name in models:
        shares = []
        for split, regime in columns:
            generate = PROBLEMS[name].generate
            share, _ = coverage(generate(regime, k, split) for k in range(num))
            shares.append(share)
        print(f"{name:14s}" + "".join(f"{s:18.1f}" for s in shares), flush=True)


def print_real(models: Sequence[str], num: int) -> None:
    """Print coverage of every real set that is on this machine."""
    for name, sets in SETS["real"].items():
        for regime, files in sets.items():
            if name not in models or not files.is_here():
                continue
            ids = pair_ids(name, regime)
            chosen = np.random.default_rng(0).permutation(len(ids))[:num]
            share, count = coverage(load_pair(name, regime, ids[k]) for k in chosen)
            print(f"{name} {regime:20s} {share:6.1f} % of {count}", flush=True)


def fastest(ask: Callable[[Estimate], object], found: Estimate) -> float:
    """Return the time that an answer takes when it is first asked for, ms."""
    times = []
    for _ in range(NUM_TIMED):
        given = found.posterior
        assert given is not None
        kept = {field.name: getattr(given, field.name) for field in fields(given)}
        fresh = type(given)(**kept)  # without what was computed before
        start = time.thread_time()
        ask(fresh)
        times.append(time.thread_time() - start)
    return 1e3 * min(times)


def print_times(models: Sequence[str]) -> None:
    """Print what the covariance and the reason take, at about 1,000 inliers."""
    low, high = INLIERS_TIMED
    for name in models:
        pairs = (PROBLEMS[name].generate("large", k, "val") for k in range(1000))
        found = next(f for _, f in found_models(pairs) if low < f.num_inliers < high)
        print(
            f"{name:14s} {found.num_inliers} inliers: covariance "
            f"{fastest(lambda p: p.uncertainty, found):.2f} ms, what is open "
            f"{fastest(lambda p: p.reason_undetermined, found):.2f} ms",
            flush=True,
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how often regions hold the truth, or what they take."""
    parser = parser_of("regions", __doc__)
    parser.add_argument("--num", type=int, default=200, help="problems of each kind")
    parser.add_argument("--models", nargs="+", default=[*PROBLEMS], choices=PROBLEMS)
    parser.add_argument("--real", action="store_true", help="real pairs instead")
    parser.add_argument("--time", action="store_true", help="how long it takes")
    args = parser.parse_args(arguments)
    if args.time:
        print_times(args.models)
    elif args.real:
        print_real(args.models, args.num)
    else:
        print_synthetic(args.models, args.num)
