"""E-graph to graph: which e-node of every class to keep, so that all outputs together cost least."""

from typing import TYPE_CHECKING

from eqsat.base.names import late_names

if TYPE_CHECKING:
    from eqsat.extract import cost, extractors, generate, problem, serialize

_GUIDE = ("cost", "extractors", "generate", "problem", "serialize")  # the files that the guides name

late_names(__name__, {name: f"{__name__}.{name}" for name in _GUIDE})
