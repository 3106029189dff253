"""PyTensor and PyMC on eqsat: ``mode="EQSAT"``, a linker, and graphs of PyTensor as graphs of eqsat.

Importing this module registers the mode.
"""

from __future__ import annotations

from eqsat.bridges.pytensor.linker import EqsatLinker, eqsat_mode, from_pytensor

__all__ = ["EqsatLinker", "eqsat_mode", "from_pytensor"]
