"""The parameters of the routines that ops may call, beside the matrix products: of LAPACK and BLAS, and of SciPy's special functions."""

from __future__ import annotations

from eqsat.graph.declare import OPS

# One letter per parameter: c text, i integer, t number or array of the element type. All are pointers.
_FORMS = {
    "trsm": "cccciittiti",
    "getrf": "iitiii",
    "getrs": "ciitiitii",
    "potrf": "citii",
    "geqrf": "iitittii",
    "orgqr": "iiitittii",
    "gesdd": "ciitittititiii",
    "syevd": "ccitittiiii",
    "geev": "ccititttititii",
}
# The parameters whose product is about the number of multiplications of a routine.
PRODUCT_OF = {
    "gemm": (2, 3, 4),
    "gemv": (1, 2),
    "trsm": (4, 5, 5),
    "getrf": (0, 1, 1),
    "getrs": (1, 1, 2),
    "potrf": (1, 1, 1),
    "geqrf": (0, 1, 1),
    "orgqr": (0, 1, 2),
    "gesdd": (1, 2, 2),
    "syevd": (2, 2, 2),
    "geev": (2, 2, 2),
}
FEW = (
    1 << 24
)  # multiplications below which waiting for a second thread takes longer than it saves, on a busy machine much
SCIPY = "scipy_"  # before the name of a function of scipy.special, which is that of an op
_TYPES = {"c": "const char *", "i": "int *", "t": "@T *"}
ROUTINES = {name: ", ".join(_TYPES[letter] for letter in form) for name, form in _FORMS.items()}


def scipy_operands(name: str) -> int:
    """The number of operands of a function of scipy.special: that of the op of its name."""
    return len(OPS[name.removeprefix(SCIPY)].tensors)
