"""Differences in other forms, of which one may keep digits where another loses them; the accuracy objective tries them all.

None pays everywhere, so that they are loose: off unless ``optimize(objective="accuracy")`` or a user asks for them.
"""

from eqsat.graph.ops.elemwise import add, cos, exp, log, log1p, mul, neg, reciprocal, sin, sqr, sub, truediv
from eqsat.graph.ops.trigonometry import arctan, arctan2, cosh, sinh, tan
from eqsat.rules.pattern import reals
from eqsat.rules.rule import rule

x, y, u, v = reals("x y u v")

RULES = [
    rule(name, left, right, tier="loose", tags=["forms"], cite=cite)
    for name, left, right, cite in [
        ("sin-of-sum", sin(x + y), sin(x) * cos(y) + cos(x) * sin(y), "hamming1987"),
        ("cos-of-sum", cos(x + y), cos(x) * cos(y) - sin(x) * sin(y), "hamming1987"),
        ("sin-difference", sin(x) - sin(y), sin((x - y) * 0.5) * cos((x + y) * 0.5) * 2, "hamming1987"),
        ("cos-difference", cos(x) - cos(y), sin((x - y) * 0.5) * sin((x + y) * 0.5) * -2, "hamming1987"),
        ("tan-difference", tan(x) - tan(y), sin(x - y) / (cos(x) * cos(y)), "hamming1987"),
        ("arctan-difference", arctan(x) - arctan(y), arctan2(x - y, mul(x, y) + 1), "hamming1987"),
        ("fraction-difference", sub(truediv(x, u), truediv(y, v)), truediv(x * v - y * u, mul(u, v)), "hamming1987"),
        ("fraction-sum", add(truediv(x, u), truediv(y, v)), truediv(x * v + y * u, mul(u, v)), "hamming1987"),
        ("reciprocal-difference", reciprocal(u) - reciprocal(v), (v - u) / mul(u, v), "hamming1987"),
        ("fraction-less-reciprocal", truediv(x, u) - reciprocal(v), (x * v - u) / mul(u, v), "hamming1987"),
        ("reciprocal-less-fraction", reciprocal(u) - truediv(y, v), (v - y * u) / mul(u, v), "hamming1987"),
        ("reciprocal-sum", reciprocal(u) + reciprocal(v), (u + v) / mul(u, v), "hamming1987"),
        ("fraction-and-reciprocal", truediv(x, u) + reciprocal(v), (x * v + u) / mul(u, v), "hamming1987"),
        ("exp-and-inverse", exp(x) + exp(neg(x)), cosh(x) * 2, "hamming1987"),
        ("exp-less-two-and-inverse", (exp(x) - 2) + exp(neg(x)), sqr(sinh(x * 0.5)) * 4, "hamming1987"),
        ("log-of-quotient-near-one", log(truediv(x, y)), log1p((x - y) / y), "hamming1987"),
        ("sum-less-sum", sub(add(x, u), add(y, u)), sub(x, y), "definition"),
        ("sum-less-term", sub(sub(x, y), x), neg(y), "definition"),
        ("difference-of-sum", sub(add(x, y), u), add(x, sub(y, u)), "definition"),
    ]
]  # fmt: skip
