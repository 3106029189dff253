"""Spellings of the sigmoid and of the hyperbolic tangent, and their symmetries."""

from eqsat.graph.ops.elemwise import exp, reciprocal, sigmoid, tanh
from eqsat.rules.pattern import reals
from eqsat.rules.rule import rule

x = reals("x")

RULES = [
    rule("one-over-one-plus-exp", reciprocal(1 + exp(x)), sigmoid(-x)),
    rule("tanh-half-plus-one", 0.5 * (tanh(0.5 * x) + 1), sigmoid(x), tier="stabilises"),
    rule("tanh-half-plus-half", 0.5 * tanh(0.5 * x) + 0.5, sigmoid(x), tier="stabilises"),
    rule("tanh-from-exp", (exp(x) - exp(-x)) / (exp(x) + exp(-x)), tanh(x), tier="stabilises"),
]
