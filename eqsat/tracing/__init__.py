"""Plain NumPy code as graphs: ``jit`` traces a Python function, compiles it, and answers its later calls."""

from __future__ import annotations

from eqsat.tracing.gradients import value_and_grad
from eqsat.tracing.jitted import Jitted, jit
from eqsat.tracing.traced import Traced

__all__ = ["Jitted", "Traced", "jit", "value_and_grad"]
