"""Arithmetic and elementary functions, one element at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.core import Constant
from eqsat.graph.declare import Cost, elemwise
from eqsat.graph.dtypes import COMPLEX

INF = float("inf")
NONNEG = (0.0, INF)


def _zero(x: Any) -> Any:
    return fill(x, np.zeros((), x.type.dtype))


def _number(value: Any, x: Any) -> Any:
    """A number in x's dtype, so that a gradient in float32 stays there."""
    return np.asarray(value, x.type.dtype) if hasattr(x, "type") else value  # in patterns of rules


def _abs_grad(x: Any, out: Any, dy: Any) -> Any:
    """The sign, and for complex numbers the direction, 0 at 0."""
    if x.type.dtype in COMPLEX:
        return dy * (x / switch(eq(out, 0), _number(1, out), out))
    return dy * sign(x)


# -------------------------------------------------------------------------------------------- arithmetic


@elemwise(
    c={"bool": "({x} | {y})", "complex": "({x} + {y})", "else": "({x} + {y})"},
    signature="t,t->t",
    grad=lambda x, y, dy: (dy, dy),
    conjugate=False,
    commutative=True,
    associative=True,
    interval=(("lo", "lo_x + lo_y"), ("hi", "hi_x + hi_y")),
    real="x + y",
    linear="x y",
    monotone=("increasing in x", "increasing in y"),
    neutral=0,
    inverse="sub",
    inverse_element="neg exactly",
    numbers="short",
    repeats="mul",
    counted="multiple",
)
def add(x: Any, y: Any) -> Any:
    """Sum of two tensors; for bool it is the logical or, as in NumPy."""
    return np.add(x, y)


@elemwise(
    c={"complex": "({x} - {y})", "else": "({x} - {y})"},
    signature="n,n->n",
    grad=lambda x, y, dy: (dy, -dy),
    conjugate=False,
    interval=(("lo", "lo_x - hi_y"), ("hi", "hi_x - lo_y")),
    real="x - y",
    linear="x y",
    monotone=("increasing in x", "decreasing in y"),
)
def sub(x: Any, y: Any) -> Any:
    """Difference of two tensors."""
    return np.subtract(x, y)


@elemwise(
    c={"bool": "({x} & {y})", "complex": "eq_cmul__{T}({x}, {y})", "else": "({x} * {y})"},
    signature="t,t->t",
    grad=lambda x, y, dy: (dy * y, dy * x),
    commutative=True,
    associative=True,
    facts=("nonneg if nonneg x, nonneg y", "nonneg if same x y"),
    real="x * y",
    linear="x, y",
    neutral=1,
    absorbing=0,
    inverse="truediv",
    inverse_element="reciprocal",
    numbers="tame",
    repeats="pow",
    monotone=(
        "nondecreasing in x if nonneg y",
        "increasing in x if positive y",
        "nonincreasing in x if nonpos y",
        "decreasing in x if negative y",
    ),
    parity="odd",
)
def mul(x: Any, y: Any) -> Any:
    """Product of two tensors, element by element; for bool it is the logical and."""
    return np.multiply(x, y)


@elemwise(
    c={
        "bool": "({x} & {n})",
        "complex": "({n} == 0 ? 0 : eq_cmul__{T}({x}, {n}))",
        "else": "({n} == 0 ? 0 : {x} * {n})",
    },
    signature="t,t->t",
    grad=lambda x, n, dy: (multiple(dy, n), dy * x),
    cost=Cost(flops=2),
    facts=("float nonneg if nonneg x, nonneg n",),
    real="x * n",
    linear="x",
    monotone=("nondecreasing in x if nonneg n",),
)
def multiple(x: Any, n: Any) -> Any:
    """A sum of n times x: nothing where n is 0, whatever x is."""
    return np.multiply(
        x, n, where=np.not_equal(n, 0), out=np.zeros(np.broadcast_shapes(x.shape, n.shape), x.dtype)
    )


@elemwise(
    c={"complex": "eq_cdiv__{T}({x}, {y})", "else": "({x} / {y})"},
    signature="f,f->f",
    floatx=True,
    grad=lambda x, y, out, dy: (dy / y, -(dy * out) / y),
    cost=Cost(flops=4),
    facts=(
        "nonneg if nonneg x, nonneg y, nonzero y",
        "nonneg if nonneg x, nonneg y, unsigned y",
    ),  # x / -0.0 is -inf
    real="x / y",
    poles=("y",),
    monotone=(
        "increasing in x if positive y",
        "decreasing in x if negative y",
        "nonincreasing in y if nonneg x, positive y",
    ),
    parity="odd",
    additive="x",
)
def truediv(x: Any, y: Any) -> Any:
    """Quotient in floating point; integers are converted first, to float32 where that is floatX."""
    return np.true_divide(x, y)


@elemwise(
    c={
        "int": "eq_floordiv_i__{T}({x}, {y})",
        "uint": "eq_floordiv_u__{T}({x}, {y})",
        "float": "eq_floordiv_f__{T}({x}, {y})",
    },
    signature="n,n->n",
    of_bools="int8",
    grad=lambda x, y, dy: (_zero(x), _zero(y)),
    cost=Cost(flops=150, vector=False),
    real="floor(x / y)",
    poles=("y",),
    iterated="mul",
)
def floordiv(x: Any, y: Any) -> Any:
    """Quotient rounded down; integer division by zero gives 0."""
    return np.floor_divide(x, y)


@elemwise(
    c={
        "int": "eq_mod_i__{T}({x}, {y})",
        "uint": "eq_mod_u__{T}({x}, {y})",
        "float": "eq_mod_f__{T}({x}, {y})",
    },
    signature="n,n->n",
    of_bools="int8",
    grad=lambda x, y, dy: (dy, -dy * floordiv(x, y)),
    cost=Cost(flops=130, vector=False),
    real="x - y * floor(x / y)",
    poles=("y",),
)
def mod(x: Any, y: Any) -> Any:
    """Remainder with the sign of the divisor; an integer modulo zero gives 0."""
    return np.mod(x, y)


def _pow_grad(x: Any, y: Any, out: Any, dy: Any) -> tuple[Any, Any]:
    """Without 0 * inf: x ** 0 does not change with x, and 0 ** y does not change with y above 0."""
    one = _number(1, x)
    source = y.owner.inputs[0] if y.owner is not None and y.owner.op.name == "dimshuffle" else y
    steady = isinstance(source, Constant) and bool(np.all(source.data != 0))
    less = y - 1 if steady else switch(eq(y, 0), one, y - 1)
    none = eq(x, 0) if x.type.dtype in COMPLEX else and_(eq(x, 0), ge(y, 0))
    base = switch(none, one, x)
    return dy * (y * pow(x, less)), dy * (out * log(base))


@elemwise(
    c={
        "int": "eq_pow_i__{T}({x}, {y})",
        "uint": "eq_pow_u__{T}({x}, {y})",
        "float": "pow{f}({x}, {y})",
        "complex": "eq_cpow__{T}({x}, {y})",
    },
    signature="n,n->n",
    of_bools="int8",
    grad=_pow_grad,
    cost=Cost(flops=85),
    facts=("nonneg if nonneg x, nonzero x", "nonneg if nonneg x, nonneg y"),  # -0.0 ** -1 is -inf
    real="x ** y",
    poles=("x",),
    monotone="nondecreasing in x if nonneg x, nonneg y",
)
def pow(x: Any, y: Any) -> Any:
    """Power; an integer to a negative power is the reciprocal cut to an integer, with 0 for base 0."""
    x, y = np.asarray(x), np.asarray(y)
    if x.dtype.kind not in "iu":  # NumPy takes another way for an exponent that is one repeated number
        return np.power(*(np.array(v, order="C") for v in np.broadcast_arrays(x, y)))
    power = np.power(x, np.maximum(y, 0))
    sign = np.where(y % 2 == 0, 1, x).astype(x.dtype)
    unit = np.where(x == 1, x, np.where(np.equal(x, -1), sign, 0)).astype(x.dtype)
    return np.where(y < 0, unit, power)


@elemwise(
    c={"complex": "(-{x})", "else": "(-{x})"},
    signature="n->n",
    grad=lambda x, dy: -dy,
    conjugate=False,
    interval=(("lo", "-hi_x"), ("hi", "-lo_x")),
    facts=("nonzero if nonzero x", "finite if finite x"),
    real="-x",
    linear="x",
    monotone="decreasing",
    parity="odd",
    undoes="neg",
)
def neg(x: Any) -> Any:
    """Negative."""
    return np.negative(x)


@elemwise(
    name="reciprocal",
    c={"complex": "eq_cdiv__{T}(1, {x})", "else": "(1 / {x})"},
    signature="f->f",
    grad=lambda x, out, dy: -dy * out * out,
    cost=Cost(flops=4),
    facts=("nonneg if nonneg x, nonzero x", "nonneg if nonneg x, unsigned x"),  # 1 / -0.0 is -inf
    real="1 / x",
    poles=("x",),
    monotone="decreasing in x if positive x",
    parity="odd",
    undoes="reciprocal",
    power=-1,
)
def reciprocal(x: Any) -> Any:
    """One over x, in floating point."""
    return np.true_divide(np.asarray(1, x.dtype), x)


@elemwise(
    c={
        "bool": "({x})",
        "uint": "({x})",
        "int": "(({T})(({x} ^ -({T})({x} < 0)) + ({x} < 0)))",
        "float": "fabs{f}({x})",
        "complex": "hypot{f}(__real__ {x}, __imag__ {x})",
    },
    grad=_abs_grad,
    real_result=True,
    facts=("nonzero if nonzero x", "finite if finite x", "float_nonneg"),
    real="abs(x)",
    parity="even",
    turns=("mul into mul exactly", "truediv into truediv exactly"),
    monotone="increasing in x if nonneg x",
    stays="above",
)
def abs(x: Any) -> Any:
    """Absolute value; of a complex number its real modulus. The least integer has none and stays itself."""
    return np.absolute(x)


@elemwise(
    c={
        "bool": "({x})",
        "uint": "({x} != 0)",
        "int": "(({x} > 0) - ({x} < 0))",
        "float": "({x} > 0 ? 1 : {x} < 0 ? -1 : {x} == 0 ? 0 : {x})",
    },
    signature="n->n",
    grad=lambda x, dy: _zero(x),
    cost=Cost(flops=2),
    image=(-1.0, 1.0),
    real="sign(x)",
    whole="made",
    monotone="nondecreasing",
    parity="odd but for signs of zeros",
)
def sign(x: Any) -> Any:
    """-1, 0 or 1; NaN where x is NaN."""
    return np.sign(x)


@elemwise(
    c={"bool": "({x})", "complex": "eq_cmul__{T}({x}, {x})", "else": "({x} * {x})"},
    grad=lambda x, dy: dy * (x + x),
    facts=("float_nonneg",),
    real="x * x",
    monotone=("increasing in x if nonneg x", "decreasing in x if nonpos x"),
    parity="even",
    undoes="sqrt",
    power=2,
    turns=("mul into mul in range", "truediv into truediv in range"),
)
def sqr(x: Any) -> Any:
    """Square."""
    return np.multiply(x, x)


@elemwise(
    c={"complex": "csqrt{f}({x})", "else": "sqrt{f}({x})"},
    signature="f->f",
    grad=lambda x, out, dy: dy * 0.5 / out,
    cost=Cost(flops=8),
    image=NONNEG,
    interval=(("lo", "min(lo_x, 1.0)"), ("hi", "max(hi_x, 1.0)")),
    facts=("nonzero if nonzero x",),
    real="sqrt(x)",
    monotone="increasing",
    domain=NONNEG,
    power=0.5,
    turns=("mul into mul", "truediv into truediv"),
)
def sqrt(x: Any) -> Any:
    """Square root; NaN below zero."""
    return np.sqrt(x)


# ------------------------------------------------------------------------------- exponentials and logarithms


@elemwise(
    c={"complex": "cexp{f}({x})", "else": "exp{f}({x})"},
    signature="f->f",
    grad=lambda x, out, dy: dy * out,
    cost=Cost(flops=20),
    image=NONNEG,
    real="exp(x)",
    monotone="increasing",
    undoes="log",
    turns=("add into mul", "sub into truediv"),
    stays="above",
)
def exp(x: Any) -> Any:
    """Exponential; it may underflow to 0."""
    return np.exp(x)


@elemwise(
    c={"complex": "eq_cexpm1__{T}({x})", "else": "expm1{f}({x})"},
    signature="f->f",
    grad=lambda x, out, dy: dy * (out + 1),
    cost=Cost(flops=20),
    image=(-1.0, INF),
    facts=("nonneg if nonneg x",),
    real="exp(x) - 1",
    monotone="increasing",
    undoes="log1p",
    shifted="exp(x) - 1",
    stays="above",
)
def expm1(x: Any) -> Any:
    """exp(x) - 1 without cancellation near 0."""
    return np.expm1(x)


@elemwise(
    c={"complex": "clog{f}({x})", "else": "log{f}({x})"},
    signature="f->f",
    grad=lambda x, dy: dy / x,
    cost=Cost(flops=20),
    real="log(x)",
    monotone="increasing",
    domain=NONNEG,
    undoes="exp",
    turns=("mul into add", "truediv into sub"),
    stays="below",
)
def log(x: Any) -> Any:
    """Natural logarithm; NaN below zero."""
    return np.log(x)


@elemwise(
    c={"complex": "eq_clog1p__{T}({x})", "else": "log1p{f}({x})"},
    signature="f->f",
    grad=lambda x, dy: dy / (x + 1),
    cost=Cost(flops=20),
    facts=("nonneg if nonneg x",),
    real="log(1 + x)",
    monotone="increasing",
    domain=(-1.0, INF),
    undoes="expm1",
    shifted="log(x + 1)",
    stays="below",
)
def log1p(x: Any) -> Any:
    """log(1 + x) without cancellation near 0."""
    if not np.iscomplexobj(x):
        return np.log1p(x)
    a, b = x.real, x.imag
    near = (np.abs(a) < 0.5) & (np.abs(b) < 0.5)  # where the modulus of 1 + x may be near 1
    size = np.where(near, np.log1p(np.where(near, a * (2 + a) + b * b, 0)) / 2, np.log(np.hypot(1 + a, b)))
    return (size + 1j * np.arctan2(b, 1 + a)).astype(x.dtype)


@elemwise(
    c="log2{f}({x})",
    signature="f->f",
    grad=lambda x, dy: dy / (x * _number(np.log(2.0), x)),
    cost=Cost(flops=16),
    real="log(x) / log(2)",
    monotone="increasing",
    domain=NONNEG,
    undoes="exp2",
    turns=("mul into add", "truediv into sub"),
    spelled=lambda x: {"log2-from-log": log(x) * (1 / np.log(2.0))},
)
def log2(x: Any) -> Any:
    """Logarithm to base 2."""
    return np.log2(x)


@elemwise(
    c="log10{f}({x})",
    signature="f->f",
    grad=lambda x, dy: dy / (x * _number(np.log(10.0), x)),
    cost=Cost(flops=17),
    real="log(x) / log(10)",
    monotone="increasing",
    domain=NONNEG,
    turns=("mul into add", "truediv into sub"),
    spelled=lambda x: {"log10-from-log": log(x) * (1 / np.log(10.0))},
)
def log10(x: Any) -> Any:
    """Logarithm to base 10."""
    return np.log10(x)


@elemwise(
    c={"complex": "eq_csigmoid__{T}({x})", "else": "eq_sigmoid__{T}({x})"},
    signature="f->f",
    grad=lambda x, out, dy: dy * out * (1 - out),
    cost=Cost(flops=22),
    image=(0.0, 1.0),
    real="1 / (1 + exp(-x))",
    monotone="increasing",
    complement="1 - sigmoid(-x)",
    spelled=lambda x: {
        "one-over-one-plus-exp": reciprocal(1 + exp(-x)),
        "exp-minus-softplus": exp(x - softplus(x)),
        "exp-neg-softplus": exp(-softplus(-x)),
    },
    unstable=lambda x: {
        "tanh-half-plus-one": 0.5 * (tanh(0.5 * x) + 1),
        "tanh-half-plus-half": 0.5 * tanh(0.5 * x) + 0.5,
        "exp-times-sigmoid": exp(x) * sigmoid(-x),
        "sigmoid-over-exp": sigmoid(-x) / exp(-x),
    },
)
def sigmoid(x: Any) -> Any:
    """Logistic function 1 / (1 + exp(-x)); does not overflow."""
    from scipy.special import expit

    return _complex_sigmoid(x) if np.iscomplexobj(x) else expit(x)


def _complex_sigmoid(x: Any) -> Any:
    """1 / (1 + w) for w = exp(-x), or w / (1 + w) for w = exp(x), whichever w is the smaller; 1 + cos and exp - 1 keep their digits."""
    near, w, less = 2 * np.cos(x.imag / 2) ** 2, np.exp(-np.abs(x.real)), np.expm1(-np.abs(x.real))
    real, imag = near + less * np.cos(x.imag), w * np.sin(x.imag)
    size = real**2 + imag**2
    return (np.where(x.real < 0, w * (near + less), real) + 1j * imag) / size


@elemwise(
    c="(({x} > 0 ? {x} : 0) + log1p{f}(exp{f}(-fabs{f}({x}))))",
    signature="f->f",
    grad=lambda x, dy: dy * sigmoid(x),
    cost=Cost(flops=42),
    image=NONNEG,
    real="log(1 + exp(x))",
    monotone="increasing",
    spelled=lambda x: {"softplus-split": maximum(x, 0) + softplus(-abs(x))},
    unstable=lambda x: {"log1p-exp": log1p(exp(x)), "softplus-neg-plus": softplus(-x) + x},
    stays="above",
)
def softplus(x: Any) -> Any:
    """Smooth ramp log(1 + exp(x)); does not overflow. Source: Maechler 2012, log1pexp."""
    return np.logaddexp(np.asarray(0, x.dtype), x)


# --------------------------------------------------------------------------------- trigonometric and others


@elemwise(
    c={"complex": "ctanh{f}({x})", "else": "tanh{f}({x})"},
    signature="f->f",
    grad=lambda x, out, dy: dy * (1 - sqr(out)),
    cost=Cost(flops=30),
    image=(-1.0, 1.0),
    facts=("nonneg if nonneg x",),
    real="tanh(x)",
    monotone="increasing",
    parity="odd",
    undoes="arctanh",
    ratio="sinh over cosh",
    unstable=lambda x: {"tanh-from-exp": (exp(x) - exp(-x)) / (exp(x) + exp(-x))},
)
def tanh(x: Any) -> Any:
    """Hyperbolic tangent."""
    return np.tanh(x)


@elemwise(
    c={"complex": "csin{f}({x})", "else": "sin{f}({x})"},
    signature="f->f",
    grad=lambda x, dy: dy * cos(x),
    cost=Cost(flops=19),
    image=(-1.0, 1.0),
    real="sin(x)",
    parity="odd",
    undoes="arcsin",
)
def sin(x: Any) -> Any:
    """Sine of an angle in radians."""
    return np.sin(x)


@elemwise(
    c={"complex": "ccos{f}({x})", "else": "cos{f}({x})"},
    signature="f->f",
    grad=lambda x, dy: -dy * sin(x),
    cost=Cost(flops=18),
    image=(-1.0, 1.0),
    real="cos(x)",
    parity="even",
    undoes="arccos",
)
def cos(x: Any) -> Any:
    """Cosine of an angle in radians."""
    return np.cos(x)


@elemwise(
    c="erf{f}({x})",
    signature="f->f",
    grad=lambda x, dy: dy * _number(2 / np.sqrt(np.pi), x) * exp(-sqr(x)),
    cost=Cost(flops=34),
    image=(-1.0, 1.0),
    facts=("nonneg if nonneg x",),
    real="erf(x)",
    monotone="increasing",
    parity="odd",
    undoes="erfinv",
    complement="1 - erfc(x)",
)
def erf(x: Any) -> Any:
    """Error function 2/sqrt(pi) times the integral of exp(-t**2) from 0 to x."""
    from scipy.special import erf as meaning

    return meaning(x)


@elemwise(
    c={"float": "floor{f}({x})", "else": "({x})"},
    grad=lambda x, dy: _zero(x),
    real="floor(x)",
    monotone="nondecreasing",
    whole="kept",
    stays="below",
)
def floor(x: Any) -> Any:
    """Greatest integer not above x, in x's dtype."""
    return np.floor(x) if x.dtype.kind == "f" else x


@elemwise(
    c={"float": "ceil{f}({x})", "else": "({x})"},
    grad=lambda x, dy: _zero(x),
    real="ceil(x)",
    monotone="nondecreasing",
    whole="kept",
    stays="above",
)
def ceil(x: Any) -> Any:
    """Least integer not below x, in x's dtype."""
    return np.ceil(x) if x.dtype.kind == "f" else x


# --------------------------------------------------------------------------------------- choice and ordering


@elemwise(
    c={"float": "eq_max__{T}({x}, {y})", "else": "({x} > {y} ? {x} : {y})"},
    signature="t,t->t",
    grad=lambda x, y, dy: (switch(ge(x, y), dy, 0), switch(lt(x, y), dy, 0)),
    commutative=True,
    associative=True,
    interval=(("lo", "lo_x"), ("lo", "lo_y"), ("hi", "max(hi_x, hi_y)")),
    real="Max(x, y)",
    monotone=("nondecreasing in x", "nondecreasing in y"),
    idempotent=True,
    ordered="values",
    opposite="minimum",
)
def maximum(x: Any, y: Any) -> Any:
    """Larger of two; NaN if either is NaN. Equal operands pass the gradient to the first."""
    return np.maximum(x, y)


@elemwise(
    c={"float": "eq_min__{T}({x}, {y})", "else": "({x} < {y} ? {x} : {y})"},
    signature="t,t->t",
    grad=lambda x, y, dy: (switch(le(x, y), dy, 0), switch(gt(x, y), dy, 0)),
    commutative=True,
    associative=True,
    interval=(("hi", "hi_x"), ("hi", "hi_y"), ("lo", "min(lo_x, lo_y)")),
    real="Min(x, y)",
    monotone=("nondecreasing in x", "nondecreasing in y"),
    idempotent=True,
    ordered="values",
    opposite="maximum",
)
def minimum(x: Any, y: Any) -> Any:
    """Smaller of two; NaN if either is NaN. Equal operands pass the gradient to the first."""
    return np.minimum(x, y)


@elemwise(
    c="({x} < {y})", signature="t,t->?", image=(0.0, 1.0), real="x < y", chooses="minimum", compares=True
)
def lt(x: Any, y: Any) -> Any:
    """True where x < y."""
    return np.less(x, y)


@elemwise(
    c="({x} <= {y})", signature="t,t->?", image=(0.0, 1.0), real="x <= y", chooses="minimum", compares=True
)
def le(x: Any, y: Any) -> Any:
    """True where x <= y."""
    return np.less_equal(x, y)


@elemwise(
    c="({x} > {y})", signature="t,t->?", image=(0.0, 1.0), real="x > y", chooses="maximum", compares=True
)
def gt(x: Any, y: Any) -> Any:
    """True where x > y."""
    return np.greater(x, y)


@elemwise(
    c="({x} >= {y})", signature="t,t->?", image=(0.0, 1.0), real="x >= y", chooses="maximum", compares=True
)
def ge(x: Any, y: Any) -> Any:
    """True where x >= y."""
    return np.greater_equal(x, y)


@elemwise(
    c={"complex": "({x} == {y})", "else": "({x} == {y})"},
    signature="t,t->?",
    commutative=True,
    image=(0.0, 1.0),
    real="Eq(x, y)",
    compares=True,
)
def eq(x: Any, y: Any) -> Any:
    """True where x equals y."""
    return np.equal(x, y)


@elemwise(
    c={"complex": "({x} != {y})", "else": "({x} != {y})"},
    signature="t,t->?",
    commutative=True,
    image=(0.0, 1.0),
    real="Ne(x, y)",
    compares=True,
)
def neq(x: Any, y: Any) -> Any:
    """True where x differs from y."""
    return np.not_equal(x, y)


@elemwise(c={"complex": "({x} != {x})", "else": "({x} != {x})"}, signature="t->?", image=(0.0, 1.0))
def isnan(x: Any) -> Any:
    """True where x, or a part of a complex x, is NaN."""
    return np.isnan(x)


@elemwise(
    c={
        "float": "(fabs{f}({x}) == INFINITY)",
        "complex": "(fabs{f}(__real__ {x}) == INFINITY || fabs{f}(__imag__ {x}) == INFINITY)",
        "else": "0",
    },
    signature="t->?",
    image=(0.0, 1.0),
)
def isinf(x: Any) -> Any:
    """True where x, or a part of a complex x, is plus or minus infinity."""
    return np.isinf(x)


@elemwise(
    c="({x} & {y})",
    signature="i,i->i",
    commutative=True,
    associative=True,
    idempotent=True,
    opposite="or",
    neutral=1,
    absorbing=0,
    real="x and y",
)
def and_(x: Any, y: Any) -> Any:
    """Bitwise and of integers, logical and of bools."""
    return np.bitwise_and(x, y)


@elemwise(
    c="({x} | {y})",
    signature="i,i->i",
    commutative=True,
    associative=True,
    idempotent=True,
    opposite="and",
    neutral=0,
    absorbing=1,
    real="x or y",
)
def or_(x: Any, y: Any) -> Any:
    """Bitwise or of integers, logical or of bools."""
    return np.bitwise_or(x, y)


@elemwise(
    c="({x} ^ {y})",
    signature="i,i->i",
    commutative=True,
    associative=True,
    neutral=0,
    inverse="xor",
    real="x != y",
)
def xor(x: Any, y: Any) -> Any:
    """Bitwise exclusive or of integers, logical of bools."""
    return np.bitwise_xor(x, y)


@elemwise(
    c={"bool": "(!{x})", "else": "(~{x})"},
    signature="i->i",
    undoes="invert",
    turns=("and into or exactly", "or into and exactly"),
    real="not x",
)
def invert(x: Any) -> Any:
    """Bitwise complement of integers, logical not of bools."""
    return np.invert(x)


@elemwise(
    c={"complex": "({condition} ? {x} : {y})", "else": "({condition} ? {x} : {y})"},
    signature="?,t,t->t",
    grad=lambda condition, x, y, dy: (None, switch(condition, dy, 0), switch(condition, 0, dy)),
    conjugate=False,
    elements=("x", "y"),
    linear="x y",
    monotone=("nondecreasing in x", "nondecreasing in y"),
    real="x if condition else y",
)
def switch(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition is true, y elsewhere; both are computed."""
    return np.where(condition, x, y).astype(np.result_type(x, y), copy=False)


def _clip_grad(x: Any, low: Any, high: Any, dy: Any) -> tuple[Any, Any, Any]:
    inside = and_(ge(x, low), le(x, high))
    return (
        switch(inside, dy, 0),
        switch(and_(lt(x, low), le(low, high)), dy, 0),
        switch(or_(gt(x, high), gt(low, high)), dy, 0),
    )


@elemwise(
    c={
        "float": "eq_min__{T}(eq_max__{T}({x}, {low}), {high})",
        "else": "(({x} > {low} ? {x} : {low}) < {high} ? ({x} > {low} ? {x} : {low}) : {high})",
    },
    signature="t,t,t->t",
    grad=_clip_grad,
    cost=Cost(flops=2),
    interval=(("hi", "hi_high"), ("lo", "min(lo_low, lo_high)")),
    weak=("low", "high"),
    real="Min(Max(x, low), high)",
    monotone=("nondecreasing in x", "nondecreasing in low", "nondecreasing in high"),
)
def clip(x: Any, low: Any, high: Any) -> Any:
    """x limited to the range from low to high; high where low is above it."""
    return np.minimum(np.maximum(x, low), high)


@elemwise(
    c={"complex": "{y}", "else": "{y}"},
    signature="a,t->t",
    grad=lambda x, y, dy: (None, dy),
    conjugate=False,
    cost=Cost(flops=0),
    elements=("y",),
    linear="y",
    real="y",
)
def fill(x: Any, y: Any) -> Any:
    """y broadcast to the shape of x and y together; only the shape of x matters."""
    return np.broadcast_to(y, np.broadcast_shapes(np.shape(x), np.shape(y)))
