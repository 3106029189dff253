"""All workloads, in the order of their files."""

from __future__ import annotations

from beside import (
    elementwise,
    images,
    learning,
    likelihoods,
    loops,
    norms,
    products,
    rows,
    science,
    small,
    steps,
)
from beside.workload import WORKLOADS

FILES = (elementwise, rows, norms, products, learning, loops, science, steps, likelihoods, images, small)

__all__ = ["FILES", "WORKLOADS"]
