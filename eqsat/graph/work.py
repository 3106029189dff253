"""The work of an op, and the way in which a reduction combines values: parts of declarations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from string import Formatter

from eqsat.base.values import dataclass
from eqsat.errors import CostError, DeclarationError

OPENMP = (
    *"+*-&|^",
    *(2 * sign for sign in "&|"),
    "max",
    "min",
)  # operators that a reduction over threads may have


@dataclass(frozen=True)
class Cost:
    """Work of one application: ``flops`` (per element for elementwise ops), memory traffic in ``bytes``.

    ``bytes=None`` means all operands are read and the result is written once; ``calls`` counts library or kernel
    launches. ``vector=False`` marks flops that are done one element at a time, in doubles whatever the dtype is.
    ``product=(m, k, n)`` says that the flops are those of products of matrices of these lengths, ``order=n``
    that they factor matrices of n rows, ``blas`` that a tuned library does them in large pieces. ``places`` counts lines of 64
    bytes that lie anywhere, not after one another: picked elements and rows.

    Units    flops, bytes; calls are counted
    Errors   CostError for a number that is negative or NaN

    >>> from eqsat.graph.declare import Cost
    >>> Cost(flops=25).flops
    25
    """

    flops: float = 1.0
    bytes: float | None = None
    blas: bool = False
    calls: float = 1.0
    vector: bool = True
    product: tuple[float, float, float] | None = None
    order: float = 0.0
    places: float = 0.0

    def __post_init__(self) -> None:
        try:
            if all(n >= 0 for n in (self.flops, self.calls, self.order, self.places, self.bytes or 0.0)):
                return
        except TypeError:
            pass
        raise CostError(f"{self}: flops, bytes, calls and order", needs="numbers that are not negative")


@dataclass(frozen=True)
class Reduction:
    """The way in which a reduction combines values: ``combine`` is C text of ``{a}`` and ``{b}``, ``identity`` the number for no elements, by dtype.

    ``openmp`` is the operator of an OpenMP reduction clause, by which elements are combined in vectors; without one they are
    combined one by one. ``accumulator`` maps dtypes to wider ones.
    Some hundred elements are combined before it is asked for where they are ``small``, such that these cannot overflow.
    ``spreads_nan`` says that one NaN makes the result NaN although ``combine`` would lose it.

    >>> from eqsat.graph.declare import Reduction
    >>> Reduction("{a} + {b}", lambda dtype: 0, "+").empty
    True
    """

    combine: str
    identity: Callable[[str], float]
    openmp: str = ""
    accumulator: dict[str, str] = field(default_factory=dict)
    complex: str = ""  # C text of combine for complex numbers, where the operator would treat NaN otherwise
    spreads_nan: bool = False
    empty: bool = True
    small: bool = False

    def __post_init__(self) -> None:
        if self.openmp and self.openmp not in OPENMP:
            raise DeclarationError(
                f"{self.openmp!r} is no operator of an OpenMP reduction", needs=", ".join(OPENMP)
            )
        for text in filter(None, (self.combine, self.complex)):
            names = [part[1] for part in Formatter().parse(text) if part[1] is not None]
            if not set(names) <= {"a", "b"}:
                raise DeclarationError(f"a reduction combines {text!r}", needs="C text of {a} and {b} alone")
