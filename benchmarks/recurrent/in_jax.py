"""The models in JAX: ``jax.lax.scan``, jitted, with the gradient inside what is jitted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from recurrent import steps
from recurrent.rows import Row

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)  # float32 stays float32
about = f"JAX {jax.__version__}, jitted, x64 enabled"
MATHS = SimpleNamespace(tanh=jnp.tanh, dot=jnp.dot, sigmoid=jax.nn.sigmoid)


def build(row: Row) -> Callable[..., Any]:
    """Jitted function of the row's data; a call waits for the results."""

    def results(*data: Any) -> Any:
        return MODELS[row.model](row, *data)

    def loss(weights: Any, *others: Any) -> Any:
        return jnp.mean(jnp.square(results(*others, *weights)[0]))

    def with_gradient(*data: Any) -> Any:
        value, slopes = jax.value_and_grad(loss)(data[-3:], *data[:-3])
        return [value, *slopes]

    compiled = jax.jit(with_gradient if row.gradient else results)
    return lambda *data: jax.block_until_ready(compiled(*data))


def given(data: Sequence[np.ndarray]) -> list[Any]:
    """The data as the library takes it at no cost."""
    return [jnp.asarray(a) for a in data]


def gru(row: Row, x: Any, h: Any, *weights: Any) -> list[Any]:
    def step(h: Any, x: Any) -> tuple[Any, Any]:
        new = steps.gru(MATHS, x, h, *weights, row.width)
        return new, new

    return [jax.lax.scan(step, h, x)[1]]


def lstm(row: Row, x: Any, h: Any, c: Any, *weights: Any) -> list[Any]:
    def step(state: Any, x: Any) -> tuple[Any, Any]:
        new = steps.lstm(MATHS, x, *state, *weights, row.width)
        return new, new[0]

    return [jax.lax.scan(step, (h, c), x)[1]]


def ar2(row: Row, e: Any, start: Any, a: Any, b: Any) -> list[Any]:
    def step(state: Any, e: Any) -> tuple[Any, Any]:
        new = steps.ar2(e, *state, a, b)
        return (state[1], new), new

    return [jax.lax.scan(step, (start[0], start[1]), e)[1]]


def sir(row: Row, s: Any, i: Any, r: Any, beta: Any, gamma: Any) -> list[Any]:
    def step(shares: Any, _: Any) -> tuple[Any, Any]:
        new = steps.sir(*shares, beta, gamma)
        return new, new

    return list(jax.lax.scan(step, (s, i, r), None, length=row.steps)[1])


def cumsum(row: Row, x: Any, start: Any) -> list[Any]:
    def step(s: Any, x: Any) -> tuple[Any, Any]:
        new = steps.cumsum(x, s)
        return new, new

    return [jax.lax.scan(step, start, x)[1]]


def logistic(row: Row, start: Any, rate: Any) -> list[Any]:
    def step(s: Any, _: Any) -> tuple[Any, None]:
        return steps.logistic(s, rate), None

    return [jax.lax.scan(step, start, None, length=row.steps)[0]]


MODELS = {"gru": gru, "lstm": lstm, "ar2": ar2, "sir": sir, "cumsum": cumsum, "logistic": logistic}
