"""``python -m campaign --parts graphs,degenerate --seeds 0: --hours 0.5 --jobs 1 --report FILE``."""

from __future__ import annotations

import argparse
import sys

from campaign.driver import by_workers, campaign, part_names
from campaign.report import Report
from eqsat.base.executors import add_executor


def seeds(text: str) -> tuple[int, int | None]:
    """``"5:20"`` is from 5 to below 20, ``"5:"`` without end, ``"5"`` one."""
    first, colon, last = text.partition(":")
    start = int(first or 0)
    return start, int(last) if last else None if colon else start + 1


def parsed(arguments: list[str]) -> argparse.Namespace:
    known = part_names()
    parser = argparse.ArgumentParser(
        "campaign", description="Random programs, for some hours; what fails is made small."
    )
    parser.add_argument("--parts", default=",".join(known), help=f"some of {', '.join(known)}")
    parser.add_argument("--seeds", type=seeds, default=(0, None), help="first:last, or first: without end")
    parser.add_argument("--hours", type=float, default=0.5, help="for all parts together")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--report", default=None, help="a file for the report; its sums go beside it as .json"
    )
    add_executor(parser, "tried seeds")
    options = parser.parse_args(arguments)
    options.parts = options.parts.split(",")
    unknown = set(options.parts) - set(known)
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return options


def main(arguments: list[str]) -> int:
    options = parsed(arguments)
    report = Report(options.report)
    seconds = options.hours * 3600
    executor = options.executor or (options.resume and f"processes:{options.jobs}")
    if executor:
        by_workers(options.parts, options.seeds, seconds, report, executor, options.resume)
    else:
        campaign(options.parts, options.seeds, seconds, options.jobs, report)
    print("\n".join(report.table()))
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
