"""``pytensor.tensor.random``: generators as variables, and random variables, which know theirs and its next state.

A generator is the state of a stream of eqsat: a key and the number of the draw. A random variable is an op whose graph
is written out before rewriting; its outputs are the next state and the draw.

>>> import eqsat
>>> rng = shared_rng(seed=1)
>>> next_rng, x = DISTRIBUTIONS["normal"](size=2, rng=rng, return_next_rng=True)
>>> f = eqsat.function([], x, updates={rng: next_rng}, mode="numpy")
>>> bool((f() == f()).any())
False
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eqsat import tensor
from eqsat.errors import ArgumentError
from eqsat.frontends.pytensor.scipy_names import QUANTILES, Elementwise
from eqsat.graph.control.op_from_graph import OpFromGraph
from eqsat.graph.core import Apply, Constant
from eqsat.graph.dtypes import check_dtype
from eqsat.graph.tensor_type import TensorType
from eqsat.tensor.random.arguments import as_tuple, lengths_of
from eqsat.tensor.random.stream import RandomStream
from eqsat.tensor.shared import TensorSharedVariable
from eqsat.tensor.variable import TensorVariable

T: Any = tensor
UNSET: Any = object()
MARK = 0xE95A7  # stands in the key of NumPy's generators that hold a state of eqsat

# ------------------------------------------------------------------------------------------------------ generators


def state_of(generator: Any) -> Any:
    """The state that stands for a generator of NumPy: equal generators give equal numbers."""
    inside = generator.bit_generator.state
    if inside["bit_generator"] == "Philox" and int(inside["state"]["key"][1]) == MARK:
        return np.array([inside["state"]["key"][0], inside["state"]["counter"][0]], np.uint64)
    digest = hashlib.sha256(repr(inside).encode()).digest()
    return np.array([int.from_bytes(digest[:8], "little"), 0], np.uint64)


def generator_of(state: Any) -> Any:
    """A generator of NumPy that holds a state; ``state_of`` gives it back."""
    key, draw = (int(n) for n in state)
    return np.random.Generator(
        np.random.Philox(key=np.array([key, MARK], np.uint64), counter=[draw, 0, 0, 0])
    )


class RandomGeneratorType(TensorType):
    """The type of generators: a state of eqsat, for which generators of NumPy may be given."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("uint64", shape=(2,))

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        own = state_of(value) if isinstance(value, np.random.Generator) else value
        return super().filter(own, strict, allow_downcast)

    def __reduce__(self) -> Any:
        return RandomGeneratorType, ()


class RandomGeneratorVariable(TensorVariable):
    """A generator; ``rng.normal()`` and the other distributions give the next generator and the draw."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        return _method(self, name)


class RandomGeneratorSharedVariable(TensorSharedVariable):
    """A generator that outlives a call, set with a generator of NumPy or a seed."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        return _method(self, name)

    def get_value(self, borrow: bool = False, return_internal_type: bool = False) -> Any:
        return generator_of(self.container[0])

    def set_value(self, new_value: Any = None, borrow: bool = False, *, seed: Any = UNSET) -> None:
        if (new_value is None) == (seed is UNSET):
            raise ArgumentError("set_value takes a generator or a seed", hint="rng.set_value(seed=1)")
        super().set_value(np.random.default_rng(seed) if new_value is None else new_value)


RandomGeneratorType.variable_class = RandomGeneratorVariable


def _method(rng: Any, name: str) -> Any:
    """A distribution as a method of a generator."""
    if name not in DISTRIBUTIONS:
        raise AttributeError(f"{type(rng).__name__} has no {name!r}")
    return functools.partial(DISTRIBUTIONS[name], rng=rng, return_next_rng=True)


def rng(name: str | None = None) -> Any:
    """A generator as an input of a function."""
    return RandomGeneratorType()(name)


def shared_rng(value: Any = None, *, seed: Any = UNSET, name: str | None = None, borrow: bool = False) -> Any:
    """A shared generator, from one of NumPy or from a seed."""
    if (value is None) == (seed is UNSET):
        raise ArgumentError("shared_rng takes a generator or a seed", hint="pt.random.shared_rng(seed=1)")
    given = np.random.default_rng(seed) if value is None else value
    return RandomGeneratorSharedVariable(RandomGeneratorType(), given, name)


# ------------------------------------------------------------------------------------------------ random variables


class _OnState(RandomStream):
    """A stream whose draws come from a state that is given."""

    def __init__(self, state: Any) -> None:
        self.state, self.count = state, 0

    def moved(self, count: int) -> Any:
        """The state a number of draws later."""
        return self.state + np.array([0, count], np.uint64) if count else self.state

    def _new_state(self, name: str) -> Any:
        self.count += 1
        return self.moved(self.count - 1)


class RandomVariable(OpFromGraph):
    """The op of a draw: of a generator, the lengths of the result and the parameters, the next generator and the draw."""

    def make_node(self, *inputs: Any) -> Apply:
        node = super().make_node(*inputs)
        return Apply(self, node.inputs, [RandomGeneratorType()(), node.outputs[1].type()])


class Distribution:
    """``pt.random.normal`` and its like: a call makes a random variable.

    ``parameters`` are names and defaults; ``build(stream, size, dtype, *parameters)`` makes the graph of a draw.
    """

    def __init__(self, name: str, parameters: str, build: Callable[..., Any], dtype: str = "floatX") -> None:
        self.name = self.__name__ = name
        self.defaults = {p.partition("=")[0]: _default(p) for p in parameters.split()}
        self.build, self.dtype = build, dtype

    def __repr__(self) -> str:
        return f"{self.name}_rv"

    def __call__(
        self,
        *args: Any,
        size: Any = None,
        name: str | None = None,
        rng: Any = None,
        dtype: Any = None,
        return_next_rng: bool = False,
        **named: Any,
    ) -> Any:
        given = self._given(args, named)
        size = named.pop("size", given.pop("size", size))
        state = shared_rng(seed=None) if rng is None else rng
        node = self._node(state, size, list(given.values()), check_dtype(dtype or self.dtype))
        node.outputs[1].name = name
        return (node.outputs[0], node.outputs[1]) if return_next_rng else node.outputs[1]

    def _given(self, args: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
        """The parameters by name; the size may follow them by position."""
        names = [*self.defaults, "size"]
        given = {**self.defaults, **dict(zip(names, args, strict=False)), **named}
        missing = [name for name, value in given.items() if value is UNSET]
        unknown = [name for name in given if name not in names]
        if missing or unknown or len(args) > len(names):
            raise ArgumentError(
                f"{self.name}: {(missing or unknown or ['too many parameters'])[0]} is "
                + ("not given" if missing else "not known"),
                needs=f"the parameters {', '.join(self.defaults)} and size",
            )
        return given

    def _node(self, state: Any, size: Any, given: list[Any], dtype: str) -> Apply:
        values = [None if v is None else T.as_tensor_variable(v) for v in given]
        size = [int(n) for n in np.atleast_1d(size.data)] if isinstance(size, Constant) else size
        lengths = None if size is None else [T.as_tensor_variable(n) for n in as_tuple(size)]
        listed = T.constant(np.zeros(0, "int64")) if not lengths else T.cast(T.stack(lengths), "int64")
        inner = [RandomGeneratorType()("rng"), listed.type("size")]
        sizes = None if lengths is None else tuple(_length(n, inner[1][k]) for k, n in enumerate(lengths))
        present = [v for v in values if v is not None]
        inner += [v.type(v.name) for v in present]
        known = {v: v if isinstance(v, Constant) else i for v, i in zip(present, inner[2:], strict=True)}
        stream = _OnState(inner[0])
        draw = self.build(stream, sizes, dtype, *(None if v is None else known[v] for v in values))
        results = [stream.moved(stream.count), draw]
        return RandomVariable(inner, results, inline=True, name=f"{self.name}_rv").make_node(
            state, listed, *present
        )


def _default(parameter: str) -> Any:
    _, sign, text = parameter.partition("=")
    return UNSET if not sign else None if text == "None" else float(text)


def _length(given: Any, inner: Any) -> Any:
    return int(given.data) if isinstance(given, Constant) else inner


# --------------------------------------------------------------------------------------------------- distributions


def _of_stream(method: str, *order: str) -> Callable[..., Any]:
    """A distribution that streams of eqsat have; ``order`` names its parameters there."""

    def build(stream: Any, size: Any, dtype: str, *parameters: Any) -> Any:
        given = {name: p for name, p in zip(order, parameters, strict=True) if p is not None}
        return getattr(stream, method)(**given, size=size, dtype=dtype)

    return build


def _of_quantiles(name: str) -> Callable[..., Any]:
    """A distribution by the inverse of its cumulative function, which SciPy computes."""

    def build(stream: Any, size: Any, dtype: str, *parameters: Any) -> Any:
        unit = stream._uniform(name, size, None, "float64", *parameters) + 2.0**-54
        return Elementwise(name, dtype)(unit, *parameters)

    return build


def _multivariate_normal(stream: Any, size: Any, dtype: str, mean: Any, cov: Any) -> Any:
    """A mean and a factor of the covariance times normal numbers."""
    factor = T.linalg.cholesky(T.cast(cov, dtype))
    batch = size if size is not None else _batch(mean, 1, cov, 2)
    z = stream.normal(size=(*batch, cov.shape[-1]), dtype=dtype)
    turned = z @ factor.T if cov.ndim == 2 else (factor @ z[..., None])[..., 0]
    return T.cast(mean, dtype) + turned


def _batch(mean: Any, of_mean: int, cov: Any, of_cov: int) -> tuple[Any, ...]:
    """Lengths of the axes before those of one draw."""
    corners = [mean[(..., *(0,) * of_mean)], cov[(..., *(0,) * of_cov)]]
    return tuple(lengths_of("multivariate_normal", None, None, tuple(corners)))


def _dirichlet(stream: Any, size: Any, dtype: str, alphas: Any) -> Any:
    """Gamma numbers divided by their sum."""
    whole = None if size is None else (*size, alphas.shape[-1])
    parts = _of_quantiles("gamma")(stream, whole, dtype, alphas, T.constant(1.0))
    return parts / T.sum(parts, axis=-1, keepdims=True)


def _permutation(stream: Any, size: Any, dtype: str, x: Any) -> Any:
    return stream.permutation(x, size)


def _choice(stream: Any, size: Any, dtype: str, a: Any, p: Any, replace: bool) -> Any:
    return stream.choice(a, size, replace, p)


WHOLE = {"dtype": "int64"}
DISTRIBUTIONS: dict[str, Any] = {
    made.name: made
    for made in (
        Distribution("uniform", "low=0 high=1", _of_stream("uniform", "low", "high")),
        Distribution("normal", "loc=0 scale=1", _of_stream("normal", "avg", "std")),
        Distribution("standard_normal", "", _of_stream("normal")),
        Distribution("lognormal", "mean=0 sigma=1", _of_stream("lognormal", "mean", "sigma")),
        Distribution("exponential", "scale=1", _of_stream("exponential", "scale")),
        Distribution("gumbel", "loc=0 scale=1", _of_stream("gumbel", "loc", "scale")),
        Distribution("bernoulli", "p", _of_stream("bernoulli", "p"), **WHOLE),
        Distribution("binomial", "n p", _of_stream("binomial", "n", "p"), **WHOLE),
        Distribution("integers", "low high=None", _of_stream("integers", "low", "high"), **WHOLE),
        Distribution("categorical", "p", _of_stream("categorical", "p"), **WHOLE),
        Distribution("multinomial", "n p", _of_stream("multinomial", "n", "pvals"), **WHOLE),
        Distribution("multivariate_normal", "mean cov", _multivariate_normal),
        Distribution("dirichlet", "alphas", _dirichlet),
        *(Distribution(name, q.parameters, _of_quantiles(name), q.dtype) for name, q in QUANTILES.items()),
    )
}


def gamma(shape: Any, rate: Any = None, scale: Any = None, **options: Any) -> Any:
    """``pt.random.gamma``, by a rate or by a scale."""
    if (rate is None) == (scale is None):
        raise ArgumentError("gamma: either rate or scale is given", hint="pt.random.gamma(2.0, scale=1.0)")
    return _GAMMA(shape, 1.0 / T.as_tensor_variable(rate) if scale is None else scale, **options)


def chisquare(df: Any, size: Any = None, **options: Any) -> Any:
    """``pt.random.chisquare``."""
    return gamma(T.as_tensor_variable(df) / 2.0, scale=2.0, size=size, **options)


def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None, **options: Any) -> Any:
    """``pt.random.choice``: elements of a vector, or integers below a number."""
    kind = T.as_tensor_variable(a).dtype
    draw = functools.partial(_choice, replace=replace)
    return Distribution("choice", "a p=None", draw, kind)(a, p, size=size, **options)


def permutation(x: Any, size: Any = None, **options: Any) -> Any:
    """``pt.random.permutation``: integers below a number, or the rows of a tensor, in random order."""
    kind = T.as_tensor_variable(x).dtype
    return Distribution("permutation", "x", _permutation, kind)(x, size=size, **options)


_GAMMA = DISTRIBUTIONS["gamma"]
DISTRIBUTIONS |= {f.__name__: f for f in (gamma, chisquare, choice, permutation)}
DISTRIBUTIONS["negative_binomial"] = DISTRIBUTIONS["nbinom"]

# --------------------------------------------------------------------------------------------------------- streams


class OldStream:
    """``RandomStream``: each draw has a generator of its own, which moves on at every call.

    >>> stream = OldStream(seed=3)
    >>> x = stream.normal(2.0, 1.0, size=(3,))
    >>> x.type.shape, len(stream.updates())
    ((3,), 1)
    """

    def __init__(
        self, seed: Any = None, namespace: Any = None, rng_ctor: Any = np.random.default_rng
    ) -> None:
        self.default_instance_seed, self.rng_ctor = seed, rng_ctor
        self.state_updates: list[tuple[Any, Any]] = []
        self.gen_seedgen = np.random.SeedSequence(seed)

    def __getattr__(self, name: str) -> Any:
        if name not in DISTRIBUTIONS:
            raise AttributeError(
                f"RandomStream has no {name!r}; there are {', '.join(sorted(DISTRIBUTIONS))}"
            )
        return functools.partial(self.gen, DISTRIBUTIONS[name])

    def updates(self) -> list[tuple[Any, Any]]:
        """Pairs of each generator and its next value."""
        return list(self.state_updates)

    def seed(self, seed: Any = None) -> None:
        """Start all draws again."""
        self.gen_seedgen = np.random.SeedSequence(self.default_instance_seed if seed is None else seed)
        seeds = self.gen_seedgen.spawn(len(self.state_updates))
        for (own, _), start in zip(self.state_updates, seeds, strict=True):
            own.set_value(self.rng_ctor(start))

    def gen(self, op: Any, *args: Any, **options: Any) -> Any:
        """A draw of a distribution."""
        if "rng" in options:
            raise ArgumentError("RandomStream: a draw has a generator of its own", hint="without rng=")
        own = shared_rng(self.rng_ctor(self.gen_seedgen.spawn(1)[0]))
        own.default_update, draw = op(*args, **options, rng=own, return_next_rng=True)
        self.state_updates.append((own, own.default_update))
        return draw


RANDOM: dict[str, Any] = {
    **DISTRIBUTIONS,
    "RandomStream": OldStream,
    "RandomVariable": RandomVariable,
    "RNGConsumerOp": RandomVariable,
    "RandomType": RandomGeneratorType,
    "RandomGeneratorType": RandomGeneratorType,
    "RandomGeneratorVariable": RandomGeneratorVariable,
    "RandomGeneratorSharedVariable": RandomGeneratorSharedVariable,
    "random_generator_type": RandomGeneratorType(),
    "default_rng": lambda seed=None: shared_rng(seed=seed),
    "rng": rng,
    "shared_rng": shared_rng,
}
