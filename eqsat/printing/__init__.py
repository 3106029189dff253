"""Graphs as text: a tree, a line of mathematics, the dot language; and values printed while a function runs."""

from eqsat.base.names import late_names
from eqsat.printing.at_run_time import Print
from eqsat.printing.dot import pydotprint
from eqsat.printing.leaf_texts import leaf_text, outputs_of, value_text
from eqsat.printing.line import pp
from eqsat.printing.tree import debugprint, dprint, letters

pprint = pp

__all__ = [
    "Print",
    "debugprint",
    "dprint",
    "pp",
    "pprint",
    "pydotprint",
]

late_names(__name__)
