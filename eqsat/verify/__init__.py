"""Does a rule keep its promise? Both sides are computed on drawn points, by NumPy and over the real numbers.

A point inside the condition of a rule must show what the tier of the rule promises (see ``TIERS`` in rule.py).
NaN operands count for ``exact`` only. Rules tagged ``backward`` are those whose right side is exact for slightly
changed operands: their points avoid the ends of the exponent, and the change that a few units in the last place
of the operands make to the result is allowed.
"""

from eqsat.base.names import late_names
from eqsat.verify.egraph_trial import joins
from eqsat.verify.op_promises import OpVerification, verify_op
from eqsat.verify.points import facts_of, points
from eqsat.verify.promises import breaks_outside, check_types, find_failures
from eqsat.verify.proof import proved
from eqsat.verify.result import Verification
from eqsat.verify.rule_sets import SetVerification, verify_set
from eqsat.verify.sides import Graph, Point
from eqsat.verify.sources import load_rules
from eqsat.verify.sweep import sweep, verify

__all__ = [
    "OpVerification",
    "SetVerification",
    "Verification",
    "breaks_outside",
    "find_failures",
    "joins",
    "load_rules",
    "proved",
    "sweep",
    "verify",
    "verify_op",
    "verify_set",
]

late_names(__name__)
