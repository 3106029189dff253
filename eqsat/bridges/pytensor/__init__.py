"""PyTensor and PyMC on eqsat: ``mode="EQSAT"``, a linker, and graphs of PyTensor as graphs of eqsat.

Importing this module registers the mode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eqsat.base.names import late_names
from eqsat.bridges.pytensor.linker import EqsatLinker, eqsat_mode, from_pytensor

if TYPE_CHECKING:
    from eqsat.bridges.pytensor.nutpie import nutpie_model

__all__ = ["EqsatLinker", "eqsat_mode", "from_pytensor", "nutpie_model"]

late_names(__name__, {"nutpie_model": "eqsat.bridges.pytensor.nutpie:nutpie_model"})
