"""The groups and loops of a page that are open at first: those with what changed and what costs most, as long as there is room."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from typing import Any


def open_some(data: Any, room: int) -> None:
    """Mark as open what is best worth it, while no more boxes than ``room`` are seen.

    >>> inner = {"items": [{"k": "op"}, {"k": "op"}]}
    >>> data = {"items": [{"k": "group", "f": inner, "p": 0.9}, {"k": "op"}]}
    >>> open_some(data, 2)
    >>> "open" in data["items"][0]
    False
    >>> open_some(data, 3)
    >>> data["items"][0]["open"]
    1
    """
    number = count()
    waiting: list[Any] = []
    room -= _ready(data, waiting, number)
    while waiting:
        *_, item = heappop(waiting)
        more = len(seen(item["f"])) - 1
        if more <= room:
            item["open"] = 1
            room -= more
            _ready(item["f"], waiting, number)


def _ready(level: Any, waiting: list[Any], number: Any) -> int:
    """Add what can be opened on a level, which has this many boxes, to what waits."""
    found = seen(level)
    for item in found:
        if "f" in item:
            heappush(waiting, (item.get("s") != "new", -item.get("p", 0.0), next(number), item))
    return len(found)


def seen(level: Any) -> list[Any]:
    """The boxes of a level that are seen at first."""
    return [item for item in level["items"] if not item.get("hide")]
