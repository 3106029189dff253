"""C text of statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from eqsat.cgen.c.expressions import address, c_text, place
from eqsat.cgen.c.library import called
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.ir.arrays import SIZE
from eqsat.cgen.ir.expressions import ONE, ZERO, Argument, Expression, Shifted, Text
from eqsat.cgen.ir.statements import (
    Answer,
    Assign,
    Call,
    Check,
    Clear,
    Copy,
    Define,
    For,
    Give,
    If,
    Let,
    Local,
    Parallel,
    Point,
    Rehearse,
    Rooms,
    Row,
    Statement,
    Stop,
    Store,
    Take,
    Write,
)


def printed(statements: Iterable[Statement]) -> list[str]:
    """The C text of each statement."""
    return [s if isinstance(s, str) else _PRINT[type(s)](s) for s in statements]


def lines_of(statements: Iterable[Statement]) -> list[str]:
    """The C text of each statement, with those of a test on lines of their own."""
    lines: list[str] = []
    for s in statements:
        if isinstance(s, If) and not s.otherwise:
            lines += [f"if ({c_text(s.test)}) {{", *lines_of(s.body), "}"]
        else:
            lines.append(text(s))
    return lines


def text(statement: Statement) -> str:
    """The C text of a statement."""
    return statement if isinstance(statement, str) else _PRINT[type(statement)](statement)


def stop_text(stop: Stop) -> str:
    """A C statement that ends the call; an error has four values and, where more are set, up to ten."""
    values = [*map(c_text, stop.values)]
    four = ", ".join([*values[:4], *["0"] * (4 - len(values))])
    more = "".join(f"c->values[{k}] = {v}; " for k, v in enumerate(values) if k >= 4)
    step = f"c->step = {stop.step}; " if stop.step >= 0 else ""
    return f"{{ {more}{step}return eq_fail(c, {stop.code}, {four}); }}"


def _take(s: Take) -> str:
    freed = "".join(f"c->slots[{k}].live = " for k in s.freed) + "0; " if s.freed else ""
    return f"{freed}if (eq_take(c, {s.step}, {_place(s.pointer)}, {c_text(s.slot)}, {SIZE[s.dtype]}.0*{c_text(s.elements, 10)})) return 1;"


def _give(s: Give) -> str:
    lengths = f"(int64_t[]){{{', '.join(s.lengths) or '0'}}}"
    return f"if (eq_give(c, {s.step}, {_place(s.pointer)}, {s.output}, {lengths})) return 1;"


def _place(pointer: str) -> str:
    """The number of a pointer P[3] in the table."""
    return pointer[2:-1]


def _point(s: Point) -> str:
    if isinstance(s.address, (Shifted, Text)):
        return f"{s.name} = (char *)({c_text(s.address)});"
    return f"{s.name} = {c_text(s.address)};"


def _local(s: Local) -> str:
    value = "" if s.value is None else f" = {c_text(s.value)}"
    if s.count > 1:
        return f"{CTYPE[s.dtype]} {s.name}[{s.count}];"
    return f"{CTYPE[s.dtype]} {s.name}{value};"


# --------------------------------------------------------------------------------------------------- inside a block


def body(statements: Sequence[Statement]) -> str:
    """Statements between braces, each on lines of its own."""
    lines = "\n".join(printed(statements)).replace("\n", "\n  ")
    return f"{{\n  {lines}\n}}" if lines else "{ }"


def _let(s: Let) -> str:
    const = "" if s.variable else "const "
    if isinstance(s.value, Argument) and s.value.to:
        return f"const {CTYPE[s.dtype]} *const {s.name} = {c_text(s.value)};"
    return f"{const}{CTYPE[s.dtype]} {s.name} = {c_text(s.value)};"


def _store(s: Store) -> str:
    return f"{c_text(s.element)} = {c_text(s.value)};"


def _head(counter: str, start: Expression, stop: Expression, step: Expression = ONE) -> str:
    more = f"{counter}++" if step == ONE else f"{counter} += {c_text(step)}"
    return f"for (int64_t {counter} = {c_text(start)}; {counter} < {c_text(stop, 8)}; {more}) "


def _parallel(s: Parallel) -> str:
    heads = [_head(f"i{k}", ZERO, n) for k, n in enumerate(s.lengths)]
    return "".join(heads) + body(s.body)


def _if(s: If) -> str:
    other = f" else {body(s.otherwise)}" if s.otherwise else ""
    return f"if ({c_text(s.test)}) {body(s.body)}{other}"


def _copy(s: Copy) -> str:
    return f"__builtin_memcpy({place(s.to)}, {place(s.source)}, {c_text(s.count, 10)}*sizeof({CTYPE[s.to.dtype]}));"


def _clear(s: Clear) -> str:
    start = address(s.memory.address, s.memory.dtype)
    return f"memset({start}, 0, {c_text(s.count, 10)}*sizeof({CTYPE[s.memory.dtype]}));"


def _rooms(s: Rooms) -> str:
    lines = [
        f"{CTYPE[dtype]} *{name} = malloc((size_t)({c_text(size)})*sizeof({CTYPE[dtype]}));"
        for name, dtype, size in s.rooms
    ]
    free = " ".join(f"free({name});" for name, _, _ in s.rooms)
    none = " || ".join(f"!{name}" for name, _, _ in s.rooms)
    lines += [f"if ({none}) {{ {free} {stop_text(s.missing)} }}"]
    stopped = "\n".join(printed(s.body)).replace("{ return eq_fail", f"{{ {free} return eq_fail")
    return "\n".join([*lines, stopped, free])


def _for(s: For) -> str:
    clause = "".join(f" reduction({how}:{name})" for how, name in s.combined)
    pragma = f"#pragma omp simd{clause}\n" if s.vector else ""
    return pragma + _head(s.counter, s.start, s.stop, s.step) + body(s.body)


_PRINT: dict[type, Callable[[Any], str]] = {
    Define: lambda s: f"{s.name} = {c_text(s.value)};",
    Point: _point,
    Take: _take,
    Give: _give,
    Check: lambda s: f"if ({c_text(s.test)}) {stop_text(s.stop)}",
    Stop: stop_text,
    Let: _let,
    Assign: lambda s: f"{s.name} = {c_text(s.value)};",
    Store: _store,
    For: _for,
    Parallel: _parallel,
    If: _if,
    Copy: _copy,
    Clear: _clear,
    Rooms: _rooms,
    Row: lambda s: f"{CTYPE[s.dtype]} {s.name}[{s.count}];",
    Call: lambda s: called(s, stop_text),
    Rehearse: lambda s: "if (c->dry) return 0;",
    Local: _local,
    Write: lambda s: f"*({CTYPE[s.dtype]} *){c_text(s.address, 12)} = {c_text(s.value)};",
    Answer: lambda s: f"out[{s.place}] = {c_text(s.value)};",
}
