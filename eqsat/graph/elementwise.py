"""Types of elementwise ops: operands are cast to one dtype and broadcast where their types say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eqsat.base.configuration import config
from eqsat.errors import DTypeError, ShapeError
from eqsat.graph.constant import cast_to, pad_left, refuse_real
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.dtypes import (
    BOOL,
    CODE,
    COMPLEX,
    INEXACT,
    SHORT,
    SIGNED,
    UNSIGNED,
    promote,
    to_complex,
    to_float,
    to_real,
)
from eqsat.graph.operand_names import met_in, named
from eqsat.graph.tensor_type import Shape, TensorType, tensor_type
from eqsat.lengths.message import unequal

if TYPE_CHECKING:
    from eqsat.graph.declared_op import DeclaredOp


def variable_of(kind: Any) -> Variable:
    """A variable of a type; that of a tensor is made without a call that could name a misspelt keyword."""
    made: Variable = kind.variable_class(kind) if type(kind) is TensorType else kind.make_variable()
    return made


LETTERS = {  # of dtypes of operands; those with one letter get one dtype
    "t": "any",
    "n": "any but bool",
    "i": "integer or bool",
    "f": "floating",
    "c": "complex",
    "?": "bool",
    "a": "anything, left as it is",
}


class Plan(NamedTuple):
    """The types of an elementwise op for operands of some types: the dtypes and rank they get, and the type of the result."""

    dtypes: list[str]
    ndim: int
    result: TensorType
    fits: bool  # the operands need neither a cast nor new axes
    apart: bool  # whole numbers are compared that no dtype of whole numbers holds


MOST_PLANS = 1000  # kept per op


def elemwise_node(op: DeclaredOp, inputs: list[Any]) -> Apply:
    """Apply an elementwise op: operands cast to one dtype, padded on the left, static lengths checked."""
    types: tuple[Any, ...] = tuple([v.type for v in inputs])
    if op.declaration.floatx:
        types = (*types, config.floatX)
    plan = op.plans.get(types)
    if plan is None:
        if len(op.plans) >= MOST_PLANS:
            op.plans.clear()
        plan = op.plans[types] = _elemwise_plan(op, inputs)
    if plan.apart:
        return _compared_by_sign(op, inputs)
    if not plan.fits:
        inputs = [pad_left(cast_to(v, d), plan.ndim) for v, d in zip(inputs, plan.dtypes, strict=True)]
    return Apply(op, inputs, [variable_of(plan.result)])


def _elemwise_plan(op: DeclaredOp, inputs: list[Any]) -> Plan:
    dtypes, result = elemwise_dtypes(op, inputs)
    ndim = max((v.type.ndim for v in inputs), default=0)
    shape = broadcast_shape(op, inputs, ndim)
    fits = all(v.type.dtype == d and v.type.ndim == ndim for v, d in zip(inputs, dtypes, strict=True))
    whole = not any(v.type.dtype in INEXACT for v in inputs)
    apart = op.declaration.compares and whole and any(d in INEXACT for d in dtypes)
    return Plan(dtypes, ndim, tensor_type(result, shape), fits, apart)


def _compared_by_sign(op: DeclaredOp, inputs: Sequence[Any]) -> Apply:
    """A comparison of uint64 with signed integers, exact as in NumPy: what is below 0 is the lesser, the rest is compared unsigned."""
    from eqsat.graph.ops.elemwise import and_, ge, lt, or_

    signed = next(v for v in inputs if v.type.dtype in SIGNED)
    made = op(*(cast_to(v, UNSIGNED[-1]) for v in inputs))
    if isinstance(signed, Constant) and not np.any(signed.data < 0):
        return made.owner  # type: ignore[no-any-return]
    lesser = op.compute(*(np.int8(-1 if v is signed else 0) for v in inputs))
    made = or_(lt(signed, 0), made) if lesser else and_(ge(signed, 0), made)
    return made.owner  # type: ignore[no-any-return]


def elemwise_dtypes(op: DeclaredOp, inputs: Sequence[Any]) -> tuple[list[str], str]:
    """Dtypes to which the operands of an elementwise op are cast, and that of the result."""
    wanted, (result,) = dtypes_of(op, inputs)
    return wanted, to_real(result) if op.declaration.real_result else result


def dtypes_of(op: DeclaredOp, inputs: Sequence[Any]) -> tuple[list[str], list[str]]:
    """Dtypes to which the operands are cast, and those of the results, by the op's signature of dtypes.

    Letters are those of ``LETTERS``. A result may also be ``d``, the op's own dtype parameter, the name of a dtype,
    or ``c`` or ``f`` where no operand is: the complex or the real dtype of the first operand.
    Operands with one letter get one dtype. Complex operands are refused unless ``c`` of the declaration has C text for them.
    """
    letters, _, outs = op.declaration.signature.partition("->")
    names = letters.split(",")
    groups: dict[str, list[str]] = {}
    for letter, v in zip(names, inputs, strict=True):
        groups.setdefault(letter, []).append(v.type.dtype)
    chosen = {letter: _group_dtype(op, letter, found, inputs) for letter, found in groups.items()}
    wanted = [v.type.dtype if k == "a" else chosen[k] for k, v in zip(names, inputs, strict=True)]
    if outs == "d":
        for v in inputs:
            refuse_real(v, op.params["dtype"])
    return wanted, [_result_dtype(op, out, chosen, wanted) for out in outs.split(",")]


def _result_dtype(op: DeclaredOp, out: str, chosen: dict[str, str], wanted: list[str]) -> str:
    if out in CODE:
        return out
    if out == "d":
        return str(op.params["dtype"])
    if out in ("c", "f") and out not in chosen:
        return to_complex(wanted[0]) if out == "c" else to_real(wanted[0])
    return BOOL if out == "?" else chosen[out]


def _group_dtype(op: DeclaredOp, letter: str, found: list[str], inputs: Sequence[Any]) -> str:
    name = promote(*found)
    if letter == "?":
        return BOOL
    if letter == "c":
        return promote(*(to_complex(d) for d in found))
    if name in COMPLEX and letter != "a" and not op.declaration.takes_complex():
        _refuse(op, inputs, "real numbers", "T.real(x), T.imag(x) or T.abs(x)")
    if letter == "f" and op.declaration.floatx and config.floatX == "float32" and name not in INEXACT:
        return "float32"
    if letter == "f":
        return promote(*(to_float(d) for d in found))
    if letter == "n" and name == BOOL and op.declaration.of_bools:
        return op.declaration.of_bools
    if letter == "n" and name == BOOL:
        _refuse(op, inputs, "numbers, not bool", f"{op.name}(x.astype('int8'), ...)")
    if letter == "i" and name in INEXACT:
        _refuse(op, inputs, "integers or bool", "x.astype('int64')")
    return name


def _refuse(op: DeclaredOp, inputs: Sequence[Any], needs: str, hint: str) -> None:
    kinds = ", ".join(SHORT[v.type.dtype] for v in inputs)
    raise DTypeError(
        f"{op.name} is not defined for {kinds}", operands=named(op, inputs), needs=needs, hint=hint
    )


def broadcast_shape(op: DeclaredOp, inputs: Sequence[Any], ndim: int) -> Shape:
    """Static shape of an elementwise result; raises ShapeError where known lengths differ."""
    shape: list[int | None] = []
    padded = [(1,) * (ndim - v.type.ndim) + v.type.shape for v in inputs]
    for axis, lengths in enumerate(zip(*padded, strict=True)):
        known = {n for n in lengths if n is not None and n != 1}
        if len(known) > 1:
            raise ShapeError(
                f"{op.name}: axis {axis} has the lengths {' and '.join(map(str, sorted(known)))}",
                operands=named(op, inputs),
                needs="equal lengths, or length 1 in the type of one operand",
                axis=axis,
            )
        shape.append(known.pop() if known else 1 if all(n == 1 for n in lengths) else None)
    return tuple(shape)


def check_lengths(node: Apply, values: Sequence[Any]) -> None:
    """Refuse at run time what static broadcasting does not allow: lengths that differ, even 1 against n."""
    shapes = [v.type.shape for v in node.inputs]  # type: ignore[attr-defined]
    first = values[0].shape
    if all(v.shape == first for v in values):
        return
    for axis in range(len(first)):
        found = [
            (k, v.shape[axis]) for k, (v, s) in enumerate(zip(values, shapes, strict=True)) if s[axis] != 1
        ]
        other = next((k for k, n in found if n != found[0][1]), None)
        if other is not None:
            raise run_time_length_error(node, axis, {k: n for k, n in found if k in (found[0][0], other)})


def run_time_length_error(node: Apply, axis: int, lengths: Mapping[int, int]) -> ShapeError:
    """The error for two operands, by their places, whose lengths turn out to differ when the function runs."""
    op: Any = node.op
    operands = met_in(node)
    return ShapeError(
        unequal(op.name, axis, *lengths).format(*lengths.values(), o=[name for name, _ in operands]),
        operands=operands,
        needs="equal lengths; length 1 broadcasts only where the type says so",
        hint="T.row, T.col, T.addbroadcast(x, axis) or TensorType(dtype, shape=(1, None))",
        axis=axis,
    )
