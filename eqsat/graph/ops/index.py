"""Reading and writing parts of tensors: slices, integers and integer arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, BoundsError, DTypeError, RankError, ShapeError
from eqsat.graph.c_operand import COperand, CView, CWriter, loops
from eqsat.graph.constant import as_tensor, cast_to, pad_left
from eqsat.graph.core import Constant, Variable
from eqsat.graph.declare import Cost, structural
from eqsat.graph.dtypes import FLOATS, promote
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.graph.parameters import PATTERN
from eqsat.graph.tensor_type import TensorType

# An index pattern holds one entry per axis of x: ("int", a) or ("slice", a, b, c), where a, b, c are integers,
# None, or "?" for a value that comes as a further 0-d int64 input, in order.


def bound_entries(pattern: Sequence[Any], scalars: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The pattern with its ``"?"`` replaced by the scalars, in order."""
    rest = iter(scalars)
    return [(e[0], *(next(rest) if isinstance(p, str) else p for p in e[1:])) for e in pattern]


def _index(pattern: Sequence[Any], scalars: Sequence[Any]) -> tuple[Any, ...]:
    entries = bound_entries(pattern, [int(s) for s in scalars])
    return tuple(e[1] if e[0] == "int" else slice(*e[1:]) for e in entries)


def _sliced_length(n: int | None, entry: Sequence[Any]) -> int | None:
    parts = entry[1:]
    if any(isinstance(p, (str, Variable)) for p in parts):
        return None
    if n is None:
        return 0 if parts[2] is None and parts[0] is not None and parts[0] == parts[1] else None
    return len(range(*slice(*parts).indices(n)))


def _part_type(op: Any, x: Any, *scalars: Any) -> TensorType:
    shape = []
    for axis, entry in enumerate(op.params["pattern"]):
        n = x.type.shape[axis]
        if entry[0] == "slice":
            shape.append(_sliced_length(n, entry))
        elif n is not None and isinstance(entry[1], int) and not -n <= entry[1] < n:
            raise BoundsError(
                f"index {entry[1]} is outside axis {axis} of {x}, which has length {n}", operands=[(str(x), x)]
            )
    return TensorType(x.type.dtype, shape=shape)


def c_part(w: CWriter, pattern: Sequence[Any], x: COperand, scalars: Sequence[COperand]) -> CView:
    """The C view of a basic index; emits the bounds checks of integers and the clipping of slices."""
    entries = bound_entries(pattern, [s.scalar() for s in scalars])
    offset, n, s = "0", [], []
    for axis, entry in enumerate(entries):
        if entry[0] == "int":
            i = w.define("i", f"{entry[1]}")
            text = f"index {{0}} is outside axis {axis}, which has length {{1}}"
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
    w.emit(f"if ({step} == 0) {w.fail('ShapeError', 'the step of a slice is 0')}")
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
    parameters={"pattern": PATTERN},
    variadic=True,
    infer=_part_type,
    grad=_part_grad,
    c=lambda w, op, ins: c_part(w, op.params["pattern"], ins[0], ins[1:]),
    cost=Cost(flops=0, bytes=0, calls=0),
)
def part_op(x: Any, *scalars: Any, pattern: tuple[Any, ...]) -> Any:
    """Part of a tensor given by integers and slices, as NumPy's basic indexing."""
    try:
        return x[_index(pattern, scalars)]
    except IndexError as error:
        raise BoundsError(str(error)) from None
    except ValueError as error:
        raise ShapeError(f"the step of a slice is 0: {error}") from None


# ---------------------------------------------------------------------------------------- writing to a part


def _put_type(op: Any, x: Any, y: Any, *scalars: Any) -> TensorType:
    return x.type  # type: ignore[no-any-return]


def _copy_into(w: CWriter, x: COperand, out: COperand) -> None:
    index = [f"i{a}" for a in range(len(x.n))]
    w.emit(f"if ((const void *){out.ptr} != (const void *){x.ptr}) " + loops(x.n, f"{out.at(index)} = {x.at(index)};"))


def _broadcast_check(w: CWriter, y: COperand, n: Sequence[str]) -> list[str]:
    index = []
    for axis, (have, want) in enumerate(zip(y.n, n, strict=True)):
        if have == "1":
            index.append("0")
            continue
        text = f"axis {axis} of the value has length {{0}}, the part has {{1}}"
        w.emit(f"if ({have} != {want}) {w.fail('ShapeError', text, have, want)}")
        index.append(f"i{axis}")
    return index


def _put_c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, y, *scalars = ins
    view = c_part(w, op.params["pattern"], out, scalars)
    part = COperand(view.ptr, out.dtype, view.n, view.s)
    source = y.at(_broadcast_check(w, y, view.n))
    _copy_into(w, x, out)
    target = part.at([f"i{a}" for a in range(len(view.n))])
    value = f"({out.ctype})({target} + {source})" if op.params["add"] and out.dtype != "bool" else source
    w.emit(loops(view.n, f"{target} = {value};"))


def _put_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    from eqsat.gradient import sum_to

    x, y, *scalars = inputs
    pattern = op.params["pattern"]
    dx = dy if op.params["add"] else put_op(dy, np.zeros((1,) * y.ndim, x.type.dtype), *scalars, pattern=pattern, add=0)
    return [dx, sum_to(part_op(dy, *scalars, pattern=pattern), y)] + [None] * len(scalars)


@structural(
    "block",
    name="set_part",
    parameters={"pattern": PATTERN, "add": PATTERN},
    variadic=True,
    infer=_put_type,
    grad=_put_grad,
    dims=lambda w, op, ins: list(ins[0].n),
    c=_put_c,
    in_place=0,
    cost=lambda op, ins, out: Cost(flops=float(np.prod(ins[1]))),
)
def put_op(x: Any, y: Any, *scalars: Any, pattern: tuple[Any, ...], add: int) -> Any:
    """Copy of x in which a part is replaced by y, or has y added to it."""
    result = np.array(x)
    index = _index(pattern, scalars)
    try:
        part = result[index]
        if part.ndim != y.ndim or any(h not in (1, w) for h, w in zip(y.shape, part.shape, strict=True)):
            raise ShapeError(f"a value of shape {y.shape} does not fit the part of shape {part.shape}")
        if add:
            result[index] += y
        else:
            result[index] = y
    except IndexError as error:
        raise BoundsError(str(error)) from None
    return result


# -------------------------------------------------------------------------------------- integer array indexing

MIXED = "an index that slices and picks"

# A gather pattern holds, per axis of x, the number of the index array that picks from it, or -1 for a whole axis.


def _gather_layout(pattern: Sequence[int], index_ndim: int) -> tuple[int, list[int]]:
    """Place of the picked axes in the result, and the whole axes of x in order; NumPy's rule."""
    picked = [a for a, p in enumerate(pattern) if p >= 0]
    whole = [a for a, p in enumerate(pattern) if p < 0]
    together = picked[-1] - picked[0] == len(picked) - 1
    return (picked[0] if together else 0), whole


def _index_shape(indices: Sequence[Any]) -> list[int | None]:
    shape: list[int | None] = []
    for axis, lengths in enumerate(zip(*(i.type.shape for i in indices), strict=True)):
        known = {n for n in lengths if n is not None and n != 1}
        if len(known) > 1:
            raise ShapeError(
                f"index arrays: axis {axis} has the lengths {' and '.join(map(str, sorted(known)))}",
                operands=[(str(i), i) for i in indices],
            )
        shape.append(known.pop() if known else 1 if all(n == 1 for n in lengths) else None)
    return shape


def _gather_type(op: Any, x: Any, *indices: Any) -> TensorType:
    pattern = op.params["pattern"]
    place, whole = _gather_layout(pattern, indices[0].ndim)
    shape = [x.type.shape[a] for a in whole]
    return TensorType(x.type.dtype, shape=shape[:place] + _index_shape(indices) + shape[place:])


def _c_gather(w: CWriter, pattern: Sequence[int], x: COperand, indices: Sequence[COperand]) -> tuple[list[str], str, list[str]]:
    """Lengths of the result, C statements that find the place in x, and the index of x, all in terms of i0, i1 ..."""
    count = len(indices[0].n)
    place, whole = _gather_layout(pattern, count)
    lengths = []
    for axis in range(count):
        full = [i.n[axis] for i in indices if i.n[axis] != "1"]
        for other in full[1:]:
            text = f"index arrays: axis {axis} has the lengths {{0}} and {{1}}"
            w.emit(f"if ({full[0]} != {other}) {w.fail('ShapeError', text, full[0], other)}")
        lengths.append(full[0] if full else "1")
    kept = [x.n[a] for a in whole]
    result = kept[:place] + lengths + kept[place:]
    counters = [f"i{place + k}" for k in range(count)]
    where, find = [""] * len(pattern), ""
    for axis, number in enumerate(pattern):
        if number < 0:
            k = whole.index(axis)
            where[axis] = f"i{k if k < place else k + count}"
            continue
        source = indices[number]
        value = source.at(["0" if n == "1" else c for n, c in zip(source.n, counters, strict=True)])
        stop = w.fail("BoundsError", f"index {{0}} is outside axis {axis}, which has length {{1}}", f"g{axis}", x.n[axis])
        find += (
            f"int64_t g{axis} = {value}; if (g{axis} < -({x.n[axis]}) || g{axis} >= {x.n[axis]}) {stop} "
            f"if (g{axis} < 0) g{axis} += {x.n[axis]}; "
        )
        where[axis] = f"g{axis}"
    return result, find, where


def _nest(lengths: Sequence[str], split: int, find: str, body: str) -> str:
    inner = "".join(f"for (int64_t i{k} = 0; i{k} < {lengths[k]}; i{k}++) " for k in range(split, len(lengths)))
    return loops(lengths[:split], f"{find}{inner}{{ {body} }}")


def _gather_dims(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    return _c_gather(w, op.params["pattern"], ins[0], ins[1:])[0]


def _gather_split(pattern: Sequence[int], indices: Sequence[COperand]) -> int:
    count = len(indices[0].n)
    return _gather_layout(pattern, count)[0] + count


def _gather_c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, *indices = ins
    lengths, find, where = _c_gather(w, op.params["pattern"], x, indices)
    target = out.at([f"i{k}" for k in range(len(lengths))])
    w.emit(_nest(lengths, _gather_split(op.params["pattern"], indices), find, f"{target} = {x.at(where)};"))


def _numpy_index(pattern: Sequence[int], indices: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(slice(None) if p < 0 else indices[p] for p in pattern)


def _gather_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    from eqsat.graph.ops.create import zeros_like

    x, *indices = inputs
    return [scatter_op(zeros_like(x), dy, *indices, pattern=op.params["pattern"], add=1)] + [None] * len(indices)


@structural(
    "block",
    name="gather",
    parameters={"pattern": PATTERN},
    variadic=True,
    infer=_gather_type,
    grad=_gather_grad,
    dims=_gather_dims,
    c=_gather_c,
    cost=lambda op, ins, out: Cost(flops=float(np.prod(out)), bytes=16 * float(np.prod(out))),
)
def gather_op(x: Any, *indices: Any, pattern: tuple[int, ...]) -> Any:
    """Elements of x picked by integer arrays, as NumPy's advanced indexing."""
    try:
        return x[_numpy_index(pattern, indices)]
    except IndexError as error:
        raise BoundsError(str(error)) from None


def _scatter_c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, y, *indices = ins
    lengths, find, where = _c_gather(w, op.params["pattern"], out, indices)
    source = y.at(_broadcast_check(w, y, lengths))
    _copy_into(w, x, out)
    target = out.at(where)
    value = f"({out.ctype})({target} + {source})" if op.params["add"] and out.dtype != "bool" else source
    w.emit(_nest(lengths, _gather_split(op.params["pattern"], indices), find, f"{target} = {value};"))


def _scatter_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    from eqsat.gradient import sum_to

    x, y, *indices = inputs
    pattern = op.params["pattern"]
    dx = dy
    if not op.params["add"]:
        dx = scatter_op(dy, np.zeros((1,) * y.ndim, x.type.dtype), *indices, pattern=pattern, add=0)
    return [dx, sum_to(gather_op(dy, *indices, pattern=pattern), y)] + [None] * len(indices)


@structural(
    "block",
    name="scatter",
    parameters={"pattern": PATTERN, "add": PATTERN},
    variadic=True,
    infer=_put_type,
    grad=_scatter_grad,
    dims=lambda w, op, ins: list(ins[0].n),
    c=_scatter_c,
    in_place=0,
    cost=lambda op, ins, out: Cost(flops=float(np.prod(ins[1]))),
)
def scatter_op(x: Any, y: Any, *indices: Any, pattern: tuple[int, ...], add: int) -> Any:
    """Copy of x in which picked elements are replaced by y, or have y added once per occurrence."""
    result = np.array(x)
    index = _numpy_index(pattern, indices)
    try:
        if add:
            np.add.at(result, index, y)
        else:
            result[index] = y
    except IndexError as error:
        raise BoundsError(str(error)) from None
    except ValueError as error:
        raise ShapeError(f"the value does not fit the part: {error}") from None
    return result


# --------------------------------------------------------------------------------------------- for the user


def getitem(x: Any, item: Any) -> Any:
    """``x[item]`` for integers, slices, None, Ellipsis and integer arrays, with NumPy's meaning."""
    entries = _normal_item(x, item if isinstance(item, tuple) else (item,))
    basic = [("slice", None, None, None) if _is_array(e) else e for e in entries if e is not None]
    pattern, scalars = _freeze(basic)
    result = x if all(e == ("slice", None, None, None) for e in pattern) else part_op(x, *scalars, pattern=pattern)
    arrays = [(k, e) for k, e in enumerate(_result_axes(entries)) if _is_array(e)]
    if arrays:
        result = _pick(result, entries, arrays)
    elif any(e is None for e in entries):
        kept = iter(range(result.ndim))
        result = dimshuffle(result, *("x" if e is None else next(kept) for e in _result_axes(entries)))
    return result


def _result_axes(entries: Sequence[Any]) -> list[Any]:
    return [e for e in entries if e is None or _is_array(e) or e[0] == "slice"]


def _pick(result: Any, entries: Sequence[Any], arrays: Sequence[tuple[int, Any]]) -> Any:
    if any(e is None for e in entries):
        raise ArgumentError("None beside integer arrays in one index is not supported", hint="x[idx][None]")
    ndim = max(e.ndim for _, e in arrays)
    indices = [pad_left(cast_to(e, "int64"), ndim) for _, e in arrays]
    pattern = [-1] * result.ndim
    for number, (axis, _) in enumerate(arrays):
        pattern[axis] = number
    picked = gather_op(result, *indices, pattern=tuple(pattern))
    if _indexed(result):
        picked.tag = MIXED
    return picked


def _is_array(entry: Any) -> bool:
    return isinstance(entry, Variable)


def _normal_item(x: Any, item: tuple[Any, ...]) -> list[Any]:
    """Entries per axis of x (None for new axes): ("int", i), ("slice", a, b, c) or an index array."""
    used = sum(1 for e in item if e is not None and e is not Ellipsis)
    if sum(e is Ellipsis for e in item) > 1:
        raise ArgumentError("an index has more than one Ellipsis", operands=[(str(x), x)])
    if used > x.ndim:
        raise BoundsError(
            f"{x} has {x.ndim} dimensions, the index names {used}", operands=[(str(x), x)], needs=f"at most {x.ndim}"
        )
    full = ("slice", None, None, None)
    entries: list[Any] = []
    for e in item:
        entries.extend([full] * (x.ndim - used) if e is Ellipsis else [_normal_entry(x, e)])
    entries += [full] * (x.ndim - sum(e is not None for e in entries))
    if any(_is_array(e) for e in entries):
        return [as_tensor(e[1]) if not _is_array(e) and e is not None and e[0] == "int" else e for e in entries]
    return entries


def _normal_entry(x: Any, e: Any) -> Any:
    if e is None:
        return None
    if isinstance(e, slice):
        return ("slice", *(_bound(x, part) for part in (e.start, e.stop, e.step)))
    if isinstance(e, (int, np.integer)) and not isinstance(e, (bool, np.bool_)):
        return ("int", int(e))
    if isinstance(e, (bool, np.bool_, str, float)):
        raise _bad_index(x, e)
    v = as_tensor(e)
    if v.type.dtype == "bool":
        raise DTypeError(
            "a bool mask is not an index yet", operands=[(str(x), x), ("mask", v)], hint="T.switch(mask, x, 0)"
        )
    if v.type.dtype in FLOATS:
        raise _bad_index(x, v)
    return ("int", cast_to(v, "int64")) if v.ndim == 0 else v


def _bad_index(x: Any, e: Any) -> DTypeError:
    return DTypeError(
        f"{e!r} is not an index of {x}",
        operands=[(str(x), x)],
        needs="an integer, a slice, None, Ellipsis or an integer array",
    )


def _bound(x: Any, part: Any) -> Any:
    if part is None:
        return None
    if isinstance(part, (int, np.integer)) and not isinstance(part, bool):
        return int(part)
    if isinstance(part, Constant) and part.type.ndim == 0 and part.type.dtype not in FLOATS:  # type: ignore[attr-defined]
        return int(part.data)
    v = as_tensor(part)
    if v.type.dtype in FLOATS or v.type.dtype == "bool":
        raise _bad_index(x, part)
    if v.ndim != 0:
        raise RankError(f"the bound {v} of a slice is not a scalar", operands=[(str(v), v)])
    return cast_to(v, "int64")


def _freeze(entries: Sequence[tuple[Any, ...]]) -> tuple[tuple[Any, ...], list[Any]]:
    scalars: list[Any] = []
    pattern = []
    for e in entries:
        parts = []
        for p in e[1:]:
            if isinstance(p, Constant):
                p = int(p.data)
            if isinstance(p, Variable):
                scalars.append(p)
                p = "?"
            parts.append(p)
        pattern.append((e[0], *parts))
    return tuple(pattern), scalars


def set_subtensor(part: Any, y: Any) -> Any:
    """Tensor x with the part ``x[...]`` replaced by y, which broadcasts; x itself is unchanged.

    >>> import eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> T.set_subtensor(x[1:], 0).eval({x: [1.0, 2.0, 3.0]})
    array([1., 0., 0.])
    """
    return _write("set_subtensor", part, y, 0)


def inc_subtensor(part: Any, y: Any) -> Any:
    """Tensor x with y added to the part ``x[...]``, once per occurrence of an index; x itself is unchanged."""
    return _write("inc_subtensor", part, y, 1)


def _write(name: str, part: Any, y: Any, add: int) -> Any:
    op = None if getattr(part, "owner", None) is None else part.owner.op
    kind = getattr(op, "name", None)
    if kind == "dimshuffle" and _indexed(part.owner.inputs[0]):
        inner = part.owner.inputs[0]
        kept = [p for p in op.params["pattern"] if p != "x"]  # type: ignore[union-attr]
        return _write(name, inner, _drop_new_axes(part, y, kept, inner), add)
    if kind not in ("subtensor", "gather"):
        raise ArgumentError(
            f"{name}: the first argument is not a part of a tensor",
            operands=[("part", part)],
            hint=f"T.{name}(x[1:], y)",
        )
    x, *rest = part.owner.inputs
    value = _fitted(name, x, part, y)
    write = put_op if kind == "subtensor" else scatter_op
    result = write(x, value, *rest, pattern=op.params["pattern"], add=add)  # type: ignore[union-attr]
    return _write("set_subtensor", x, result, 0) if getattr(part, "tag", None) == MIXED else result


def _indexed(v: Any) -> bool:
    return v.owner is not None and getattr(v.owner.op, "name", None) in ("subtensor", "gather")


def _drop_new_axes(part: Any, y: Any, kept: Sequence[int], inner: Any) -> Any:
    y = pad_left(as_tensor(y), part.ndim) if as_tensor(y).ndim <= part.ndim else as_tensor(y)
    pattern = part.owner.op.params["pattern"]
    order = [pattern.index(a) for a in range(inner.ndim)]
    return dimshuffle(y, *order)


def _fitted(name: str, x: Any, part: Any, y: Any) -> Any:
    value = as_tensor(y)
    if promote(value.type.dtype, x.type.dtype) != x.type.dtype:
        raise DTypeError(
            f"{name}: {value.type.dtype} does not fit into {x.type.dtype}",
            operands=[("x", x), ("y", value)],
            hint=f"y.astype({x.type.dtype!r})",
        )
    if value.ndim > part.ndim:
        raise RankError(
            f"{name}: the value has {value.ndim} dimensions, the part {part.ndim}",
            operands=[("part", part), ("y", value)],
        )
    value = pad_left(cast_to(value, x.type.dtype), part.ndim)
    for axis, (have, want) in enumerate(zip(value.type.shape, part.type.shape, strict=True)):
        if have is not None and want is not None and have not in (1, want):
            raise ShapeError(
                f"{name}: axis {axis} of the value has length {have}, the part has {want}",
                operands=[("part", part), ("y", value)],
            )
    return value


def part_lengths(x: Any) -> list[Any]:
    """Lengths of all axes, constants where the type knows them."""
    return [length(x, a) for a in range(x.ndim)]
