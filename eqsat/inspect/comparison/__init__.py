"""Two graphs side by side: what both hold, what only one does, and what each node costs."""

from eqsat.inspect.comparison.comparison import Comparison, compare

__all__ = ["Comparison", "compare"]
