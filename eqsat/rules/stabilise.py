"""Forms that keep range and accuracy near 0, 1 and the ends of the exponent; what they replace is priced out."""

from eqsat.graph.declare import OPS
from eqsat.graph.ops.elemwise import (
    exp,
    log,
    log1p,
    sigmoid,
    softplus,
    tanh,
)
from eqsat.rules.pattern import reals
from eqsat.rules.rule import rule
from eqsat.rules.spellings import differences, where_defined

x, y, w, t = reals("x y w t")

RULES = [
    rule(
        "quotient-over-its-divisor", w / (x / y) / y, w / x, tier="stabilises", grows=False, tags=["backward"]
    ),
    *where_defined("softplus-log", softplus(log(x)), log1p(x), OPS["log"], x, cite="maechler2012"),
    *(
        rule(name, left, right, tier="stabilises", cite="maechler2012")
        for name, left, right in (
            ("log1p-neg-sigmoid", log1p(-sigmoid(x)), -softplus(x)),
            ("two-sigmoid-plus", 2 * sigmoid(x) + (-1), tanh(x * 0.5)),
            ("sigmoid-less-mirror", sigmoid(x) - sigmoid(-x), tanh(x * 0.5)),
            ("sigmoid-less-mirror-turned", sigmoid(-x) - sigmoid(x), -tanh(x * 0.5)),
            ("sigmoid-plus-neg-mirror", sigmoid(x) + -sigmoid(-x), tanh(x * 0.5)),
            ("sigmoid-plus-neg-mirror-turned", -sigmoid(x) + sigmoid(-x), -tanh(x * 0.5)),
        )
    ),
    *differences("softplus", softplus(x), x, softplus(-x), tier="stabilises", cite="maechler2012"),
    rule("exp-softplus", exp(softplus(x)), 1 + exp(x), cite="maechler2012"),
    rule(
        "log-sigmoid",
        log(sigmoid(x)),
        -softplus(-x),
        tier="stabilises",
        cite="maechler2012",
        tags=["through"],
    ),
]

if "logaddexp" in OPS:
    logaddexp = OPS["logaddexp"].bind()
    exps = exp(x) + exp(y)
    RULES += [
        rule(
            "log-exp-plus-exp",
            log(exps),
            logaddexp(x, y),
            tier="stabilises",
            prices=[exps],
            cite="blanchard2021",
        ),
        rule("logaddexp-zero", logaddexp(x, 0), softplus(x), cite="maechler2012"),
        *differences(
            "logaddexp", logaddexp(x, y), y, softplus(x - y), tier="stabilises", cite="maechler2012"
        ),
    ]
