"""A block becomes a C function and a statement that calls it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from eqsat.cgen.c.argument_table import LONG, tabled
from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.plain_nests import HEAD
from eqsat.cgen.c.statements import printed
from eqsat.cgen.ir.arrays import Storage
from eqsat.cgen.ir.expressions import Int, Name, product
from eqsat.cgen.ir.statements import (
    Assign,
    Block,
    Clear,
    Copy,
    For,
    If,
    Let,
    Parallel,
    Parameter,
    Row,
    RunBlock,
    Statement,
    Store,
)
from eqsat.cgen.ir.written_out import written_out
from eqsat.cgen.lower.segment import Segment

_HEAD = "static __attribute__((noinline)) int64_t @NAME(eq_call *c, void *const *p, const int64_t *v"


_ALONE = (
    Assign,
    Clear,
    Copy,
    For,
    If,
    Let,
    Parallel,
    Row,
    Store,
)  # statements that can neither stop a call nor call
_USUAL = 8  # trips of a loop whose number is not known around it


def block_text(block: Block, add: Callable[[str, str], str] | None = None) -> str:
    """The C function of a block; ``add`` gives names to the functions that threads share its parallel spaces in."""
    body = block.body if add is None else _spread(block, add)
    lines = "\n".join([*map(_parameter, block.parameters), *printed(body)])
    answers = ", int64_t *out" if block.answers >= 0 else ""
    inside = "  " + lines.replace("\n", "\n  ") + "\n" if lines else ""
    return f"{_HEAD}{answers}) {{\n{inside}  return 0;\n}}\n"


def _spread(block: Block, add: Callable[[str, str], str]) -> Sequence[Statement]:
    """The statements of a block, with calls in place of its parallel spaces of which every place stands for itself."""
    lets: list[Let] = []
    body: list[Statement] = []
    for s in block.body:
        if isinstance(s, Parallel) and s.lengths and _stands_alone(s.body):
            text, tasks = _shared_out(block, lets, s)
            known = {p.name for p in block.parameters} | {s.name for s in lets}
            work = product([*s.lengths, *_trips(s.body, known), Int(1 + _count(s.body))])
            body.append(f"eq_spread(c, {add('s', text)}, {tasks}, 1, {c_text(work)}, p, v);")
            continue
        body.append(s)
        if isinstance(s, Row) or (isinstance(s, Let) and (s.variable or "[" in c_text(s.value))):
            return [*body, *block.body[len(body) :]]  # what follows may read it
        if isinstance(s, Let):
            lets.append(s)
    return body


def _stands_alone(statements: Iterable[Statement]) -> bool:
    inside = [b for s in statements for b in (getattr(s, "body", ()), getattr(s, "otherwise", ()))]
    return all(isinstance(s, _ALONE) for s in statements) and all(map(_stands_alone, inside))


def _trips(statements: Iterable[Statement], known: set[str]) -> list[Any]:
    """The lengths of the loops that stand inside one another, those of the longest chain."""
    chains = [[_trip(s, known), *_trips(s.body, known)] for s in statements if isinstance(s, For)]
    return max(chains, key=len, default=[])


def _count(statements: Iterable[Statement]) -> int:
    return sum(1 + _count(getattr(s, "body", ())) for s in statements)


def _trip(s: For, known: set[str]) -> Any:
    is_known = isinstance(s.stop, Int) or (isinstance(s.stop, Name) and s.stop.name in known)
    return s.stop if is_known else Int(_USUAL)


def _shared_out(block: Block, lets: Sequence[Let], space: Parallel) -> tuple[str, str]:
    """A function over a part of a space, and the number of its tasks: the places of all axes but the last."""
    outer, inner = list(space.lengths[:-1]), list(space.lengths[-1:])
    if not outer:
        outer, inner = inner, outer
    lines, rest = [], "task"
    for k, n in reversed([*enumerate(outer)][1:]):
        lines.append(f"const int64_t i{k} = {rest} % {c_text(n, 10)}, d{k} = {rest} / {c_text(n, 10)};")
        rest = f"d{k}"
    lines.append(f"const int64_t i0 = {rest};")
    lines += printed([For(f"i{len(outer)}", inner[0], space.body)] if inner else space.body)
    inside = "\n".join(lines).replace("\n", "\n  ")
    loop = f"for (int64_t task = low; task < high; task++) {{\n  {inside}\n}}"
    text = "\n".join([*map(_parameter, block.parameters), *printed(lets), loop]).replace("\n", "\n  ")
    return f"{HEAD}  {text}\n}}\n", c_text(product(outer), 4)


def _parameter(x: Parameter) -> str:
    if not x.dtype:
        return f"const int64_t {x.name} = v[{x.place}];"
    return f"{'' if x.written else 'const '}{CTYPE[x.dtype]} *{x.name} = p[{x.place}];"


def inline_block(run: RunBlock) -> str:
    """A short block as one statement, with the caller's pointers and numbers; empty where it is long."""
    body = written_out(run.block.body, run.step)
    if body is None:
        return ""
    lines = [_given(x, run) for x in run.block.parameters]
    return "\n".join(["{", *("  " + line for line in [*lines, *printed(body)]), "}"])


def _given(x: Parameter, run: RunBlock) -> str:
    if not x.dtype:
        return f"const int64_t {x.name} = {run.numbers[x.place]};"
    return f"{'' if x.written else 'const '}{CTYPE[x.dtype]} *{x.name} = (void *){run.pointers[x.place]};"


def block_call(w: Segment, kind: str, run: RunBlock) -> tuple[str, str, list[Storage]]:
    """The statement that calls the function of a block, what it depends on besides, and the memory that it needs."""
    if w.depth and run.block.answers < 0 and (text := inline_block(run)):
        return text, "", []
    unit: Any = w.unit
    name = unit.function(kind, block_text(run.block, unit.function))
    fill, lists, depends, rooms = _lists(w, run.pointers, run.numbers)
    temporary = w.fresh("d") if run.names else ""
    more = f", {temporary}" if run.block.answers >= 0 else ""
    call = f"{fill}if ({name}(c, {lists}{more})) {{ c->step = {run.step}; return 1; }}"
    if run.block.answers < 0:
        return call, depends, rooms
    copies = " ".join(f"{n} = {temporary}[{k}];" for k, n in enumerate(run.names))
    return f"{{ int64_t {temporary}[{max(len(run.names), 1)}]; {call} {copies} }}", depends, rooms


def _lists(
    w: Segment, pointers: Sequence[str], numbers: Sequence[str]
) -> tuple[str, str, str, list[Storage]]:
    """The arguments of a call: a table, filled before it, where they are many."""
    if len(pointers) + len(numbers) <= LONG:
        lists = f"(void *[]){{{', '.join(pointers) or '0'}}}, (int64_t[]){{{', '.join(numbers) or '0'}}}"
        return "", lists, "", []
    fill, lists, depends, room = tabled(w, pointers, numbers)
    return fill, lists, depends, [room]
