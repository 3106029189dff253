"""``pytensor.graph``: walks over graphs, and the base classes of ops and graph ops as PyTensor spells their methods.

>>> x = eqsat.tensor.dvector("x")
>>> class Double(Op):
...     itypes = otypes = [eqsat.tensor.dvector]
...
...     def perform(self, node, inputs, output_storage):
...         output_storage[0][0] = 2 * inputs[0]
...
...     def pullback(self, inputs, outputs, cotangents):
...         return [2 * cotangents[0]]
>>> eqsat.grad(Double()(x).sum(), x).eval({x: [1.0, 5.0]})
array([2., 2.])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import eqsat
from eqsat import tensor
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, EqsatError, MissingInputError
from eqsat.frontends.pytensor.tensor_names import renamed
from eqsat.gradient.undefined import DisconnectedType, NullType
from eqsat.graph import tools, walk
from eqsat.graph.control.ifelse import IfElse as Choice
from eqsat.graph.control.ifelse import ifelse
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.fgraph import FunctionGraph

T: Any = tensor

# -------------------------------------------------------------------------------------------------------- classes


class Spelling(type):
    """A class in the place of one of eqsat: all instances of that are instances of it, and classes may derive from it."""

    def __instancecheck__(cls, thing: Any) -> bool:
        kind = cls.__dict__.get("stands_for")
        return type.__instancecheck__(cls, thing) if kind is None else isinstance(thing, kind)

    def __subclasscheck__(cls, other: type) -> bool:
        kind = cls.__dict__.get("stands_for")
        return type.__subclasscheck__(cls, other) if kind is None else issubclass(other, kind)


class Op(eqsat.Op, metaclass=Spelling):
    """``pytensor.graph.op.Op``: ``pullback`` and ``pushforward`` are the later names of ``L_op`` and ``R_op``."""

    stands_for = eqsat.Op

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for ours, theirs in (("L_op", "pullback"), ("R_op", "pushforward")):
            if theirs in cls.__dict__:
                setattr(cls, ours, cls.__dict__[theirs])


class OpFromGraph(eqsat.OpFromGraph, metaclass=Spelling):
    """``OpFromGraph``, in which None means the default and derivatives are ``pullback`` and ``pushforward``."""

    stands_for = eqsat.OpFromGraph

    def __init__(
        self,
        inputs: Any,
        outputs: Any,
        *,
        inline: bool = False,
        pullback: Any = None,
        pushforward: Any = None,
        lop_overrides: Any = None,
        grad_overrides: Any = None,
        rop_overrides: Any = None,
        connection_pattern: Any = None,
        strict: bool = False,
        name: str | None = None,
        **ignored: Any,
    ) -> None:
        super().__init__(
            inputs,
            outputs,
            inline,
            _given(pullback, lop_overrides),
            _given(grad_overrides),
            _given(pushforward, rop_overrides),
            name,
        )


class IfElse(Choice, metaclass=Spelling):
    """``IfElse(n)(condition, ...)``: the first n operands after the condition where it is true, else the others."""

    stands_for = Choice

    def __init__(self, n_outs: int, as_view: bool = False, name: str | None = None) -> None:
        if n_outs < 1:
            raise SizeError(f"IfElse: {n_outs} outputs", needs="at least 1")
        super().__init__(n_outs)

    def make_node(self, condition: Any, *branches: Any) -> Apply:
        if len(branches) != 2 * self.count:
            raise SizeError(
                f"IfElse: {len(branches)} operands after the condition", needs=f"twice {self.count} of them"
            )
        made = ifelse(condition, branches[: self.count], branches[self.count :])
        return made[0].owner  # type: ignore[no-any-return]


class SizeError(EqsatError, ValueError):
    """A number of operands that does not fit."""


def _given(*choices: Any) -> Any:
    return next((c for c in choices if c is not None), "default")


class MethodNotDefined(EqsatError, AttributeError):
    """A method that a class of the user does not give."""


class InconsistencyError(EqsatError, ValueError):
    """A graph that cannot be run."""


# ----------------------------------------------------------------------------------------------------------- walks


def _walk(function: Any) -> Any:
    """A walk that takes a variable or several, and None for no blockers."""

    def walked(graphs: Any, blockers: Any = None) -> Any:
        return function(_listed(graphs), blockers or ())

    walked.__name__ = walked.__qualname__ = function.__name__
    walked.__doc__ = function.__doc__
    return walked


def explicit_graph_inputs(graph: Any) -> Iterator[Variable]:
    """The inputs that a function of the graph needs: neither constants nor shared."""
    return iter(walk.free_inputs(_listed(graph)))


def truncated_graph_inputs(
    outputs: Any, ancestors_to_include: Iterable[Variable] | None = None
) -> list[Variable]:
    """The variables at which a walk ends: inputs, and those listed behind which nothing else listed lies."""
    listed = list(ancestors_to_include or ())
    last = [v for v in listed if not any(w in set(walk.ancestors([v])) - {v} for w in listed)]
    return walk.graph_inputs(_listed(outputs), last)


def walk_from(
    nodes: Iterable[Any], expand: Any, bfs: bool = True, return_children: bool = False, **_: Any
) -> Any:
    """Everything that ``expand`` leads to, each once."""
    queue, seen = list(nodes), set()
    while queue:
        node = queue.pop(0 if bfs else -1)
        if node in seen:
            continue
        seen.add(node)
        children = expand(node)
        yield (node, children) if return_children else node
        queue += children or ()


def variable_depends_on(variable: Variable, depends_on: Any) -> bool:
    """True where a variable is computed from one of others."""
    return not set(_listed(depends_on)).isdisjoint(walk.ancestors([variable]))


def apply_ancestors(graphs: Any, blockers: Any = ()) -> Iterator[Apply]:
    """The applications that variables are computed by."""
    return iter(walk.toposort(_listed(graphs), blockers or ()))


def apply_depends_on(apply: Apply, depends_on: Any) -> bool:
    """True where an application needs one of others."""
    return not {apply, *walk.toposort(apply.inputs)}.isdisjoint(_listed(depends_on))


def get_var_by_name(graphs: Any, target_var_id: str) -> tuple[Variable, ...]:
    """The variables of a name."""
    return tuple(v for v in walk.ancestors(_listed(graphs)) if v.name == target_var_id)


def clone_get_equiv(inputs: Any, outputs: Any, copy_inputs: bool = True, **_: Any) -> Any:
    """For every variable its copy."""
    return tools.clone_get_equiv(inputs, outputs, copy_inputs)


def equal_computations(
    xs: Any, ys: Any, in_xs: Any = None, in_ys: Any = None, strict_dtype: bool = True
) -> bool:
    """True where two lists of graphs compute the same by the same ops."""
    return tools.equal_computations(xs, ys, in_xs, in_ys)


def clone_replace(output: Any, replace: Any = None, **options: Any) -> Any:
    """A copy of a graph with variables replaced."""
    options.pop("copy_inputs_over", None)
    return tools.clone_replace(output, replace, **options)


def _listed(graphs: Any) -> list[Any]:
    return [graphs] if isinstance(graphs, (Variable, Apply)) else list(graphs)


def rewrite_graph(
    graph: Any,
    include: Any = ("canonicalize",),
    custom_rewrite: Any = None,
    exclude: Any = (),
    clone: bool = False,
    **ignored: Any,
) -> Any:
    """``rewrite_graph``: the form that is chosen among all equal ones, whatever passes are named."""
    return eqsat.rewrite_graph(graph, include, exclude or (), clone)


class CheckAndRaise(Op):
    """A view of a value after a check: where a condition is false, a call raises an exception of a class."""

    __props__ = ("exc_type", "msg")

    def __init__(self, exc_type: type[Exception], msg: str = "") -> None:
        if not (isinstance(exc_type, type) and issubclass(exc_type, Exception)):
            raise ArgumentError(
                f"CheckAndRaise: {exc_type!r} is no class of exceptions", needs="as ValueError"
            )
        self.exc_type, self.msg, self.name = exc_type, msg, "CheckAndRaise"
        self.view_map = {0: [0]}

    def make_node(self, *inputs: Any) -> Apply:
        value, *conditions = inputs
        v = value if isinstance(value, Variable) else T.as_tensor_variable(value)
        return Apply(self, [v, *(T.all(T.as_tensor_variable(c)) for c in conditions)], [v.type()])

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: list[list[Any]]) -> None:
        """Look at the conditions."""
        if not all(map(bool, inputs[1:])):
            raise self.exc_type(self.msg)
        output_storage[0][0] = inputs[0]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """The shape of the value."""
        return [shapes[0]]

    def L_op(self, inputs: Any, outputs: Any, output_gradients: Any) -> list[Any]:
        return [output_gradients[0], *(DisconnectedType()() for _ in inputs[1:])]


@dataclass(frozen=True)
class RewriteDatabaseQuery:
    """Names of passes; eqsat has rules in their place, and leaves a graph as it is where none is included."""

    include: Any = ()
    require: Any = ()
    exclude: Any = ()

    def including(self, *names: str) -> RewriteDatabaseQuery:
        """With more names."""
        return replace(self, include=(*(self.include or ()), *names))

    def excluding(self, *names: str) -> RewriteDatabaseQuery:
        """Without some."""
        return replace(self, exclude=(*(self.exclude or ()), *names))

    def requiring(self, *names: str) -> RewriteDatabaseQuery:
        """The same: nothing can be required."""
        return self


GRAPH: dict[str, Any] = {
    "Op": Op,
    "OpFromGraph": OpFromGraph,
    "InconsistencyError": InconsistencyError,
    "MethodNotDefined": MethodNotDefined,
    "MissingInputError": MissingInputError,
    "NullType": NullType,
    "null_type": NullType(),
    "RewriteDatabaseQuery": RewriteDatabaseQuery,
    "AtomicVariable": Constant,
    "Node": (Variable, Apply),
    "FunctionGraph": FunctionGraph,
    "ancestors": _walk(walk.ancestors),
    "variable_ancestors": _walk(walk.ancestors),
    "apply_ancestors": apply_ancestors,
    "apply_depends_on": apply_depends_on,
    "clone": renamed(tools.clone, "inputs=ins outputs=outs copy_orphans= clone_inner_graphs="),
    "clone_get_equiv": clone_get_equiv,
    "clone_replace": clone_replace,
    "equal_computations": equal_computations,
    "explicit_graph_inputs": explicit_graph_inputs,
    "general_toposort": renamed(tools.general_toposort, "compute_deps_cache= deps_cache= clients="),
    "get_var_by_name": get_var_by_name,
    "graph_inputs": _walk(walk.graph_inputs),
    "io_toposort": renamed(tools.io_toposort, "inputs=ins outputs=outs orderings= clients="),
    "rewrite_graph": rewrite_graph,
    "toposort": _walk(walk.toposort),
    "truncated_graph_inputs": truncated_graph_inputs,
    "variable_depends_on": variable_depends_on,
    "graph_replace": tools.graph_replace,
    "vectorize": tools.vectorize,
    "vectorize_graph": tools.vectorize_graph,
    "walk": walk_from,
}
