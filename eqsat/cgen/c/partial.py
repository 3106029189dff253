"""C text of partial results: the types in which they are combined, how two are, and how one of them is written."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from eqsat.cgen.c.literals import plain
from eqsat.cgen.c.nest_text import Body, Parameters
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.ir.nest import Computed, Fold, Nest, args_of
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import FLOATS, INEXACT
from eqsat.graph.properties import product

SIGNED = {"float": "int32_t", "double": "int64_t"}


def accumulated(fold: Fold) -> str:
    """Dtype in which values are combined."""
    return fold.reduction.accumulator.get(fold.dtype, fold.dtype)


def accumulator(fold: Fold) -> str:
    """C type in which values are combined."""
    return CTYPE[accumulated(fold)]


def of_block(fold: Fold) -> str:
    """C type in which the values of a block are combined."""
    return CTYPE[fold.dtype] if fold.reduction.small else accumulator(fold)


def combine(fold: Fold, a: str, b: str) -> str:
    """C text of two partial results combined; NaN stays NaN."""
    text = plainly(fold, a, b)
    return f"(__builtin_isunordered({a}, {b}) ? {a} + {b} : {text})" if fold.spreads_nan else text


def plainly(fold: Fold, a: str, b: str) -> str:
    """C text of two partial results combined where NaN is looked for elsewhere."""
    return ((fold.is_complex and fold.reduction.complex) or fold.reduction.combine).format(a=a, b=b)


def products(nest: Nest) -> dict[int, tuple[int, int]]:
    """The products that sums add up in a type that holds all their digits, by number, with their factors.

    Each is made in that type, in one operation with the sum, where the factors are no more than the products: what is converted
    are these, and not the products.
    """
    used = [f.root for f in nest.folds] + [n for n, _ in nest.stores]
    used += [a for v in nest.values for a in args_of(v)]
    found = {f.root: _factors(nest, f) for f in nest.folds if used.count(f.root) == 1}
    pairs = {root: pair for root, pair in found.items() if pair is not None}
    return pairs if len({a for pair in pairs.values() for a in pair}) <= len(pairs) else {}


def _factors(nest: Nest, fold: Fold) -> tuple[int, int] | None:
    root, wide = nest.values[fold.root], accumulated(fold)
    if fold.dtype not in FLOATS or fold.reduction.openmp != "+" or of_block(fold) != accumulator(fold):
        return None
    if not isinstance(root, Computed) or root.op is None or root.apart:
        return None
    pair = product(root.op.declaration)
    if pair is None or root.of != fold.dtype or _digits(wide) < 2 * _digits(root.of):
        return None
    return root.args[root.names.index(pair[0])], root.args[root.names.index(pair[1])]


def _digits(dtype: str) -> int:
    """Binary digits of a float."""
    return int(np.finfo(dtype).nmant) + 1


def with_element(
    body: Body, fold: Fold, into: str, ctype: str, join: Callable[[Fold, str, str], str] = plainly
) -> str:
    """C text of a partial result with the value of one more element."""
    if (pair := body.products.get(fold.root)) is not None:
        return f"eq_added(t{pair[0]}, t{pair[1]}, {into})"
    return join(fold, into, f"({ctype})t{fold.root}")


def written(fold: Fold, place: str, value: str) -> str:
    """C text of a result that is written, or combined with what is there."""
    target = CTYPE[fold.dtype]
    if fold.on:
        value = f"({combine(fold, f'({accumulator(fold)}){place}', value)})"
    return f"{place} = ({target}){value};"


def identity(fold: Fold) -> str:
    """C text of the result over no elements."""
    return plain(fold.reduction.identity(fold.dtype), fold.dtype)


def flag(fold: Fold) -> str:
    """C type of the flag that says that NaN was among the elements."""
    return SIGNED[accumulator(fold)]


def _rounds_nothing(fold: Fold) -> bool:
    """True for a fold like the largest element, whose result is an element in whatever order they are combined."""
    binary = OPS.find(fold.op.declaration.reduces) if fold.op is not None else None
    return binary is not None and binary.idempotent


def takes_all(fold: Fold) -> bool:
    """True where sums of blocks would be no nearer: nothing is rounded, or all to more digits than the result has."""
    return _rounds_nothing(fold) or (of_block(fold) != CTYPE[fold.dtype] and fold.dtype in INEXACT)


def indices(nest: Nest, names: Parameters, axes: list[int], flat: str) -> list[str]:
    """Statements that take a flat index over axes apart; the index of axis 2 is named k2."""
    lines, rest = [], flat
    for axis in reversed(axes[1:]):
        n = names.number(nest.lengths[axis])
        lines.append(f"const int64_t k{axis} = {rest} % {n}, d{axis} = {rest} / {n};")
        rest = f"d{axis}"
    return lines + ([f"const int64_t k{axes[0]} = {rest};"] if axes else [])


def range_of(names: Parameters, length: str, single: bool) -> str:
    """A statement with the first element of a chunk and the one after its last."""
    n = names.number(length)
    if single:
        return f"const int64_t first = 0, last = {n};"
    span = names.number("@span")
    return f"const int64_t first = part*{span}, last = eq_least(first + {span}, {n});"


def saved(names: Parameters, single: bool, write: str, keep: str) -> str:
    """A statement that writes a result, or keeps the partial one where there are several chunks."""
    return write if single else f"if ({names.number('@chunks')} == 1) {write} else {keep}"
