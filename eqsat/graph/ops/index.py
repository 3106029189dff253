"""Parts of tensors that integers and slices give, read as views and written into copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import BoundsError, ShapeError
from eqsat.graph.batch_rules import whole_part, whole_write
from eqsat.graph.c_operand import COperand, CView, CWriter, loops
from eqsat.graph.core import Apply
from eqsat.graph.declare import Cost, structural
from eqsat.graph.parameters import INTEGER, PART
from eqsat.graph.parts import sliced_length
from eqsat.graph.tensor_type import TensorType

# An index pattern holds one entry per axis of x: ("int", a) or ("slice", a, b, c), where a, b, c are integers,
# None, or "?" for a value that comes as a further 0-d int64 input, in order.


MOST_BOUNDS = 4  # that come at run time, as m, n and k in x[m:n, k], of a part that rules see
ZERO_STEP = "the step of a slice is 0"
OUTSIDE = "index {0} is outside axis {axis}, which has length {1}"


def bound_entries(pattern: Sequence[Any], scalars: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The pattern with its ``"?"`` replaced by the scalars, in order."""
    rest = iter(scalars)
    return [(e[0], *(next(rest) if isinstance(p, str) else p for p in e[1:])) for e in pattern]


def _index(pattern: Sequence[Any], scalars: Sequence[Any]) -> tuple[Any, ...]:
    entries = bound_entries(pattern, [int(s) for s in scalars])
    if any(e[0] == "slice" and e[3] == 0 for e in entries):
        raise ShapeError(ZERO_STEP)
    return tuple(e[1] if e[0] == "int" else slice(*e[1:]) for e in entries)


def part_of(x: Any, index: Sequence[Any]) -> Any:
    """``x[index]`` of a NumPy array for integers and slices."""
    for axis, i in enumerate(index):
        if isinstance(i, int) and not -x.shape[axis] <= i < x.shape[axis]:
            raise BoundsError(OUTSIDE.format(i, x.shape[axis], axis=axis))
    return x[tuple(index)]


def _part_type(op: Any, x: Any, *scalars: Any) -> TensorType:
    shape = []
    for axis, entry in enumerate(op.params["pattern"]):
        n = x.type.shape[axis]
        if entry[0] == "slice":
            if entry[3] == 0:
                raise ShapeError(ZERO_STEP, operands=[(str(x), x)])
            shape.append(sliced_length(n, entry))
        elif n is not None and isinstance(entry[1], int) and not -n <= entry[1] < n:
            raise BoundsError(
                f"index {entry[1]} is outside axis {axis} of {x}, which has length {n}",
                operands=[(str(x), x)],
            )
    return TensorType(x.type.dtype, shape=shape)


def c_part(w: CWriter, pattern: Sequence[Any], x: COperand, scalars: Sequence[COperand]) -> CView:
    """The C view of a basic index; emits the bounds checks of integers and the clipping of slices."""
    entries = bound_entries(pattern, [s.scalar() for s in scalars])
    offset, n, s = "0", [], []
    for axis, entry in enumerate(entries):
        if entry[0] == "int":
            i = w.define("i", f"{entry[1]}")
            text = OUTSIDE.replace("{axis}", str(axis))
            stop = w.fail("BoundsError", text, i, x.n[axis])
            w.emit(f"if ({i} < -({x.n[axis]}) || {i} >= {x.n[axis]}) {stop}")
            offset += f" + ({i} < 0 ? {i} + {x.n[axis]} : {i})*({x.s[axis]})"
        elif entry[1:] == (None, None, None):
            n.append(x.n[axis])
            s.append(x.s[axis])
        else:
            first, count, step = _c_slice(w, entry[1:], x.n[axis])
            offset += f" + {first}*({x.s[axis]})"
            n.append(count)
            s.append(x.s[axis] if step == "1" else f"({x.s[axis]})*{step}")
    start = w.define("offset", offset)
    return CView(f"({x.ptr} + {start})", tuple(n), tuple(s))


def _c_slice(w: CWriter, parts: Sequence[Any], n: str) -> tuple[str, str, str]:
    step = "1" if parts[2] is None else w.define("step", f"{parts[2]}")
    w.emit(f"if ({step} == 0) {w.fail('ShapeError', ZERO_STEP)}")
    low, high = f"({step} > 0 ? 0 : -1)", f"({step} > 0 ? {n} : {n} - 1)"

    def clipped(value: Any, default: str) -> str:
        if value is None:
            return w.define("bound", default)
        raw = w.define("raw", f"{value}")
        at = w.define("at", f"{raw} < 0 ? {raw} + {n} : {raw}")
        return w.define("bound", f"{at} < {low} ? {low} : {at} > {high} ? {high} : {at}")

    first = clipped(parts[0], f"{step} > 0 ? 0 : {n} - 1")
    last = clipped(parts[1], f"{step} > 0 ? {n} : -1")
    span = w.define("span", f"{step} > 0 ? {last} - {first} : {first} - {last}")
    size = f"({step} > 0 ? {step} : -({step}))"
    return first, w.define("n", f"{span} > 0 ? ({span} - 1) / {size} + 1 : 0"), step


def _part_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    from eqsat.graph.ops.create import zeros_like

    x, *scalars = inputs
    return [put_op(zeros_like(x), dy, *scalars, pattern=op.params["pattern"], add=1)] + [None] * len(scalars)


@structural(
    "view",
    name="subtensor",
    linear="x",
    batch=whole_part,
    parameters={"pattern": PART},
    variadic=True,
    forms=tuple(range(1, 2 + MOST_BOUNDS)),
    elements=("x",),
    infer=_part_type,
    grad=_part_grad,
    c=lambda w, op, ins: c_part(w, op.params["pattern"], ins[0], ins[1:]),
    cost=Cost(flops=0, bytes=0, calls=0),
)
def part_op(x: Any, *scalars: Any, pattern: tuple[Any, ...]) -> Any:
    """Part of a tensor given by integers and slices, as NumPy's basic indexing."""
    return part_of(x, _index(pattern, scalars))


# ---------------------------------------------------------------------------------------- writing to a part


def writer(op: Any) -> str:
    """What users call an op that writes."""
    return "inc_subtensor" if adds(op) else "set_subtensor"


def adds(op: Any) -> bool:
    """True for an op that adds to what is there."""
    return bool(op.params.get("add", op.name == "add_rows"))


def put_type(op: Any, x: Any, y: Any, *rest: Any) -> TensorType:
    """The result of writing into x has x's type."""
    return x.type  # type: ignore[no-any-return]


def check_value(node: Apply, value: Any, part: Sequence[int], place: int = 1) -> None:
    """Refuse a value whose lengths are not those of the part, except where length 1 is in its type."""
    static = node.inputs[place].type.shape  # type: ignore[attr-defined]
    for axis, (known, have, want) in enumerate(zip(static, value.shape, part, strict=True)):
        if known != 1 and have != want:
            raise ShapeError(MISFIT.format(have, want, name=writer(node.op), axis=axis))


def check_fits(value: Any, part: Any) -> None:
    """Refuse a value that does not broadcast to a part, whatever the types say."""
    if value.ndim != part.ndim or any(h not in (1, w) for h, w in zip(value.shape, part.shape, strict=True)):
        raise ShapeError(f"a value of shape {value.shape} does not fit the part of shape {part.shape}")


def c_stored(op: Any, out: COperand, target: str, source: str) -> str:
    """C text of what is written at a target: the source, or the sum, which for bool is the or."""
    if not adds(op):
        return source
    return f"({out.ctype})({target} {'|' if out.dtype == 'bool' else '+'} {source})"


def copy_into(w: CWriter, x: COperand, out: COperand) -> None:
    """Emit the copy of x to the result, unless the result takes x's place."""
    index = [f"i{a}" for a in range(len(x.n))]
    size = f"({x.size})*sizeof({x.ctype})"
    whole = contiguous(x)
    slow = loops(x.n, f"{out.at(index)} = {x.at(index)};")
    w.emit(
        f"if ((const void *){out.ptr} != (const void *){x.ptr}) {{ "
        f"if ({whole}) __builtin_memcpy({out.ptr}, {x.ptr}, {size}); else {slow} }}"
    )


def contiguous(x: COperand, first: int = 0) -> str:
    """C text that is true where the axes of an operand from ``first`` on lie in one piece, in order."""
    tests = []
    for axis in range(first, len(x.n)):
        below = "*".join(f"({n})" for n in x.n[axis + 1 :]) or "1"
        tests.append(f"({x.n[axis]} == 1 || {x.s[axis]} == {below})")
    return " && ".join(tests) or "1"


DRY = "if (c->dry) return 0;"  # after the checks of a write: see cgen/updates.py
MISFIT = "{name}: axis {axis} of the value has length {0}, the part has {1}"


def broadcast_check(w: CWriter, op: Any, y: COperand, n: Sequence[str]) -> list[str]:
    """Emit the checks of a value's lengths; gives its index in terms of i0, i1 ..."""
    index = []
    for axis, (have, want) in enumerate(zip(y.n, n, strict=True)):
        if have == "1":
            index.append("0")
            continue
        text = MISFIT.replace("{name}", writer(op)).replace("{axis}", str(axis))
        w.emit(f"if ({have} != {want}) {w.fail('ShapeError', text, have, want)}")
        index.append(f"i{axis}")
    return index


def _put_c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, y, *scalars = ins
    view = c_part(w, op.params["pattern"], out, scalars)
    part = COperand(view.ptr, out.dtype, view.n, view.s)
    source = y.at(broadcast_check(w, op, y, view.n))
    w.emit(DRY)
    copy_into(w, x, out)
    target = part.at([f"i{a}" for a in range(len(view.n))])
    w.emit(loops(view.n, f"{target} = {c_stored(op, out, target, source)};"))


def _put_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    from eqsat.graph.sum_to import sum_to

    x, y, *scalars = inputs
    pattern = op.params["pattern"]
    dx = dy
    if not op.params["add"]:
        dx = put_op(dy, np.zeros((1,) * y.ndim, x.type.dtype), *scalars, pattern=pattern, add=0)
    return [dx, sum_to(part_op(dy, *scalars, pattern=pattern), y)] + [None] * len(scalars)


def _put_check(node: Apply, values: Sequence[Any]) -> None:
    x, y, *scalars = values
    check_value(node, y, part_of(x, _index(node.op.params["pattern"], scalars)).shape)  # type: ignore[attr-defined]


@structural(
    "block",
    name="set_part",
    linear="x y",
    batch=whole_write,
    parameters={"pattern": PART, "add": INTEGER},
    variadic=True,
    forms=tuple(range(2, 3 + MOST_BOUNDS)),
    elements=("x", "y"),
    elements_if=("add", 0),
    type_text=("dtype_x", "ndim_x", "mask_x"),
    infer=put_type,
    grad=_put_grad,
    dims=lambda w, op, ins: list(ins[0].n),
    c=_put_c,
    in_place=0,
    check=_put_check,
    cost=lambda op, ins, out: Cost(flops=float(np.prod(ins[1]))),
)
def put_op(x: Any, y: Any, *scalars: Any, pattern: tuple[Any, ...], add: int) -> Any:
    """Copy of x in which a part is replaced by y, or has y added to it."""
    result = np.array(x)
    index = _index(pattern, scalars)
    check_fits(y, part_of(result, index))
    if add:
        result[index] += y
    else:
        result[index] = y
    return result
