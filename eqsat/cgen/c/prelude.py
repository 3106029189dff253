"""The C text that every translation unit begins with; no header is included, since reading headers takes longer."""

from __future__ import annotations

import ctypes
import functools
import platform
import re

from eqsat.cgen.c.helper_files import helper
from eqsat.cgen.c_files import sections
from eqsat.cgen.runtime.abi import HALF
from eqsat.cgen.runtime.lapack import FEW, PRODUCT_OF, ROUTINES, SCIPY, scipy_operands

PROFILE, ROWS, FILL, FIRST, APART, ADDED, ALONE, MATH, COMPLEX, EXACT = sections(
    __file__, "prelude.c"
).values()

OWN = sections(__file__, "exponentials.c")
FEW_CALLS = 6  # of a function of our own, which is compiled wherever it is called

_DECLARED = re.compile(r"(\w+)\(([^)]*)\);")
_OPERANDS = {name: given.count(",") + 1 for name, given in _DECLARED.findall(MATH)}
_COMPLEX = {name: given.count(",") + 1 for name, given in _DECLARED.findall(COMPLEX)}
_FUNCTIONS = {
    name + f: (ctype, count)
    for functions, ctypes_of in (
        (_OPERANDS, ("double", "float")),
        (_COMPLEX, ("complex128_t", "complex64_t")),
    )
    for name, count in functions.items()
    for f, ctype in zip(("", "f"), ctypes_of, strict=True)
}
_PLACE = {name: place for place, name in enumerate(_FUNCTIONS)}
_REAL = {"complex64_t": "float", "complex128_t": "double"}
_BLAS = {
    # of products.py: the call, m, n, k, a and its strides, b and its strides, out, its rows' stride, whether to add
    "product": "eq_call *, int64_t, int64_t, int64_t, const @T *, int64_t, int64_t, const @T *, int64_t, int64_t, "
    "@T *, int64_t, int64_t",
    "convolution": "eq_call *, const eq_conv_plan *, @T *, @T *, @T *, @T *",
    "gemm": "const char *, const char *, const int *, const int *, const int *, const @T *, const @T *, const int *, "
    "const @T *, const int *, const @T *, @T *, const int *",
    "gemv": "const char *, const int *, const int *, const @T *, const @T *, const int *, const @T *, const int *, "
    "const @T *, @T *, const int *",
    **ROUTINES,
}
_HELPER = re.compile(r"\b(eq_\w+?)__([a-z0-9_]+)\b")
_BLAS_NAME = re.compile(r"\beq_blas_(\w+?)__(double|float|complex64_t|complex128_t)\b")
_NAME = re.compile(r"\b[a-z][a-z0-9]*\b")
EXACT_FUNCTIONS = frozenset(f"{name}{f}" for name in EXACT.split() for f in ("", "f"))


@functools.lru_cache(maxsize=1)
def vector_functions() -> frozenset[str]:
    """Names of the math functions that this machine's vector mathematics library has."""
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "AMD64"):
        return frozenset()
    try:
        library = ctypes.CDLL("libmvec.so.1")
    except OSError:
        return frozenset()
    return frozenset(
        f"{name}{f}"
        for name, count in _OPERANDS.items()
        for f, lanes in (("", 2), ("f", 4))
        if name not in EXACT_FUNCTIONS and hasattr(library, f"_ZGVbN{lanes}{'v' * count}_{name}{f}")
    )


def prototypes(text: str, vector: frozenset[str]) -> str:
    """Math functions that a text mentions: of our own where it calls them at few places, else declared; those in ``vector``
    also in vector form."""
    lines = []
    for name in sorted(_FUNCTIONS.keys() & set(_NAME.findall(text)), key=_PLACE.__getitem__):
        if name in OWN and len(re.findall(rf"\b{name}\(", text)) <= FEW_CALLS:
            lines.append(OWN[name])
            continue
        ctype, count = _FUNCTIONS[name]
        kind = '__attribute__((simd("notinbranch"), const, nothrow)) ' if name in vector else ""
        lines.append(f"{kind}{ctype} {name}({', '.join([ctype] * count)});\n")
    return "".join(lines)


# what the compiler leaves apart where it is called twice keeps the loops around it from running in vectors
INLINE = "static inline __attribute__((always_inline)) "


def parts_of(ctype: str) -> str:
    """The C type of the parts of a complex number; another type is its own."""
    return _REAL.get(ctype, ctype)


def helpers(text: str) -> str:
    """The C functions of ops that a text calls, and those that they call, in an order that compiles."""
    found: dict[tuple[str, str], str] = {}
    work = sorted(set(_HELPER.findall(text)))
    while work:
        name, ctype = work.pop()
        if (general := helper(name)) is not None:
            body, called = _of_type(general, ctype)
            found.pop((name, ctype), None)
            found[name, ctype] = body
            work += [key for key in called if key != (name, ctype)]
    return "".join(found[key] + "\n" for key in reversed(found))


@functools.lru_cache(maxsize=512)
def _of_type(general: str, ctype: str) -> tuple[str, list[tuple[str, str]]]:
    """A helper for an element type, and the helpers that it calls."""
    body = general.replace("static inline ", INLINE).replace("@T", ctype).replace("@R", parts_of(ctype))
    body = body.replace("@f", "f" if ctype in ("float", "complex64_t") else "")
    return body, sorted(set(_HELPER.findall(body)))


def blas_names(text: str) -> list[tuple[str, str]]:
    """The (routine, C type) pairs of matrix routines that a text calls."""
    return sorted(set(_BLAS_NAME.findall(text)))


def parameters_of(name: str, ctype: str) -> str:
    """The C parameters of a routine for an element type: of matrices, or of scipy.special."""
    if name.startswith(SCIPY):
        return ", ".join([*["double"] * scipy_operands(name), "int"])
    return _BLAS[name].replace("@T", ctype)


def blas(names: list[tuple[str, str]]) -> str:
    """Function pointers for matrix routines, and the function that sets them."""
    text = ALONE if any(name in PRODUCT_OF for name, _ in names) else ""
    links = ["eq_bound = table[0];"] if text else []
    for k, (name, ctype) in enumerate(names, 1):
        result, parameters = "double" if name.startswith(SCIPY) else "void", parameters_of(name, ctype)
        pointer = f"eq_{'far' if name in PRODUCT_OF else 'blas'}_{name}__{ctype}"
        links.append(f"{pointer} = table[{k}];")
        text += f"static {result} (*{pointer})({parameters});\n"
        if name in PRODUCT_OF:
            text += _on_one_thread(name, ctype, parameters.split(", "))
    if names:
        link = f'__attribute__((visibility("default"))) void eq_link(void **table) {{ {" ".join(links)} }}\n'
        text += f"#if {HALF} != 1\n{link}#endif\n"
    return text


def _on_one_thread(name: str, ctype: str, parameters: list[str]) -> str:
    """The function that calls a routine on no more threads than its function has, where it has little to do on one."""
    arguments = [f"a{k}" for k in range(len(parameters))]
    declared = ", ".join(f"{p}{a}" for p, a in zip(parameters, arguments, strict=True))
    work = " * ".join(["1.0", *(f"*a{k}" for k in PRODUCT_OF[name])])
    return (
        f"static __attribute__((noinline)) void eq_blas_{name}__{ctype}({declared}) {{\n"
        f"  int64_t few = {work} < {FEW};\n  eq_bound(few, 1);\n"
        f"  eq_far_{name}__{ctype}({', '.join(arguments)});\n  eq_bound(few, -1);\n}}\n"
    )
