"""Convolutions on the device: the library function that builders call as a product by tiles, whose operand is read by windows."""

from __future__ import annotations

from eqsat.base.values import dataclass
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c_files import sections

_TEXTS = sections(__file__, "convolution.cu")


@dataclass(frozen=True)
class _Form:
    """A convolution or an adjoint as a product: sizes, the operand of its rows, and the result."""

    name: str
    rows: str
    columns: str
    inner: str
    left: str
    store: str
    written: str


_FORMS = (
    _Form(
        "FORWARD", "filters", "b*m0*m1*m2", "channels*taps", "w[(group*filters + row + i)*w0 + weight]",
        "y[place + (group*filters + to)*y1]", "Y",
    ),
    _Form(
        "INPUT", "channels", "b*n0*n1*n2", "filters*taps", "w[(row + i)*w1 + weight]",
        "x[place + (group*channels + to)*x1]", "X",
    ),
    _Form(
        "KERNEL", "filters", "channels*taps", "b*m0*m1*m2", "y[(group*filters + row + i)*y1 + weight]",
        "w[place + (group*filters + to)*w0]", "W",
    ),
)  # fmt: skip
_THERE = {
    "@THERE": "__shared__ uint8_t there[16][65];",
    "@NOT_THERE": "there[q][mine] = 0;",
    "@IF_THERE": "if (there[p][tx + 16*j]) ",
}


def convolution_kernel(what: int, dtype: str) -> str:
    """The device text of a convolution or an adjoint, with ``@NAME`` where its name stands."""
    form = _FORMS[what]
    text = _TEXTS["CONVOLUTION"].replace(",\n    const", ", const")
    for part, place in (("COLUMN", "own"), ("FOUND", "p"), ("PLACE", "p"), ("TARGET", "at")):
        lines = (
            _TEXTS[f"{form.name}_{part}"].strip().replace("@TAP", _TEXTS["TAP"].strip().replace("@P", place))
        )
        text = text.replace(f"@{part}\n", lines.replace("@WEIGHT", _TEXTS["WEIGHT"].strip()) + "\n")
    there = _THERE if form.name == "INPUT" else dict.fromkeys(_THERE, "")
    for part, line in there.items():
        text = text.replace(f"  {part}\n", f"  {line}\n" if line else "\n").replace(f"{part} ", line)
    for letter in "XWY":
        text = text.replace(f"@C{letter} ", "" if letter == form.written else "const ")
    text = _sized(text, form).replace("@LEFT", form.left).replace("@STORE", form.store)
    return text.replace("@FMA", "fmaf" if dtype == "float32" else "fma").replace("@T", CTYPE[dtype])


def host_function(what: int, kernel: int) -> str:
    """The host's function that launches it."""
    return _sized(_TEXTS["HOST"], _FORMS[what]).replace("@KERNEL", str(kernel))


def _sized(text: str, form: _Form) -> str:
    return text.replace("@ROWS", form.rows).replace("@COLUMNS", form.columns).replace("@INNER", form.inner)
