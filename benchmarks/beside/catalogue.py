"""All workloads, in the order of their files."""

from __future__ import annotations

from beside import elementwise, images, learning, likelihoods, loops, products, rows, science, small
from beside.workload import WORKLOADS

FILES = (elementwise, rows, products, learning, loops, science, likelihoods, images, small)

__all__ = ["FILES", "WORKLOADS"]
