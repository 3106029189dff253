"""exp and log undo each other and turn products into sums; fused forms keep range and accuracy."""

from eqsat.graph.ops.elemwise import exp, expm1, log, log1p, neg, sigmoid, softplus, sqr, sqrt
from eqsat.rules.pattern import reals
from eqsat.rules.rule import rule

x, y = reals("x y")

RULES = [
    rule("log-exp", log(exp(x)), x, tier="stabilises", cite="definition"),
    rule("exp-log", exp(log(x)), x, tier="rounds", when=x >= 0, cite="definition"),
    rule("log-one-plus", log(1 + x), log1p(x), tier="stabilises", cite="kahan1987"),
    rule("log1p-exp", log1p(exp(x)), softplus(x), tier="stabilises", cite="maechler2012"),
    rule("log-sigmoid", log(sigmoid(x)), -softplus(-x), tier="stabilises", cite="maechler2012"),
    rule("exp-minus-one", exp(x) - 1, expm1(x), tier="stabilises", cite="kahan1987"),
]
