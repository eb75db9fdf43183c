"""``cvscore verify``: geometric verification of a COLMAP database."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cvscore.cli.options import (
    MOST,
    add_json_option,
    add_search_options,
    check_at_most,
    print_json,
    search_options,
)
from cvscore.types.extras import install_command

MOST_WORKERS = 4096  # each of them reads ahead


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "verify",
        help="verify the matches of a COLMAP database",
        description="Estimate the two-view geometry of every pair of a COLMAP database "
        "and write it there, in place of COLMAP's own verification.  A run that was "
        f"killed is finished by the next.  Needs {install_command('colmap')}.",
    )
    parser.add_argument("database", type=Path, help="with images, keypoints, matches")
    parser.add_argument(
        "--pairs", type=Path, metavar="FILE", help="names of two images in each line"
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="verify again what has a geometry"
    )
    parser.add_argument(
        "--min-inliers",
        type=int,
        metavar="N",
        help="pairs with fewer are rejected (default 15, as in COLMAP)",
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="threads (default: all cores)"
    )
    add_search_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Verify, with a bar, and print the closing table."""
    from cvscore.colmap import verify_matches

    check_at_most("--workers", options.workers, MOST_WORKERS)
    check_at_most("--min-inliers", options.min_inliers, MOST)
    more = {} if options.min_inliers is None else {"min_inliers": options.min_inliers}
    summary = verify_matches(
        options.database,
        options.pairs,
        overwrite=options.overwrite,
        options=search_options(options),
        num_workers=options.workers,
        **more,
    )
    if options.json:
        print_json(vars(summary))
    else:
        print(summary)
