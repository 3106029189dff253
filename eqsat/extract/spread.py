"""Views of what is computed, as views of an operand that has length 1 along some axes: a part takes the only element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def spread(views: tuple[Any, ...], own: Sequence[int | None], space: Sequence[int | None]) -> tuple[Any, ...]:
    """Views, the one that is applied first in front, for an operand of lengths ``own`` in a space of other lengths."""
    single = [n == 1 and m != 1 for n, m in zip(own, space, strict=False)]
    if not any(single) or len(own) != len(space):
        return views
    found = []
    for view in views:
        pattern = view.params["pattern"]
        if view.declaration.indexing:
            entries = [
                ("slice", None, None, None) if alone else e for e, alone in zip(pattern, single, strict=True)
            ]
            view = view.declaration.bind(**{**view.params, "pattern": tuple(entries)})
        else:
            single = [p != "x" and single[p] for p in pattern]
        found.append(view)
    return tuple(found)
