"""Neutral elements, inverses and signs."""

from eqsat.rules.pattern import anything, reals
from eqsat.rules.rule import rule

x, y, z = reals("x y z")
a = anything("a")

RULES = [
    rule("mul-one", a * 1, a, tier="exact", cite="definition"),
    rule("mul-div-cancel", x * y / y, x, tier="extends", cite="definition"),
]
