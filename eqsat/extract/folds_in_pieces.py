"""Folds over the space of an operand of pieces run in the kernel that puts these together: what both read is read once.

A sum over ``x[1:] - x[:-1]`` beside its slope, say, is a sum over the places where the slope takes a part of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from eqsat.base.values import dataclass
from eqsat.graph.pieces import is_written_over, moved_places, numbers_of
from eqsat.graph.plan import Compute, Expression, Kernel, Literal, Load, Pieces, Result, reads, writes


def with_folds(pieced: Kernel, folds: Kernel) -> Kernel | None:
    """One kernel with the results of both; None where there is none."""
    if not all(map(_folds_all, folds.results)) or not _is_apart(pieced, folds):
        return None
    spaces = _spaces(pieced, folds)
    if not spaces:
        return None
    place, operand = max(spaces.values(), key=lambda space: len(space.shared)).where
    expressions = [*pieced.expressions, *_moved(folds, len(pieced.expressions))]
    results = [*pieced.results]
    for r in folds.results:
        expressions.append(
            _only(pieced.expressions[place], operand, r, len(pieced.expressions) + r.root, folds)
        )
        results.append(Result(r.variable, len(expressions) - 1, r.reduce))
    return Kernel(expressions, results, pieced.static)


def _folds_all(result: Result) -> bool:
    """True for a fold over all axes which the number for no elements does not change."""
    reduce = result.reduce
    return reduce is not None and bool(reduce.declaration.reduction.empty)


def _is_apart(a: Kernel, b: Kernel) -> bool:
    """True where both have as many axes, none of which is kept, and neither reads what the other one writes."""
    every = tuple(range(a.ndim))
    kept = any(
        r.reduce is not None and tuple(r.reduce.params["axes"]) != every for k in (a, b) for r in k.results
    )
    read = {*reads(a), *reads(b)}.intersection([*writes(a), *writes(b)])
    return a.ndim == b.ndim and not kept and not read


@dataclass
class _Space:
    """The space of an operand: the place of pieces, the number of their operand, and the values that folds have in common with it."""

    where: tuple[int, int]
    shared: set[int]


def _spaces(pieced: Kernel, folds: Kernel) -> dict[Any, _Space]:
    """The spaces of operands of pieces that are the space of some folds."""
    from eqsat.extract.siblings import same_space

    found: dict[Any, _Space] = {}
    numbers: dict[Any, int] = {}
    wanted = set(_values(folds, numbers))
    held = _values(pieced, numbers)
    for place in _whole(pieced):
        e: Any = pieced.expressions[place]
        for k, at in enumerate(moved_places(e.apply)):
            if is_written_over(e.apply, at):  # its places are not all there
                continue
            kind: Any = e.apply.inputs[at].type
            own = _within(pieced, e.args[k])
            inside = Kernel([pieced.expressions[x] for x in own], [], kind.shape)
            shared = wanted.intersection(held[x] for x in own)
            if shared and kind.ndim == folds.ndim and same_space(folds, inside, {}):
                key = (e.apply.op, k, *map(id, numbers_of(e.apply)))
                found.setdefault(key, _Space((place, k), set())).shared.update(shared)
    return found


def _values(kernel: Kernel, numbers: dict[Any, int]) -> list[int]:
    """A number for each expression, the same for equal ones."""
    found: list[int] = []
    for e in kernel.expressions:
        if isinstance(e, Compute):
            key: Any = (e.op, tuple(found[a] for a in e.args))
        else:
            key = (e.dtype, e.value.tobytes()) if isinstance(e, Literal) else e
        found.append(numbers.setdefault(key, len(numbers)))
    return found


def _whole(pieced: Kernel) -> list[int]:
    """The pieces that have the index space of the kernel."""
    found: dict[int, None] = {}
    stack = [r.root for r in pieced.results]
    while stack:
        place = stack.pop()
        e = pieced.expressions[place]
        if isinstance(e, Pieces) and e.only is None and place not in found:
            found[place] = None
            whole: Any = e.apply.op
            if whole.declaration.in_place is not None:
                stack.append(e.args[moved_places(e.apply).index(whole.declaration.in_place)])
        elif isinstance(e, Compute):
            stack += e.args
    return list(found)


def _within(pieced: Kernel, root: int) -> list[int]:
    """The places of the expressions of an operand of pieces that have its index space."""
    found: dict[int, None] = {}
    stack = [root]
    while stack:
        place = stack.pop()
        e = pieced.expressions[place]
        if place not in found and not isinstance(e, Pieces):
            found[place] = None
            stack += e.args if isinstance(e, Compute) else ()
    return list(found)


def _moved(kernel: Kernel, first: int) -> Iterator[Expression]:
    """The expressions of a kernel so many places further on."""
    for e in kernel.expressions:
        yield replace(e, args=tuple(a + first for a in e.args)) if isinstance(e, Compute) else e


def _only(pieces: Any, operand: int, result: Result, root: int, folds: Kernel) -> Pieces:
    """Pieces that are folded at the place of an operand, and change no fold elsewhere."""
    e: Any = folds.expressions[result.root]
    kind: Any = e.variable.type if isinstance(e, Load) else e
    args = tuple(root if k == operand else a for k, a in enumerate(pieces.args))
    reduce: Any = result.reduce
    return Pieces(pieces.apply, args, kind.dtype, operand, reduce.declaration.reduction.identity(kind.dtype))
