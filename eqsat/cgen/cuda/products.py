"""Products of matrices on the device: the host's blocks call a function that launches a kernel in place of one of BLAS."""

from __future__ import annotations

from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c_files import sections

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
