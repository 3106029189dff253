"""Tables as text: columns of equal width, for reports and commands."""

from __future__ import annotations

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Lines of the head and of each row; columns in ``right`` end at one place, the others begin at one.

    >>> from eqsat.base.text_tables import table
    >>> print(table(("rule", "matches"), [("log-exp", "12"), ("exp-log", "3")], right=(1,)))
    rule     matches
    log-exp       12
    exp-log        3
    """
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = []
    for cells in (head, *rows):
        padded = [
            c.rjust(w) if k in right else c.ljust(w)
            for k, (c, w) in enumerate(zip(cells, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)
