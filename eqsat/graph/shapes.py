"""What follows from the signature of an op: types of results, and the checks of lengths when a graph is made and when it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.errors import RankError, ShapeError
from eqsat.graph.constant import pad_left
from eqsat.graph.core import Apply, Constant
from eqsat.graph.operand_names import named
from eqsat.graph.tensor_type import tensor_type
from eqsat.lengths.bound import Bound, Equal, Shape, bind
from eqsat.lengths.expression import Place
from eqsat.lengths.message import mismatch
from eqsat.lengths.signature import BROADCAST, Signature, parse

EVERY = Signature((parse("(...)->(...)").operands[0],), parse("(...)->(...)").results, True)


def bound(op: Any, inputs: Sequence[Any]) -> Bound | None:
    """The signature of an op for operands of their types; None for an op that has none.

    Operands need nothing but a type.
    """
    signature = op.declaration.shapes
    if signature is None:
        return None
    parameters = tuple(op.params.items())
    return bind(signature, op.declaration.tensors, [v.type.shape for v in inputs], parameters)


def result_types(op: Any, *inputs: Any) -> Any:
    """The types of the results of an op by its signature: one type, or a tuple of them.

    Errors   ShapeError where known lengths that must be equal differ
    """
    found = bound(op, inputs)
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
        raise run_time_error(op, node.inputs, *conflict)


def run_time_error(
    op: Any, inputs: Sequence[Any], equal: Equal, place: Place, first: Place | None, n: int, m: int
) -> ShapeError:
    """The error for lengths that turn out not to fit when a function runs."""
    operands = named(op, inputs)
    text = at_run_time(op, len(inputs), equal, place, first)
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
        hint=_transposed(op, names, found, shapes, place[0]),
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
