"""The models as users of eqsat write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T
from recurrent import steps
from recurrent.rows import Row

about = f"eqsat {eqsat.__version__}"


def build(row: Row, mode: Any = None) -> Callable[..., Any]:
    """Compiled function of the row's data."""
    inputs = [T.tensor(row.dtype, (None,) * a.ndim) for a in row.data()]
    return eqsat.function(inputs, outputs(row, inputs), mode=mode)


def given(data: Sequence[np.ndarray]) -> list[Any]:
    """The data as the library takes it at no cost."""
    return list(data)


def outputs(row: Row, inputs: Sequence[Any]) -> list[Any]:
    """What the row computes."""
    results = MODELS[row.model](row, *inputs)
    if not row.gradient:
        return results
    loss, weights = T.mean(T.sqr(results[0])), inputs[-3:]
    return [loss, *T.grad(loss, weights)]


def gru(row: Row, x: Any, h: Any, *weights: Any) -> list[Any]:
    states, _ = eqsat.scan(
        lambda x, h, *weights: steps.gru(T, x, h, *weights, row.width),
        sequences=x,
        outputs_info=h,
        non_sequences=weights,
    )
    return [states]


def lstm(row: Row, x: Any, h: Any, c: Any, *weights: Any) -> list[Any]:
    (states, _), _ = eqsat.scan(
        lambda x, h, c, *weights: steps.lstm(T, x, h, c, *weights, row.width),
        sequences=x,
        outputs_info=[h, c],
        non_sequences=weights,
    )
    return [states]


def ar2(row: Row, e: Any, start: Any, a: Any, b: Any) -> list[Any]:
    values, _ = eqsat.scan(
        steps.ar2, sequences=e, outputs_info={"initial": start, "taps": [-2, -1]}, non_sequences=[a, b]
    )
    return [values]


def sir(row: Row, s: Any, i: Any, r: Any, beta: Any, gamma: Any) -> list[Any]:
    shares, _ = eqsat.scan(steps.sir, outputs_info=[s, i, r], non_sequences=[beta, gamma], n_steps=row.steps)
    return list(shares)


def cumsum(row: Row, x: Any, start: Any) -> list[Any]:
    sums, _ = eqsat.scan(steps.cumsum, sequences=x, outputs_info=start)
    return [sums]


def logistic(row: Row, start: Any, rate: Any) -> list[Any]:
    states, _ = eqsat.scan(steps.logistic, outputs_info=start, non_sequences=rate, n_steps=row.steps)
    return [states[-1]]


MODELS = {"gru": gru, "lstm": lstm, "ar2": ar2, "sir": sir, "cumsum": cumsum, "logistic": logistic}
