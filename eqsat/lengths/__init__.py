"""Lengths of axes: the signature of an op says once which lengths it takes and gives; every other room reads it."""

from eqsat.lengths.bound import Bound, Equal, bind
from eqsat.lengths.expression import UNKNOWN, At, Combined, Known, Length, Value, evaluate
from eqsat.lengths.signature import Signature, parse

__all__ = [
    "UNKNOWN",
    "At",
    "Bound",
    "Combined",
    "Equal",
    "Known",
    "Length",
    "Signature",
    "Value",
    "bind",
    "evaluate",
    "parse",
]
