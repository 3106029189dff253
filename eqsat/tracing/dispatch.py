"""Traced programs as C sees them: what the arguments of a call are compared with, and what its result is built of."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from eqsat.base.configuration import config
from eqsat.base.pytrees import Form, is_named_tuple
from eqsat.cgen.runtime.dispatch import MOST, Dispatcher, Node
from eqsat.tracing.arguments import Kind
from eqsat.tracing.program import Leaf, Program

_CONTAINERS: dict[type, str] = {dict: "dict", OrderedDict: "dict", tuple: "tuple", list: "list"}
_NUMBERS = {float: "float", int: "int", bool: "bool"}


class Inexpressible(Exception):
    """Raised for what C does not compare or build; Python does."""


def dispatcher(slow: Callable[..., Any]) -> Dispatcher | None:
    """A dispatcher without functions; None where nothing is compiled or the arrays of this NumPy are not known."""
    from eqsat.cgen import find_target
    from eqsat.cgen.runtime import layout

    tools = find_target("c").tools(config.cache_dir if config.cache else None, False)
    if tools is None or layout.table() is None:
        return None
    return Dispatcher(slow, tools.compiler, tools.directory)


def register(
    found: Dispatcher,
    call: Any,
    program: Program,
    arguments: Sequence[tuple[Form, Sequence[int]]],
    kinds: Sequence[Kind],
    names: Sequence[str],
) -> bool:
    """Let the dispatcher answer calls of one shape: arguments by place and then by ``names``, each a form and the numbers of its leaves."""
    slots = {leaf: k for k, (leaf, _) in enumerate(program.inputs)}
    if program.writes or program.layouts or max(len(slots), len(kinds)) > MOST:
        return False
    try:
        given = [n for form, leaves in arguments for n in _given(form, iter(leaves), kinds, slots)]
        made = list(_made(program.form, iter(program.leaves)))
    except Inexpressible:
        return False
    return found.add(call, tuple(names), given, made, len(arguments), len(slots))


def _given(
    form: Form, leaves: Iterator[int], kinds: Sequence[Kind], slots: Mapping[int, int]
) -> Iterator[Node]:
    """The nodes of one argument."""
    if form.kind is None:
        k = next(leaves)
        yield _leaf(kinds[k], k, slots)
        return
    kind = _CONTAINERS.get(form.kind) or ("tuple" if is_named_tuple(form.kind) else "fields")
    yield Node(kind, len(form.parts), what=form.kind)
    for name, part in zip(form.names, form.parts, strict=True):
        if kind in ("dict", "fields"):
            yield Node("key", what=name)
        yield from _given(part, leaves, kinds, slots)


def _leaf(kind: Kind, leaf: int, slots: Mapping[int, int]) -> Node:
    if kind.tensor is None:
        assert kind.option is not None
        return Node("option", what=kind.option.value)
    dtype = np.dtype(kind.tensor.dtype)
    if kind.number is not None:
        if kind.number not in _NUMBERS:
            raise Inexpressible
        return Node(_NUMBERS[kind.number], slot=slots[leaf], leaf=leaf, ndim=dtype.num, what=kind.number)
    lengths = [-1 if n is None else n for n in kind.tensor.shape]
    return Node("array", slot=slots[leaf], leaf=leaf, ndim=kind.tensor.ndim, what=dtype, lengths=lengths)


def _made(form: Form, leaves: Iterator[Leaf]) -> Iterator[Node]:
    """The nodes of the result."""
    if form.kind is None:
        yield _result(next(leaves))
        return
    plain = _CONTAINERS.get(form.kind)
    if form.kind is OrderedDict or plain is None and not is_named_tuple(form.kind) or len(form.parts) > MOST:
        raise Inexpressible
    yield Node(plain or "named", len(form.parts), what=form.kind)
    for name, part in zip(form.names, form.parts, strict=True):
        if plain == "dict":
            yield Node("key", what=name)
        yield from _made(part, leaves)


def _result(leaf: Leaf) -> Node:
    if leaf.result is not None and leaf.number is None:
        return Node("result", slot=leaf.result)
    if leaf.result is not None:
        if leaf.number not in _NUMBERS:
            raise Inexpressible
        return Node(_NUMBERS[leaf.number], slot=leaf.result)
    if leaf.argument is not None:
        return Node("given", slot=leaf.argument)
    return Node("value", what=leaf.value)
