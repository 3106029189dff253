"""An expression as a stranger writes it, with the form that an expert writes, and what operands are drawn; and the variables of such."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import eqsat
import eqsat.tensor as T


@dataclass(frozen=True)
class Expression:
    """``make`` gives the expression as written and its best form, each an output or a list of outputs.

    Lengths are n, or those that ``dims`` gives in letters; integers lie in the range ``ints``. ``points`` are kinds of
    operands: usual and large numbers, special ones among them, one element, none.
    """

    make: Callable[[], tuple[Any, Any]]
    points: str = "usual large special one none"
    dims: Mapping[str, str] = field(default_factory=dict)
    ints: tuple[int, int] = (0, 3)
    positive: bool = False
    posdef: bool = False


a, b, c, d = T.dmatrices("a", "b", "c", "d")
x, y, z, w = T.dvectors("x", "y", "z", "w")
s, t, r = T.dscalars("s", "t", "r")
k, n = T.lscalars("k", "n")
t3, u3 = T.dtensor3("t3"), T.dtensor3("u3")
iv, jv = T.lvectors("iv", "jv")
p, q = T.TensorType("bool", (None,))("p"), T.TensorType("bool", (None,))("q")
pm = T.TensorType("bool", (None, None))("pm")
f1 = T.fvector("f1")
Z1 = T.zvector("z1")
i8 = T.TensorType("int8", (None,))("i8")
u8 = T.TensorType("uint8", (None,))("u8")
X, Y = T.TensorType("float64", (30, 40))("X"), T.TensorType("float64", (30, 40))("Y")
V = T.TensorType("float64", (40,))("V")
e = T.exp
L = T.linalg


def softmax(v: Any) -> Any:
    """Shares along the last axis."""
    return T.softmax(v, axis=-1)


def loop(step: Any, sequences: Any = (), initial: Any = None, **options: Any) -> Any:
    """The first output of a scan."""
    return eqsat.scan(step, list(sequences), initial, **options)[0]


def both(v: Any) -> list[Any]:
    """An output twice."""
    return [v, v]
