"""Streams of random numbers: each draw is a pure function of a key and a counter that lives in a shared variable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eqsat.base.names import Suggesting
from eqsat.errors import ArgumentError, RankError, ShapeError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Constant
from eqsat.graph.dtypes import check_dtype
from eqsat.graph.ops.create import arange, known_integer
from eqsat.graph.ops.elemwise import cos, exp, log, lt, sqrt
from eqsat.graph.ops.random import (
    binomial_draw,
    philox,
    random_bits,
    random_unit,
    random_unit_second,
    scaled_bits,
)
from eqsat.graph.ops.reshape import reshape
from eqsat.graph.ops.shape import length, scalar_integers
from eqsat.tensor.random.arguments import (
    as_tuple,
    batch_of,
    chances_between,
    floating,
    is_one,
    lengths_of,
    rows_of_chances,
    tensors,
    whole,
)
from eqsat.tensor.shared import TensorSharedVariable, shared

if TYPE_CHECKING:
    from eqsat.tensor import TensorVariable

KEY, DRAW = 0, 1  # places in a state
TWO_PI = 2 * np.pi


class RandomStream(Suggesting):
    """Makes random tensors that are new at every call of a compiled function.

    Each method makes one draw with a state of its own: a shared uint64 vector of a key and the number of the call. The
    key comes from the seed and the number of the draw, so draws are independent; the state moves on by a default
    update, which ``function(..., no_default_updates=True)`` leaves out. Numbers are those of Philox 4x32-10 and do not
    depend on threads, on the mode, or on what else the function computes. ``size`` is a tuple of integers and scalar
    variables; without it the parameters say the shape.

    >>> import eqsat
    >>> stream = RandomStream(7)
    >>> f = eqsat.function([], stream.integers(0, 100, size=4), mode="reference")
    >>> bool((f() == f()).all())
    False
    """

    def __init__(self, seed: int | None = None) -> None:
        self.states: list[TensorSharedVariable] = []
        self.seed(seed)

    def seed(self, seed: int | None = None) -> None:
        """Start all draws again from a seed; None takes one from the system.

        Errors   ArgumentError where the seed is not an integer
        """
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        if isinstance(seed, (bool, float)) or not isinstance(seed, (int, np.integer)):
            raise ArgumentError(
                f"RandomStream: the seed {seed!r} is not an integer", hint="RandomStream(1234)"
            )
        self._seed = int(seed) % 2**64
        for number, state in enumerate(self.states):
            state.set_value(self._start(number))

    def __repr__(self) -> str:
        return f"RandomStream(seed={self._seed}, draws={len(self.states)})"

    def _start(self, number: int) -> Any:
        words = philox(number, 0xE95A7, self._seed)
        return np.array([int(words[0]) | int(words[1]) << 32, 0], np.uint64)

    @property
    def state_updates(self) -> list[tuple[TensorSharedVariable, Any]]:
        """Pairs of each state and its next value, for ``function(..., updates=...)``."""
        return [(state, state.default_update) for state in self.states]

    def updates(self) -> list[tuple[TensorSharedVariable, Any]]:
        """The same as ``state_updates``."""
        return self.state_updates

    def _new_state(self, name: str) -> Any:
        """The state of one more draw: a shared variable that moves on at every call."""
        state = shared(self._start(len(self.states)), f"{name}_state", shape=(2,))
        state.default_update = state + np.array([0, 1], np.uint64)
        self.states.append(state)
        return state

    def _indices(self, name: str, size: Any, ndim: int | None, *parameters: Any) -> tuple[Any, Any, Any]:
        """Numbers of the elements in the shape of the result, and the draw and key of a new state."""
        lengths = lengths_of(name, size, ndim, parameters)
        state = self._new_state(name)
        count: Any = 1
        for n in lengths:
            count = count * n
        index = arange(count)
        index = reshape(index, tuple(lengths)) if lengths else index[0]
        return cast_to(index, "uint64"), state[DRAW], state[KEY]

    def _uniform(self, name: str, size: Any, ndim: int | None, dtype: Any, *parameters: Any) -> Any:
        return random_unit(
            *self._indices(name, size, ndim, *parameters), dtype=floating(name, dtype, *parameters)
        )

    def uniform(
        self, low: Any = 0.0, high: Any = 1.0, size: Any = None, ndim: int | None = None, dtype: Any = None
    ) -> TensorVariable:
        """Numbers from low up to but without high, equally likely; floatX unless a dtype is given.

        >>> RandomStream(1).uniform(size=(2, 3)).type
        <TensorType(float64, (2, 3))>
        """
        low, high = tensors("uniform", low, high)
        unit = self._uniform("uniform", size, ndim, dtype, low, high)
        return _scaled(unit, low, high)

    def normal(
        self, avg: Any = 0.0, std: Any = 1.0, size: Any = None, ndim: int | None = None, dtype: Any = None
    ) -> TensorVariable:
        """Numbers of the normal distribution with a mean and a standard deviation. Source: Box & Muller 1958.

        >>> from eqsat.tensor.random import RandomStream
        >>> RandomStream(1).normal(avg=[0.0, 5.0]).type
        <TensorType(float64, (2,))>
        """
        avg, std = tensors("normal", avg, std)
        where, kind = self._indices("normal", size, ndim, avg, std), floating("normal", dtype, avg, std)
        radius = sqrt(-2 * log(1 - random_unit(*where, dtype=kind)))
        angle = np.asarray(TWO_PI, kind) * random_unit_second(*where, dtype=kind)
        return cast_to(avg, kind) + cast_to(std, kind) * (radius * cos(angle))

    def lognormal(
        self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, ndim: int | None = None, dtype: Any = None
    ) -> TensorVariable:
        """Exponentials of normal numbers.

        >>> from eqsat.tensor.random import RandomStream
        >>> RandomStream(1).lognormal(size=3).type
        <TensorType(float64, (3,))>
        """
        return exp(self.normal(mean, sigma, size, ndim, dtype))

    def exponential(
        self, scale: Any = 1.0, size: Any = None, ndim: int | None = None, dtype: Any = None
    ) -> TensorVariable:
        """Numbers of the exponential distribution with mean ``scale``.

        >>> from eqsat.tensor.random import RandomStream
        >>> RandomStream(1).exponential(2.0, size=(2, 3)).type
        <TensorType(float64, (2, 3))>
        """
        (scale,) = tensors("exponential", scale)
        unit = self._uniform("exponential", size, ndim, dtype, scale)
        return cast_to(scale, unit.dtype) * -log(1 - unit)

    def gumbel(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, ndim: int | None = None, dtype: Any = None
    ) -> TensorVariable:
        """Numbers of the Gumbel distribution of largest values.

        >>> from eqsat.tensor.random import RandomStream
        >>> RandomStream(1).gumbel(size=3).type
        <TensorType(float64, (3,))>
        """
        loc, scale = tensors("gumbel", loc, scale)
        unit = self._uniform("gumbel", size, ndim, dtype, loc, scale)
        return cast_to(loc, unit.dtype) - cast_to(scale, unit.dtype) * log(-log(1 - unit))

    def bernoulli(
        self, p: Any = 0.5, size: Any = None, ndim: int | None = None, dtype: Any = "int64"
    ) -> TensorVariable:
        """1 with chance p, else 0.

        >>> from eqsat.tensor.random import RandomStream
        >>> RandomStream(1).bernoulli([0.0, 1.0]).eval()
        array([0, 1])
        """
        (p,) = chances_between("bernoulli", p)
        return cast_to(lt(self._uniform("bernoulli", size, ndim, "float64", p), p), check_dtype(dtype))

    def binomial(
        self, n: Any = 1, p: Any = 0.5, size: Any = None, ndim: int | None = None, dtype: Any = "int64"
    ) -> TensorVariable:
        """Number of successes in n trials of chance p each.

        >>> from eqsat.tensor.random import RandomStream
        >>> RandomStream(1).binomial(5, [0.0, 1.0]).eval()
        array([0, 5])
        """
        if is_one(n):
            return self.bernoulli(p, size, ndim, dtype)
        (n,), (p,) = tensors("binomial", n), chances_between("binomial", p)
        unit = self._uniform("binomial", size, ndim, "float64", n, p)
        return binomial_draw(unit, cast_to(n, "float64"), p, dtype=check_dtype(dtype))

    def integers(
        self, low: Any, high: Any = None, size: Any = None, ndim: int | None = None, dtype: Any = "int64"
    ) -> TensorVariable:
        """Integers from low up to but without high; with one bound, from 0 up to but without it.

        Errors   DTypeError where a bound is not an integer; ShapeError for constant bounds without an integer between

        >>> from eqsat.tensor.random import RandomStream
        >>> RandomStream(1).integers(7, 8, size=3).eval()
        array([7, 7, 7])
        """
        low, high = (0, low) if high is None else (low, high)
        low, high = whole("integers", low, high)
        if all(isinstance(v, Constant) for v in (low, high)) and bool(np.any(low.data >= high.data)):
            raise ShapeError(f"integers: there is no integer from {low} up to {high}")
        bits = random_bits(*self._indices("integers", size, ndim, low, high), dtype="uint64")
        low = cast_to(low, "int64")
        span = cast_to(cast_to(high, "int64") - low, "uint64")
        return cast_to(low + cast_to(scaled_bits(bits, span), "int64"), check_dtype(dtype))

    def random_integers(
        self, low: Any = 0, high: Any = 1, size: Any = None, ndim: int | None = None, dtype: Any = "int64"
    ) -> TensorVariable:
        """Integers from low up to and with high.

        >>> from eqsat.tensor.random import RandomStream
        >>> RandomStream(1).random_integers(7, 7, size=3).eval()
        array([7, 7, 7])
        """
        return self.integers(low, as_tensor(high) + 1, size, ndim, dtype)

    def categorical(
        self, p: Any, size: Any = None, ndim: int | None = None, dtype: Any = "int64"
    ) -> TensorVariable:
        """Numbers of categories whose chances stand along the last axis of p and sum to 1.

        Shapes   p: f[..., k] -> int[...], or int[size] where a size is given

        >>> from eqsat.tensor.random import RandomStream
        >>> RandomStream(1).categorical([[0.0, 1.0], [1.0, 0.0]]).eval()
        array([1, 0])
        """
        chances = rows_of_chances("categorical", p)
        batch = batch_of(chances, size)
        unit = self._uniform("categorical", batch, ndim, chances.dtype)
        return _picked(chances, unit, check_dtype(dtype))

    def multinomial(
        self, n: Any = 1, pvals: Any = None, size: Any = None, ndim: int | None = None, dtype: Any = "int64"
    ) -> TensorVariable:
        """Counts of each of k categories in n draws; their chances stand along the last axis of pvals.

        Shapes   pvals: f[..., k] -> int[..., k]; with n = 1 each row holds a single 1

        >>> from eqsat.tensor.random import RandomStream
        >>> RandomStream(1).multinomial(5, [[0.0, 1.0]]).eval()
        array([[0, 5]])
        """
        from eqsat.graph.ops.elemwise import eq
        from eqsat.tensor.reduction import sum as total

        if pvals is None:
            raise ArgumentError("multinomial: pvals is not given", hint="stream.multinomial(1, pvals=p)")
        chances = rows_of_chances("multinomial", pvals)
        (trials,) = scalar_integers("multinomial", [n])
        batch = batch_of(chances, size)
        unit = self._uniform("multinomial", (*batch, trials), None, chances.dtype)
        row = reshape_before_last(chances)
        number = _picked(row, unit, "int64")
        k = arange(length(chances, chances.ndim - 1))
        hits = eq(number.dimshuffle(*range(number.ndim), "x"), k)
        return total(cast_to(hits, "int64"), axis=number.ndim - 1, dtype=check_dtype(dtype))

    def permutation(
        self, x: Any, size: Any = None, ndim: int | None = None, dtype: Any = None
    ) -> TensorVariable:
        """The integers below a number, or the rows of a tensor, in random order.

        With a size, one permutation of a number's integers for each element: int[size, n].

        >>> from eqsat.tensor.random import RandomStream
        >>> RandomStream(1).permutation(4, size=2).type
        <TensorType(int64, (2, 4))>
        """
        v = as_tensor(x)
        if v.ndim == 0:
            (n,) = scalar_integers("permutation", [x])
            order = self._order("permutation", (*as_tuple(size), n))
            return cast_to(order, check_dtype(dtype or "int64"))
        if size is not None:
            raise ArgumentError(
                "permutation: a size goes with a number, not with a tensor", operands=[("x", v)]
            )
        return v[self._order("permutation", (length(v, 0),))]

    def shuffle(self, x: Any) -> TensorVariable:
        """The rows of a tensor in random order.

        >>> from eqsat.tensor.random import RandomStream
        >>> RandomStream(1).shuffle([3, 3, 3]).eval()
        array([3, 3, 3])
        """
        return self.permutation(x)

    def shuffle_row_elements(self, x: Any) -> TensorVariable:
        """The elements along the last axis of a tensor in one random order, the same for all rows.

        >>> from eqsat.tensor.random import RandomStream
        >>> RandomStream(1).shuffle_row_elements([[1, 1], [2, 2]]).eval()
        array([[1, 1],
               [2, 2]])
        """
        v = as_tensor(x)
        if v.ndim == 0:
            raise RankError("shuffle_row_elements: a scalar has no elements to shuffle", operands=[("x", v)])
        order = self._order("shuffle_row_elements", (length(v, v.ndim - 1),))
        return v[(slice(None),) * (v.ndim - 1) + (order,)]

    def _order(self, name: str, size: Any) -> Any:
        from eqsat.tensor import argsort

        return argsort(random_bits(*self._indices(name, size, None), dtype="uint64"), axis=-1)

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        ndim: int | None = None,
        dtype: Any = None,
    ) -> TensorVariable:
        """Elements of a vector, or integers below a number, drawn with or without putting them back.

        ``p`` holds a chance for each, by which they are drawn. Without replacement the first of an order by weighted
        random keys is taken. Source: Efraimidis & Spirakis 2006.

        Errors   ShapeError where more are drawn than there are

        >>> from eqsat.tensor.random import RandomStream
        >>> RandomStream(1).choice([4, 4], size=3).eval()
        array([4, 4, 4])
        """
        v = as_tensor(a)
        if v.ndim > 1:
            raise RankError(
                f"choice: {v} has {v.ndim} dimensions", operands=[("a", v)], needs="a number or a vector"
            )
        many = scalar_integers("choice", [a])[0] if v.ndim == 0 else length(v, 0)
        if replace:
            index = self.integers(0, many, size, ndim) if p is None else self._weighted(p, size, ndim)
        else:
            index = self._without(many, size, p)
        return cast_to(index, check_dtype(dtype or "int64")) if v.ndim == 0 else v[index]

    def _weighted(self, p: Any, size: Any, ndim: int | None) -> Any:
        return self.categorical(p, size if size is not None else (), ndim)

    def _without(self, many: Any, size: Any, p: Any) -> Any:
        from eqsat.tensor import argsort

        lengths = as_tuple(size)
        if p is None:
            order = self._order("choice", (many,))
        else:
            unit = self._uniform("choice", (many,), None, "float64")
            order = argsort(-log(1 - unit) / cast_to(rows_of_chances("choice", p), "float64"))
        wanted: Any = 1
        for n in lengths:
            wanted = wanted * n
        sizes = [n if isinstance(n, int) else known_integer(n) for n in (wanted, many)]
        if None not in sizes and sizes[0] > sizes[1]:  # type: ignore[operator]
            raise ShapeError(f"choice: {sizes[0]} cannot be drawn from {sizes[1]} without replacement")
        part = order[:wanted]
        return reshape(part, lengths) if lengths else part[0]


def _picked(chances: Any, unit: Any, dtype: str) -> Any:
    """The first category at which the running sum of the chances passes a uniform number."""
    from eqsat.graph.ops.elemwise import ge, minimum
    from eqsat.tensor import cumsum
    from eqsat.tensor.reduction import sum as total

    running = cumsum(chances, axis=chances.ndim - 1)
    passed = ge(unit.dimshuffle(*range(unit.ndim), "x"), running)
    number = total(cast_to(passed, "int64"), axis=unit.ndim)
    return cast_to(minimum(number, length(chances, chances.ndim - 1) - 1), dtype)


def reshape_before_last(chances: Any) -> Any:
    """Chances with an axis of length 1 before the last, along which draws are repeated."""
    return chances.dimshuffle(*range(chances.ndim - 1), "x", chances.ndim - 1)


def _scaled(unit: Any, low: Any, high: Any) -> Any:
    low, high = cast_to(low, unit.dtype), cast_to(high, unit.dtype)
    if isinstance(low, Constant) and isinstance(high, Constant) and low.data.ndim == high.data.ndim == 0:
        if low.data == 0 and high.data == 1:
            return unit
        if low.data == 0:
            return unit * high
    return low + unit * (high - low)
