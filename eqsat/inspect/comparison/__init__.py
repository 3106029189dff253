"""Two graphs side by side: what both hold, what only one does, and what each node costs."""

from eqsat.inspect.comparison.cell import Cell, Row
from eqsat.inspect.comparison.comparison import Comparison, compare
from eqsat.inspect.comparison.comparison_table import ComparisonTable

__all__ = ["Cell", "Comparison", "ComparisonTable", "Row", "compare"]
