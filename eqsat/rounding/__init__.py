"""Rounding errors: the accuracy of graphs in bits, graphs that are chosen by it, and expressions of FPBench."""

from __future__ import annotations

from eqsat.rounding.fpcore import FPCore, read_fpcore
from eqsat.rounding.measure import Accuracy, NodeError, accuracy
from eqsat.rounding.objective import Measured

__all__ = ["Accuracy", "FPCore", "Measured", "NodeError", "accuracy", "read_fpcore"]
