"""Spaces in the statements of a block: places of which each stands for itself, taken out of loops as far as they go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.c.expressions import address, c_text, offset
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.ir.expressions import ONE, ZERO, Expression, Int, Name, inside, negated, reads_memory
from eqsat.cgen.ir.operand import Element
from eqsat.cgen.ir.statements import Assign, Check, Clear, Copy, For, If, Let, Parallel, Row, Statement, Store

_SIMPLE = (Assign, Check, For, If, Let, Row, Store)


@dataclass(frozen=True)
class Space:
    """Places at the counters of some axes; ``before`` is computed at each place, then the ``body`` runs there.

    There are none unless all ``tests`` hold. With a ``copy`` the body copies its element at the counter of the last axis.
    """

    axes: tuple[tuple[str, Expression], ...]
    before: tuple[Statement, ...]
    body: tuple[Statement, ...]
    tests: tuple[Expression, ...] = ()
    copy: Copy | None = None


def is_simple(s: Statement) -> bool:
    """True for a statement that a thread can run."""
    return isinstance(s, (str, *_SIMPLE)) and all(map(is_simple, parts(s)))


def parts(s: Any) -> tuple[Statement, ...]:
    """The statements in a statement."""
    return (*getattr(s, "body", ()), *getattr(s, "otherwise", ()))


def values(s: Any) -> Iterator[Expression]:
    """The expressions of a statement itself, those of its parts left out."""
    for name in ("value", "test", "start", "stop", "step", "address", "count", "element", "to", "source"):
        if isinstance(found := getattr(s, name, None), Expression):
            yield found
    yield from (e for e in getattr(s, "lengths", ()) if isinstance(e, Expression))
    yield from getattr(s, "args", ())
    yield from getattr(getattr(s, "stop", None), "values", ())


def everything(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Statements and all those in them."""
    stack = [*statements]
    while stack:
        s = stack.pop()
        yield s
        stack += parts(s)


def names(*expressions: Expression) -> set[str]:
    """The names in expressions."""
    return {x.name for e in expressions for x in inside(e) if isinstance(x, Name)}


def root(x: Element) -> str:
    """The name of the pointer that leads to an element; empty where several may."""
    base: Any = x.memory.address
    while hasattr(base, "base"):
        base = base.base
    return base.name if isinstance(base, Name) else ""


def stored(statements: Iterable[Statement]) -> list[Element]:
    """The elements that statements write."""
    found = []
    for s in everything(statements):
        found += [s.element] if isinstance(s, Store) else [s.to] if isinstance(s, Copy) else []
    return found


def read(statements: Iterable[Statement]) -> list[Element]:
    """The elements that statements read, those that they write left out."""
    found: list[Element] = []
    for s in everything(statements):
        target = (
            [*s.element.index, *s.element.memory.s, s.element.memory.address] if isinstance(s, Store) else []
        )
        for e in (*(v for v in values(s) if v is not getattr(s, "element", None)), *target):
            found += [x for x in inside(e) if isinstance(x, Element)]
    return found


def known_twice(counter: str, targets: Sequence[Element]) -> bool:
    """True where no two values of a counter lead to one element: it is the index along one axis of all that is written."""
    places = set()
    for x in targets:
        at = [a for a, i in enumerate(x.index) if counter in names(i)]
        if len(at) != 1 or x.index[at[0]] != Name(counter) or counter in names(x.memory.address):
            return False
        places.add(at[0])
    return len(places) == 1


def following(counter: str, body: Iterable[Statement]) -> set[str]:
    """A counter and the names of values that follow from it."""
    found, lets = {counter}, [x for x in everything(body) if isinstance(x, (Let, Assign))]
    while more := {x.name for x in lets if x.name not in found and names(x.value) & found}:
        found |= more
    return found


def is_apart(s: For) -> bool:
    """True for a loop whose turns do not need each other: each writes elements of its own, and reads none of others."""
    if s.step != ONE or s.running is not None or s.combined:
        return False
    local = {x.name for x in everything(s.body) if isinstance(x, (Let, Row))}
    if any(isinstance(x, Assign) and x.name not in local for x in everything(s.body)):
        return False
    targets = [x for x in stored(s.body) if root(x) not in local]
    if s.vector:
        return True
    moving = following(s.counter, s.body) - {s.counter}
    hidden = any(moving & names(*x.index, x.memory.address) for x in targets)
    written = {root(x) for x in targets}
    others = [x for x in read(s.body) if root(x) in written]
    if "" in written or hidden:
        return False
    return not targets or known_twice(s.counter, [*targets, *others])


def spaces_of(s: Statement) -> list[Space] | None:
    """The spaces of a statement, which have to run one after the other.

    None where a thread cannot run what is in it, or one thread would have to go through all of it.
    """
    found = _spaces(s, (), ())
    simple = all(is_simple(x) for space in found for x in space.body)
    alone = any(isinstance(x, For) for space in found if not space.axes for x in everything(space.body))
    return found if found and simple and not alone else None


def _spaces(s: Any, axes: tuple[Any, ...], before: tuple[Statement, ...]) -> list[Space]:
    more = _axes_of(s)
    if more is not None and not {c for c, _ in more} & {c for c, _ in axes}:
        return _of_body(s.body, (*axes, *more), before)
    if isinstance(s, For) and s.start != ZERO and is_apart(s) and not _is_used(s.counter, axes, before):
        length = s.stop - s.start
        moved = Let(s.counter, "int64", Name(f"{s.counter}_") + s.start)
        return _of_body([moved, *s.body], (*axes, (f"{s.counter}_", length)), before)
    if isinstance(s, Copy):
        counter = f"c{len(axes)}"
        return [Space((*axes, (counter, s.count)), before, (_element_of(s, counter),), copy=s)]
    if isinstance(s, Clear):
        counter = f"c{len(axes)}"
        text = f"(({CTYPE[s.memory.dtype]} *){c_text(s.memory.address, 12)})[{counter}] = 0;"
        return [Space((*axes, (counter, s.count)), before, (text,))]
    if isinstance(s, If) and axes and _is_pure(s):
        found = []
        here = {c for c, _ in axes} | {x.name for x in before if isinstance(x, Let)}
        even = not names(s.test) & here and not reads_memory(s.test)
        for part, test in ((s.body, s.test), (s.otherwise, negated(s.test))):
            guard: Any = f"if (!({c_text(test)})) continue;"
            inner = _of_body(part, axes, before if even else (*before, guard)) if part else []
            found += [replace(x, tests=(test, *x.tests)) if even else x for x in inner]
        return found
    return [Space(axes, before, (s,))]


def _axes_of(s: Statement) -> list[tuple[str, Expression]] | None:
    if isinstance(s, Parallel):
        return [(f"i{k}", n) for k, n in enumerate(s.lengths)]
    if isinstance(s, For) and s.start == ZERO and is_apart(s):
        return [(s.counter, s.stop)]
    return None


def _is_used(name: str, axes: Sequence[tuple[str, Expression]], before: Sequence[Statement]) -> bool:
    return name in {c for c, _ in axes} or any(isinstance(x, Let) and x.name == name for x in before)


def _is_pure(s: If) -> bool:
    """True for a test that what runs where it holds cannot change."""
    written = {root(x) for x in stored([s])}
    return "" not in written and not any(
        root(x) in written for e in values(s) for x in inside(e) if isinstance(x, Element)
    )


def _of_body(body: Sequence[Statement], axes: tuple[Any, ...], before: tuple[Statement, ...]) -> list[Space]:
    """The spaces of the body of a loop: one for each loop in it where they share no more than values that do not change."""
    first = [s for s in body if _is_value(s)]
    rest = [s for s in body if not _is_value(s)]
    whole = [Space(axes, before, tuple(body))]
    if not rest or any(not isinstance(s, (For, If, Copy, Parallel)) for s in rest):
        return whole
    new = [s.name for s in first if isinstance(s, Let)]
    old = {s.name for s in before if isinstance(s, Let)} | {c for c, _ in axes}
    written = {root(x) for x in stored(rest)}
    if len(set(new)) < len(new) or old & set(new) or "" in written:
        return whole
    if any(root(x) in written for x in read(first)) or body.index(rest[0]) < len(first):
        return whole
    found = [space for s in rest for space in _spaces(s, axes, (*before, *first))]
    return found if all(map(_is_even, found)) else whole


def _is_value(s: Statement) -> bool:
    return isinstance(s, Check) or (isinstance(s, Let) and not s.variable)


def _is_even(space: Space) -> bool:
    """True where the lengths of a space are the same at all places; values they are made of are computed beforehand."""
    here = {c for c, _ in space.axes}
    for s in space.before:
        if isinstance(s, Let) and (names(s.value) & here or reads_memory(s.value)):
            here.add(s.name)
    return not any(names(n) & here for _, n in space.axes)


def hoisted(space: Space) -> tuple[list[Let], Space]:
    """The values that lengths of a space are made of, and the space without them."""
    wanted = {name for _, n in space.axes for name in names(n)}
    taken: list[Let] = []
    for s in reversed(space.before):
        if isinstance(s, Let) and s.name in wanted:
            taken.append(s)
            wanted |= names(s.value)
    return taken[::-1], replace(space, before=tuple(s for s in space.before if s not in taken))


def _element_of(s: Copy, counter: str) -> str:
    """The statement that copies one element of several."""
    places = [" + ".join(filter(None, [offset(x), counter])) for x in (s.to, s.source)]
    to, source = (
        f"{address(x.memory.address, x.memory.dtype)}[{place}]"
        for x, place in zip((s.to, s.source), places, strict=True)
    )
    return f"{to} = {source};"


def size_of(space: Space) -> Expression:
    """The number of places."""
    total: Expression = Int(1)
    for _, n in space.axes:
        total = total * n
    return total
