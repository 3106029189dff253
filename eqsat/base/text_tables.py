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
    return "\n".join(row_text(cells, widths, right) for cells in (head, *rows))


def row_text(cells: Sequence[str], widths: Sequence[int], right: Sequence[int] = ()) -> str:
    """One line of a table whose rows come one by one.

    >>> from eqsat.base.text_tables import row_text
    >>> row_text(("log-exp", "12"), (9, 7), right=(1,))
    'log-exp         12'
    """
    padded = [
        c.rjust(w) if k in right else c.ljust(w) for k, (c, w) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()
