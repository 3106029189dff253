"""Explanations: the rules that make the chosen graph equal to the one as written, one step each."""

from eqsat.inspect.explanation.explanation import Explanation, Step, explain

__all__ = ["Explanation", "Step", "explain"]
