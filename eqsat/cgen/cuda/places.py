"""The place of each value: the device's memory, the processor's, or memory that both reach, by who touches it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eqsat.base.values import dataclass
from eqsat.cgen.ir.expressions import Expression, Read, Text, inside

DEVICE, HOST, BOTH = "dhb"
_ENTRY = re.compile(r"\b[PK]\[\d+\]")


def entries(text: str) -> list[str]:
    """The pointers and constants that a text names."""
    return _ENTRY.findall(text)


def read_by(*values: Expression) -> list[str]:
    """The pointers whose memory expressions read."""
    found: list[str] = []
    for part in (p for value in values for p in inside(value)):
        if isinstance(part, Read):
            found += named(part.address)
        elif hasattr(part, "memory"):
            found += named(part.memory.address)
        elif isinstance(part, Text):
            found += entries(part.text)
    return found


def read_in(text: str) -> list[str]:
    """The pointers at which a text reads a number."""
    return re.findall(r"\*\(\w+ \*\)(P\[\d+\])", text)


def named(value: Expression) -> list[str]:
    """The pointers that stand in an expression."""
    return [e for p in inside(value) for e in entries(getattr(p, "name", "") or getattr(p, "text", ""))]


@dataclass(frozen=True)
class Placed:
    """A letter for the place of the memory behind each pointer of a segment, and of each output. Its inputs are the first pointers."""

    pointers: str
    outputs: str


class Touches:
    """Notes on the memory that kernels and the host program touch, made with the statements of a segment."""

    def __init__(self) -> None:
        self._noted: list[tuple[str, str]] = []
        self._constants: dict[str, set[str]] = {}

    def by_kernel(self, names: Sequence[str]) -> None:
        """Kernels touch the memory behind some pointers."""
        self._noted += [(DEVICE, name) for name in names]

    def by_host(self, names: Sequence[str]) -> None:
        """The host program touches the memory behind some pointers."""
        self._noted += [(HOST, name) for name in names]

    def same(self, name: str, others: Sequence[str]) -> None:
        """A pointer leads into the memory of others."""
        self._noted += [(name, other) for other in others]

    def state(self) -> int:
        """A mark to which ``back_to`` returns."""
        return len(self._noted)

    def back_to(self, state: int) -> None:
        """Forget what was noted since."""
        del self._noted[state:]

    def close(self, pointers: int, outputs: int) -> Placed:
        """The places of a segment; a new one begins."""
        groups = _Groups()
        for first, second in self._noted:
            if first in (DEVICE, HOST):
                groups.touch(second, first)
            else:
                groups.join(first, second)
        self._noted = []
        for name in groups.names("K["):
            self._constants.setdefault(name, set()).update(groups.touched(name))
        kinds = {"P": pointers, "output": outputs}
        return Placed(
            *("".join(_letter(groups.touched(f"{k}[{i}]")) for i in range(n)) for k, n in kinds.items())
        )

    def constants(self, count: int) -> str:
        """The places of the constants of all segments."""
        return "".join(_letter(self._constants.get(f"K[{k}]", set())) for k in range(count))


def _letter(touched: set[str]) -> str:
    return BOTH if len(touched) > 1 else DEVICE if DEVICE in touched else HOST


class _Groups:
    """Names of one memory, and who touches it."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}
        self._touched: dict[str, set[str]] = {}

    def _root(self, name: str) -> str:
        while (found := self._parent.get(name, name)) != name:
            name = found
        return name

    def touch(self, name: str, who: str) -> None:
        self._parent.setdefault(name, name)
        self._touched.setdefault(self._root(name), set()).add(who)

    def join(self, a: str, b: str) -> None:
        self._parent.setdefault(a, a), self._parent.setdefault(b, b)
        a, b = self._root(a), self._root(b)
        if a != b:
            self._parent[a] = b
            self._touched.setdefault(b, set()).update(self._touched.pop(a, ()))

    def touched(self, name: str) -> set[str]:
        return self._touched.get(self._root(name), set())

    def names(self, start: str) -> list[str]:
        return [name for name in self._parent if name.startswith(start)]
