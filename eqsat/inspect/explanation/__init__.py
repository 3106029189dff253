"""Why the chosen graph is equal to the one as written: the rules that are needed, one step each."""

from eqsat.inspect.explanation.explanation import Explanation, Step, explain

__all__ = ["Explanation", "Step", "explain"]
