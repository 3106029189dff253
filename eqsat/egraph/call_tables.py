"""Tables of the calls that Python answers: one pair for each number of arguments, whose first column says which function is called.

A table for each function would be copied with every e-graph, though few graphs ask for more than a handful.
"""

from __future__ import annotations

from eqsat.graph.part_calls import CALLS

NUMBERS = {name: number for number, name in enumerate(CALLS)}
NAMES = tuple(CALLS)
SIZES = sorted({len(call.arguments) for call in CALLS.values()})


def wanted_table(size: int) -> str:
    """The table of what is asked of the functions of so many arguments."""
    return f"want_{size}"


def answers_table(size: int) -> str:
    """The table of the answers of these functions."""
    return f"call_{size}"


def size_of(name: str) -> int:
    """The number of arguments of a function."""
    return len(CALLS[name].arguments)


def call_schema() -> list[str]:
    """Both tables for each number of arguments."""
    lines = []
    for size in SIZES:
        columns = " ".join(["i64"] * (1 + size))
        lines += [
            f"(relation {wanted_table(size)} ({columns}))",
            f"(relation {answers_table(size)} ({columns} i64))",
        ]
    return lines


def wanted(name: str, arguments: str) -> str:
    """Egglog text that asks for a call.

    >>> wanted("part_ndim", "p") == f"(want_1 {NUMBERS['part_ndim']} p)"
    True
    """
    return f"({wanted_table(size_of(name))} {NUMBERS[name]} {arguments})"


def answered(name: str, arguments: str, result: str) -> str:
    """Egglog text that finds the result of a call."""
    return f"({answers_table(size_of(name))} {NUMBERS[name]} {arguments} {result})"
