"""Graphs of other libraries as graphs of eqsat; a module is loaded when it is used first."""

from __future__ import annotations

from typing import Any


def from_pytensor(outputs: Any, inputs: Any = None) -> Any:
    """The graph of a PyTensor variable, or of a list of them, as variables of eqsat; see ``eqsat.bridges.pytensor.from_pytensor``."""
    from eqsat.bridges.pytensor import from_pytensor as translated

    return translated(outputs, inputs)


__all__ = ["from_pytensor"]
