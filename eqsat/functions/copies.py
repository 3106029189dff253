"""Functions copied, with other shared variables, and pickled; and the graph of a function as an object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from eqsat.errors import ArgumentError, DTypeError
from eqsat.functions.function import Function
from eqsat.graph.fgraph import FunctionGraph
from eqsat.graph.walk import clone_with, graph_inputs


def copied(f: Function, swap: Mapping[Any, Any], delete_updates: bool, name: str | None) -> Function:
    """A function that computes the same as another, which is not compiled again.

    ``swap`` maps shared variables to those that the copy reads and updates instead; the others belong to both.
    ``delete_updates`` leaves out the updates, for which the rest is compiled anew.

    Errors   ArgumentError for something in ``swap`` that the function does not use or that is not shared, and
             where two updates would write to one variable; DTypeError where the types differ

    >>> import eqsat, eqsat.tensor as T
    >>> count, other = eqsat.shared(0, "count"), eqsat.shared(10, "other")
    >>> f = eqsat.function([], count, updates=[(count, count + 1)])
    >>> g = f.copy(swap={count: other})
    >>> int(f()), int(g()), int(g()), int(count.get_value())
    (0, 10, 11, 1)
    """
    for old, new in swap.items():
        _check_swap(f, old, new)
    updated = [swap.get(v, v) for v in f.updated]
    for v in updated:
        if updated.count(v) > 1 and not delete_updates:
            raise ArgumentError(
                f"{f}: swap gives {v} two updates",
                operands=[(str(v), v)],
                hint="swap both, or delete_updates=True",
            )
    if delete_updates:
        roots = clone_with(f.roots[: len(f.roots) - len(f.updated)], swap)
        read = set(graph_inputs(roots))
        return type(f)(
            f.given,
            roots,
            [],
            f.single,
            replace(f.settings, hints=tuple(pair for pair in f.settings.hints if pair[0] in read)),
            name or f.name,
            f.keys,
        )
    other = Function.__new__(type(f))
    vars(other).update(vars(f))
    other.name = name or f.name
    if swap:
        other.state = [swap.get(v, v) for v in f.state]
        other.updated = updated
        other.roots = clone_with(f.roots, swap)
        other.bind_state()
    return other


def _check_swap(f: Function, old: Any, new: Any) -> None:
    if old not in [*f.state, *f.updated]:
        raise ArgumentError(f"{f}: swap names {old}, which the function does not use", among=(old, f.state))
    if not hasattr(new, "container"):
        raise ArgumentError(f"{f}: swap gives {new!r} for {old}, which is not a shared variable")
    if new.type != old.type:
        raise DTypeError(f"{f}: swap gives {old} another type", operands=[(str(old), old), (str(new), new)])


def reduced(f: Function) -> Any:
    """A function as pickle stores it: its graph, the values of its shared variables, and how it is made.

    It is made again when it is loaded, of the C text that goes with it; where that is of another version of eqsat or for another
    compiler, the graph is rewritten. What the cache of compiled functions has is not compiled again.
    """
    shipping = f.executable.shipping
    shipped = None if shipping is None else shipping()
    return (type(f), (f.given, f.roots, f.updated, f.single, f.settings, f.name, f.keys, shipped))


class Maker:
    """The graph and the arguments of a function, under the names of Theano."""

    def __init__(self, f: Function) -> None:
        self.function = f
        self.inputs = f.given
        self.mode = f.mode
        self.name = f.name

    def __repr__(self) -> str:
        return f"Maker({self.function!r})"

    @cached_property
    def fgraph(self) -> FunctionGraph:
        """The graph that runs: the rewritten outputs and updates over the inputs and shared variables."""
        f = self.function
        return FunctionGraph([*f.inputs, *f.state], f.outputs_optimised, clone=False)
