"""``x[...]`` as users write it: what an index means, and writing to the part that it gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, BoundsError, DTypeError, RankError, ShapeError
from eqsat.graph.constant import as_tensor, cast_to, holds_variable, pad_left
from eqsat.graph.core import Constant, Variable
from eqsat.graph.dtypes import COMPLEX, INEXACT
from eqsat.graph.ops.diagonal import set_diagonal_op
from eqsat.graph.ops.gather import gather_layout, gather_op, write_picked
from eqsat.graph.ops.index import part_op, put_op
from eqsat.graph.ops.mask import mask_indices
from eqsat.graph.ops.reshape import reshape_like
from eqsat.graph.ops.shape import dimshuffle
from eqsat.graph.ops.specify import specify
from eqsat.graph.parts import FULL, within_reach

KINDS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}  # of dtypes: each holds what those before it are about
PARTS = ("subtensor", "gather", "dimshuffle", "diagonal")


@dataclass(frozen=True)
class Steps:
    """Kept as the ``tag`` of ``x[...]``: how many ops lie between x and the part."""

    count: int


def getitem(x: Any, item: Any) -> Any:
    """``x[item]`` for integers, slices, None, Ellipsis, integer arrays and bool masks, with NumPy's meaning.

    A list that holds a slice is taken as the tuple, as NumPy did.
    """
    item = _without_masks(x, _as_tuple(item))
    entries = _normal_item(x, item)
    arrays = any(_is_array(e) for e in entries)
    new_axes = any(e is None for e in entries)
    pattern, scalars = _freeze([FULL if _is_array(e) else e for e in entries if e is not None])
    result, steps = x, 0
    if any(e != FULL for e in pattern) or not (arrays or new_axes):
        result, steps = part_op(x, *scalars, pattern=pattern), 1
    kept = [e for e in entries if e is None or _is_array(e) or e[0] == "slice"]
    if new_axes:
        axis = iter(range(result.ndim))
        result, steps = dimshuffle(result, *("x" if e is None else next(axis) for e in kept)), steps + 1
    if arrays:
        result, steps = _pick(result, kept), steps + 1
        first, _ = gather_layout([0 if _is_array(e) else -1 for e in kept])
        if first > 0 and _parted_by_nothing(x, item):
            picked = range(first, first + _index_ndim(kept))
            order = [*picked, *(a for a in range(result.ndim) if a not in picked)]
            result, steps = dimshuffle(result, *order), steps + 1
    result.tag.steps = Steps(steps)
    return result


def _as_tuple(item: Any) -> tuple[Any, ...]:
    """The index as one entry per axis."""
    listed = isinstance(item, list) and any(isinstance(e, slice) for e in item)
    return tuple(item) if listed or isinstance(item, tuple) else (item,)


def _without_masks(x: Any, item: tuple[Any, ...]) -> tuple[Any, ...]:
    """The index with every bool mask replaced by the index vectors that it stands for, one per axis of it."""
    entries = [_as_mask(e) for e in item]
    if not any(_is_mask(e) for e in entries):
        return tuple(entries)
    taken = [e.ndim if _is_mask(e) else int(e is not None and e is not Ellipsis) for e in entries]
    _check_used(x, sum(taken))
    axis, result = 0, []
    for e, count in zip(entries, taken, strict=True):
        result += mask_indices(x, e, axis) if _is_mask(e) else [e]
        axis += x.ndim - sum(taken) if e is Ellipsis else count
    return tuple(result)


def _as_mask(e: Any) -> Any:
    """A bool array or list of rank 1 or more, and a list that holds variables, as a tensor; anything else as it is."""
    if isinstance(e, Variable):
        return e
    if isinstance(e, (list, tuple)) and holds_variable(e):
        return as_tensor(e)
    if isinstance(e, (list, tuple)) and _first(e) in (bool, np.bool_):
        return as_tensor(e)
    return as_tensor(e) if isinstance(e, np.ndarray) and e.dtype == bool and e.ndim else e


def _first(values: Any) -> type:
    """Type of the first number in nested lists."""
    while isinstance(values, (list, tuple)) and values:
        values = values[0]
    return type(values)


def _is_mask(e: Any) -> bool:
    return isinstance(e, Variable) and getattr(e.type, "dtype", "") == "bool" and e.type.ndim > 0  # type: ignore[attr-defined]


def _check_used(x: Any, used: int) -> None:
    if used > x.ndim:
        raise BoundsError(
            f"{x} has {x.ndim} dimensions, the index names {used}",
            operands=[(str(x), x)],
            needs=f"at most {x.ndim}",
        )


def _pick(result: Any, kept: Sequence[Any]) -> Any:
    """Elements that index arrays pick; ``kept`` has one entry per axis of the result."""
    ndim = _index_ndim(kept)
    indices: list[Any] = []
    pattern = []
    for e in kept:
        pattern.append(len(indices) if _is_array(e) else -1)
        if _is_array(e):
            indices.append(pad_left(cast_to(e, "int64"), ndim))
    return gather_op(result, *indices, pattern=tuple(pattern))


def _index_ndim(kept: Sequence[Any]) -> int:
    return max(int(e.ndim) for e in kept if _is_array(e))


def _parted_by_nothing(x: Any, item: tuple[Any, ...]) -> bool:
    """True where an Ellipsis that stands for no axis lies between picks, which for NumPy parts them."""
    dots = [k for k, e in enumerate(item) if e is Ellipsis]
    if not dots or sum(e is not None for e in item) - 1 < x.ndim:
        return False
    picks = [k for k, e in enumerate(item) if not (e is None or e is Ellipsis or isinstance(e, slice))]
    return picks[0] < dots[0] < picks[-1]


def _is_array(entry: Any) -> bool:
    return isinstance(entry, Variable)


def _normal_item(x: Any, item: tuple[Any, ...]) -> list[Any]:
    """Entries per axis of x (None for new axes): ("int", i), ("slice", a, b, c) or an index array."""
    used = sum(1 for e in item if e is not None and e is not Ellipsis)
    if sum(e is Ellipsis for e in item) > 1:
        raise ArgumentError("an index has more than one Ellipsis", operands=[(str(x), x)])
    _check_used(x, used)
    entries: list[Any] = []
    for e in item:
        entries.extend([FULL] * (x.ndim - used) if e is Ellipsis else [_normal_entry(x, e)])
    entries += [FULL] * (x.ndim - sum(e is not None for e in entries))
    if any(_is_array(e) for e in entries):
        return [as_tensor(e[1]) if isinstance(e, tuple) and e[0] == "int" else e for e in entries]
    return entries


def _normal_entry(x: Any, e: Any) -> Any:
    if e is None:
        return None
    if isinstance(e, slice):
        return ("slice", *(_bound(x, part) for part in (e.start, e.stop, e.step)))
    if isinstance(e, (int, np.integer)) and not isinstance(e, (bool, np.bool_)):
        return ("int", int(e))
    if not isinstance(e, (Variable, np.ndarray, list, tuple)):
        raise _bad_index(x, e)
    v = as_tensor(np.zeros(np.shape(e), "int64") if isinstance(e, (list, tuple)) and np.size(e) == 0 else e)
    if v.type.dtype == "bool" or v.type.dtype in INEXACT:
        raise _bad_index(x, e)
    return ("int", cast_to(v, "int64")) if v.ndim == 0 else v


def _bad_index(x: Any, e: Any) -> DTypeError:
    return DTypeError(
        f"{e!r} is not an index of {x}",
        operands=[(str(x), x)],
        needs="an integer, a slice, None, Ellipsis, an integer array or a bool mask of rank 1 or more",
    )


def _bound(x: Any, part: Any) -> Any:
    """A bound of a slice: an int, None or a 0-d int64 variable."""
    if part is None:
        return None
    if isinstance(part, (int, np.integer)) and not isinstance(part, bool):
        return int(part)
    if not isinstance(part, (Variable, np.ndarray)):
        raise _bad_index(x, part)
    v = as_tensor(part)
    if v.type.dtype in INEXACT or v.type.dtype == "bool":
        raise _bad_index(x, part)
    if v.ndim != 0:
        raise RankError(f"the bound {v} of a slice is not a scalar", operands=[(str(v), v)])
    return cast_to(v, "int64")


def _freeze(entries: Sequence[tuple[Any, ...]]) -> tuple[tuple[Any, ...], list[Any]]:
    """The pattern of a part, and the scalars that stand for its ``"?"``."""
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
        pattern.append(within_reach((e[0], *parts)))
    return tuple(pattern), scalars


# -------------------------------------------------------------------------------------------------- writing


def set_subtensor(part: Any, y: Any, inplace: bool = False, tolerate_inplace_aliasing: bool = False) -> Any:
    """Tensor x with the part ``x[...]`` replaced by y, which broadcasts; x itself is unchanged.

    Where an index occurs again the last value stays. The part may be any index, ``x.take(...)`` or a
    diagonal. Compiled functions write in place wherever nobody can see it, so ``inplace`` and
    ``tolerate_inplace_aliasing`` change nothing.

    Errors   ArgumentError where the first argument is no part of a tensor; ShapeError, RankError, DTypeError
             where y does not fit it

    >>> import eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> T.set_subtensor(x[1:], 0).eval({x: [1.0, 2.0, 3.0]})
    array([1., 0., 0.])
    """
    return _write("set_subtensor", part, y, 0)


def inc_subtensor(
    part: Any,
    y: Any,
    inplace: bool = False,
    set_instead_of_inc: bool = False,
    tolerate_inplace_aliasing: bool = False,
    ignore_duplicates: bool = False,
) -> Any:
    """Tensor x with y added to the part ``x[...]``, once per occurrence of an index; x itself is unchanged.

    The keywords are those of set_subtensor; ``set_instead_of_inc`` sets. Every occurrence counts, so
    ``ignore_duplicates``, which allows otherwise, changes nothing.

    Shapes   part of x: any[...], y: broadcasts to the part -> [...], the shape of x

    >>> import eqsat.tensor as T
    >>> T.inc_subtensor(T.zeros((3,))[[0, 2, 2]], 1.0).eval()
    array([1., 0., 2.])
    """
    if set_instead_of_inc:
        return set_subtensor(part, y)
    return _write("inc_subtensor", part, y, 1)


def _write(name: str, part: Any, y: Any, add: int) -> Any:
    steps = _steps(part)
    if steps == 0:
        raise ArgumentError(
            f"{name}: the first argument is not a part of a tensor",
            operands=[("part", part)],
            hint=f"T.{name}(x[1:], y)",
        )
    return _written(part, _fitted(name, part, y), steps, add)


def _steps(part: Any) -> int:
    """Ops between a part and the tensor of which it is a part; 0 where it is not one."""
    count = 0
    while not hasattr(getattr(part, "tag", None), "steps"):
        op: Any = None if getattr(part, "owner", None) is None else part.owner.op
        if getattr(op, "name", None) not in PARTS:
            return 0
        count += 1
        if op.name != "dimshuffle":
            return count
        part = part.owner.inputs[0]
    return count + int(part.tag.steps.count)


def _written(part: Any, value: Any, steps: int, add: int) -> Any:
    """The tensor ``steps`` ops above a part, with a value of the part's rank written to the part."""
    op, (x, *rest) = part.owner.op, part.owner.inputs
    if op.name == "dimshuffle":
        pattern = op.params["pattern"]
        value = dimshuffle(value, *(pattern.index(a) if a in pattern else "x" for a in range(x.ndim)))
        if steps == 1:
            return put_op(x, value, pattern=(FULL,) * x.ndim, add=add)
        return _written(x, value, steps - 1, add)
    pattern = op.params.get("pattern")
    if op.name == "reshape":
        result = reshape_like(value, x)
    elif op.name == "gather":
        result = write_picked(x, value, rest, pattern, add)
    else:
        write = put_op if op.name == "subtensor" else set_diagonal_op
        result = write(x, value, *rest, pattern=pattern, add=add)
    return result if steps == 1 else _written(x, result, steps - 1, 0)


def _is_held(value: Any, dtype: str) -> bool:
    """True where a tensor of the dtype takes the value; numbers that are known may be rounded, but change no more."""
    kind = value.type.dtype
    if isinstance(value, Constant) and kind not in COMPLEX:
        with np.errstate(invalid="ignore", over="ignore"):
            new = value.data.astype(dtype)
        if dtype in INEXACT:
            return np.array_equal(np.isfinite(new), np.isfinite(value.data))
        return np.array_equal(new, value.data)
    return KINDS[np.dtype(kind).kind] <= KINDS[np.dtype(dtype).kind]


def _fitted(name: str, part: Any, y: Any) -> Any:
    """The value in the part's dtype and rank; raises where it cannot fit.

    Floats are rounded and integers cut to the width of the part, as by NumPy's assignments, but what is not whole is
    not made so, and numbers that are known must fit.
    """
    value, dtype = as_tensor(y), part.type.dtype
    if not _is_held(value, dtype):
        raise DTypeError(
            f"{name}: {value.type.dtype} does not fit into {dtype}",
            operands=[("part", part), ("y", value)],
            hint=f"y.astype({dtype!r})",
        )
    more = value.ndim - part.ndim
    if 0 < more < value.ndim and all(n == 1 for n in value.type.shape[:more]):  # which NumPy leaves out
        value = dimshuffle(value, *range(more, value.ndim))
    if value.ndim > part.ndim:
        raise RankError(
            f"{name}: the value has {value.ndim} dimensions, the part {part.ndim}",
            operands=[("part", part), ("y", value)],
        )
    value = pad_left(cast_to(value, dtype), part.ndim)
    for axis, (have, want) in enumerate(zip(value.type.shape, part.type.shape, strict=True)):
        if have is not None and want is not None and have not in (1, want):
            raise ShapeError(
                f"{name}: axis {axis} of the value has length {have}, the part has {want}",
                operands=[("part", part), ("y", value)],
            )
    return specify(value, [1 if n == 1 else None for n in part.type.shape])
