"""Random arrays: every dtype, lengths of 0, 1 and many, strides of all kinds, special values."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from campaign.program import Input
from eqsat.graph.dtypes import COMPLEX, FLOATS

LENGTHS = (0, 1, 1, 2, 3, 5, 17)
NUMBERS = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
SPECIAL = (float("nan"), float("inf"), float("-inf"), -0.0, 1e30, 1e-30)
LAYOUTS = ("", "", "", ".T", "[::-1]", "[::2]", "[..., ::-1]", "[1:]", "[::-3]")


def numbers(rng: random.Random, dtype: str, shape: tuple[int, ...], special: float = 0.3) -> Any:
    """An array of small numbers; with a probability also of special ones, or the ends of an integer dtype."""
    count = int(np.prod(shape))
    odd = rng.random() < special
    if dtype in FLOATS or dtype in COMPLEX:
        choices = NUMBERS + SPECIAL if odd else NUMBERS
        made = [rng.choice(choices) for _ in range(count)]
        if dtype in COMPLEX:
            made = [complex(a, rng.choice(NUMBERS)) for a in made]  # type: ignore[misc]
    elif dtype == "bool":
        made = [rng.random() < 0.5 for _ in range(count)]
    else:
        info = np.iinfo(dtype)
        low = -3 if info.min < 0 else 0
        made = [rng.randint(low, 5) for _ in range(count)]
        if odd:
            made = [rng.choice([info.min, info.max, v]) for v in made]
    with np.errstate(all="ignore"):
        return np.array(made, dtype).reshape(shape)


def laid_out(rng: random.Random, value: Any) -> tuple[Any, str]:
    """An array and the text of a view of it which has the value."""
    layout = rng.choice(LAYOUTS) if value.ndim else ""
    if layout == ".T":
        return np.array(value.T, order="C"), layout
    if layout in ("[::-1]", "[..., ::-1]"):
        return np.array(value[::-1] if layout == "[::-1]" else value[..., ::-1]), layout
    if layout == "[::2]":
        return np.repeat(value, 2, axis=0), layout
    if layout == "[::-3]":
        return np.repeat(value[::-1], 3, axis=0), layout
    if layout == "[1:]":
        return np.concatenate([np.zeros((1, *value.shape[1:]), value.dtype), value]), layout
    return value, ""


def random_input(
    rng: random.Random,
    name: str,
    dtype: str,
    shape: tuple[int, ...],
    known: float = 0.2,
    special: float = 0.3,
) -> Input:
    """An input of a shape, whose type may know some of the lengths; a length of 1 is mostly known."""
    base, layout = laid_out(rng, numbers(rng, dtype, shape, special))
    lengths = tuple(n if rng.random() < (0.7 if n == 1 else known) else None for n in shape)
    return Input(name, dtype, lengths, base, layout)
