"""Long lists of statements become several C functions: a compiler's time on one function grows faster than its length."""

from __future__ import annotations

from collections.abc import Callable, Sequence

MOST = 16_000  # characters of the statements of one function
LONG = 1000  # characters of statements from which compiling them fast matters more than the nanoseconds that they take
COLD = "__attribute__((noinline, cold))"
RARE = '__attribute__((noinline, cold, optimize("O0")))'  # of functions that take longer to compile well than they run

Name = Callable[[Sequence[str]], str]


def pieces(lines: Sequence[str], name: Name) -> list[list[str]]:
    """The lines as lists of at most ``MOST`` characters, between which no brace is open.

    What is too long between braces becomes calls of functions, which ``name`` makes of statements.
    """
    found: list[list[str]] = []
    room = 0
    for group in (_shortened(g, name) for g in _groups(lines)):
        size = sum(map(len, group))
        if size > room:
            found.append([])
            room = MOST
        found[-1] += group
        room -= size
    return found


def calls(lines: Sequence[str], name: Name) -> list[str]:
    """The lines as they are where they are short, else calls of functions that hold them."""
    parts = [list(lines)]
    while sum(map(len, parts[0])) > MOST and len(parts := pieces(parts[0], name)) > 1:
        parts = [[f"if ({name(part)}(c)) return 1;" for part in parts]]
    return parts[0]


def _groups(lines: Sequence[str]) -> list[list[str]]:
    """Lines that stand between the same outermost braces, together."""
    found: list[list[str]] = []
    depth = 0
    for line in lines:
        if depth == 0:
            found.append([])
        found[-1].append(line)
        depth += line.count("{") - line.count("}")
    return found


def _shortened(group: list[str], name: Name) -> list[str]:
    if len(group) < 3 or sum(map(len, group)) <= MOST:
        return group
    return [group[0], *calls(group[1:-1], name), group[-1]]
