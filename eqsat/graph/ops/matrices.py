"""What ops on stacks of matrices share: types of the leading axes, loops over them, packing for LAPACK."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eqsat.errors import LinAlgError, ShapeError
from eqsat.graph.c_operand import COperand, CWriter, loops
from eqsat.graph.constant import cast_to, constant
from eqsat.graph.core import Apply
from eqsat.graph.ops.create import arange
from eqsat.graph.ops.elemwise import eq, ge, gt, switch
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.graph.tensor_type import Shape

# ------------------------------------------------------------------------------------------- types and checks


def check_square(op: Any, x: Any) -> None:
    """Refuse a matrix whose known lengths differ."""
    m, n = x.type.shape[-2:]
    if m is not None and n is not None and m != n:
        raise ShapeError(
            f"{op.name}: {x} is {m} by {n}, not square", operands=[(str(x), x)], needs="f[..., n, n]"
        )


def square_values(node: Apply, values: Sequence[Any]) -> None:
    """Refuse a first operand that turns out not to be square."""
    m, n = values[0].shape[-2:]
    if m != n:
        raise ShapeError(NOT_SQUARE.format(m, n, name=node.op.name))


NOT_SQUARE = "{name}: the matrix is {0} by {1}, not square"


def batch_shape(op: Any, x: Any, y: Any) -> Shape:
    """Static lengths of the leading axes of two stacks of one rank; length 1 in a type broadcasts."""
    shape: list[int | None] = []
    for axis, (a, b) in enumerate(zip(x.type.shape[:-2], y.type.shape[:-2], strict=True)):
        if a is not None and b is not None and a != b and 1 not in (a, b):
            raise ShapeError(
                f"{op.name}: axis {axis} has the lengths {a} and {b}",
                operands=[(str(x), x), (str(y), y)],
                needs="equal leading lengths, or length 1 in the type of one operand",
            )
        shape.append(b if a == 1 or a is None and b not in (1, None) else a)
    return tuple(shape)


def batch_values(node: Apply, values: Sequence[Any]) -> None:
    """Refuse leading lengths that turn out to differ; length 1 broadcasts only where the type says so."""
    shapes = [v.type.shape for v in node.inputs]  # type: ignore[attr-defined]
    for axis in range(values[0].ndim - 2):
        found = sorted({v.shape[axis] for v, s in zip(values, shapes, strict=True) if s[axis] != 1})
        if len(found) > 1:
            raise ShapeError(BATCHES.format(*found, name=node.op.name, axis=axis))


BATCHES = "{name}: axis {axis} has the lengths {0} and {1}"


def minimum(m: int | None, n: int | None) -> int | None:
    """The smaller of two static lengths."""
    return None if m is None or n is None else min(m, n)


# ------------------------------------------------------------------------------------------------------ C text


def item(x: COperand, core: int) -> str:
    """C text of the address of one matrix (or vector, for ``core`` 1) of a stack; the counters are i0, i1 ..."""
    terms = [f"i{k}*({s})" for k, s in enumerate(x.s[: len(x.s) - core]) if s != "0"]
    return " + ".join([x.ptr, *terms])


def batch_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    """Lengths of the leading axes that operands of one rank share, with the statements that compare them."""
    result = []
    for axis in range(len(ins[0].n) - 2):
        full = [x.n[axis] for x in ins if x.n[axis] != "1"]
        for other in full[1:]:
            if other != full[0]:
                text = BATCHES.replace("{name}", op.name).replace("{axis}", str(axis))
                low, high = (
                    f"eq_least({full[0]}, {other})",
                    f"({full[0]} + {other} - eq_least({full[0]}, {other}))",
                )
                w.emit(f"if ({full[0]} != {other}) {w.fail('ShapeError', text, low, high)}")
        result.append(full[0] if full else "1")
    return result


def each_matrix(
    helper: str, failure: str, flags: Sequence[str] = (), square: bool = False
) -> Callable[..., None]:
    """C text that calls ``helper(m, n, flags..., matrix, strides, results...)`` for each matrix of a stack.

    The helper gives 0, or 1 where memory is missing, or else the ``failure``, a LinAlgError, is raised.
    ``flags`` names parameters of the op.
    """

    def write(w: CWriter, op: Any, ins: Sequence[COperand], outs: Any) -> None:
        (x,) = ins
        results = outs if isinstance(outs, list) else [outs]
        m, n = x.n[-2:]
        if square:
            stop = w.fail("ShapeError", NOT_SQUARE.replace("{name}", op.name), m, n)
            w.emit(f"if ({m} != {n}) {stop}")
        batch = len(x.n) - 2
        arguments = [m, n, *(repr(float(op.params[f])) for f in flags), item(x, 2), x.s[-2], x.s[-1]]
        arguments += [item(r, len(r.n) - batch) for r in results]
        stop = w.fail("LinAlgError", f"{op.name}: {failure}")
        call = f"int64_t bad = {helper}__{x.ctype}({', '.join(arguments)});"
        memory = w.fail("MemoryError", f"{op.name}: no memory for a matrix")
        w.emit(loops(x.n[:-2], f"{call} if (bad == 1) {memory} if (bad) {stop}"))

    return write


DIVERGED = "the singular values did not converge"


def finite(op: str, failure: str, a: Any) -> Any:
    """The matrices of an op for which LAPACK may never return where an element is not finite: refused then."""
    if not np.isfinite(a).all():
        raise LinAlgError(f"{op}: {failure}")
    return a


def numpy_call(op: str, failure: str, function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """Result of a NumPy or SciPy function whose LinAlgError becomes ours."""
    try:
        return function(*args, **keywords)
    except np.linalg.LinAlgError:
        raise LinAlgError(f"{op}: {failure}") from None


# ------------------------------------------------------------------------------------------------- small graphs


def swap(x: Any) -> Any:
    """The stack with the last two axes exchanged."""
    return dimshuffle(x, *range(x.ndim - 2), x.ndim - 1, x.ndim - 2)


def column(x: Any) -> Any:
    """The stack of vectors as one of matrices with one column."""
    return dimshuffle(x, *range(x.ndim), "x")


def row(x: Any) -> Any:
    """The stack of vectors as one of matrices with one row."""
    return dimshuffle(x, *range(x.ndim - 1), "x", x.ndim - 1)


def _places(x: Any) -> tuple[Any, Any]:
    front = ("x",) * (x.ndim - 2)
    rows, columns = arange(length(x, x.ndim - 2)), arange(length(x, x.ndim - 1))
    return dimshuffle(rows, *front, 0, "x"), dimshuffle(columns, *front, "x", 0)


def _zero(x: Any) -> Any:
    return constant(np.zeros((), x.type.dtype))


def lower(x: Any, strict: bool = False) -> Any:
    """The lower triangles of matrices, zero elsewhere; ``strict`` leaves the diagonal out."""
    rows, columns = _places(x)
    return switch((gt if strict else ge)(rows, columns), x, _zero(x))


def upper(x: Any, strict: bool = False) -> Any:
    """The upper triangles of matrices, zero elsewhere; ``strict`` leaves the diagonal out."""
    rows, columns = _places(x)
    return switch((gt if strict else ge)(columns, rows), x, _zero(x))


def on_diagonal(x: Any, inside: Any, outside: Any) -> Any:
    """``inside`` on the diagonals of matrices like x, ``outside`` elsewhere."""
    rows, columns = _places(x)
    return switch(eq(rows, columns), inside, outside)


def identity_like(x: Any) -> Any:
    """Unit matrices of the lengths of x, without its leading axes."""
    rows, columns = (dimshuffle(v, v.ndim - 2, v.ndim - 1) for v in _places(x))
    return cast_to(eq(rows, columns), x.type.dtype)


def fold_triangle(x: Any, low: bool) -> Any:
    """Gradient with respect to a symmetric matrix of which only one triangle is read."""
    both = on_diagonal(x, x, x + swap(x))
    return lower(both) if low else upper(both)
