"""Properties that an op declares in words, read: monotone operands, odd and even ones, operations that it turns into others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from eqsat.errors import DeclarationError

SIGNS = ("nonneg", "nonpos", "positive", "negative")
DIRECTIONS = {
    "increasing": (True, True),
    "nondecreasing": (True, False),
    "decreasing": (False, True),
    "nonincreasing": (False, False),
}
MONOTONE = re.compile(r"(\w+)(?: in (\w+))?(?: if (.+))?")
PARITY = re.compile(r"(odd|even)(?: in (\w+))?( but for signs of zeros)?")
RATIO = re.compile(r"(\w+) over (\w+)")
OF_PRODUCTS = re.compile(r"(\w+)( reversed)?(?: if (\w+))?")
TURNS = re.compile(r"(\w+) into (\w+)(?: (exactly|in range))?")
INVERSE_ELEMENT = re.compile(r"(\w+)( exactly)?")


SHIFTED = re.compile(r"(\w+)\(x(?: ([-+]) ([0-9.]+))?\)(?: ([-+]) ([0-9.]+))?")
COMPLEMENT = re.compile(r"([0-9.]+) - (\w+)\((-?)x\)")


class Complement(NamedTuple):
    """A function as a number less another function, of the operand with a sign."""

    number: float
    of: str
    sign: float


class Monotone(NamedTuple):
    """An operand with which the result rises or falls, where other operands have certain signs.

    Over the reals it is ``strict`` where equal results have equal operands; rounding makes it weak.
    """

    rises: bool
    strict: bool
    operand: str
    signs: tuple[tuple[str, str], ...] = ()


class Turns(NamedTuple):
    """An operation on operands, and the one on results that it becomes: f(inner(a, b)) = outer(f(a), f(b)).

    ``how``: "exactly" where rounding changes nothing, "in range" where inner(a, b) overflows or vanishes only where the outer
    operation does.
    """

    inner: str
    outer: str
    how: str = ""


class OfProducts(NamedTuple):
    """The op that f(A B) is of f(A) and f(B), or of f(B) and f(A) where it ``swaps``; ``where`` names a parameter that has to be set."""

    outer: str
    swaps: bool = False
    where: str = ""


def words(given: str | tuple[str, ...]) -> tuple[str, ...]:
    """One property or several."""
    return (given,) if isinstance(given, str) else given


def monotone(d: Any) -> list[Monotone]:
    """The operands with which the result of an op rises or falls.

    >>> from eqsat.graph.declare import OPS
    >>> import eqsat.tensor
    >>> print(*monotone(OPS["sub"]), sep="\\n")
    Monotone(rises=True, strict=True, operand='x', signs=())
    Monotone(rises=False, strict=True, operand='y', signs=())
    """
    return [_monotone(d, text) for text in words(d.monotone)]


def _monotone(d: Any, text: str) -> Monotone:
    found = MONOTONE.fullmatch(text)
    direction, operand, condition = found.groups() if found else ("", None, None)
    signs = [tuple(part.split()) for part in condition.split(", ")] if condition else []
    operand = operand or d.tensors[0]
    fits = direction in DIRECTIONS and operand in d.tensors
    if not fits or any(len(s) != 2 or s[0] not in SIGNS or s[1] not in d.tensors for s in signs):
        raise DeclarationError(
            f"{d.name}: {text!r} does not say how the op is monotone",
            needs=f"{' or '.join(DIRECTIONS)}, then in and one of {', '.join(d.tensors)}, then if and signs, as: "
            f"increasing in {d.tensors[0]} if positive {d.tensors[-1]}",
        )
    return Monotone(*DIRECTIONS[direction], operand, tuple(signs))  # type: ignore[arg-type]


def of_parity(d: Any, wanted: str) -> Iterator[str]:
    """The operands in which an op is odd or even; in each of them where none is named."""
    for text in words(d.parity):
        found = PARITY.fullmatch(text)
        if found is None or found[2] not in (None, *d.tensors):
            raise DeclarationError(
                f"{d.name}: {text!r} is no parity",
                needs=f"odd or even, perhaps in and one of {', '.join(d.tensors)}, perhaps but for signs of zeros",
            )
        if found[1] == wanted:
            yield from (found[2],) if found[2] else d.tensors


def keeps_zeros(d: Any) -> bool:
    """True where an odd or even op is so for the signs of zeros too."""
    return not any(text.endswith("signs of zeros") for text in words(d.parity))


def additive(d: Any) -> list[str]:
    """The operands in each of which an op is additive while the others stay the same."""
    groups = [group.split() for group in d.linear.split(",")]
    return [*(group[0] for group in groups if len(group) == 1), *d.additive.split()]


def compares(d: Any) -> bool:
    """True for an op that tells of two operands of one dtype whether a relation holds between them.

    >>> from eqsat.graph.declare import OPS
    >>> compares(OPS["lt"]), compares(OPS["and"]), compares(OPS["isnan"])
    (True, False, False)
    """
    return d is not None and d.kind == "elemwise" and d.signature == "t,t->?"


def turns(d: Any) -> list[Turns]:
    """The operations that an op of one operand turns into others."""
    found = [TURNS.fullmatch(text) for text in words(d.turns)]
    if None in found or (found and len(d.tensors) != 1):
        raise DeclarationError(
            f"{d.name}: {d.turns!r} does not say what the op turns into what",
            needs="two names of ops of two operands, as: add into mul, and perhaps: exactly, or: in range; the op has one operand",
        )
    return [Turns(m[1], m[2], m[3] or "") for m in found if m is not None]


def shifted(d: Any) -> tuple[str, float, float]:
    """The op of which this one is a shift, with the numbers that are added before and after it.

    >>> from eqsat.graph.declare import OPS
    >>> import eqsat.tensor
    >>> shifted(OPS["expm1"]), shifted(OPS["log1p"])
    (('exp', 0.0, -1.0), ('log', 1.0, 0.0))
    """
    found = SHIFTED.fullmatch(d.shifted)
    before, after = (found.group(2, 3), found.group(4, 5)) if found else (None, None)
    if found is None or len(d.tensors) != 1 or (before[0] is None) == (after[0] is None):  # type: ignore[index]
        raise DeclarationError(
            f"{d.name}: {d.shifted!r} does not say which op this one shifts",
            needs="an op of x with a number added before or after it, as: exp(x) - 1; the op has one operand",
        )
    numbers = (float(f"{sign or '+'}{n or 0}") for sign, n in (before, after))  # type: ignore[misc]
    return (found[1], *numbers)  # type: ignore[return-value]


def complements(d: Any) -> list[Complement]:
    """The functions that an op of one operand is a number less.

    >>> from eqsat.graph.declare import OPS
    >>> import eqsat.tensor
    >>> complements(OPS["sigmoid"])
    [Complement(number=1.0, of='sigmoid', sign=-1.0)]
    """
    found = [COMPLEMENT.fullmatch(text) for text in words(d.complement)]
    if None in found or (found and len(d.tensors) != 1):
        raise DeclarationError(
            f"{d.name}: {d.complement!r} does not say what the op is a number less of",
            needs="a number less an op of x or -x, as: 1 - sigmoid(-x); the op has one operand",
        )
    return [Complement(float(m[1]), m[2], -1.0 if m[3] else 1.0) for m in found if m is not None]


def product(d: Any) -> tuple[str, str] | None:
    """The operands whose product an op is by its formula; None for another op.

    >>> from eqsat.graph.declare import OPS
    >>> import eqsat.tensor
    >>> product(OPS["mul"]), product(OPS["sqr"]), product(OPS["add"])
    (('x', 'y'), ('x', 'x'), None)
    """
    found = re.fullmatch(r"(\w+) \* (\w+)", d.real or "")
    if found is None or not set(found.groups()) <= set(d.tensors):
        return None
    return found[1], found[2]


def ratio(d: Any) -> tuple[str, str] | None:
    """The two functions whose quotient an op of one operand is.

    >>> from eqsat.graph.declare import OPS
    >>> import eqsat.tensor
    >>> ratio(OPS["tan"])
    ('sin', 'cos')
    """
    found = RATIO.fullmatch(d.ratio)
    if d.ratio and (found is None or len(d.tensors) != 1):
        raise DeclarationError(
            f"{d.name}: {d.ratio!r} does not say of which functions the op is the quotient",
            needs="the names of two ops of one operand, as: sin over cos; the op has one operand",
        )
    return (found[1], found[2]) if found is not None else None


def inverse_element(d: Any) -> list[str]:
    """The name of the op that gives the inverse of an element; none where no op does.

    >>> from eqsat.graph.declare import OPS
    >>> import eqsat.tensor
    >>> inverse_element(OPS["add"])
    ['neg']
    """
    found = INVERSE_ELEMENT.fullmatch(d.inverse_element)
    if d.inverse_element and found is None:
        raise DeclarationError(
            f"{d.name}: inverse_element is {d.inverse_element!r}", needs="the name of an op, perhaps exactly"
        )
    return [found[1]] if found is not None else []


def of_products(d: Any) -> OfProducts | None:
    """The op that a function of matrices turns products of matrices into.

    >>> from eqsat.graph.declare import OPS
    >>> import eqsat.tensor
    >>> of_products(OPS["inv"])
    OfProducts(outer='dot', swaps=True, where='')
    """
    found = OF_PRODUCTS.fullmatch(d.of_products)
    if found is None and d.of_products:
        raise DeclarationError(
            f"{d.name}: {d.of_products!r} does not say what products become",
            needs="the name of an op of two operands, perhaps reversed, perhaps if and a parameter, as: add if absolute",
        )
    return OfProducts(found[1], bool(found[2]), found[3] or "") if found is not None else None


def check_properties(d: Any) -> None:
    """Raise DeclarationError for a property that cannot be read.

    Errors   DeclarationError for another word, or the name of an operand that the op does not have
    """
    monotone(d), turns(d), complements(d), ratio(d)
    if d.shifted:
        shifted(d)
    for parity in ("odd", "even"):
        list(of_parity(d, parity))
    of_products(d), inverse_element(d)
    if not set(additive(d)) <= set(d.tensors):
        raise DeclarationError(
            f"{d.name}: additive in {d.additive!r}", needs=f"names among {', '.join(d.tensors)}"
        )
