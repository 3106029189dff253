"""The models in PyTensor, with its default linker."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

with (
    warnings.catch_warnings()
):  # wheels of PyTensor find no BLAS for its C linker, which is not the default one
    warnings.simplefilter("ignore")
    import pytensor
    import pytensor.tensor as pt
    from pytensor.compile.mode import get_default_mode

from recurrent import steps
from recurrent.rows import Row

about = f"PyTensor {pytensor.__version__}, linker {get_default_mode().linker}"


def build(row: Row) -> Callable[..., Any]:
    """Compiled function of the row's data."""
    inputs = [pt.tensor(dtype=row.dtype, shape=(None,) * a.ndim) for a in row.data()]
    results = MODELS[row.model](row, *inputs)
    if row.gradient:
        loss = pt.mean(pt.sqr(results[0]))
        results = [loss, *pytensor.grad(loss, inputs[-3:])]
    return pytensor.function(inputs, results)


def given(data: Sequence[np.ndarray]) -> list[Any]:
    """The data as the library takes it at no cost."""
    return list(data)


def scan(*args: Any, **kwargs: Any) -> Any:
    """Outputs without updates."""
    return pytensor.scan(*args, **kwargs, return_updates=False)


def gru(row: Row, x: Any, h: Any, *weights: Any) -> list[Any]:
    return [
        scan(
            lambda x, h, *weights: steps.gru(pt, x, h, *weights, row.width),
            sequences=x,
            outputs_info=h,
            non_sequences=weights,
        )
    ]


def lstm(row: Row, x: Any, h: Any, c: Any, *weights: Any) -> list[Any]:
    states, _ = scan(
        lambda x, h, c, *weights: steps.lstm(pt, x, h, c, *weights, row.width),
        sequences=x,
        outputs_info=[h, c],
        non_sequences=weights,
    )
    return [states]


def ar2(row: Row, e: Any, start: Any, a: Any, b: Any) -> list[Any]:
    state = {"initial": start, "taps": [-2, -1]}
    return [scan(steps.ar2, sequences=e, outputs_info=state, non_sequences=[a, b])]


def sir(row: Row, s: Any, i: Any, r: Any, beta: Any, gamma: Any) -> list[Any]:
    return list(scan(steps.sir, outputs_info=[s, i, r], non_sequences=[beta, gamma], n_steps=row.steps))


def cumsum(row: Row, x: Any, start: Any) -> list[Any]:
    return [scan(steps.cumsum, sequences=x, outputs_info=start)]


def logistic(row: Row, start: Any, rate: Any) -> list[Any]:
    return [scan(steps.logistic, outputs_info=start, non_sequences=rate, n_steps=row.steps)[-1]]


MODELS = {"gru": gru, "lstm": lstm, "ar2": ar2, "sir": sir, "cumsum": cumsum, "logistic": logistic}
