"""Differences in other forms, of which one may keep digits where another loses them; the accuracy objective tries them all.

None pays everywhere, so that they are loose: off unless ``optimize(objective="accuracy")`` or a user asks for them.
"""

from typing import Any

from eqsat.graph.ops.elemwise import (
    abs,
    add,
    cos,
    exp,
    expm1,
    log,
    log1p,
    mul,
    neg,
    pow,
    reciprocal,
    sin,
    sqr,
    sqrt,
    sub,
    truediv,
)
from eqsat.graph.ops.rounding import cbrt
from eqsat.graph.ops.trigonometry import arctan, arctan2, cosh, sinh, tan
from eqsat.rules.pattern import reals
from eqsat.rules.rule import PARTIAL, rule

x, y, u, v = reals("x y u v")

TOTAL: list[tuple[str, Any, Any, str]] = [
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
    ("log-difference", log(x) - log(y), log1p((x - y) / y), "hamming1987"),
    ("expm1-of-negative", expm1(x), neg(exp(x) * expm1(neg(x))), "definition"),
    ("expm1-of-twice", expm1(x * 2), expm1(x) * (exp(x) + 1), "definition"),
    (
        "expm1-of-sum-quotient",
        expm1(x + y) / (expm1(x) * expm1(y)),
        reciprocal(expm1(x)) - reciprocal(expm1(neg(y))),
        "hamming1987",
    ),
    ("tan-of-half", (1 - cos(x)) / sin(x), tan(x * 0.5), "hamming1987"),
    ("tan-of-half-sine", sin(x) / (1 + cos(x)), tan(x * 0.5), "hamming1987"),
    ("cos-near-one", 1 - cos(x), sqr(sin(x * 0.5)) * 2, "hamming1987"),
    ("square-quotient", sqr(x) / sqr(y), sqr(x / y), "definition"),
    ("multiple-quotient", (x * u) / y, (x / y) * u, "definition"),
    ("sum-less-sum", sub(add(x, u), add(y, u)), sub(x, y), "definition"),
    ("sum-less-term", sub(sub(x, y), x), neg(y), "definition"),
    ("difference-of-sum", sub(add(x, y), u), add(x, sub(y, u)), "definition"),
]  # fmt: skip
PARTIAL_FORMS: list[tuple[str, Any, Any, str]] = [  # undefined at some points, as 0 / 0 is where a divisor vanishes
    ("cbrt-difference", cbrt(x) - cbrt(y), (x - y) / (sqr(cbrt(x)) + cbrt(x) * cbrt(y) + sqr(cbrt(y))), "hamming1987"),
    ("less-sqrt", y - sqrt(x), (sqr(y) - x) / (sqrt(x) + y), "hamming1987"),
    ("sqrt-less", sqrt(x) - y, (x - sqr(y)) / (sqrt(x) + y), "hamming1987"),
    ("log-of-quotient", log(truediv(x, y)), log(x) - log(y), "hamming1987"),
    ("power-difference", pow(x, u) - pow(y, u), pow(y, u) * expm1(u * log1p((x - y) / y)), "hamming1987"),
    ("sqrt-of-less", sqrt(sqr(y) - x), abs(y) * sqrt(1 - x / y / y), "hamming1987"),
]  # fmt: skip
RULES = [
    rule(name, left, right, tier="loose", tags=tags, cite=cite)
    for tags, forms in ((["forms"], TOTAL), (["forms", PARTIAL], PARTIAL_FORMS))
    for name, left, right, cite in forms
]
