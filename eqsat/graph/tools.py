"""Tools for graphs: list their parts, copy them with replacements, compare them, batch them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from eqsat.errors import ArgumentError, DTypeError, RankError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.fgraph import FunctionGraph
from eqsat.graph.numbering import Numbering
from eqsat.graph.ops.specify import unbroadcast_like
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import ancestors, clone_with, graph_inputs, toposort

# -------------------------------------------------------------------------------------------------------- parts


def inputs(variable_list: Iterable[Variable], blockers: Iterable[Variable] = ()) -> list[Variable]:
    """The variables without an owner on which others depend, constants included; old name of ``graph_inputs``.

    >>> import eqsat, eqsat.tensor as T
    >>> x, y = T.dvectors("x", "y")
    >>> eqsat.graph.inputs([T.exp(x) + y])
    [x, y]
    """
    return graph_inputs(list(variable_list), list(blockers))


def vars_between(ins: Iterable[Variable], outs: Iterable[Variable]) -> list[Variable]:
    """Every variable from the inputs to the outputs, both included, each once; the walk stops at the inputs.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> eqsat.graph.vars_between([x], [T.exp(x)])
    [exp(x), x]
    """
    return list(ancestors(list(outs), list(ins)))


def applys_between(ins: Iterable[Variable], outs: Iterable[Variable]) -> list[Apply]:
    """Every application from the inputs to the outputs, each once.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> eqsat.graph.applys_between([x], [T.exp(x)])
    [exp(x)]
    """
    return toposort(list(outs), list(ins))


def orphans_between(ins: Iterable[Variable], outs: Iterable[Variable]) -> list[Variable]:
    """The variables without an owner that the outputs need besides the inputs: constants, shared, forgotten ones.

    >>> import eqsat.tensor as T
    >>> x, y = T.dvectors("x", "y")
    >>> orphans_between([x], [x + y])
    [y]
    """
    given = list(ins)
    return [v for v in ancestors(list(outs), given) if v.owner is None and v not in given]


def io_toposort(ins: Iterable[Variable], outs: Iterable[Variable]) -> list[Apply]:
    """The applications from the inputs to the outputs, inputs before users.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> [str(node.op) for node in eqsat.graph.io_toposort([x], [T.log(T.exp(x))])]
    ['exp', 'log']
    """
    return toposort(list(outs), list(ins))


def general_toposort(outputs: Iterable[Any], deps: Callable[[Any], Iterable[Any] | None]) -> list[Any]:
    """Everything that ``deps`` leads to from the outputs, each once and after all that it depends on.

    Errors   ArgumentError for a cycle

    >>> general_toposort(["c"], {"c": ["a", "b"], "b": ["a"], "a": []}.get)
    ['a', 'b', 'c']
    """
    order: list[Any] = []
    done: set[Any] = set()
    opened: set[Any] = set()
    stack = list(outputs)[::-1]
    while stack:
        item = stack[-1]
        if item in done or item in opened:
            stack.pop()
            if item not in done:
                done.add(item)
                order.append(item)
            continue
        opened.add(item)
        for other in reversed(list(deps(item) or ())):
            if other in opened and other not in done:
                raise ArgumentError(f"general_toposort: {other!r} depends on itself")
            stack.append(other)
    return order


# ------------------------------------------------------------------------------------------------------- copies


def clone_get_equiv(
    ins: Sequence[Variable], outs: Sequence[Variable], copy_inputs: bool = True
) -> dict[Variable, Variable]:
    """For every variable from the inputs to the outputs the variable of a copy of the graph.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> copies = eqsat.graph.clone_get_equiv([x], [T.exp(x)])
    >>> copies[x], copies[x] is x
    (x, False)
    """
    other, pairs = FunctionGraph(ins, outs, clone=False).clone_get_equiv()
    if not copy_inputs:
        back = {pairs[v]: v for v in ins}
        fresh = clone_with(other.outputs, back)
        pairs = {**dict(zip(outs, fresh, strict=True)), **{v: v for v in ins}}
    return pairs


def clone(
    ins: Sequence[Variable], outs: Sequence[Variable], copy_inputs: bool = True
) -> tuple[list[Any], list[Any]]:
    """Inputs and outputs of a copy of a graph; the inputs are the same variables where ``copy_inputs`` is False.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> ins, outs = eqsat.graph.clone([x], [T.exp(x)])
    >>> ins, outs, ins[0] is x
    ([x], [exp(x)], False)
    """
    copy = FunctionGraph(ins, outs, clone=True)
    if copy_inputs:
        return copy.inputs, copy.outputs
    return list(ins), clone_with(copy.outputs, dict(zip(copy.inputs, ins, strict=True)))


def clone_replace(
    output: Any,
    replace: Any = None,
    strict: bool = True,
    share_inputs: bool = True,
    rebuild_strict: bool = True,
) -> Any:
    """A copy of a variable, or of a list of them, with variables replaced; old name ``eqsat.clone``.

    ``replace`` is a dict or a list of pairs. With ``strict`` a replacement must have the type of what it replaces,
    else tensors are cast. Without ``share_inputs`` the inputs are copied too.

    Errors   ArgumentError where a key is not a variable; DTypeError, RankError for another type

    >>> import eqsat, eqsat.tensor as T
    >>> x, y = T.dscalars("x", "y")
    >>> z = eqsat.clone(x + 1, replace={x: 2 * y})
    >>> float(z.eval({y: 3.0}))
    7.0
    """
    several = isinstance(output, (list, tuple))
    outs = list(output) if several else [output]
    pairs = _checked_pairs(replace, strict)
    if not share_inputs:
        for v in graph_inputs(outs, list(pairs)):
            if v not in pairs and not isinstance(v, Constant):
                pairs[v] = v.clone()
    made = clone_with(outs, pairs)
    return made if several else made[0]


def graph_replace(outputs: Any, replace: Any = None, strict: bool = True) -> Any:
    """Outputs with variables replaced; parts that do not change are shared with the old graph.

    Errors   ArgumentError where ``strict`` and a key is not in the graph

    >>> import eqsat, eqsat.tensor as T
    >>> x, y = T.dvectors("x", "y")
    >>> print(eqsat.pp(eqsat.graph.graph_replace(T.exp(x), {x: y})))
    exp(y)
    """
    several = isinstance(outputs, (list, tuple))
    outs = list(outputs) if several else [outputs]
    pairs = _checked_pairs(replace, True)
    if strict:
        present = set(ancestors(outs))
        for v in pairs:
            if v not in present:
                raise ArgumentError(
                    f"graph_replace: {v} is not in the graph", operands=[(str(v), v)], hint="strict=False"
                )
    made = clone_with(outs, pairs)
    return made if several else made[0]


def _checked_pairs(replace: Any, strict: bool) -> dict[Variable, Any]:
    items = [] if replace is None else replace.items() if isinstance(replace, Mapping) else replace
    result: dict[Variable, Any] = {}
    for old, new in items:
        if not isinstance(old, Variable):
            raise ArgumentError(f"clone_replace: {old!r} is not a variable")
        result[old] = _fitted(old, new, strict)
    return result


def _fitted(old: Any, new: Any, strict: bool) -> Any:
    if not isinstance(old.type, TensorType):
        if not isinstance(new, Variable) or not old.type.is_super(new.type):
            raise DTypeError(f"clone_replace: {new!r} has not the type of {old}", operands=[(str(old), old)])
        return new
    new = as_tensor(new)
    facts = [(str(old), old), (str(new), new)]
    if new.ndim != old.type.ndim:
        raise RankError(
            f"clone_replace: {new} has {new.ndim} dimensions, {old} {old.type.ndim}", operands=facts
        )
    if new.dtype != old.type.dtype and strict and not isinstance(new, Constant):
        raise DTypeError(
            f"clone_replace: {new} is {new.dtype}, {old} {old.type.dtype}",
            operands=facts,
            hint="strict=False",
        )
    return unbroadcast_like(cast_to(new, old.type.dtype), old)


# --------------------------------------------------------------------------------------------------- comparison


def equal_computations(
    xs: Sequence[Any],
    ys: Sequence[Any],
    in_xs: Sequence[Any] | None = None,
    in_ys: Sequence[Any] | None = None,
) -> bool:
    """True where two lists of graphs compute the same by the same ops, with ``in_xs`` in the roles of ``in_ys``.

    Constants are equal where their values are; other variables without an owner only where they are the same.

    >>> import eqsat.tensor as T
    >>> x, y = T.dvectors("x", "y")
    >>> equal_computations([T.exp(x) + 1], [T.exp(y) + 1], [x], [y])
    True
    """
    if len(xs) != len(ys) or len(in_xs or ()) != len(in_ys or ()):
        raise ArgumentError("equal_computations: the lists differ in length")
    for a, b in zip(in_xs or (), in_ys or (), strict=True):
        if a.type != b.type:
            return False
    keys: dict[Hashable, int] = {}
    left, right = (
        Numbering({v: k for k, v in enumerate(ins or ())}, keys).all(map(as_tensor, outs))
        for outs, ins in ((xs, in_xs), (ys, in_ys))
    )
    return left == right


def is_same_graph(var1: Variable, var2: Variable, givens: Any = None) -> bool:
    """True where two variables are computed from the same inputs by the same ops; ``givens`` replaces some first.

    >>> import eqsat, eqsat.tensor as T
    >>> x, y = T.dvectors("x", "y")
    >>> eqsat.graph.is_same_graph(T.exp(x), T.exp(x)), eqsat.graph.is_same_graph(x, y, {x: y})
    (True, True)
    """
    pairs = dict(givens.items() if isinstance(givens, Mapping) else givens or ())
    return equal_computations(*(clone_with([v], pairs) for v in (var1, var2)))


# ------------------------------------------------------------------------------------------------------ batches


def vectorize_graph(outputs: Any, replace: Mapping[Variable, Any]) -> Any:
    """The outputs for batches: a replacement may have more axes on the left than what it replaces.

    Batch axes are aligned on the right, as in NumPy; those of different replacements have one length, or length 1 by
    type, which broadcasts.

    Errors   RankError where a replacement has fewer axes; ShapeError for lengths that differ, when the graph runs where
             they are not known before; BatchError for an op that has no rule

    >>> import eqsat.tensor as T
    >>> x, m = T.dvector("x"), T.dmatrix("m")
    >>> vectorize_graph(x.sum(), {x: m}).eval({m: [[1.0, 2.0], [3.0, 4.0]]})
    array([3., 7.])
    """
    from eqsat.graph.batching import batch

    several = isinstance(outputs, (list, tuple))
    made = list(outputs) if several else [outputs]
    now: dict[Variable, Any] = {v: v for v in replace}
    extra = {v: _extra_axes(v, as_tensor(new)) for v, new in replace.items()}
    done = {v: as_tensor(new) for v, new in replace.items() if extra[v] == 0}
    for level in range(1, max(extra.values(), default=0) + 1):
        step = {}
        for v in [v for v in replace if extra[v] >= level]:
            target = as_tensor(replace[v])
            shape = target.type.shape[extra[v] - level :]
            last = extra[v] == level
            step[now[v]] = target if last else TensorType(target.dtype, shape=shape)(v.name)
            now[v] = step[now[v]]
        made = batch(made, step)
    if done:
        made = clone_with(made, {v: unbroadcast_like(new, v) for v, new in done.items()})
    return made if several else made[0]


def _extra_axes(old: Any, new: Any) -> int:
    extra: int = new.type.ndim - old.type.ndim
    if extra < 0:
        raise RankError(
            f"vectorize_graph: {new} has fewer dimensions than {old}",
            operands=[(str(old), old), (str(new), new)],
        )
    return extra


def vectorize(function: Callable[..., Any], signature: str | None = None) -> Callable[..., Any]:
    """A function of tensors with any number of batch axes, from one of tensors without, as ``numpy.vectorize``.

    ``signature`` names the axes of one call, such as ``"(n),(n)->()"``; without it all operands are scalars.

    >>> import eqsat.tensor as T
    >>> a, b = T.dmatrix("a"), T.dmatrix("b")
    >>> inner = vectorize(lambda x, y: T.dot(x, y), signature="(n),(n)->()")
    >>> inner(a, b).eval({a: [[1.0, 2.0]], b: [[3.0, 4.0]]})
    array([11.])
    """
    core = None if signature is None else _core_ranks(signature)

    def vectorized(*args: Any) -> Any:
        given = [as_tensor(a) for a in args]
        ranks = [0] * len(given) if core is None else core
        if len(ranks) != len(given):
            raise ArgumentError(f"vectorize: {signature!r} has {len(ranks)} operands, {len(given)} are given")
        single = [
            TensorType(v.dtype, shape=v.type.shape[v.ndim - n :])(v.name)
            for v, n in zip(given, ranks, strict=True)
        ]
        made = function(*single)
        made = list(made) if isinstance(made, tuple) else made
        return vectorize_graph(made, dict(zip(single, given, strict=True)))

    return vectorized


def _core_ranks(signature: str) -> list[int]:
    """Number of axes of each operand in a signature."""
    left, arrow, _ = signature.replace(" ", "").partition("->")
    groups = left[1:-1].split("),(") if left.startswith("(") and left.endswith(")") else None
    if not arrow or groups is None:
        raise ArgumentError(f"vectorize: {signature!r} is not a signature", needs="such as '(n),(n,k)->(k)'")
    return [len([name for name in group.split(",") if name]) for group in groups]
