"""Products of matrices on the device: the host's blocks call a function that launches a kernel in place of one of BLAS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c_files import sections
from eqsat.cgen.ir.expressions import Expression, reads_memory
from eqsat.cgen.ir.statements import Block, Call, Check, For, If, Let, RunBlock, Statement, Stop
from eqsat.graph.dtypes import COMPLEX

(PRODUCT,) = sections(__file__, "product.cu").values()
(TOGETHER,) = sections(__file__.replace("products", "together"), "together.cu").values()
_ADD = {
    "float32": "fmaf(u[i], v[j], s[i][j])",
    "float64": "fma(u[i], v[j], s[i][j])",
    "bool": "s[i][j] | (u[i] & v[j])",
}
_PLAIN = "({T})(s[i][j] + u[i]*v[j])"
_HOST = """static int {name}(int64_t m, int64_t n, int64_t k, const void *a, int64_t a0, int64_t a1, const void *b, int64_t b0, int64_t b1, void *out) {{
  if (m < 1 || n < 1) return 0;
  const int64_t tiles = (m + 63) / 64 * ((n + 63) / 64);
  const uint64_t words[] = {{m, n, k, (uint64_t)a, a0, a1, (uint64_t)b, b0, b1, (uint64_t)out}};
  return (int)eq_gpu->launch(eq_module, {kernel}, (int64_t[]){{eq_least(tiles, 65535), 1, 256, 1}}, words, 10);
}}
"""


def product_kernel(dtype: str) -> str:
    """The device text of a product, with ``@NAME`` where its name stands."""
    ctype = CTYPE[dtype]
    return PRODUCT.replace("@ADD", _ADD.get(dtype, _PLAIN.format(T=ctype))).replace("@T", ctype)


def of_a_block(ctype: str) -> str:
    """The function by which the threads of a block multiply matrices, all together."""
    plain = "bool" if ctype == "bool8_t" else ctype
    add = _ADD.get({"float": "float32", "double": "float64"}.get(plain, plain), _PLAIN.format(T=ctype))
    column = add.replace("u[i]", "a[i*a0 + p*a1]").replace("v[j]", "b[p*b0 + j*b1]").replace("s[i][j]", "s")
    either = "({T})(s | {x})" if ctype == "bool8_t" else "({T})(s + {x})"
    terms = {"@COLUMN": column, "@SUM": either.format(T=ctype, x="sum[d*wide + at]")}
    text = TOGETHER.replace("@LANE", either.format(T=ctype, x="o"))
    for name, term in terms.items():
        text = text.replace(name, term)
    return text.replace("@T", ctype)


def host_function(dtype: str, kernel: int) -> str:
    """The host's function that launches a product; a call finds it by ``function_name``."""
    return _HOST.format(name=f"eq_{function_name(kernel)}__{CTYPE[dtype]}", kernel=kernel)


def function_name(kernel: int) -> str:
    """The name of the library function that stands for a product on the device."""
    return f"product{kernel}"


def products_in(block: Block) -> list[str] | None:
    """The dtypes of the products of a block that does nothing else with memory; None for other blocks."""
    found: list[str] = []
    return list(dict.fromkeys(found)) if _only_products(block.body, found) and found else None


def _only_products(statements: Sequence[Statement], found: list[str]) -> bool:
    for s in statements:
        if isinstance(s, Call):
            if s.function != "dot" or s.dtype in COMPLEX:
                return False
            found.append(s.dtype)
        elif (
            not isinstance(s, (Let, Check, For, If, Stop))
            or any(map(reads_memory, _values(s)))
            or not all(_only_products(part, found) for part in _parts(s))
        ):
            return False
    return True


def _values(s: Any) -> Iterator[Expression]:
    values = (getattr(s, name, None) for name in ("value", "test", "start", "stop", "step"))
    yield from (v for v in values if isinstance(v, Expression))


def _parts(s: Any) -> Iterator[Sequence[Statement]]:
    yield getattr(s, "body", ())
    yield getattr(s, "otherwise", ())


def on_device(run: RunBlock, kernels: dict[str, int]) -> RunBlock:
    """A block whose products are those of the device; ``kernels`` has their numbers by dtype."""

    def moved(s: Any) -> Any:
        if isinstance(s, Call):
            return replace(s, function=function_name(kernels[s.dtype]))
        parts = {name: [*map(moved, getattr(s, name))] for name in ("body", "otherwise") if hasattr(s, name)}
        return replace(s, **parts) if parts else s

    return replace(run, block=replace(run.block, body=tuple(map(moved, run.block.body))))
