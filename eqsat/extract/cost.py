"""What things cost: seconds from declared flops and bytes, with constants of a machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from eqsat.configuration import config
from eqsat.graph.declare import Cost, DeclaredOp

__all__ = ["CostModel"]

Lengths = tuple[int | None, ...]


@dataclass(frozen=True)
class CostModel:
    """Seconds per unit of work; replace the numbers or the whole object to model another machine.

    ``flop`` is a flop in a vectorised loop (a transcendental function counts 20 to 45), ``blas_flop`` one in
    a matrix product, ``byte`` moves a byte between memory and a core, ``call`` starts a kernel or a library
    call, ``step`` counts a step of a loop. ``fused`` is the part of an elementwise op's traffic that remains after fusion, on average.

    ``memory`` is the most bytes that one value may take which the graph as written does not have: forms that need more
    are not chosen. Without it ``config.memory_bound`` counts.

    Units    seconds per flop, byte and call; memory in bytes

    >>> from eqsat.extract.cost import CostModel
    >>> CostModel(byte=1e-9).byte
    1e-09
    """

    flop: float = 5e-11
    blas_flop: float = 2e-11
    byte: float = 6e-11
    call: float = 2e-8
    fused: float = 0.15
    step: float = 2e-9
    unstable: float = 1e3
    default_length: int | None = None
    memory: float | None = None

    def lengths(self, shape: Lengths) -> list[float]:
        """Lengths with the stated default where they are unknown."""
        unknown = self.default_length if self.default_length is not None else config.default_length
        return [float(unknown if n is None else n) for n in shape]

    def too_large(self, shape: Lengths, itemsize: int) -> bool:
        """True for a value that takes more memory than one may; a number of unknown length counts as the default."""
        bound = config.memory_bound if self.memory is None else self.memory
        return bound is not None and prod(self.lengths(shape)) * itemsize > bound

    def op_seconds(self, op: DeclaredOp, operands: Sequence[Lengths], out: Lengths, itemsize: int) -> float:
        """Seconds for one application of an op."""
        ins, result = [self.lengths(s) for s in operands], self.lengths(out)
        declaration = op.declaration
        size = prod(result)
        if declaration.kind == "elemwise":
            cost = declaration.cost
            assert isinstance(cost, Cost)
            return self.call + size * (cost.flops * self.flop + itemsize * self.byte * self.fused)
        cost = declaration.cost if isinstance(declaration.cost, Cost) else declaration.cost(op, ins, result)
        traffic = cost.bytes
        if traffic is None:
            read = sum(map(prod, ins))
            share = self.fused if declaration.kind == "reduce" else 1.0
            traffic = itemsize * (read * share + size)
        flop = self.blas_flop if cost.blas else self.flop
        return 1e-9 + self.call * cost.calls + cost.flops * flop + traffic * self.byte
