"""Expressions with a known cheapest form: the cost as written, as extracted, and of the optimum.

    python benchmarks/wins.py [--rows NAME[,NAME...]] [--json FILE]

The cost is that of the default model, in microseconds for the shapes of each row. The optimum is the best known form
as written by hand or after rewriting, whichever is cheaper. Rows with an option are extracted with it, and must cost
the same as written without it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from eqsat.base.text_tables import table
from wins.measure import DEARER, GROUPS, SECTIONS, Row, all_rows


def shown(row: Row) -> tuple[str, ...]:
    """The cells of a row."""
    costs = [f"{1e6 * c:.3f}" for c in (row.written, row.found, row.optimum)]
    name = f"{row.name} ({row.option})" if row.option else row.name
    return (name, *costs, f"{row.ratio:.2f}", row.verdict)


def summary(rows: list[Row]) -> list[str]:
    """The goals of the table, and whether each is reached."""
    cases = [r for r in rows if r.section in SECTIONS]
    near = [r for r in cases if r.holds]
    dearer = [r.name for r in rows if r.verdict == DEARER]
    lost = [r.name for r in rows if r.section == "must not lose" and not r.holds]
    changed = [r.name for r in cases if not r.stays]
    wrong = [r.name for r in rows if r.wrong]
    groups = [g.name for g in GROUPS if any(r.section == g.name for r in rows)]
    whole = [g for g in groups if all(r.holds and r.ratio < 1.01 for r in rows if r.section == g)]
    return [
        f"rows that hold (ratio 1.05 or below)  {len(near)} of {len(cases)}",
        f"dearer than as written             {', '.join(dearer) or 'none'}",
        f"must not lose, lost                {', '.join(lost) or 'none'}",
        f"changed without their option       {', '.join(changed) or 'none'}",
        f"wrong or not finite                {', '.join(wrong) or 'none'}",
        f"functions at one cost              {len(whole)} of {len(groups)}",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--rows", default="", help="names of rows, sections or functions, with commas between"
    )
    parser.add_argument("--json", default="", help="write the rows to this file")
    options = parser.parse_args()
    rows = all_rows([n for n in options.rows.split(",") if n])
    for section in dict.fromkeys(r.section for r in rows):
        head = (section, "written", "found", "optimum", "ratio", "")
        print(table(head, [shown(r) for r in rows if r.section == section], right=(1, 2, 3, 4)) + "\n")
    print("\n".join(summary(rows)))
    if options.json:
        Path(options.json).write_text(json.dumps([r.as_json() for r in rows], indent=1))


if __name__ == "__main__":
    main()
