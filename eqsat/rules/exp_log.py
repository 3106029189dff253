"""exp and log undo each other, and powers come out of a logarithm."""

from eqsat.graph.ops.elemwise import abs, exp, expm1, log, log1p, pow, reciprocal, sqr, sqrt
from eqsat.rules.pattern import reals
from eqsat.rules.rule import rule
from eqsat.rules.spellings import of_powers

x, y, c = reals("x y c")

RULES = [
    rule("log-of-exp-over", log(exp(x) / y), x - log(y), tier="stabilises", grows=False),
    rule("log-of-over-exp", log(y / exp(x)), log(y) - x, tier="stabilises", grows=False),
    rule("log-of-exp-times", log(exp(x) * y), x + log(y), tier="stabilises", grows=False),
    rule("expm1-log", expm1(log(x)), x - 1, when=x >= 0),
    rule("exp-log1p", exp(log1p(x)), 1 + x, when=x >= 0),
    rule("exp-over-one", reciprocal(exp(x)), exp(-x)),
    rule("over-exp", x / exp(y), x * exp(-y), tier="loose"),
    rule("sqrt-exp", sqrt(exp(x)), exp(x * 0.5)),
    rule("exp-add", exp(x + y), exp(x) * exp(y), tier="loose", grows=True, tags=["fast"]),
    *of_powers("exp-pow", pow(exp(x), c), c, x, exp, tier="rounds", tags=["backward"], cite="definition"),
    rule("log-sqrt", log(sqrt(x)), 0.5 * log(x)),
    rule("log-sqr", log(sqr(x)), 2 * log(abs(x)), grows=False),
    *of_powers(
        "log-pow", log(pow(x, c)), c, log(x), tier="rounds", when=x > 0, tags=["backward"], cite="definition"
    ),
    rule("log-over-one", log(reciprocal(x)), -log(x), tier="stabilises"),
]
