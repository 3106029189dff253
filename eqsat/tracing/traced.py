"""The arrays and numbers that a function sees while it is traced: NumPy's operators, methods and attributes over variables."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

import eqsat.tensor as T
from eqsat.base.caller import line_text
from eqsat.base.names import missing_attribute
from eqsat.base.pytrees import mapped
from eqsat.errors import TracingError
from eqsat.graph.core import Constant, Variable
from eqsat.tracing.bounds import decided, simplest
from eqsat.tracing.broadcast import like
from eqsat.tracing.items import basic, has
from eqsat.tracing.layouts import Made, noted
from eqsat.tracing.memory import Memory, View
from eqsat.tracing.ones import is_elementwise, with_ones
from eqsat.tracing.open_traces import KEPT, LEFT, is_tracing

NUMBERS: tuple[type, ...] = (bool, int, float, complex)  # Python's, by the kinds of NumPy: b, i, f, c
OF_KIND = {**dict(zip("bifc", NUMBERS, strict=True)), "u": int}


class Traced:
    """An array, or with ``number`` a Python number, that a function under ``eqsat.jit`` computes with.

    >>> import eqsat
    >>> def f(x):
    ...     print(repr(x), x.dtype, x.ndim)
    ...     return x + 1
    >>> eqsat.jit(f)([1.0][0])
    x: float float64 0
    2.0
    """

    __slots__ = ("place", "number", "loose")
    __array_priority__ = 2000

    def __init__(self, place: Memory | View, number: bool = False, loose: bool = False) -> None:
        self.place = place
        self.number = number  # a Python number, which takes the dtype of arrays beside it
        self.loose = loose  # a single element that no array holds: it cannot be written

    # ------------------------------------------------------------------------------------------------ what it is

    @property
    def variable(self) -> Any:
        """The variable of eqsat that has the value of now."""
        return self.place.read()

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # type: ignore[override]
        """NumPy's class of arrays, or the class of the Python number, for ``isinstance``."""
        return OF_KIND[self.dtype.kind] if self.number else np.ndarray

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        return np.dtype(self.variable.type.dtype)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return int(self.variable.type.ndim)

    @property
    def shape(self) -> tuple[Any, ...]:
        """Lengths of the axes: Python's numbers where they are known, else traced ones."""
        variable = self.variable
        lengths = T.shape(variable)
        return tuple(
            noted(fresh(lengths[k], number=True), _length, (self, k), {}) if n is None else n
            for k, n in enumerate(variable.type.shape)
        )

    @shape.setter
    def shape(self, lengths: Any) -> None:
        refuse(self, "x.shape = ...: a traced array keeps its shape", "x = x.reshape(...)")

    @property
    def size(self) -> Any:
        """Number of elements."""
        count: Any = 1
        for length in self.shape:
            count = count * length
        return count

    @property
    def T(self) -> Traced:
        """The array with its axes reversed, a view."""
        return self.transpose()

    @property
    def mT(self) -> Traced:
        """The array with its last two axes exchanged, a view."""
        return self.swapaxes(-1, -2)

    @property
    def real(self) -> Any:
        """The real parts, a view; of other than complex numbers the array itself."""
        if self.dtype.kind != "c":
            return self
        put = lambda x, y: T.complex(y, T.imag(x))
        return noted(Traced(View(self.place, T.real, put, T.real(self.variable))), np.real, (self,), {})

    @real.setter
    def real(self, value: Any) -> None:
        self.real[...] = value

    @property
    def imag(self) -> Any:
        """The imaginary parts, a view of complex numbers."""
        put = None if self.dtype.kind != "c" else lambda x, y: T.complex(T.real(x), y)
        return noted(Traced(View(self.place, T.imag, put, T.imag(self.variable))), np.imag, (self,), {})

    @imag.setter
    def imag(self, value: Any) -> None:
        self.imag[...] = value

    @property
    def flat(self) -> Traced:
        """The elements in their order, as one axis."""
        view = self.reshape(-1)
        assert isinstance(view.place, View)
        view.place.perhaps, view.place.iterates = None, True  # writes reach the array however it lies
        view.place.made = Made(lambda x: x.flat, (self,), {})
        return view

    @flat.setter
    def flat(self, value: Any) -> None:
        self.flat[...] = value

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> Any:
        """Bytes of all elements."""
        return self.size * self.itemsize

    # ------------------------------------------------------------------------------------------------------ parts

    def __getitem__(self, item: Any) -> Any:
        given, item, variable = item, mapped(plain, item), self.variable
        part = with_ones(variable[item])
        alone = part.type.ndim == 0 and not has(item, Ellipsis)
        if alone or not basic(item) or isinstance(self.place, View) and self.place.iterates:
            return noted(wrapped(part), operator.getitem, (self, given), {})
        put = lambda x, y: T.set_subtensor(x[item], y)
        view = Traced(View(self.place, lambda x: with_ones(x[item]), put, part))
        return noted(view, operator.getitem, (self, given), {})

    def __setitem__(self, item: Any, value: Any) -> None:
        item = mapped(plain, item)
        self._writable("x[...] = y")
        if not is_traced(value) and np.isscalar(value):
            held(value, self.dtype)
        new = converted(value, self.dtype)
        whole = self.variable[item]
        self.place.write(T.set_subtensor(whole, like(new, whole)))

    def _writable(self, written: str) -> None:
        """Refuse a write that NumPy refuses, or of which it is not known whom else it would change."""
        if self.loose:
            refuse(self, f"{written}: a number cannot be written", "x = np.array(x) for an array of one")
        if isinstance(self.place, View) and not self.place.writable():
            refuse(
                self,
                f"{written}: this array is a view of another one that is only read",
                "x = x.copy() first, or write into the array itself",
            )

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        length = self.shape[0]
        if type(length) is int:
            return length
        return refuse(
            self,
            "the length of an axis is not known while the function is traced: it may be another one in the next call",
            "x.shape[0], array operations in place of the loop, eqsat.scan, or eqsat.jit(f, static_shapes=True)",
        )

    # ------------------------------------------------------------------------------------------------- a known value

    def known(self) -> Any:
        """The value where it does not depend on any argument; None where it does."""
        variable = self.variable
        if isinstance(variable, Constant):
            return variable.data
        if self.number and variable.type.ndim == 0:
            best = simplest(variable)
            return best.data if isinstance(best, Constant) else None
        return None

    def truth(self) -> bool | None:
        """True for a number that is other than 0, False for 0, where all lengths that the trace is for agree; else None."""
        found = self.known()
        if found is not None or not self.number:
            return found if found is None else bool(found)
        return decided(simplest(self.variable))

    def item(self, *at: int) -> Any:
        """The only element, or one by its index, as a number."""
        made = fresh(self.variable[at] if at else self.variable.reshape(()), number=True)
        return noted(made, np.ndarray.item, (self, *at), {})

    def __bool__(self) -> bool:
        found = self.truth()
        return found if found is not None else self._unknown("`if`, `while`, `and`, `or` or `not`", IF)

    def __float__(self) -> float:
        found = self.known()
        return float(found) if found is not None else self._unknown("float(...)", NUMBER)

    def __int__(self) -> int:
        found = self.known()
        return int(found) if found is not None else self._unknown("int(...)", NUMBER)

    def __complex__(self) -> complex:
        found = self.known()
        return complex(found) if found is not None else self._unknown("complex(...)", NUMBER)

    def __index__(self) -> int:
        found = self.known()
        if found is not None:
            return operator.index(found.item() if isinstance(found, (np.ndarray, np.generic)) else found)
        return self._unknown("a whole number of Python", INDEX)

    def __str__(self) -> str:
        return self._unknown("print(...) or text", SHOWN)

    def __format__(self, form: str) -> str:
        return self._unknown("print(...) or text", SHOWN)

    def tolist(self) -> Any:
        """Refused: a list of Python holds values."""
        return self._unknown("a list of Python", NUMBER)

    def _unknown(self, use: str, hint: str) -> NoReturn:
        refuse(self, f"{use} of a traced value: it is not known before the compiled function runs", hint)

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        found = self.known()
        if found is not None:
            return np.asarray(found)
        refuse(
            self,
            "NumPy asks for the elements of a traced array, which are not known before the compiled function runs",
            "an array that is written has to be made inside the function; np.stack([...]) joins a list of arrays, "
            "x.astype(np.uint8) is np.uint8(x), and a table of pandas is df.to_numpy()",
        )

    def __repr__(self) -> str:
        variable = self.variable
        kind = OF_KIND[self.dtype.kind].__name__ if self.number else variable.type.short()
        return f"{variable}: {kind}"

    def __pos__(self) -> Traced:
        return self.copy()

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __round__(self, digits: int | None = None) -> Any:
        made: Any = np.round(self, digits or 0)  # type: ignore[call-overload]
        if not self.number:
            return made
        return fresh(T.cast(made.variable, "int64") if digits is None else made.variable, number=True)

    def __hash__(self) -> int:
        raise TypeError("a traced array has no hash")

    def __getattr__(self, name: str) -> Any:
        from eqsat.tracing.memory_names import attribute_of_memory
        from eqsat.tracing.numpy_calls import method

        found = method(self, name)
        if found is None and hasattr(np.ndarray, name):
            return attribute_of_memory(self, name)
        return missing_attribute(self, name) if found is None else found

    # ----------------------------------------------------------------------------------------------------- methods

    def astype(self, dtype: Any, order: str = "K", *_: Any, copy: bool = True, **__: Any) -> Any:
        """A copy in another dtype; complex numbers lose their imaginary parts as in NumPy."""
        made = cast(self.variable, np.dtype(dtype))
        options = {"order": order, "copy": copy}
        return self.perhaps(made, lambda x, **how: x.astype(dtype, **how), (self,), options)

    def perhaps(self, made: Any, function: Any, arguments: Any, options: Any) -> Any:
        """The elements that NumPy's function gives, of which NumPy tells whether they are copied."""
        from eqsat.tracing.numpy_calls import seen

        return noted(seen(made, [self]), function, arguments, options)

    def conjugate(self) -> Any:
        """The conjugate; the array itself where its elements are real."""
        return np.conjugate(self) if self.dtype.kind == "c" else self  # type: ignore[call-overload]

    conj = conjugate

    def copy(self, order: str = "C") -> Traced:
        """An array of its own with the same elements."""
        return noted(Traced(Memory(self.variable), self.number), np.copy, (self, order), {})  # type: ignore[no-any-return]

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Traced:
        return self.copy()

    def flatten(self, order: str = "C") -> Traced:
        """A copy with one axis."""
        return noted(self.reshape(-1, order=order).copy(), np.ndarray.flatten, (self,), {})  # type: ignore[no-any-return]

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> Traced:
        """The array in another shape."""
        return self._reshaped(np.reshape, shape, order)

    def _reshaped(self, function: Any, shape: Any, order: str) -> Traced:
        """The array in another shape, as one of NumPy's functions gives it: a view where its layout allows that."""
        if order != "C":
            refuse(self, f"reshape with order={order!r}", "x.T.reshape(...).T")
        shape = shape[0] if len(shape) == 1 else shape
        given = mapped(plain, shape)
        variable = self.variable
        lengths, ndim = T.shape(variable), variable.type.ndim
        put = lambda x, y: T.reshape(y, lengths, ndim)
        made = variable.reshape(given)
        view = Traced(View(self.place, lambda x: x.reshape(given), put, made, perhaps=self.place))
        arguments = (self, shape) if function is np.reshape else (self,)
        return noted(view, function, arguments, {})  # type: ignore[no-any-return]

    def ravel(self, order: str = "C") -> Traced:
        """The elements as one axis."""
        return self._reshaped(np.ravel, (-1,), order)

    def transpose(self, *axes: Any) -> Traced:
        """The array with its axes in another order, a view."""
        given = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        order = tuple(a % self.ndim for a in given) if given else tuple(reversed(range(self.ndim)))
        back = tuple(int(k) for k in np.argsort(order))
        made = T.transpose(self.variable, order)
        view = View(self.place, lambda x: T.transpose(x, order), lambda x, y: T.transpose(y, back), made)
        return noted(Traced(view), np.transpose, (self, order), {})  # type: ignore[no-any-return]

    def swapaxes(self, a: int, b: int) -> Traced:
        """The array with two axes exchanged, a view."""
        order = list(range(self.ndim))
        order[a], order[b] = order[b], order[a]
        return self.transpose(order)

    def fill(self, value: Any) -> None:
        """Write one value everywhere."""
        self[...] = value

    def sort(self, axis: int = -1, **_: Any) -> None:
        """Sort in place."""
        self[...] = T.sort(self.variable, axis)

    def partition(self, kth: Any, axis: int = -1, **_: Any) -> None:
        """Put the elements in place before and after one, or some."""
        self[...] = np.partition(self, kth, axis)  # type: ignore[call-overload]

    # -------------------------------------------------------------------------------------------------- NumPy's calls

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from eqsat.tracing.numpy_calls import call_ufunc

        return call_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        from eqsat.tracing.numpy_calls import call_function

        return call_function(function, arguments, options)


def _length(x: Any, axis: int) -> int:
    return int(x.shape[axis])


IF = "np.where(condition, x, y), eqsat.ifelse to run one of two, or static_argnames= for an option of the function"
NUMBER = "leave it an array: x.astype(dtype), np.sqrt in place of math.sqrt; or static_argnames= for an option of the function"
INDEX = "np.arange(n) in place of range(n) as an index, array operations or eqsat.scan in place of a loop, static_argnames= for an option, static_shapes= for lengths"
SHOWN = "return it, and print the result of the call; repr(x) tells its type"


def refuse(x: Any, said: str, hint: str) -> NoReturn:
    """Raise the error of a use that a traced value does not have, with the user's line."""
    line = line_text()
    if type(x) is Traced and not is_tracing():
        said, hint = LEFT, KEPT
    shown = [(str(x.variable), x.variable)] if type(x) is Traced else []
    raise TracingError(f"{line}: {said}" if line else said, operands=shown, hint=hint)


def is_traced(value: Any) -> bool:
    """True for a traced array or number."""
    return type(value) is Traced


def plain(value: Any) -> Any:
    """The variable of a traced value; other things as they are."""
    return value.variable if type(value) is Traced else value


def fresh(variable: Any, number: bool = False) -> Traced:
    """A traced value of its own; one without axes is a number, as what NumPy's functions give."""
    return Traced(Memory(variable), number, loose=variable.type.ndim == 0)


def wrapped(value: Any) -> Any:
    """The results of a function of eqsat as traced values."""
    return mapped(
        lambda v: fresh(v if is_elementwise(v) else with_ones(v)) if isinstance(v, Variable) else v, value
    )


def cast(variable: Any, dtype: np.dtype[Any]) -> Any:
    """A variable in a dtype."""
    if dtype.kind in "fiub" and variable.type.dtype.startswith("complex"):
        variable = T.neq(variable, 0) if dtype.kind == "b" else T.real(variable)
    return T.cast(variable, dtype.name)


def is_whole(value: Any) -> bool:
    """True for a whole number or bool of Python, traced or not."""
    return isinstance(value, int) and bool(getattr(value, "number", True))


def held(value: Any, dtype: np.dtype[Any]) -> Any:
    """A known number as NumPy writes it into an array of a dtype; one that it does not write is refused."""
    beyond = (
        is_whole(value) and dtype.kind in "iu" and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max
    )
    if beyond:
        refuse(
            None,
            f"the Python integer {value} is out of bounds for {dtype}",
            "x.astype('int64') for a wider dtype",
        )
    made = np.empty((), dtype)
    try:
        made[()] = value
    except (OverflowError, ValueError, TypeError) as error:
        refuse(None, f"{value} in an array of {dtype}: {error}", "x.astype(...) for a dtype that holds it")
    return made


def element(value: Any, dtype: np.dtype[Any]) -> Any:
    """A Python number in a dtype: an array, or a variable where it is traced.

    A whole number that the dtype does not hold is refused as in NumPy 2: at once where it is known, else by the call.
    """
    if type(value) is not Traced:
        return held(value, dtype)
    variable = value.variable
    if is_whole(value) and dtype.kind in "iu" and not np.can_cast(variable.type.dtype, dtype):
        bounds = np.iinfo(dtype)
        inside = [T.ge(variable, bounds.min)] + [T.le(variable, bounds.max)] * (dtype.name != "uint64")
        variable = T.Assert(f"a Python integer is out of bounds for {dtype}")(variable, *inside)
    return cast(variable, dtype)


def converted(value: Any, dtype: np.dtype[Any]) -> Any:
    """The elements that are written into an array of a dtype."""
    if is_whole(value):
        made = element(value, dtype)
        return made if isinstance(made, Variable) else T.constant(made)
    value = mapped(plain, value)
    if isinstance(value, (list, tuple)):
        value = T.as_tensor_variable(value)
    if isinstance(value, Variable):
        return cast(value, dtype)
    return T.constant(np.asarray(value).astype(dtype))
