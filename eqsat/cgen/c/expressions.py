"""C text of expressions, with no more parentheses than they need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eqsat.cgen.c.literals import literal
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.ir.expressions import (
    Argument,
    Binary,
    Cast,
    Elsewhere,
    Expression,
    Function,
    Int,
    Name,
    Number,
    Pointer,
    Read,
    Select,
    Shifted,
    Text,
    Turn,
    Unary,
)
from eqsat.cgen.ir.operand import Element

_LEVEL = {"||": 1, "&&": 2, "|": 3, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7}
_LEVEL |= {"+": 9, "-": 9, "*": 10, "/": 10, "%": 10}
# Compilers warn where a comparison is compared, an "and" stands in an "or", or numbers of bits in sums, without parentheses.
_CLEAR = {1: 3, 3: 11, 5: 11, 6: 9, 7: 9}
_SELECT, _UNARY, _WHOLE = 0, 11, 12
_NAMES = {
    "least": "eq_least",
    "finite": "isfinite",
    "rows_near": "eq_rows_near",
    "blocks": "eq_blocks",
    "columns_near": "eq_columns_near",
    "search": "eq_search__{T}",
    "logaddexp": "eq_logaddexp__{T}",
    "conv_room": "eq_conv_room__{T}(c, ",
}
_OF_CALL = {"lane": "c->lane()", "lanes": "c->threads", "dry": "c->dry"}
_BY_TYPE = {"exp", "log"}  # C has them with an f for float


def c_text(x: Expression, level: int = 0) -> str:
    """C text of an expression, in parentheses where it binds less than ``level``."""
    if type(x) is Name:
        return x.name
    own, text = _PRINT[type(x)](x)
    return f"({text})" if own < level else text


def _binary(x: Binary) -> tuple[int, str]:
    level, op = _LEVEL[x.op], x.op
    between = op if op == "*" else f" {op} "
    clear = _CLEAR.get(level, level)
    first = level if level < 6 and type(x.x) is Binary and x.x.op == op else clear
    return level, f"{c_text(x.x, first)}{between}{c_text(x.y, max(clear, level + 1))}"


def _select(x: Select) -> tuple[int, str]:
    return _SELECT, f"{c_text(x.test, 1)} ? {c_text(x.x, 1)} : {c_text(x.y)}"


def _function(x: Function) -> tuple[int, str]:
    if x.name in _OF_CALL:
        return _WHOLE, _OF_CALL[x.name]
    name = _NAMES.get(x.name, x.name).replace("{T}", CTYPE.get(x.of, ""))
    if x.name in _BY_TYPE and x.of == "float32":
        name += "f"
    return _WHOLE, f"{name if '(' in name else name + '('}{', '.join(map(c_text, x.args))})"


def _element(x: Element) -> tuple[int, str]:
    return _WHOLE, f"{address(x.memory.address, x.memory.dtype)}[{offset(x) or '0'}]"


def offset(x: Element) -> str:
    """C text of the place of an element after the address of its memory; empty for the first."""
    terms = []
    for i, s in zip(x.index, x.memory.s, strict=False):
        if type(s) is Int and s.value == 0 or type(i) is Int and i.value == 0:
            continue
        one = type(s) is Int and s.value == 1
        terms.append(c_text(i, 9) if one else f"{c_text(i, 10)}*{c_text(s, 11)}")
    return " + ".join(terms)


def address(x: Expression, dtype: str) -> str:
    """C text of a pointer to elements of a dtype."""
    if type(x) is Pointer:
        return f"(({CTYPE[dtype]} *){x.name})"
    return c_text(x, _WHOLE)


def _shifted(x: Shifted) -> tuple[int, str]:
    return 9, f"{address(x.base, x.of)} + {c_text(x.offset, 10)}"


def _argument(x: Argument) -> tuple[int, str]:
    if x.to:
        return _WHOLE, f"((const {CTYPE[x.to]} *)p[{c_text(x.place)}])"
    return _WHOLE, f"v[{c_text(x.place)}]"


def _turn(x: Turn) -> tuple[int, str]:
    items = [*map(c_text, x.items)]
    if len(items) == 2:
        return _SELECT, f"{c_text(x.number, 6)} & 1 ? {items[1]} : {items[0]}"
    ctype = "char *" if isinstance(x.items[0], Pointer) else "int64_t"
    return _WHOLE, f"(({ctype}[]){{{', '.join(items)}}})[{c_text(x.number, 10)} % {len(items)}]"


def place(x: Element) -> str:
    """C text of the address of an element."""
    start, more = address(x.memory.address, x.memory.dtype), offset(x)
    return f"{start} + {more}" if more else start


_PRINT: dict[type, Callable[[Any], tuple[int, str]]] = {
    Int: lambda x: (_WHOLE if x.value >= 0 else _UNARY, str(x.value)),
    Number: lambda x: (_UNARY, literal(x.value, x.of)),
    Name: lambda x: (_WHOLE, x.name),
    Pointer: lambda x: (_WHOLE, x.name),
    Unary: lambda x: (_UNARY, f"{x.op}{c_text(x.x, _WHOLE)}"),
    Binary: _binary,
    Select: _select,
    Cast: lambda x: (_UNARY, f"({CTYPE[x.of]}){c_text(x.x, _WHOLE)}"),
    Function: _function,
    Element: _element,
    Shifted: _shifted,
    Argument: _argument,
    Read: lambda x: (_UNARY, f"*(const {CTYPE[x.of]} *){c_text(x.address, _UNARY)}"),
    Turn: _turn,
    Elsewhere: lambda x: (6, f"(const void *){c_text(x.x, _WHOLE)} != (const void *){c_text(x.y, _WHOLE)}"),
    Text: lambda x: (_SELECT, x.text),
}
