"""A block becomes a C function and a statement that calls it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.argument_table import LONG, tabled
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.statements import printed
from eqsat.cgen.ir.arrays import Storage
from eqsat.cgen.ir.statements import Block, Parameter, RunBlock
from eqsat.cgen.ir.written_out import written_out
from eqsat.cgen.lower.segment import Segment

_HEAD = "static __attribute__((noinline)) int64_t @NAME(eq_call *c, void *const *p, const int64_t *v"


def block_text(block: Block) -> str:
    """The C function of a block."""
    lines = "\n".join([*map(_parameter, block.parameters), *printed(block.body)])
    answers = ", int64_t *out" if block.answers >= 0 else ""
    inside = "  " + lines.replace("\n", "\n  ") + "\n" if lines else ""
    return f"{_HEAD}{answers}) {{\n{inside}  return 0;\n}}\n"


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
    name = unit.function(kind, block_text(run.block))
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
