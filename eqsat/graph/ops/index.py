"""Parts of tensors that integers and slices give, read as views and written into copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import BoundsError, RankError, ShapeError
from eqsat.graph.batch_rules import whole_part, whole_write
from eqsat.graph.core import Apply
from eqsat.graph.declare import Cost, structural
from eqsat.graph.dtypes import INTEGERS
from eqsat.graph.parameters import INTEGER, PART
from eqsat.graph.parts import open_bounds, part_length, sliced_length
from eqsat.graph.pieces import boxes_of_part
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
    if (wanted := open_bounds(op.params["pattern"])) != len(scalars):
        raise RankError(f"{len(scalars)} bounds for a part of {x} that has {wanted} to come")
    if wrong := [s for s in scalars if s.type.ndim or s.type.dtype not in INTEGERS]:
        raise RankError(
            f"{wrong[0]} as a bound of a part of {x}",
            operands=[(str(v), v) for v in (wrong[0], x)],
            needs="whole numbers without dimensions",
        )
    if x.type.ndim != len(op.params["pattern"]):
        raise RankError(
            f"{len(op.params['pattern'])} indices for {x}, which has {x.type.ndim} dimensions",
            operands=[(str(x), x)],
        )
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
    shape=lambda op, x, *scalars: [
        part_length(n, e) for n, e in zip(x, op.params["pattern"], strict=True) if e[0] != "int"
    ],
    sized_by=("scalars",),
    put=lambda op, inputs, y: put_op(inputs[0], y, *inputs[1:], pattern=op.params["pattern"], add=0),
    grad=_part_grad,
    builder="index.part",
    cost=Cost(flops=0, bytes=0, calls=0),
    indexing="part",
)
def part_op(x: Any, *scalars: Any, pattern: tuple[Any, ...]) -> Any:
    """Part of a tensor given by integers and slices, as NumPy's basic indexing."""
    return part_of(x, _index(pattern, scalars))


# ---------------------------------------------------------------------------------------- writing to a part


def writer(op: Any) -> str:
    """The name under which users know an op that writes."""
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


MISFIT = "{name}: axis {axis} of the value has length {0}, the part has {1}"


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
    signature="x,_,()*->x",
    linear="x y",
    batch=whole_write,
    parameters={"pattern": PART, "add": INTEGER},
    variadic=True,
    forms=tuple(range(2, 3 + MOST_BOUNDS)),
    elements=("x", "y"),
    elements_if=("add", 0),
    pieces=lambda op, count: boxes_of_part(op.params["pattern"]),
    infer=put_type,
    grad=_put_grad,
    builder="index.write",
    checks_first=True,
    in_place=0,
    check=_put_check,
    cost=lambda op, ins, out: Cost(flops=float(np.prod(ins[1]))),
    indexing="write",
)
def put_op(x: Any, y: Any, *scalars: Any, pattern: tuple[Any, ...], add: int) -> Any:
    """Copy of x in which a part is replaced by y, or has y added to it."""
    result = np.array(x)
    index = _index(pattern, scalars)
    check_fits(y, np.asarray(part_of(result, index)))
    if add:
        result[index] += y
    else:
        result[index] = y
    return result
