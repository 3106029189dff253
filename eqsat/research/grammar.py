"""A grammar of terms: ops with values of their parameters, variables of some ranks, and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, DTypeError, EqsatError
from eqsat.graph.declare import OPS, Declaration
from eqsat.research.fingerprints import Fingerprints, is_number

MANY = 7  # variables, numbers and ops of a term that four variables can be in
BY_RANK = ("abcd", "uvst", "xyzw", "pqrm")  # names of variables, by their number of axes


@dataclass(frozen=True)
class Grammar:
    """The ops, numbers and variables of which terms are made, and the limits of a term.

    ``size`` counts variables, numbers and ops of a term, ``operations`` the ops alone. ``ranks`` are the numbers of axes of
    variables; without them terms are elementwise.
    """

    ops: tuple[Any, ...]
    size: int = 5
    dtype: str = "float64"
    numbers: tuple[float, ...] = ()
    ranks: tuple[int, ...] = ()
    operations: int | None = None
    seed: int = 0

    @classmethod
    def of(
        cls, ops: Any, numbers: Iterable[Any] | None = None, ranks: Sequence[int] = (), **given: Any
    ) -> Grammar:
        """The grammar of what a user asks for; numbers that are not given are those of which the ops speak.

        Errors   ArgumentError for what terms cannot be made of, DTypeError

        >>> Grammar.of("exp,log").numbers, Grammar.of("add,mul").numbers
        ((), (0.0, 1.0, 2.0))
        """
        check_ranks(ranks)
        chosen = chosen_ops(ops, ranks)
        told = numbers_of(chosen) if numbers is None else checked_numbers(numbers)
        made = cls(tuple(chosen), numbers=tuple(told), ranks=tuple(ranks), **given)
        made.check()
        return made

    def check(self) -> None:
        """Refuse limits within which there are no terms, and a dtype over which no points are drawn."""
        check_dtype(self.dtype)
        if not isinstance(self.size, int) or self.size < 2:
            needs = "a whole number above 1: the ops, variables and numbers of a term"
            raise ArgumentError(f"discover: size={self.size!r}", needs=needs)
        if self.operations is not None and (not isinstance(self.operations, int) or self.operations < 1):
            needs = "a whole number above 0: the ops of a term"
            raise ArgumentError(f"discover: operations={self.operations!r}", needs=needs)

    @property
    def variables(self) -> int:
        """The number of variables of each rank."""
        return 3 + (self.size >= MANY)

    def key(self) -> list[str]:
        """All that the answers of a search depend on, but for its size."""
        given = repr((list(self.numbers), self.seed, self.ranks, self.variables))
        return [*map(str, self.ops), self.dtype, given]


def check_ranks(ranks: Sequence[int]) -> None:
    """Refuse numbers of axes for which there are no names of variables."""
    if any(n not in range(len(BY_RANK)) for n in ranks):
        raise ArgumentError(
            f"discover: ranks={ranks!r}", needs=f"numbers of axes from 0 to {len(BY_RANK) - 1}, as (2,)"
        )


def checked_numbers(numbers: Iterable[Any]) -> list[float]:
    """Numbers of which terms are made.

    Errors   ArgumentError for what is none
    """
    try:
        return [float(n) for n in numbers]
    except (TypeError, ValueError):
        raise ArgumentError(f"discover: numbers={numbers!r}", needs="numbers, as [0, 1]") from None


def bound(d: Declaration, ranks: Sequence[int]) -> list[Any]:
    """An op with the values of its parameters for tensors of some numbers of axes.

    >>> [op.params["axes"] for op in bound(OPS["sum"], [2])], len(bound(OPS["exp"], []))
    ([(0,), (1,), (0, 1)], 1)
    """
    values = (product(*(kind.among(n) for kind in d.parameters.values())) for n in ranks)
    given = dict.fromkeys(v for some in values for v in some) if d.parameters else {(): None}
    found = []
    for one in given:
        with suppress(EqsatError):  # values that this op does not take
            found.append(d.bind(**dict(zip(d.parameters, one, strict=True))))
    return found


def chosen_ops(ops: Any, ranks: Sequence[int] = ()) -> list[Any]:
    """The ops of a list, or of a text with commas between their names; for tensors of some numbers of axes also those of whole tensors.

    An op with values of its parameters is taken as it is, one that is named with all values that are tried.

    Errors   ArgumentError for an op that is not elementwise, or that has no name of one
    """
    listed = ops.split(",") if isinstance(ops, str) else list(ops)
    found: list[Any] = []
    for one in listed:
        name = getattr(one, "name", one).strip()
        if not name:
            continue
        d = OPS.find(name)
        if d is None:
            raise ArgumentError(f"discover: there is no op named {name!r}", among=(name, OPS))
        if not ranks and (d.kind != "elemwise" or d.parameters):
            raise ArgumentError(
                f"discover: {name} is not elementwise",
                needs="elementwise ops without parameters, or numbers of axes",
                hint="ranks=2",
            )
        found += [one] if getattr(one, "params", None) else bound(d, ranks)
    if not found:
        raise ArgumentError("discover: there are no ops", needs="names of ops, as ops='exp,log'")
    return list({str(op): op for op in found}.values())


def numbers_of(ops: Sequence[Any]) -> list[float]:
    """The numbers of which the declarations of ops speak: neutral and absorbing ones, powers, and what one op makes of neutral ones.

    >>> from eqsat.graph.ops.elemwise import add, mul, neg, sqr
    >>> numbers_of([add, mul]), numbers_of([sqr]), numbers_of([mul, neg])
    ([0.0, 1.0, 2.0], [2.0], [-1.0, 0.0, 1.0])
    """
    facts = [op.declaration for op in ops]
    told = [n for d in facts for n in (d.neutral, d.absorbing, d.power) if n is not None]
    neutral = {float(d.neutral) for d in facts if d.neutral is not None and np.isfinite(d.neutral)}
    single = [op for op in ops if op.declaration.kind == "elemwise"]
    made = (
        value
        for op in single
        for given in product(sorted(neutral), repeat=len(op.declaration.tensors))
        for value in made_of(op, given)
    )
    return sorted({float(n) for n in (*told, *made) if np.isfinite(n)})


def ends_of(ops: Sequence[Any]) -> list[float]:
    """The numbers at which ops begin or cease to have values, by their declarations.

    >>> from eqsat.graph.ops.elemwise import add, log1p
    >>> ends_of([add, log1p])
    [-1.0]
    """
    return sorted({float(n) for op in ops for n in op.declaration.domain if np.isfinite(n)})


def made_of(op: Any, numbers: tuple[float, ...]) -> list[float]:
    """The number that an op makes of some, if it is one that every float holds."""
    try:
        row = np.asarray(Fingerprints.computed(op, [np.array([n, n]) for n in numbers]))
    except TypeError:  # an op of whole numbers
        return []
    return [float(row[0])] if row.dtype.kind == "f" and is_number(row) else []


def check_dtype(dtype: str) -> None:
    """Refuse a dtype over which no points are drawn."""
    if dtype not in Fingerprints.DTYPES:
        raise DTypeError(
            f"discover: no rules are looked for over {dtype}", among=(dtype, Fingerprints.DTYPES)
        )
