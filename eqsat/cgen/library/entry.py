"""The C function of a signature that another program asks for, which calls a function that this process has compiled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field

from eqsat.base.values import dataclass
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.library.interface import Interface, Value
from eqsat.cgen.library.text import PARTS, part, result_tables
from eqsat.cgen.runtime import abi
from eqsat.cgen.runtime.team import HEADERS
from eqsat.errors import ArgumentError

WRONG_LENGTH = -3  # the answer to a length that the types do not have
_ALIASES = {"double": "float64", "float": "float32", "int": "int32", "unsigned": "uint32", "size_t": "uint64"}
_ALIASES |= {
    "long": "int64",
    "char": "int8",
    "unsigned char": "uint8",
    "unsigned int": "uint32",
    "unsigned long": "uint64",
}
_FORM = re.compile(r"\s*([\w ]+?)\s*\((.*)\)\s*", re.DOTALL)
_ONE = re.compile(r"(?:const\s+)?([\w ]+?)\s*(\*?)\s*(?:\bconst\b)?\s*")
_REAL = {"complex64": "float32", "complex128": "float64"}


@dataclass(frozen=True)
class Parameter:
    """A type of a signature: a dtype or "void", and whether it is a pointer to it."""

    dtype: str
    pointer: bool

    @property
    def ctype(self) -> str:
        """The type in C."""
        return ("void" if self.dtype == "void" else CTYPE[self.dtype]) + " *" * self.pointer


@dataclass
class Bound:
    """The C of the arguments of a plan, as the parameters of a signature give them."""

    pointers: dict[int, str] = field(default_factory=dict)  # by input
    made: dict[int, str] = field(default_factory=dict)  # by result
    lengths: list[str] = field(default_factory=list)  # of the arguments
    sizes: list[str] = field(default_factory=list)  # of the results, where the signature has them
    returned: int | None = None  # the result that the function returns


def parsed(signature: str) -> tuple[Parameter, list[Parameter]]:
    """The return type and the parameters of a signature, in words of C or of NumPy.

    Errors   ArgumentError for text that is no signature

    >>> parsed("int64(uint64, const double *)")[1]
    [Parameter(dtype='uint64', pointer=False), Parameter(dtype='float64', pointer=True)]
    """
    found = _FORM.fullmatch(signature) if isinstance(signature, str) else None
    if found is None:
        raise ArgumentError(
            f"c_function: {signature!r} is no signature", hint='"int64(uint64, double*, double*)"'
        )
    words = [word for word in found[2].split(",") if word.strip() not in ("", "void")]
    return _parameter(found[1]), [_parameter(word) for word in words]


def _parameter(word: str) -> Parameter:
    found = _ONE.fullmatch(word.strip())
    name = found[1] if found else word
    dtype = _ALIASES.get(name, name.removesuffix("_t"))
    if found is None or dtype not in {*CTYPE, "void"}:
        raise ArgumentError(
            f"c_function: {word.strip()!r} is no type", among=(word, [*CTYPE, *_ALIASES, "void"])
        )
    return Parameter(dtype, bool(found[2]))


def bound(f: Interface, answer: Parameter, given: Sequence[Parameter], order: Sequence[int]) -> Bound:
    """The arguments and results of a function, each for the parameter of a signature that is its own.

    ``order`` has the numbers of the results as the signature has them.

    Errors   ArgumentError for a signature that does not fit
    """
    b, numbers = Bound(), []
    if answer.dtype not in ("void", "bool") and "int" not in answer.dtype:
        b.returned = next(
            (k for k, v in enumerate(f.results) if v.type.ndim == 0 and v.type.dtype == answer.dtype), None
        )
        if b.returned is None:
            raise _misfit(f, f"no result is one number of {answer.dtype}")
    for k, p in enumerate(given):
        name = f"a{k}"
        if p == Parameter("void", True):
            continue
        if p.pointer:
            _bind_pointer(f, b, p, name, order)
        elif (at := len(b.pointers)) < len(f.inputs) and _is_number(f.inputs[at], p):
            b.pointers[at] = f"&{name}"
        elif "int" in p.dtype:
            numbers.append(name)
        else:
            raise _misfit(f, f"{p.dtype} is the type of no argument that comes next")
    _bind_lengths(f, b, numbers)
    missing = [v.name for k, v in enumerate(f.inputs) if k not in b.pointers]
    missing += [v.name for k, v in enumerate(f.results) if k not in b.made and k != b.returned]
    if missing:
        raise _misfit(f, f"nothing stands for {', '.join(missing)}")
    return b


def _is_number(v: Value, p: Parameter) -> bool:
    return v.type.ndim == 0 and v.type.dtype == p.dtype


def _bind_pointer(f: Interface, b: Bound, p: Parameter, name: str, order: Sequence[int]) -> None:
    """A pointer stands for the next argument, or, after all of these, for the next result."""
    at = len(b.pointers)
    results = [k for k in order if k not in b.made and k != b.returned]
    if at < len(f.inputs):
        wanted, place = f.inputs[at], b.pointers
    elif results:
        at, wanted, place = results[0], f.results[results[0]], b.made
    else:
        raise _misfit(f, "there are more pointers than arguments and results")
    if wanted.type.dtype != p.dtype:
        raise _misfit(f, f"{wanted.name} is {wanted.type.dtype}, not {p.dtype}")
    place[at] = name


def _bind_lengths(f: Interface, b: Bound, numbers: Sequence[str]) -> None:
    """Integers stand for the lengths that types do not know, for all, with those of results too, or one for each argument of one axis."""
    axes = [(k, n) for k, v in enumerate(f.inputs) for n in v.type.shape]
    unknown = sum(n is None for _, n in axes)
    if len(numbers) == unknown:
        left = iter(numbers)
        b.lengths = [str(n) if n is not None else next(left) for _, n in axes]
    elif len(numbers) in (len(axes), len(axes) + sum(v.type.ndim for v in f.results)):
        b.lengths, b.sizes = list(numbers[: len(axes)]), list(numbers[len(axes) :])
    elif len(numbers) == 1 and all(v.type.ndim < 2 for v in f.inputs):
        b.lengths = [numbers[0] for _ in axes]
    else:
        raise _misfit(
            f, f"{len(numbers)} integers do not fit {len(axes)} lengths, {unknown} of which are not known"
        )


def _misfit(f: Interface, why: str) -> ArgumentError:
    return ArgumentError(
        f"c_function: the signature does not fit: {why}",
        operands=[(v.name, v) for v in (*f.inputs, *f.results)],
        needs="pointers to the arguments, then to the results; integers for lengths; void* for what is not looked at",
    )


def entry_text(f: Interface, signature: str, finite: bool, order: Sequence[int]) -> str:
    """C of a function of a signature, in which the results have an ``order``.

    It returns 0 or the number of an error, or a result that is one number, NaN where there is an error. With ``finite`` a result
    that is not finite is one more error.
    """
    answer, given = parsed(signature)
    b = bound(f, answer, given, order)
    counts = {"LENGTHS": sum(s.type.ndim for s in f.sources), "FIELDS": 0, "RESULTS": len(f.results)}
    return "".join(
        [
            HEADERS,
            abi.TYPES,
            abi.CALL,
            abi.CALLED,
            f"enum {{ {', '.join(f'{name} = {n}' for name, n in counts.items())} }};\n",
            result_tables([v.type.shape for v in f.results]),
            PARTS["GIVEN"],
            PARTS["CONTEXT"],
            PARTS["ALONE"],
            PARTS["BUFFERS"],
            PARTS["COUNTED"],
            _entry(f, b, answer, given, finite),
        ]
    )


def _entry(f: Interface, b: Bound, answer: Parameter, given: Sequence[Parameter], finite: bool) -> str:
    value = b.returned is not None
    wrong = {"void": ""}.get(answer.dtype, "NAN" if value else str(WRONG_LENGTH))
    pointers = [b.pointers[s.place] if s.kind == "given" else f"held[{s.place}]" for s in f.sources]
    held = [str(n) for s in f.sources if s.kind == "held" for n in s.type.shape]
    made = [b.made.get(k, "&value") for k in range(len(f.results))]
    facts = {
        "RETURNS": answer.ctype,
        "PARAMETERS": ", ".join(f"{p.ctype} a{k}" for k, p in enumerate(given)) or "void",
        "BEFORE": _checks(f, b, wrong) + f"  {answer.ctype} value = 0;\n" * value,
        "GIVEN": ", ".join(pointers) or "0",
        "LENGTHS": ", ".join([*(f"(int64_t){n}" for n in b.lengths), *held]) or "0",
        "MADE": ", ".join(f"(void *){name}" for name in made) or "0",
        "AFTER": _finite(f) if finite else "",
        "RETURN": "" if answer.dtype == "void" else "code ? NAN : value" if value else "code",
    }
    return part("ENTRY", facts)


def _checks(f: Interface, b: Bound, wrong: str) -> str:
    """Statements that refuse lengths which the types do not have."""
    lengths = [n for v in (*f.inputs, *(f.results if b.sizes else ())) for n in v.type.shape]
    pairs = zip([*b.lengths, *b.sizes], lengths, strict=True)
    return "".join(
        f"  if ((int64_t){n} != {k}) return {wrong};\n" for n, k in pairs if k is not None and n != str(k)
    )


def _finite(f: Interface) -> str:
    """Statements that look at all results of real or complex numbers."""
    text = ""
    for k, v in enumerate(f.results):
        real = _REAL.get(v.type.dtype, v.type.dtype)
        if "float" in real:
            facts = {"PLACE": str(k), "PARTS": str(1 + (real != v.type.dtype)), "REAL": CTYPE[real]}
            text += part("FINITE", {**facts, "CODE": str(len(f.meta.errors) + 1)})
    return text
