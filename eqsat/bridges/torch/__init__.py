"""Graphs of PyTorch as graphs of eqsat: ``from_torch`` reads an exported program, ``torch.compile(model, backend="eqsat")`` compiles."""

from __future__ import annotations

from eqsat.bridges.torch.backend import eqsat_backend, register
from eqsat.bridges.torch.programs import FromTorch, coverage, from_torch

__all__ = ["FromTorch", "coverage", "eqsat_backend", "from_torch"]

register()
