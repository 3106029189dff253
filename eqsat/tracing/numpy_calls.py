"""NumPy's functions, ufuncs and methods of traced values, answered by those of variables."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.base.pytrees import flatten, mapped
from eqsat.graph.core import Variable
from eqsat.graph.dtypes import INEXACT, NAME
from eqsat.graph.tools import clone_replace
from eqsat.tensor.numpy_protocol import NotOfVariables, array_function, array_ufunc
from eqsat.tracing.broadcast import together
from eqsat.tracing.layouts import noted
from eqsat.tracing.memory import Memory, View
from eqsat.tracing.ones import with_ones
from eqsat.tracing.operators import chosen, fitted, of_ufunc, promoted, refuse_cast, wrapped_around
from eqsat.tracing.traced import Traced, cast, converted, fresh, is_traced, is_whole, plain, refuse, wrapped

LENGTH = 12  # of ones, which many numbers of parts divide


def call_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """The answer of a ufunc, or of one of its methods, to traced operands."""
    given = {name: value for name, value in options.items() if name != "out"}
    return noted(_of_ufunc(ufunc, method, inputs, options), getattr(ufunc, method), inputs, given)


def _of_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    out = options.pop("out", None)
    out = out[0] if isinstance(out, tuple) else out
    where, dtype = options.pop("where", True), options.pop("dtype", None)
    casting = options.pop("casting", "same_kind")
    for name in ("order", "subok"):
        options.pop(name, None)
    if method == "at":
        return _add_at(ufunc, *inputs)
    compares = f"{'d' * ufunc.nin}->?" in ufunc.types
    if method == "__call__":
        values = of_ufunc(ufunc)(inputs)[0]
        if dtype is not None and not compares:
            values = [cast(T.as_tensor_variable(v), np.dtype(dtype)) for v in values]
    else:
        values = [_stacked(v) if isinstance(v, (list, tuple)) else mapped(plain, v) for v in inputs]
        options = _beginning(getattr(ufunc, method), inputs, {**options, "dtype": dtype})
    first = next((v for v in values if isinstance(v, Variable)), None)
    made = _told(array_ufunc, first, ufunc, method, *values, **options)
    if dtype is not None and method == "__call__":
        made = cast(made, np.dtype(dtype))
    elif method == "__call__" and isinstance(made, Variable):
        made = _in_its_dtype(ufunc, values, made)
    if type(out) is Traced and method == "__call__":
        refuse_cast(f"np.{ufunc.__name__}(..., out=)", made, out, casting)
    if where is not True:
        if out is None:
            refuse(
                inputs[0], f"np.{ufunc.__name__} with where= and without out=", "np.where(condition, y, x)"
            )
        made = T.switch(plain(where), made, plain(out))
    return into(out, made)


def _in_its_dtype(ufunc: Any, values: Sequence[Any], made: Any) -> Any:
    """The result in the dtype in which NumPy computes it, as ``np.rint`` of whole numbers, where eqsat has that one."""
    operands = [T.as_tensor_variable(v) for v in values]
    *given, result = ufunc.resolve_dtypes((*(np.dtype(v.type.dtype) for v in operands), None))
    if result.name == made.type.dtype or any(d not in NAME for d in (*given, result)):
        return made
    operands = [cast(v, d) for v, d in zip(operands, given, strict=True)]
    computed = _told(array_ufunc, operands[0], ufunc, "__call__", *operands)
    if result.kind in "iu" and computed.type.dtype in INEXACT:  # a quotient of whole numbers by 0 is 0
        computed = T.switch(T.isinf(computed), T.zeros_like(computed), computed)
    return cast(computed, result)


def _told(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """The result of a call; a function of NumPy that eqsat does not have is refused with the user's line."""
    try:
        return call(*arguments, **options)
    except NotOfVariables as error:
        refuse(
            None,
            str(error).splitlines()[0],
            "other functions of NumPy, or the call outside of what is traced",
        )


def into(out: Any, made: Any) -> Any:
    """The result, written into an array where one is given for it."""
    if out is None:
        return wrapped(made)
    if type(out) is not Traced:
        refuse(
            None,
            "traced values are written, by out= or in place, into an array that was made outside the traced function, or by a computation",
            "np.zeros, np.empty or x.copy() inside the function",
        )
    out[...] = fresh(made)
    return out


def _add_at(ufunc: Any, x: Any, at: Any, value: Any = None) -> None:
    sign = {np.add: 1, np.subtract: -1}.get(ufunc)
    if sign is None or type(x) is not Traced:
        refuse(
            x,
            f"np.{ufunc.__name__}.at of a traced array",
            "np.add.at, into an array that is made inside the function",
        )
    x._writable(f"np.{ufunc.__name__}.at")
    whole = x.variable
    new = converted(value, x.dtype)
    x.place.write(T.inc_subtensor(whole[mapped(plain, at)], new if sign > 0 else -new))


def call_function(function: Any, arguments: Sequence[Any], options: dict[str, Any]) -> Any:
    """The answer of a function of NumPy to traced arguments."""
    traced = [v for _, v in flatten((list(arguments), options))[0] if type(v) is Traced]
    own = _OWN.get(function)
    made = own(*arguments, **options) if own is not None else _of_tensor(function, arguments, options)
    if type(made) is list:
        made = _gathered(made, function, arguments, options)
    made = mapped(lambda v: seen(v, traced) if isinstance(v, Variable) else v, made)
    return noted(made, function, arguments, options)


def _gathered(made: list[Any], function: Any, arguments: Sequence[Any], options: dict[str, Any]) -> Any:
    """Several results, in a tuple where NumPy gives one for arrays of ones of the types of the arguments."""

    def ones(value: Any) -> Any:
        if type(value) is not Traced:
            return value
        shape = [LENGTH if n is None else n for n in value.variable.type.shape]
        return value.dtype.type(1).item() if value.number else np.ones(shape, value.dtype)

    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = function(*mapped(ones, list(arguments)), **mapped(ones, dict(options)))
    except Exception:  # NumPy's, of whatever kind, for ones that do not fit
        return made
    return tuple(made) if isinstance(found, tuple) else made


def _of_tensor(function: Any, arguments: Sequence[Any], options: dict[str, Any]) -> Any:
    """The answer of the function of ``eqsat.tensor`` that has the name of one of NumPy."""
    options = _beginning(function, arguments, options)
    out = options.pop("out", None)
    traced = next(v for _, v in flatten((list(arguments), options))[0] if type(v) is Traced)
    given = mapped(plain, list(arguments))
    named = mapped(plain, options)
    if function in _IN_DTYPE and named.get("dtype") is not None:  # which NumPy computes in
        given[0] = cast(T.as_tensor_variable(given[0]), np.dtype(named.pop("dtype")))
    made = _told(array_function, traced.variable, function, (), given, named)
    return made if out is None else into(out, made)


def _beginning(function: Any, arguments: Sequence[Any], options: dict[str, Any]) -> dict[str, Any]:
    """The options of a reduction, with the number that it begins with in the dtype of the result, which has to hold it."""
    made = {k: v for k, v in options.items() if k != "dtype" or v is not None}
    first = made.get("initial")
    if is_traced(arguments[0]) and (first.number if type(first) is Traced else np.isscalar(first)):
        asked = {k: made[k] for k in ("dtype",) if k in made}
        dtype = function(np.ones(1, arguments[0].dtype), **asked).dtype
        made["initial"] = fitted(first, dtype)
    return made


def seen(variable: Any, operands: Sequence[Traced]) -> Traced:
    """A result of NumPy; where its elements are some of an operand, NumPy is asked whether it is a view of that one."""
    if not variable.type.ndim:
        return fresh(variable)
    variable = with_ones(variable)
    steps: list[Any] = []  # the variables from the result down to below the operand
    bottom = variable
    while True:
        for x in operands:
            if x.variable is bottom and not x.loose:
                return _view(x, steps)
        if not _is_view(bottom):
            return fresh(variable)
        steps.append(bottom)
        bottom = bottom.owner.inputs[0]


def _view(x: Traced, steps: Sequence[Any]) -> Traced:
    """A result that is made of an operand by ops that move elements."""
    place: Memory | View = x.place
    for part in reversed(steps[1:]):
        place = View(place, _again(part), _back(part), part)
    if not steps:
        return Traced(View(place, lambda whole: whole, lambda _, y: y, x.variable, perhaps=place))
    last = steps[0]
    return Traced(View(place, _again(last), _back(last), last, perhaps=x.place))


def _again(part: Any) -> Callable[[Any], Any]:
    whole = part.owner.inputs[0]
    return lambda new: clone_replace(part, {whole: new})


def _back(part: Any) -> Callable[[Any, Any], Any] | None:
    """The whole in which a part is replaced; None for an op that does not say it."""
    op, operands = part.owner.op, part.owner.inputs
    put = op.declaration.put
    return None if put is None else lambda whole, new: put(op, [whole, *operands[1:]], new)


def _is_view(variable: Any) -> bool:
    declaration = getattr(getattr(variable.owner, "op", None), "declaration", None)
    return getattr(declaration, "kind", "") == "view"


def method(x: Traced, name: str) -> Any:
    """An array's method that is a function of NumPy too; None for a name that is none."""
    function = getattr(np, name, None)
    if name.startswith("_") or not callable(getattr(np.ndarray, name, None)) or function is None:
        return None
    if name == "compress":
        return lambda condition, *arguments, **options: function(condition, x, *arguments, **options)
    return lambda *arguments, **options: function(x, *arguments, **options)


# ---------------------------------------------------------------------------------- functions that are not T's as such


def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return wrapped(T.nonzero(plain(condition)))
    (a, b), _ = promoted([mapped(plain, x) if isinstance(x, list) else x, y], chosen())
    return fresh(T.switch(*together([plain(condition), a, b])))


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    choices, _ = promoted([*choicelist, default], wrapped_around)
    return fresh(T.select([plain(c) for c in condlist], choices[:-1], choices[-1]))


def _choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    if isinstance(choices, (list, tuple)):
        choices = [plain(c) if type(c) is Traced else T.constant(np.asarray(c)) for c in choices]
    return into(out, T.choose(plain(a), plain(choices), mode))


def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Equal parts; ``np.array_split`` gives others too."""
    if is_whole(indices_or_sections):
        x, count = ary.variable, plain(indices_or_sections)
        rest = T.eq(T.shape(x)[axis] % count, 0)
        checked = T.Assert("array split does not result in an equal division")(x, rest)
        return T.array_split(checked, count, axis)
    return T.array_split(ary.variable, mapped(plain, indices_or_sections), axis)


def _putmask(a: Any, mask: Any, values: Any) -> None:
    """Elements where a mask holds become those of ``values`` at the same places in memory order, repeated as often as needed."""
    _put_where(a, mask, values, fresh(T.arange(plain(a.size))))


def _place(arr: Any, mask: Any, vals: Any) -> None:
    """Elements where a mask holds become the next one of ``vals`` each, repeated as often as needed."""
    _put_where(arr, mask, vals, np.cumsum(np.ravel(mask)) - 1)


def _put_where(a: Any, mask: Any, values: Any, places: Any) -> None:
    if isinstance(values, (list, tuple)):
        values = fresh(_stacked(values))
    if np.ndim(values):
        given = np.ravel(values)
        values = np.reshape(given[places % given.size], a.shape)
    a[...] = np.where(np.reshape(mask, a.shape), values, a)


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **more: Any) -> Any:
    low, high = more.get("min", a_min), more.get("max", a_max)
    low, high = _reached(low, a, least=True), _reached(high, a, least=False)
    made: Any = a
    if low is not None:
        made = np.maximum(made, low)
    if high is not None:
        made = np.minimum(made, high)
    made = np.copy(a) if made is a else made
    if type(out) is Traced:
        refuse_cast("np.clip(..., out=)", made, out)
    return into(out, made.variable) if out is not None else made


def _reached(bound: Any, a: Any, least: bool) -> Any:
    """A bound that elements of whole numbers can reach: for a Python number beyond their dtype the end of it, or None."""
    dtype = getattr(a, "dtype", None)
    if dtype is None or dtype.kind not in "iu" or not is_whole(bound):
        return bound
    end = np.iinfo(dtype).min if least else np.iinfo(dtype).max
    if not is_traced(bound):
        return None if (bound <= end if least else bound >= end) else bound
    if np.can_cast(bound.dtype, dtype) or abs(end) > np.iinfo("int64").max:
        return bound
    return fresh((T.maximum if least else T.minimum)(bound.variable, end), number=True)


def _copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    return a.copy(order)


def _array(value: Any, dtype: Any = None, *, copy: bool | None = True, ndmin: int = 0, **_: Any) -> Any:
    """``np.array`` of a traced array, of numbers, or of nested lists of them."""
    if type(value) is Traced:
        made = value.variable
    else:
        made = _stacked(value)
    made = made if dtype is None else cast(made, np.dtype(dtype))
    if ndmin > made.type.ndim:
        made = T.shape_padleft(made, ndmin - made.type.ndim)
    return Traced(Memory(made)) if copy or not made.type.ndim else made


def _stacked(value: Any) -> Any:
    """A nested list of numbers and traced values as one tensor, of the dtype that NumPy gives it."""
    if not isinstance(value, (list, tuple)):
        return plain(value) if isinstance(value, Traced) else T.constant(np.asarray(value))
    parts = [_stacked(v) for v in value]
    dtype = np.result_type(*(v.type.dtype for v in parts))
    return T.stack([cast(v, dtype) for v in parts])


def _asarray(value: Any, dtype: Any = None, *_: Any, **__: Any) -> Any:
    if type(value) is not Traced:
        return _array(value, dtype)
    if value.loose:
        return _array(value, dtype)
    return value if dtype is None or value.dtype == np.dtype(dtype) else value.astype(dtype)


def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    refuse_cast("np.copyto", src, dst, casting)
    dst[...] = src if where is True else np.where(where, src, dst)


def _put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    a.flat[ind] = v


def _fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    a[...] = fresh(T.fill_diagonal(plain(a), converted(val, a.dtype)))


def _full_like(a: Any, fill_value: Any, dtype: Any = None, *_: Any, **__: Any) -> Any:
    kind = a.dtype if dtype is None else np.dtype(dtype)
    return Traced(Memory(T.full_like(plain(a), converted(fill_value, kind), dtype=kind.name)))


def _like(number: int) -> Any:
    return lambda a, dtype=None, *_, **__: _full_like(a, number, dtype)


def _dtypes(*values: Any) -> Any:
    weak = [v for v in values if type(v) is Traced and v.number]
    return np.result_type(
        *(v.dtype if type(v) is Traced else v for v in values if not any(v is w for w in weak)), *weak
    )


_IN_DTYPE = {np.cumsum, np.cumprod, np.var, np.std, np.trace}
_OWN: dict[Any, Any] = {
    np.where: _where,
    np.select: _select,
    np.choose: _choose,
    np.split: _split,
    np.putmask: _putmask,
    np.place: _place,
    np.clip: _clip,
    np.copy: _copy,
    np.array: _array,
    np.asarray: _asarray,
    np.asanyarray: _asarray,
    np.ascontiguousarray: lambda a, dtype=None, **_: _array(a, dtype, copy=None, ndmin=1),
    np.copyto: _copyto,
    np.put: _put,
    np.fill_diagonal: _fill_diagonal,
    np.full_like: _full_like,
    np.zeros_like: _like(0),
    np.ones_like: _like(1),
    np.empty_like: _like(0),
    np.result_type: _dtypes,
    np.angle: lambda z, deg=False: T.rad2deg(T.angle(z.variable)) if deg else T.angle(z.variable),
    np.isscalar: lambda element: element.number or element.loose,
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
    np.reshape: lambda a, shape, order="C", **_: a.reshape(shape, order=order),
    np.ravel: lambda a, order="C": a.ravel(order),
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
    np.transpose: lambda a, axes=None: a.transpose(*([axes] if axes is not None else [])),
    np.swapaxes: lambda a, axis1, axis2: a.swapaxes(axis1, axis2),
    np.iscomplexobj: lambda x: x.dtype.kind == "c",
    np.isrealobj: lambda x: x.dtype.kind != "c",
}
for _name, _own in (
    ("matrix_transpose", lambda x: x.mT),
    ("astype", lambda x, dtype, *, copy=True, **_: x.astype(dtype, copy=copy)),
):
    if hasattr(np, _name):  # since NumPy 2
        _OWN[getattr(np, _name)] = _own
