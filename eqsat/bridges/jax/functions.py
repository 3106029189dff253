"""``from_jax``: the graph of a function of JAX, as variables to look into and as a function to call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import jax

from eqsat.base.text_tables import table
from eqsat.bridges.jax.graphs import TABLE  # with the entries of loops, branches and calls
from eqsat.bridges.jax.reading import READER, Known, plain, theirs, translated
from eqsat.bridges.translate import Refused, Translation
from eqsat.errors import ArgumentError
from eqsat.functions.function import function
from eqsat.graph.core import one_line
from eqsat.graph.user_op import generic

tree = jax.tree_util


class JaxTranslation(Translation):
    """A jaxpr that becomes a graph; arrays of dtypes that eqsat does not have are left to JAX."""

    def _refuse_dtypes(self, variables: Any) -> None:
        for v in variables:
            if self.reader.type_of(v) is None:
                raise Refused(f"the dtype {getattr(v.aval, 'dtype', v.aval)}")


class FromJax:
    """A function of JAX as a graph: ``inputs`` and ``outputs`` are variables in the trees of arguments and results.

    Calling it compiles the graph, once, and takes and gives trees as the function of JAX does. ``translation.counts`` has the
    primitives that were met, ``translation.foreign`` those that run through JAX, with reasons.
    """

    def __init__(self, inputs: Any, outputs: Any, avals: Any, translation: Translation) -> None:
        self.inputs, self.outputs = inputs, outputs
        self.translation = translation
        self._avals = avals
        self._compiled: Callable[..., Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        """Inputs and outputs, so that a pair of names takes them."""
        return iter((self.inputs, self.outputs))

    def function(self, **options: Any) -> Callable[..., Any]:
        """The compiled graph as a function of trees; ``options`` are those of ``eqsat.function``."""
        given, structure = tree.tree_flatten(self.inputs)
        results, form = tree.tree_flatten(self.outputs)
        options = {"on_unused_input": "ignore", **options}
        compiled = function(given, results, **options)
        into, out = self._avals

        def call(*arguments: Any) -> Any:
            leaves, found = tree.tree_flatten(arguments)
            if found != structure:
                raise ArgumentError(
                    f"the arguments have the structure {found}",
                    needs=str(structure),
                    hint="arguments like the examples",
                )
            values = [plain(x, READER.type_of(v)) for x, v in zip(leaves, into, strict=True)]
            made = compiled(*values)
            return tree.tree_unflatten(form, [theirs(v, x) for v, x in zip(out, made, strict=True)])

        call.compiled = compiled  # type: ignore[attr-defined]
        return call

    def __call__(self, *arguments: Any) -> Any:
        if self._compiled is None:
            self._compiled = self.function()
        return self._compiled(*arguments)


def from_jax(fn: Callable[..., Any], *examples: Any, opaque: bool = True) -> FromJax:
    """The graph of a function of JAX for arguments like the examples, which are trees of arrays, numbers or shapes.

    The result is a pair of inputs and outputs, variables in the same trees, and can be called. With ``opaque=False`` a primitive
    that eqsat cannot say is refused; else it runs through JAX.

    Errors   EqsatWarning names the primitives that run through JAX; Refused, with ``opaque=False``

    >>> import eqsat, jax.numpy as jnp  # doctest: +SKIP
    >>> (x,), y = from_jax(lambda x: jnp.log(jnp.exp(x)), jnp.ones(3))  # doctest: +SKIP
    >>> print(eqsat.optimize(y))  # doctest: +SKIP
    """
    closed, shapes = jax.make_jaxpr(fn, return_shape=True)(*examples)
    structure = tree.tree_structure(tuple(examples))
    into = [Known(v.aval, None) for v in closed.jaxpr.invars]
    out = [Known(v.aval, None) for v in closed.jaxpr.outvars]
    translation = JaxTranslation(TABLE, READER, opaque)
    with one_line(READER.library):
        inputs = [
            (READER.type_of(v) or generic)(name) for v, name in zip(into, _names(fn, examples), strict=True)
        ]
    made = translated(translation, closed, inputs)
    translation.tell()
    given = tree.tree_unflatten(structure, inputs)
    return FromJax(given, tree.tree_unflatten(tree.tree_structure(shapes), made), (into, out), translation)


def _names(fn: Callable[..., Any], examples: Any) -> list[str]:
    """A name for each array among the arguments, as ``params['w']``."""
    try:
        words = [
            p.name for p in inspect.signature(fn).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD
        ]
    except (TypeError, ValueError):
        words = []
    named = []
    for path, _ in tree.tree_flatten_with_path(tuple(examples))[0]:
        k = path[0].idx
        named.append((words[k] if k < len(words) else f"x{k}") + tree.keystr(path[1:]))
    return named


def coverage() -> str:
    """The primitives of JAX, and which of them have an entry.

    A primitive without one runs through JAX.
    """
    from jax._src.interpreters import mlir

    known = {p.name for p in mlir._lowerings}
    known.update(p.name for rules in mlir._platform_specific_lowerings.values() for p in rules)
    names = sorted(known)
    rows = [(name, "entry" if name in TABLE.entries else "through JAX") for name in names]
    return table(("primitive", "here"), rows)
