"""A nest becomes a C function and the statements that call it, on one thread or several."""

from __future__ import annotations

from math import prod
from typing import Any

from eqsat.cgen.c import flat_rows
from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.c.folds import Folded, folded, joiner
from eqsat.cgen.c.lanes_text import lanes_text
from eqsat.cgen.c.nest_text import Parameters
from eqsat.cgen.c.partial import accumulated
from eqsat.cgen.c.plain_nests import elementwise, inline
from eqsat.cgen.c.straight_nests import is_straight, straight
from eqsat.cgen.c.vector_axis import copied, lies_across, other_form, turned
from eqsat.cgen.ir.expressions import Text
from eqsat.cgen.ir.lanes import Lanes
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
    test = flat_rows.test_of(nest)
    if test != "0":
        _emit_short(w, nest, test)
        return
    w.emit(_plain_call(w, nest))


def _flat_call(w: Any, nest: Nest) -> str:
    text, names = flat_rows.flat(nest)
    return _launch(w.unit.function("k", text), names, {}, nest.lengths[0], "64", _work(nest))


def _plain_call(w: Any, nest: Nest) -> str:
    text, names, tasks = elementwise(nest)
    grain = "64" if len(nest.lengths) == 1 else "1"
    return _launch(w.unit.function("k", text), names, {}, tasks, grain, _work(nest))


def emit_lanes(w: Any, x: Lanes) -> None:
    """Statements that run lanes."""
    text, names = lanes_text(x)
    work = f"{int(x.flops) + len(x.operands)}LL*{c_text(x.steps, 10)}*{x.lanes}"
    w.emit(_launch(w.unit.function("series", text), names, {}, x.lanes, "64", work))


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
    """Statements that run a nest along the axis of its memory, or along another one where that is short."""
    test = flat_rows.test_of(nest)
    if test != "0":
        _emit_short(w, nest, test)
        return
    along = other_form(nest, w.lengths)
    other, test = along or turned(nest, w.alone) or (nest, "0")
    few = test != "0" and nest.reduced[-1] and sum(nest.reduced) == 1
    if test in ("0", "1"):
        _emit_form(w, other, "1", test == "1" and along is not None, few)
        return
    short = w.number_of("short", Text(test))
    _emit_form(w, nest, f"!{short}")
    _emit_form(w, other, short, along is not None, few)


def _emit_short(w: Any, nest: Nest, test: str) -> None:
    """Statements that run a nest over many rows at a time where these are short."""
    if test == "1":
        w.emit(_flat_call(w, nest))
        return
    short = w.number_of("short", Text(test))
    if nest.folds:
        _emit_form(w, nest, f"!{short}")
    else:
        w.emit(f"if (!{short}) {_plain_call(w, nest)}")
    w.emit(f"if ({short}) {_flat_call(w, nest)}")


def _emit_form(w: Any, nest: Nest, test: str, along: bool = False, few: bool = False) -> None:
    """Statements that run a nest with folds where a test holds; ``along`` an axis for which operands are copied.

    ``few`` elements are folded into one result where the test holds.
    """
    where = "" if test == "1" else f"if ({test}) "
    across = [k for k, o in enumerate(nest.operands) if along and lies_across(o)]
    buffers = []

    def buffer(dtype: str, size: str, needed: str) -> str:
        sized = " && ".join([test] * (test != "1") + [needed] * (needed != "1"))
        elements = f"{sized} ? {size} : 0" if sized and not w.alone else size
        buffers.append(w.slots.take(elements))
        return str(w.buffer(buffers[-1], Text(elements), dtype))

    for k in across:
        size = w.lengths.product(
            [n for n, s in zip(nest.lengths, nest.operands[k].strides, strict=True) if s != "0"]
        )
        copy, nest = copied(nest, k, buffer(nest.operands[k].dtype, size, "1"), w.lengths)
        w.emit(where + _plain_call(w, copy))
    result = folded(nest, w.alone or nest.small, few)
    kept = w.lengths.product(result.kept)
    tasks, known, parts = kept, {}, []
    if not result.single:
        known = _chunks(w, result, kept)
        for k, fold in enumerate(nest.folds):
            parts.append(buffer(accumulated(fold), f"{kept}*{known['@chunks']}", f"{known['@chunks']} > 1"))
            known[f"@part{k}"] = parts[-1]
    if result.columns:
        rest = w.lengths.product(result.kept[:-1])
        tasks = f"{rest}*(({result.columns} + {result.tile - 1}) / {result.tile})"
    tasks = tasks if result.single else f"{tasks}*{known['@chunks']}"
    name = w.unit.function("k", result.text)
    w.emit(where + _launch(name, result.names, known, tasks, "1", _work(nest)))
    for k, part in enumerate(parts):
        join = w.unit.function("j", joiner(nest.folds[k]))
        target = nest.operands[nest.folds[k].operand].pointer
        chunks = known["@chunks"]
        needed = " && ".join([test] * (test != "1") + [f"{chunks} > 1"])
        w.emit(f"if ({needed}) {join}({kept}, {chunks}, (void *){part}, (void *){target});")
    for storage in buffers:
        w.slots.give(storage)


def _chunks(w: Any, result: Folded, kept: str) -> dict[str, str]:
    """Statements that decide how many chunks the reduced elements are cut into."""
    reduced, first = w.lengths.product(result.reduced), result.reduced[0]
    grain = "256" if len(result.reduced) == 1 and not result.columns else "1"
    sizes = f"{kept} / 128, {kept}*{reduced} / 16" if result.columns else f"{kept}, {reduced}"
    span = w.number_of("span", Text(f"eq_span({sizes}, {first}, {grain})"))
    chunks = w.number_of("chunks", Text(f"{first} > 0 ? ({first} + {span} - 1) / {span} : 1"))
    return {"@span": span, "@chunks": chunks}
