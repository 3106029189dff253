"""Tables for notebooks, which give them their style."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def notebook_table(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], note: str = "", right: Sequence[int] = ()
) -> str:
    """HTML of a title, a table whose columns in ``right`` hold numbers, and a note below.

    >>> notebook_table("rules", ("name",), [("a<b",)])
    '<p><b>rules</b></p><table><thead><tr><th style="text-align:left">name</th></tr></thead><tbody><tr><td style="text-align:left">a&lt;b</td></tr></tbody></table>'
    """
    sides = ["right" if k in right else "left" for k in range(len(head))]
    heads = _cells("th", head, sides)
    body = "".join(f"<tr>{_cells('td', row, sides)}</tr>" for row in rows)
    below = f"<p>{escape(note)}</p>" if note else ""
    return f"<p><b>{escape(title)}</b></p><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{below}"


def _cells(tag: str, cells: Sequence[str], sides: Sequence[str]) -> str:
    return "".join(
        f'<{tag} style="text-align:{side}">{escape(cell)}</{tag}>'
        for cell, side in zip(cells, sides, strict=True)
    )
