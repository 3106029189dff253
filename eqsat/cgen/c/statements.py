"""C text of statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from eqsat.cgen.c.operand import loops
from eqsat.cgen.ir.statements import Check, Define, Give, Launch, Parallel, Point, Run, Statement, Stop, Take


def printed(statements: Iterable[Statement]) -> list[str]:
    """The C text of each statement."""
    return [s if isinstance(s, str) else _PRINT[type(s)](s) for s in statements]


def text(statement: Statement) -> str:
    """The C text of a statement."""
    return statement if isinstance(statement, str) else _PRINT[type(statement)](statement)


def stop_text(stop: Stop) -> str:
    """A C statement that ends the call; an error has four values and, where more are set, up to ten."""
    four = ", ".join([*stop.values[:4], *["0"] * (4 - len(stop.values))])
    more = "".join(f"c->values[{k}] = {v}; " for k, v in enumerate(stop.values) if k >= 4)
    return f"{{ {more}c->step = {stop.step}; return eq_fail(c, {stop.code}, {four}); }}"


def _take(s: Take) -> str:
    return f"if (eq_take(c, {s.step}, {_place(s.pointer)}, {s.slot}, {s.bytes})) return 1;"


def _give(s: Give) -> str:
    lengths = f"(int64_t[]){{{', '.join(s.lengths) or '0'}}}"
    return f"if (eq_give(c, {s.step}, {_place(s.pointer)}, {s.output}, {lengths})) return 1;"


def _place(pointer: str) -> str:
    """The number of a pointer P[3] in the table."""
    return pointer[2:-1]


def _launch(s: Launch) -> str:
    pointers, numbers = ", ".join(s.pointers) or "0", ", ".join(s.numbers) or "0"
    lists = f"(void *[]){{{pointers}}}, (int64_t[]){{{numbers}}}"
    return f"eq_spread(c, {s.kernel}, {s.tasks}, {s.grain}, {s.work}, {lists});"


_PRINT: dict[type, Callable[[Any], str]] = {
    Define: lambda s: f"{s.name} = {s.value};",
    Point: lambda s: f"{s.name} = (char *)({s.address});",
    Take: _take,
    Give: _give,
    Check: lambda s: f"if ({s.test}) {stop_text(s.stop)}",
    Launch: _launch,
    Parallel: lambda s: loops(s.lengths, s.body),
    Run: lambda s: f"if ({s.function}(c)) return 1;",
}
