"""Tables and figures of a page as HTML, and where pages go: into files and notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

LONG = 24  # rows of a table
HEIGHT = 720  # of a page in a notebook


def html_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[int] = (),
    code: Sequence[int] = (),
    name: str = "table",
    boxes: Sequence[int] = (),
    links: Mapping[tuple[int, int], str] | None = None,
) -> str:
    """A table; columns in ``right`` hold numbers, those in ``code`` formulas. A long one has a place of its own to scroll, with a ``name``.
    ``links`` are where cells lead, by row and column.

    ``boxes`` are the numbers of the boxes of graphs that rows tell of; their first cells lead there.

    >>> html_table(("rule",), [("a<b",)])
    '<div class="scroll"><table><thead><tr><th scope="col">rule</th></tr></thead><tbody><tr><td>a&lt;b</td></tr></tbody></table></div>'
    """
    heads = "".join(f'<th scope="col"{_class(k, right, ())}>{escape(h)}</th>' for k, h in enumerate(head))
    body = "".join(
        f"<tr{_box_of(j, boxes)}>"
        + "".join(
            f"<td{_class(k, right, code)}>{_cell(c, bool(boxes) and k == 0, (links or {}).get((j, k)))}</td>"
            for k, c in enumerate(row)
        )
        + "</tr>"
        for j, row in enumerate(rows)
    )
    tall = f' tall" tabindex="0" role="region" aria-label="{escape(name)}' if len(rows) > LONG else ""
    return (
        f'<div class="scroll{tall}"><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _box_of(row: int, boxes: Sequence[int]) -> str:
    return f' data-n="{boxes[row]}"' if boxes else ""


def _cell(text: str, leads: bool, to: str | None) -> str:
    """The text of a cell, as a button where it leads to a box, or as a link to a page."""
    if leads:
        return f'<button type="button" class="to-box">{escape(text)}</button>'
    return escape(text) if to is None else f'<a href="{escape(to)}">{escape(text)}</a>'


def _class(column: int, right: Sequence[int], code: Sequence[int]) -> str:
    return ' class="num"' if column in right else ' class="code"' if column in code else ""


def tiles(facts: Sequence[tuple[str, str]]) -> str:
    """Figures with a word below each."""
    return (
        '<dl class="tiles">'
        + "".join(f"<div><dt>{escape(w)}</dt><dd>{escape(v)}</dd></div>" for w, v in facts)
        + "</dl>"
    )


def in_notebook(text: str) -> str:
    """A page as an element of another one, with its own script and style."""
    return (
        f'<iframe srcdoc="{escape(text)}" style="width:100%;height:{HEIGHT}px;border:0" title="eqsat" '
        'sandbox="allow-scripts"></iframe>'
    )
