"""exp and log undo each other, and powers come out of a logarithm."""

from eqsat.graph.ops.elemwise import exp, log, log2, log10, pow
from eqsat.rules.facts import above, single, varies
from eqsat.rules.pattern import reals, value
from eqsat.rules.rule import rule
from eqsat.rules.spellings import of_powers

x, y, c = reals("x y c")

RULES = [
    *(
        rule(
            f"{f.name}-of-power-of-number",
            f(pow(c, x)),
            f(value(c)) * x,
            tier="stabilises",
            when=varies(x) & single(c) & above(value(c), 1),
        )
        for f in (log, log2, log10)
    ),
    rule("exp-add", exp(x + y), exp(x) * exp(y), tier="loose", grows=True, tags=["fast"]),
    *of_powers("exp-pow", pow(exp(x), c), c, x, exp, tier="rounds", tags=["backward"], cite="definition"),
    *of_powers(
        "log-pow", log(pow(x, c)), c, log(x), tier="rounds", when=x > 0, tags=["backward"], cite="definition"
    ),
]
