"""Products of matrices on the device: the host's blocks call a function that launches a kernel in place of one of BLAS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from eqsat.base.configuration import config
from eqsat.base.notices import warn_once
from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c_files import sections
from eqsat.cgen.cuda.costs import least_for_library
from eqsat.cgen.cuda.driver import present
from eqsat.cgen.cuda.library import find_library
from eqsat.cgen.cuda.nests import WIDE
from eqsat.cgen.ir.arrays import SIZE
from eqsat.cgen.ir.expressions import (
    ONE,
    ZERO,
    Binary,
    Expression,
    Name,
    Shifted,
    Text,
    inside,
    length,
    plain_text,
)
from eqsat.cgen.ir.statements import Call, For, Parallel
from eqsat.cgen.ir.written_out import replaced
from eqsat.graph.dtypes import COMPLEX

PRODUCT, VECTOR = sections(__file__, "product.cu").values()
HOST, LARGE, HOST_OF_VECTOR = sections(__file__, "product.c").values()
TOGETHER, COLUMNS = sections(__file__.replace("products", "together"), "together.cu").values()
LIBRARY_TAKES = ("float32", "float64", "complex64", "complex128")  # as library.c numbers them
AXES = 3  # of a stack of matrices
_ADD = {
    "float32": "fmaf(u[i], v[j], s[i][j])",
    "float64": "fma(u[i], v[j], s[i][j])",
    "complex64": "eq_cfma__complex64_t(u[i], v[j], s[i][j])",
    "complex128": "eq_cfma__complex128_t(u[i], v[j], s[i][j])",
    "bool": "s[i][j] | (u[i] & v[j])",
}
_PLAIN = "({T})(s[i][j] + u[i]*v[j])"


def product_kernel(dtype: str, vector: bool = False) -> str:
    """The device text of a product, or of that of a matrix and a ``vector``, with ``@NAME`` where its name stands."""
    ctype = CTYPE[dtype]
    if vector:
        return _summed(VECTOR, ctype, ("x[i*a0 + p*a1]", "y[p*b0]"), "sum[d*32 + (turned ? lane : 0)]")
    return PRODUCT.replace("@ADD", _ADD.get(dtype, _PLAIN.format(T=ctype))).replace("@T", ctype)


def of_a_block(ctype: str) -> str:
    """The function by which the threads of a block multiply matrices, all together."""
    vectors = "" if ctype in map(CTYPE.get, COMPLEX) else _columns(ctype)
    text = TOGETHER.replace("@VECTORS\n", vectors)
    return _summed(text, ctype, ("a[i*a0 + p*a1]", "b[p*b0 + j*b1]"), "sum[d*wide + at]")


def _columns(ctype: str) -> str:
    """The part of that function for matrices whose rows are vectors."""
    add = _addition(ctype).replace("u[i]", "u").replace("v[j]", "v.at[l]").replace("s[i][j]", "s[l]")
    other = _either(ctype, "s[l]", "o")
    many = WIDE // next(SIZE[d] for d, c in CTYPE.items() if c == ctype)
    return COLUMNS.replace("@MANY", str(many)).replace("@EACH", add).replace("@OTHER", other)


def _addition(ctype: str) -> str:
    return next((_ADD[d] for d, c in CTYPE.items() if c == ctype and d in _ADD), _PLAIN.format(T=ctype))


def _either(ctype: str, a: str, b: str) -> str:
    """The text of two parts of a sum together."""
    return f"({ctype})({a} {'|' if ctype == 'bool8_t' else '+'} {b})"


def _summed(text: str, ctype: str, factors: tuple[str, str], other: str) -> str:
    """A text in which a thread adds a product of factors, and then what lanes or ``other`` threads have."""
    column = _addition(ctype).replace("u[i]", factors[0]).replace("v[j]", factors[1]).replace("s[i][j]", "s")
    text = text.replace("@LANE", _either(ctype, "s", "o")).replace("@SUM", _either(ctype, "s", other))
    return text.replace("@COLUMN", column).replace("@T", ctype)


def host_function(dtype: str, kernel: int, vector: bool = False) -> str:
    """The host's function that launches a product; a call finds it by ``function_name``."""
    name = f"eq_{function_name(kernel)}__{CTYPE[dtype]}"
    text = HOST_OF_VECTOR if vector else HOST.replace("@LARGE\n", _large(dtype))
    return text.replace("@NAME", name).replace("@KERNEL", str(kernel))


def _large(dtype: str) -> str:
    """The host's text that asks a library for a large product; empty for dtypes that none takes."""
    if dtype not in LIBRARY_TAKES or config.cuda_blas == "off":
        return ""
    texts = {
        "@FLOPS": flops_of(dtype),
        "@LEAST": f"{least_for_library(dtype):.3g}",
        "@CODE": LIBRARY_TAKES.index(dtype),
    }
    text = LARGE
    for name, value in texts.items():
        text = text.replace(name, str(value))
    return text


def is_large(s: Call, numbers: Mapping[str, str], axes: Sequence[tuple[Expression, Any]] = ()) -> bool:
    """True for products that are known to be large, by the numbers that a block is given."""
    if s.dtype not in LIBRARY_TAKES:
        return False
    texts = [
        plain_text(replaced(x, {k: length(v) for k, v in numbers.items()}))
        for x in (*s.args[:3], *(n for n, _ in axes))
    ]
    known = all(text.isdigit() for text in texts)
    return known and flops_of(s.dtype) * prod(map(int, texts)) >= least_for_library(s.dtype)


def warn_without_library() -> None:
    """Say once that large products run in kernels of our own, where a GPU is here and its library is not."""
    if (
        config.cuda_device == "emulated"
        or config.cuda_blas == "off"
        or present() is None
        or find_library() is not None
    ):
        return
    way = "pip install 'eqsat[cuda-blas]', or config.cuda_blas = 'off' to leave it at that"
    warn_once(
        "no cuBLAS",
        f'target="cuda": no cuBLAS was found, and large products take longer in kernels of our own; {way}',
    )


def flops_of(dtype: str) -> int:
    """The flops of each term of a product's sums."""
    return 8 if dtype in COMPLEX else 2


def one_or_many(s: Call, kernel: int, axes: Sequence[tuple[Expression, Sequence[Expression]]] = ()) -> Call:
    """The call of the host's function for a product, or for a stack of them: along each axis its length and the distances of three matrices."""
    numbers = ", ".join(c_text(x) for n, distances in axes for x in (n, *distances))
    filled = ", 1, 0, 0, 0" * (AXES - len(axes))
    stack = f"(const int64_t[]){{{numbers}{filled}}}" if axes else "0"
    return replace(s, function=function_name(kernel), args=(*s.args, Text(stack)))


def stack_of(s: Any) -> tuple[Call, list[tuple[Expression, list[Expression]]]] | None:
    """The product that stands alone in loops over places that it counts by distances, and its axes; None for other loops.

    Matrices that are read are never those that are written.
    """
    counters: list[tuple[str, Expression]] = []
    while isinstance(s, (For, Parallel)):
        if isinstance(s, Parallel):
            counters += [(f"i{k}", n) for k, n in enumerate(s.lengths)]
        elif s.start == ZERO and s.step == ONE:
            counters.append((s.counter, s.stop))
        else:
            return None
        s = s.body[0] if len(s.body) == 1 else None
    if not isinstance(s, Call) or s.function != "dot" or not counters:
        return None
    names = [c for c, _ in counters]
    places = [_apart(s.args[k], names) for k in (3, 6, 9)]
    others = [x for k, x in enumerate(s.args) if k not in (3, 6, 9)] + [n for _, n in counters]
    if any(p is None for p in places) or any(c in _names(x) for x in others for c in names):
        return None
    (a, _), (b, _), (out, steps) = (p for p in places if p is not None)
    longer = [(c, n) for c, n in counters if n != ONE or steps[c] != ZERO]
    if (
        _names(out) & (_names(a) | _names(b))
        or any(steps[c] == ZERO for c, _ in longer)
        or len(longer) > AXES
    ):
        return None
    axes = [(n, [p[1][c] for p in places if p is not None]) for c, n in longer]
    found = [*s.args]
    found[3], found[6], found[9] = a, b, out
    return replace(s, args=tuple(found)), axes


def _apart(place: Expression, counters: Sequence[str]) -> tuple[Expression, dict[str, Expression]] | None:
    """An address without counters, and the distance for each of them; None where it is no sum of counters times distances."""
    base = place.base if isinstance(place, Shifted) else place
    steps: dict[str, Expression] = dict.fromkeys(counters, ZERO)
    rest: Expression = ZERO
    waiting = [place.offset] if isinstance(place, Shifted) else []
    while waiting:
        x = waiting.pop()
        if isinstance(x, Binary) and x.op == "+":
            waiting += [x.x, x.y]
            continue
        factors = [x.x, x.y] if isinstance(x, Binary) and x.op == "*" else [x, ONE]
        found = [f for f in factors if isinstance(f, Name) and f.name in steps]
        if not found:
            rest = rest + x
        else:
            other = factors[1 - factors.index(found[0])]
            steps[found[0].name] = steps[found[0].name] + other
    if any(c in _names(x) for x in (base, rest, *steps.values()) for c in counters):
        return None
    return (base if rest == ZERO else Shifted(base, place.of, rest)), steps  # type: ignore[attr-defined]


def _names(x: Expression) -> set[str]:
    return {part.name for part in inside(x) if isinstance(part, Name)}


def function_name(kernel: int) -> str:
    """The name of the library function that stands for a product on the device."""
    return f"product{kernel}"
