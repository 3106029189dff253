"""Consequences of the signature of an op: types of results, and the checks of lengths when a graph is made and when it runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from eqsat.errors import AxisError, DeclarationError, RankError, ShapeError
from eqsat.graph.constant import pad_left
from eqsat.graph.core import Apply, Constant
from eqsat.graph.operand_names import met_in, named
from eqsat.graph.tensor_type import tensor_type
from eqsat.lengths.bound import Bound, Equal, Shape, bind
from eqsat.lengths.expression import (
    UNKNOWN,
    At,
    Known,
    Length,
    Numbers,
    Place,
    Value,
    as_length,
    evaluate,
    leaves,
    replaced,
)
from eqsat.lengths.message import mismatch
from eqsat.lengths.signature import BROADCAST, Axes, Signature


def bound(op: Any, inputs: Sequence[Any]) -> Bound | None:
    """The signature of an op for operands of their types; None for an op that has none.

    Operands need nothing but a type.
    """
    if op.declaration.shape is not None:
        return _of_function(op, tuple(v.type.ndim for v in inputs))
    signature = op.declaration.shapes
    if signature is None:
        return None
    parameters = tuple(op.params.items())
    return bind(signature, op.declaration.tensors, [v.type.shape for v in inputs], parameters)


class Operand(tuple[Length, ...]):
    """The lengths of an operand, as the function of an op sees them; ``value`` is the integer that one without axes holds."""

    value: Length

    @classmethod
    def of(cls, k: int, ndim: int) -> Operand:
        """The lengths of operand k."""
        made = cls(At(((k, axis),)) for axis in range(ndim))
        made.value = Value(k)
        return made


@lru_cache(maxsize=4000)
def _of_function(op: Any, ranks: tuple[int, ...]) -> Bound:
    operands = [Operand.of(k, ndim) for k, ndim in enumerate(ranks)]
    return Bound((tuple(as_length(n) for n in op.declaration.shape(op, *operands)),))


def length_of(x: Any, axis: int) -> Length | None:
    """The length of an axis of a result, as an expression of those of the operands; None where nothing says it.

    What the steps of a loop compute tells none: it has a length inside the loop only.
    """
    op: Any = getattr(x.owner, "op", None)
    found = bound(op, x.owner.inputs) if hasattr(op, "declaration") else None
    n = UNKNOWN if found is None else found.results[x.index][axis]
    if found is not None and (per_step := op.declaration.per_step):
        inside = {k for k, name in enumerate(op.declaration.tensors) if name in per_step}
        kept = {v: tuple(p for p in v.places if p[0] not in inside) for v in leaves(n) if isinstance(v, At)}
        n = replaced(n, {v: At(places) if places else UNKNOWN for v, places in kept.items()})
    return None if UNKNOWN in leaves(n) else n


MOST_STEPS = 1000  # from a result to the operand that its length is read from
LEAF = At(((-1, -1),))


def source(x: Any, axis: int) -> tuple[Any, int] | int | Any:
    """The source of the length of an axis of x, which needs no x: an earlier variable and its axis, an integer variable, or a number.

    >>> import eqsat.tensor as T
    >>> x = T.dmatrix("x")
    >>> source(T.dot(T.concatenate([x, T.zeros((2, 3))])[2:], T.dmatrix()), 0)
    (x, 0)
    """
    best: Any = (x, axis)
    whole: Length = LEAF  # the length that is asked for, in terms of that of x
    for _ in range(MOST_STEPS):
        known = x.type.shape[axis]
        found = length_of(x, axis) if known is None else None
        if known is not None:
            return evaluate(replaced(whole, {LEAF: Known(known)}), Numbers([]))
        if found is None:
            break
        if isinstance(found, At) and _is_open(found, x.owner.inputs):
            (k, axis), *_ = found.places
            x = x.owner.inputs[k]
            best = (x, axis) if whole == LEAF else best
            continue
        found = _with_numbers(found, x.owner.inputs)
        if not leaves(found):
            return evaluate(replaced(whole, {LEAF: found}), Numbers([]))
        (leaf, *others) = leaves(found)
        if others:
            break
        whole = replaced(whole, {LEAF: replaced(found, {leaf: LEAF})})
        if isinstance(leaf, Value):
            n = x.owner.inputs[leaf.operand]
            if getattr(getattr(n.owner, "op", None), "name", "") != "length":
                return n if whole == LEAF else best
            x, axis = n.owner.inputs[0], n.owner.op.params["axis"]
        else:
            (k, axis), x = leaf.places[0], x.owner  # type: ignore[attr-defined]
            x = x.inputs[k]
        if whole == LEAF:
            best = (x, axis)
    return best


def _is_open(n: At, inputs: Sequence[Any]) -> bool:
    """True for a length of operands that none of their types knows."""
    return all(inputs[k].type.shape[axis] is None for k, axis in n.places)


def _with_numbers(n: Length, inputs: Sequence[Any]) -> Length:
    """An expression with the lengths that types know, and the values of constants, as numbers."""
    numbers = Numbers([v.type.shape for v in inputs], _values(inputs))
    known = {leaf: evaluate(leaf, numbers) for leaf in leaves(n)}
    return replaced(n, {leaf: Known(m) for leaf, m in known.items() if m is not None})


def result_types(op: Any, *inputs: Any) -> Any:
    """The types of the results of an op by its signature: one type, or a tuple of them.

    Errors   ShapeError where known lengths that must be equal differ
    """
    try:
        found = bound(op, inputs)
    except IndexError:
        raise AxisError(f"{op}: the operand lacks an axis of these", operands=named(op, inputs)) from None
    assert found is not None, op.name
    shapes, values = [v.type.shape for v in inputs], _values(inputs)
    if conflict := found.conflict(shapes, values):
        raise _error(op, inputs, found, shapes, conflict)
    made = found.shapes(shapes, values)
    kinds = tuple(tensor_type(d, s) for d, s in zip(op.result_dtypes(inputs), made, strict=True))
    return kinds[0] if op.declaration.outputs == 1 else kinds


def _values(inputs: Sequence[Any]) -> dict[int, int]:
    """The numbers that constant integers without axes hold."""
    known = ((k, v) for k, v in enumerate(inputs) if isinstance(v, Constant) and not v.type.shape)  # type: ignore[attr-defined]
    return {k: int(v.data) for k, v in known if v.data.dtype.kind in "iu"}


def reads_values(signature: Signature | None) -> bool:
    """True where lengths may be the values of operands, so that types do not tell all that is known of them."""
    return signature is None or any(axes == Axes() for axes in signature.operands)


def check_values(node: Apply, values: Sequence[Any]) -> None:
    """Refuse values whose lengths do not fit the signature of the op, with the sentence of the graph.

    Errors   ShapeError
    """
    op: Any = node.op
    found = bound(op, node.inputs)
    if found is None or not found.equal:
        return
    numbers = {k: int(v) for k, v in enumerate(values) if v.ndim == 0 and v.dtype.kind in "iu"}
    shapes = [v.shape for v in values]
    if conflict := found.conflict(shapes, numbers):
        raise run_time_error(node, *conflict)


def check_promised(node: Apply, values: Sequence[Any], shapes: Sequence[Shape]) -> None:
    """Refuse results whose lengths are not those that the signature of the op promises: rewriting relies on them.

    Errors   DeclarationError
    """
    op: Any = node.op
    found = bound(op, node.inputs)
    if found is None:
        return
    numbers = {k: int(v) for k, v in enumerate(values) if v.ndim == 0 and v.dtype.kind in "iu"}
    for promised, shape in zip(found.shapes([v.shape for v in values], numbers), shapes, strict=True):
        if any(n not in (None, m) for n, m in zip(promised, shape, strict=True)):
            raise no_promised_shape(node, promised, shape)


def no_promised_shape(node: Apply, promised: Shape, shape: Shape) -> DeclarationError:
    """The error for a result of another shape than the declaration of the op promises."""
    op: Any = node.op
    wanted, found = (f"[{', '.join('?' if n is None else str(n) for n in s)}]" for s in (promised, shape))
    return DeclarationError(
        f"{op.name}: its function gives {found}, its declaration promises {wanted}",
        operands=met_in(node),
        needs=needs(op) if op.declaration.shapes is not None else "a function that gives what infer says",
    )


def run_time_error(
    node: Apply, equal: Equal, place: Place, first: Place | None, n: int, m: int
) -> ShapeError:
    """The error for lengths that turn out not to fit when a function runs."""
    op, operands = node.op, met_in(node)
    text = at_run_time(op, len(node.inputs), equal, place, first)
    return ShapeError(text.format(m, n, o=[name for name, _ in operands]), operands=operands, needs=needs(op))


def at_run_time(op: Any, count: int, equal: Equal, place: Place, first: Place | None) -> str:
    """The sentence about lengths that do not fit when a function runs, with places for numbers and names."""
    return mismatch(op.declaration.called or op.name, count, equal, place, first) + " at run time"


def needs(op: Any) -> str:
    """The signature as errors show it."""
    return str(op.declaration.shapes)


def _error(
    op: Any, inputs: Sequence[Any], found: Bound, shapes: Sequence[Shape], conflict: tuple[Any, ...]
) -> ShapeError:
    """The error for types whose lengths do not fit, with the transposed spelling where that fits."""
    equal, place, first, n, m = conflict
    operands = named(op, inputs)
    names = [name for name, _ in operands]
    return ShapeError(
        mismatch(op.declaration.called or op.name, len(inputs), equal, place, first).format(m, n, o=names),
        operands=operands,
        needs=needs(op),
        hint=next(
            filter(None, (_transposed(op, names, found, shapes, p[0]) for p in (place, first) if p)), None
        ),
        lengths=(m, n),
    )


def _transposed(op: Any, names: list[str], found: Bound, shapes: Sequence[Shape], k: int) -> str | None:
    """The application with an operand transposed, where all lengths fit then."""
    axes = op.declaration.shapes.of(len(shapes))[k]
    if len(axes.before + axes.after) != 2 or len(set(axes.before + axes.after)) != 2:
        return None
    *batch, m, n = shapes[k]
    turned = [*shapes[:k], (*batch, n, m), *shapes[k + 1 :]]
    if found.conflict(turned) is not None:
        return None
    word = f"{names[k]}.T" if not batch else f"{names[k]}.swapaxes(-1, -2)"
    return f"{op.name}({', '.join([*names[:k], word, *names[k + 1 :]])})"


def fitted(op: Any, inputs: Sequence[Any]) -> list[Any]:
    """Operands with as many axes as the signature needs: those that broadcast get axes of length 1 in front.

    Errors   RankError for an operand with too few or too many axes
    """
    operands = op.declaration.shapes.of(len(inputs))
    for k, (axes, v) in enumerate(zip(operands, inputs, strict=True)):
        if not axes.fits(v.type.ndim):
            raise RankError(
                f"{op.name}: {named(op, inputs)[k][0]} has {v.type.ndim} dimensions, the signature says {axes}",
                operands=named(op, inputs),
                needs=needs(op),
            )
    fixed = [len(axes.before) + len(axes.after) for axes in operands]
    rests = [
        v.type.ndim - n for axes, v, n in zip(operands, inputs, fixed, strict=True) if axes.rest == BROADCAST
    ]
    most = max(rests, default=0)
    if most == min(rests, default=0):
        return list(inputs)
    return [
        pad_left(v, most + n) if axes.rest == BROADCAST else v
        for axes, v, n in zip(operands, inputs, fixed, strict=True)
    ]
