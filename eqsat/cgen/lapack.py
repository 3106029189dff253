"""The parameters of the LAPACK and BLAS routines that ops may call, beside the matrix products."""

from __future__ import annotations

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
_TYPES = {"c": "const char *", "i": "int *", "t": "@T *"}
ROUTINES = {name: ", ".join(_TYPES[letter] for letter in form) for name, form in _FORMS.items()}
