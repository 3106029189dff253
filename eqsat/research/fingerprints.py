"""Values of terms at drawn points, by which terms are compared: ordinary ones to find equals, special ones to tell them apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise, product
from typing import Any

import numpy as np

from eqsat.rules.pattern import held_by_float32

ORDINARY = 96  # of them at least eight of each choice of signs, and as many again where all are positive
WIDTHS = (1.0, 2.0, 3.0, 6.0)  # bounds of ordinary points; exp(exp(6)) is no infinity
LEAST_FINITE = 4  # points at which a term has a value; others are not looked at
DIGITS = 9  # of a value in a key; terms under one key are compared in full
CLOSE = 1e-8
SPECIAL = (0.0, -0.0, 1.0, -1.0, 2.0, -0.5, 30.0, np.inf, -np.inf, np.nan)
MOST_POINTS = 4096
BORDERS = (
    -3.0,
    -1.0,
    -0.5,
    0.0,
    1.0,
    2.0,
)  # beside the numbers of a search, on and between which facts of variables change


class Fingerprints:
    """Ordinary points for some variables: small enough that few functions of functions overflow, with signs of every kind."""

    DTYPES = ("float64", "float32", "int64", "bool")

    def __init__(self, dtype: str, variables: int, seed: int) -> None:
        self.dtype, self.count = dtype, ORDINARY
        self.seed = seed
        rng = np.random.default_rng(seed)
        self.variables: Any
        if dtype == "bool":
            self.variables = rng.random((variables, ORDINARY)) < 0.5
        elif dtype == "int64":
            self.variables = rng.integers(-40, 40, (variables, ORDINARY))
        else:
            width = np.resize(WIDTHS, ORDINARY)
            drawn = rng.uniform(0.05, 1.0, (variables, ORDINARY)) * width
            signs = np.array(list(product((1.0, -1.0), repeat=variables))).T
            turned = np.resize(signs.T, (ORDINARY - ORDINARY // 3, variables)).T
            self.variables = np.concatenate(
                [drawn[:, : ORDINARY // 3], drawn[:, ORDINARY // 3 :] * turned], 1
            )

    @staticmethod
    def computed(op: Any, operands: Sequence[Any]) -> Any:
        """The values of an elementwise op."""
        with np.errstate(all="ignore"):
            found = np.asarray(op.compute(*operands))
        return np.broadcast_to(found, np.broadcast_shapes(*(np.shape(o) for o in operands)))

    @staticmethod
    def key(row: Any) -> Any:
        """A key that is the same for terms of equal values, and perhaps for others."""
        if row.dtype.kind != "f":
            return row.dtype.kind, row.tobytes()
        with np.errstate(all="ignore"):
            scale = 10.0 ** np.floor(np.log10(np.maximum(np.abs(row), 1.0)))
            short = np.round(row / scale, DIGITS) * scale + 0.0
        short = np.where(np.isfinite(row), short, row)
        return "f", np.where(np.isnan(short), np.nan, short).tobytes()

    @staticmethod
    def tells(row: Any) -> bool:
        """True for values that tell functions apart: at some points there are numbers."""
        return row.dtype.kind != "f" or int(np.isfinite(row).sum()) >= LEAST_FINITE

    @staticmethod
    def close(a: Any, b: Any) -> bool:
        """True where two rows are equal but for rounding, and have no value at the same points."""
        return a.dtype.kind == b.dtype.kind and bool(np.all(Fingerprints.near(a, b)))

    @staticmethod
    def near(a: Any, b: Any) -> Any:
        """The places of two rows at which they are equal but for rounding, or neither is a number."""
        if a.dtype.kind != "f":
            return np.asarray(a == b)
        with np.errstate(all="ignore"):
            apart = np.abs(a - b) <= 1e-13 + CLOSE * np.abs(b)
        return apart | (a == b) | (np.isnan(a) & np.isnan(b))


@cache
def special_points(dtype: str, variables: int, seed: int) -> Any:
    """Points of signed zeros, ones, infinities, NaN, tiny and huge numbers, in all ways for few variables, with some ordinary ones."""
    kind = np.dtype(dtype)
    rng = np.random.default_rng([seed, 1])
    if kind.kind == "b":
        return np.array(list(product((False, True), repeat=variables))).T.reshape(variables, -1)
    if kind.kind == "i":
        ends: list[Any] = [0, 1, -1, 2, -7, np.iinfo(kind).max, np.iinfo(kind).min]
    else:
        limits = np.finfo(kind)
        ends = [*SPECIAL, limits.tiny, -limits.tiny, limits.smallest_subnormal, limits.max, -limits.max]
        ends += [limits.max**0.5 * 2, limits.eps / 4]
    grid = np.array(list(product(ends, repeat=min(variables, 2))), kind).T
    if variables > 2:
        more = rng.choice(np.array(ends, kind), (variables, MOST_POINTS - len(ends)))
        each = np.repeat(np.array(ends, kind)[None], variables, 0)
        grid = np.concatenate([each, more], 1)
    drawn = rng.normal(size=(variables, 256)) * 10.0 ** rng.integers(-3, 4, (variables, 256))
    return np.concatenate([grid.reshape(variables, -1), drawn.astype(kind)], 1)


@cache
def border_points(dtype: str, variables: int, numbers: tuple[float, ...] = ()) -> Any:
    """Points at which facts of variables begin and end to hold, and some between them, in all ways."""
    on = sorted({*BORDERS, *numbers})
    between = [(a + b) / 2 for a, b in pairwise(on)]
    values = [*on, *between, -0.0]
    kind = np.dtype(dtype)
    chosen = np.array(values, kind) if kind.kind == "f" else np.unique(np.array(values, kind))
    return np.array(list(product(chosen, repeat=variables)), kind).T.reshape(variables, -1)


def dtypes_tried(dtype: str) -> Iterator[str]:
    """The dtypes in which rules over one of them are compared: both floats for a float."""
    yield from ("float64", "float32") if np.dtype(dtype).kind == "f" else (dtype,)


def is_number(row: Any) -> bool:
    """True for values that are one number, which every float holds.

    >>> is_number(np.array([2.0, 2.0])), is_number(np.array([0.1, 0.1])), is_number(np.array([1.0, 2.0]))
    (True, False, False)
    """
    first = float(row[0])
    return bool(np.isfinite(first) and np.all(row == row[0]) and held_by_float32(first))
