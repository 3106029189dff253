"""A graph of FX as variables of eqsat, and the decompositions by which torch writes an op in terms of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import torch
from torch._decomp import core_aten_decompositions, decomposition_table

from eqsat.bridges.torch import (  # noqa: F401, with their entries
    attention,
    elements,
    fourier,
    indexing,
    matrices,
    networks,
    reductions,
    resizing,
    shapes,
)
from eqsat.bridges.torch.reading import (
    READER,
    Result,
    attributes_of,
    calls_of,
    is_token,
    placeholders,
    results,
    value_of,
)
from eqsat.bridges.torch.table import TABLE
from eqsat.bridges.torch.written_out import WRITTEN_OUT
from eqsat.bridges.translate import Refused, Translation


class TorchTranslation(Translation):
    """A graph of FX that becomes one of eqsat; tensors of dtypes or layouts that eqsat does not have are left to torch."""

    def _refuse_dtypes(self, variables: Any) -> None:
        for v in variables:
            value = value_of(v)
            if value is not None and not is_token(v) and self.reader.type_of(v) is None:
                named = isinstance(v, Result) or not isinstance(value, torch.Tensor)
                what = f"the dtype {value.dtype}" if isinstance(value, torch.Tensor) else type(value).__name__
                raise Refused(
                    what if named or value.layout is torch.strided else f"the layout {value.layout}"
                )

    def node(self, node: Any, operands: Sequence[Any]) -> list[Any]:
        """The results of a call; one that writes to an operand has no value here."""
        if isinstance(node.op.function, torch._ops.OpOverload) and node.op.function._schema.is_mutable:
            raise Refused(f"{node.op.op_name}: it writes to its operand")
        return super().node(node, operands)


def translated(t: Translation, module: Any, given: Sequence[Any]) -> list[Any]:
    """The results of a module of FX over variables for its placeholders; None and numbers stay."""
    attributes = attributes_of(module)
    calls, inputs = calls_of(module.graph, attributes), placeholders(module.graph)
    wanted = results(module.graph, attributes)
    made = t.graph(calls, inputs, [v for v in wanted if _variable(v)], given)
    left = iter(made)
    return [next(left) if _variable(v) else v for v in wanted]


def _variable(v: Any) -> bool:
    return v is not None and not isinstance(v, (bool, int, float, complex, str))


@lru_cache(maxsize=1)
def decompositions() -> dict[Any, Callable[..., Any]]:
    """The functions by which torch, or eqsat, writes ops that have no entry here in terms of others."""
    table = {**decomposition_table, **core_aten_decompositions(), **WRITTEN_OUT}
    return {op: f for op, f in table.items() if not has_entry(op)}


def has_entry(op: Any) -> bool:
    """True for an op of ATen with an entry."""
    name = str(op)
    return name in TABLE.entries or name.rpartition(".")[0] in TABLE.entries


def translation(opaque: bool = True) -> TorchTranslation:
    """A translation of graphs of torch."""
    return TorchTranslation(TABLE, READER, opaque)
