"""Cost models that users choose, change and write: ``eqsat.optimize(y, model=eqsat.costs.flops())``."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from eqsat.base.names import late_names
from eqsat.base.values import dataclass
from eqsat.extract.cost import CostModel, Lengths
from eqsat.graph.declare import Cost, DeclaredOp

__all__ = ["Cost", "CostModel", "flops", "nodes", "traffic"]

late_names(__name__)

_DEARER = 1e15  # what an unstable form costs more, above all numbers of flops, bytes and nodes that occur


@dataclass(frozen=True)
class _Counted(CostModel):
    """A model that counts something other than seconds; ``unit`` is its name, in the singular."""

    unit: str = ""
    name: str = ""  # of the function of this module that made it

    def __str__(self) -> str:
        return f"{self.name}()"

    def show(self, cost: float) -> str:
        """A count with its unit."""
        return f"{cost:,.0f} {self.unit}{'' if round(cost) == 1 else 's'}"


class _FlopCount(_Counted):
    """Counts flops as the ops declare them."""

    def op_seconds(self, op: DeclaredOp, operands: Sequence[Lengths], out: Lengths, itemsize: int) -> float:
        result = self.lengths(out)
        cost = self.cost_of(op, [self.lengths(s) for s in operands], result)
        return cost.flops * (prod(result) if op.declaration.kind == "elemwise" else 1.0)


class _ByteCount(_Counted):
    """Counts bytes read and written."""

    def op_seconds(self, op: DeclaredOp, operands: Sequence[Lengths], out: Lengths, itemsize: int) -> float:
        ins, result = [self.lengths(s) for s in operands], self.lengths(out)
        return self.bytes_of(op, self.cost_of(op, ins, result), ins, result, itemsize)


class _NodeCount(_Counted):
    """Counts applications of ops that compute something; those that only look at memory in another way are free."""

    def op_seconds(self, op: DeclaredOp, operands: Sequence[Lengths], out: Lengths, itemsize: int) -> float:
        cost = self.cost_of(op, [self.lengths(s) for s in operands], self.lengths(out))
        return float(cost.flops > 0 or cost.calls > 0)

    def trips(self, steps: float) -> float:
        return min(steps, 1.0)


def flops() -> CostModel:
    """A model that counts flops only, as the ops declare them; exp counts 20.

    >>> import eqsat, eqsat.costs, eqsat.tensor as T
    >>> x = T.TensorType("float64", (100,))("x")
    >>> eqsat.optimize(T.exp(x) + 1, model=eqsat.costs.flops())
    <Report: 3 -> 3 ops, 2,100 flops -> 2,100 flops>
    """
    return _FlopCount(flop=1.0, byte=0.0, call=0.0, step=0.0, unstable=_DEARER, unit="flop", name="flops")


def traffic() -> CostModel:
    """A model that counts bytes only, as if every op read its operands from memory and wrote its result there.

    >>> import eqsat, eqsat.costs, eqsat.tensor as T
    >>> x = T.TensorType("float64", (100,))("x")
    >>> eqsat.optimize(T.exp(x), model=eqsat.costs.traffic())
    <Report: 1 -> 1 ops, 1,600 bytes -> 1,600 bytes>
    """
    return _ByteCount(
        flop=0.0,
        byte=1.0,
        nearest=1.0,
        near=1.0,
        far=1.0,
        call=0.0,
        fused=1.0,
        step=0.0,
        unstable=_DEARER,
        unit="byte",
        name="traffic",
    )


def nodes() -> CostModel:
    """A model that counts nodes, each once, also in a loop; views are free.

    >>> import eqsat, eqsat.costs, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> eqsat.optimize(T.log(T.exp(x) * T.exp(x)), model=eqsat.costs.nodes())
    <Report: 4 -> 1 ops, 4 nodes -> 1 node>
    """
    return _NodeCount(flop=0.0, byte=0.0, call=1.0, step=0.0, unstable=_DEARER, unit="node", name="nodes")
