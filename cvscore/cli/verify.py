"""``cvscore verify``: geometric verification of a COLMAP database."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cvscore.cli.failure import Failure
from cvscore.cli.options import (
    MOST,
    add_json_option,
    add_search_options,
    check_at_most,
    print_json,
    search_options,
)
from cvscore.cli.outputs import (
    add_report_option,
    check_outputs,
    check_report_name,
    write_report,
)
from cvscore.estimators.pair_geometry import PairGeometry
from cvscore.parallel.ordered_map import MOST_WORKERS
from cvscore.types.extras import install_command


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
    add_report_option(
        parser,
        "also write a page of all pairs to look at in a browser, the worst first; the "
        "noise and evidence of pairs that are kept from before are not known",
    )
    parser.add_argument(
        "--images",
        type=Path,
        metavar="FOLDER",
        help="with the images of the database, for thumbnails in the report",
    )
    add_search_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Verify, with a bar, and print the closing table."""
    from cvscore.colmap import verify_matches

    check_at_most("--workers", options.workers, MOST_WORKERS)
    check_at_most("--min-inliers", options.min_inliers, MOST)
    _check_report(options)
    more = {} if options.min_inliers is None else {"min_inliers": options.min_inliers}
    found: dict[tuple[int, int], PairGeometry] = {}
    summary = verify_matches(
        options.database,
        options.pairs,
        overwrite=options.overwrite,
        options=search_options(options),
        num_workers=options.workers,
        on_pair=None if options.report is None else found.__setitem__,
        **more,
    )
    if options.report is not None:
        _write_report(options, found)
    report = None if options.report is None else str(options.report)
    if options.json:
        print_json({**vars(summary), "report": report})
        return
    print(summary)
    if report is not None:
        print(f"report: {report}")


def _check_report(options: argparse.Namespace) -> None:
    check_report_name(options.report)
    check_outputs([options.report], [options.database, options.pairs])
    if options.images is None:
        return
    if options.report is None:
        raise Failure("--images is for the thumbnails of a report: give --report too")
    if not options.images.is_dir():
        raise Failure(f"there is no folder {options.images}")


def _write_report(
    options: argparse.Namespace, found: dict[tuple[int, int], PairGeometry]
) -> None:
    from cvscore.colmap.pair_table import read_pair_table
    from cvscore.report import database_page

    table = read_pair_table(options.database, found)
    page = database_page(table, options.database.name, folder=options.images)
    write_report(options.report, page)
