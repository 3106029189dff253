"""A nest becomes a C function and the statements that call it, on one thread or several."""

from __future__ import annotations

from math import prod
from typing import Any

from eqsat.cgen.c.folds import TILE, Folded, accumulated, folded, joiner
from eqsat.cgen.c.nest_text import Parameters
from eqsat.cgen.c.plain_nests import elementwise, inline
from eqsat.cgen.c.straight_nests import is_straight, straight
from eqsat.cgen.ir.expressions import Text
from eqsat.cgen.ir.nest import Nest

SHORTEST = 32  # elements from which a nest in a loop is a function of its own


def emit_nest(w: Any, nest: Nest) -> None:
    """Statements that run a nest."""
    if w.depth and nest.lengths and is_straight(nest):
        w.emit(straight(nest))
        return
    if nest.folds:
        _emit_folds(w, nest)
        return
    if w.depth and prod(int(n) if n.isdigit() else SHORTEST for n in nest.lengths) < SHORTEST:
        w.emit(inline(nest))
        return
    text, names, tasks = elementwise(nest)
    grain = "64" if len(nest.lengths) == 1 else "1"
    w.emit(_launch(w.unit.function("k", text), names, {}, tasks, grain, _work(nest)))


def _work(nest: Nest) -> str:
    return "*".join([f"{int(nest.flops) + len(nest.operands)}LL", *(n for n in nest.lengths if n != "1")])


def _launch(name: str, names: Parameters, known: dict[str, str], tasks: str, grain: str, work: str) -> str:
    """A kernel runs over ``tasks``, on one thread or shared out in parts of ``grain``, by the ``work`` of all of them."""
    pointers, numbers = (
        ", ".join(known.get(t, t) for t in texts) or "0" for texts in (names.pointers, names.numbers)
    )
    return (
        f"eq_spread(c, {name}, {tasks}, {grain}, {work}, (void *[]){{{pointers}}}, (int64_t[]){{{numbers}}});"
    )


def _emit_folds(w: Any, nest: Nest) -> None:
    result = folded(nest)
    kept = w.lengths.product(result.kept)
    tasks, known, buffers = kept, {}, []
    if not result.single:
        known = _chunks(w, result, kept)
        for k, fold in enumerate(nest.folds):
            size = f"{known['@chunks']} > 1 ? {kept}*{known['@chunks']} : 0"
            buffers.append(w.slots.take(size))
            known[f"@part{k}"] = w.buffer(buffers[-1], Text(size), accumulated(fold))
    if result.columns:
        rest = w.lengths.product(result.kept[:-1])
        tasks = f"{rest}*(({result.columns} + {TILE - 1}) / {TILE})"
    tasks = tasks if result.single else f"{tasks}*{known['@chunks']}"
    name = w.unit.function("k", result.text)
    w.emit(_launch(name, result.names, known, tasks, "1", _work(nest)))
    for k, buffer in enumerate(buffers):
        join = w.unit.function("j", joiner(nest.folds[k]))
        target = nest.operands[nest.folds[k].operand].pointer
        chunks = known["@chunks"]
        w.emit(f"if ({chunks} > 1) {join}({kept}, {chunks}, (void *){known[f'@part{k}']}, (void *){target});")
        w.slots.give(buffer)


def _chunks(w: Any, result: Folded, kept: str) -> dict[str, str]:
    """Statements that decide how many chunks the reduced elements are cut into."""
    reduced, first = w.lengths.product(result.reduced), result.reduced[0]
    grain = "256" if len(result.reduced) == 1 and not result.columns else "1"
    span = w.number_of("span", Text(f"eq_span({kept}, {reduced}, {first}, {grain})"))
    chunks = w.number_of("chunks", Text(f"{first} > 0 ? ({first} + {span} - 1) / {span} : 1"))
    return {"@span": span, "@chunks": chunks}
