"""Functions of JAX as graphs of eqsat: ``from_jax`` reads the jaxpr."""

from __future__ import annotations

from eqsat.bridges.jax.functions import FromJax, coverage, from_jax

__all__ = ["FromJax", "coverage", "from_jax"]
