"""Declarations whose fields do not fit one another, refused where they are made: in words of the op and its operands."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import numpy as np

from eqsat.base.names import joined, meant
from eqsat.errors import DeclarationError
from eqsat.graph.declaration_fields import named_in
from eqsat.graph.dtypes import CODE
from eqsat.graph.elementwise import LETTERS

FACT = re.compile(r"(?:float[ _])?(nonneg|nonzero|finite|unsigned)(?: if (.+))?")
CONDITION = re.compile(r"(?:nonneg|nonzero|finite|unsigned) (\w+)|same (\w+) (\w+)")
FUNCTIONS = ("min", "max")  # of bounds
SAMPLES = {"?": [True, False, True, True], "i": [True, False, True, True]}  # by the letter of a dtype
OF_RESULTS = ("?", "d", "f", "c")  # letters of a result that need no operand of the same letter
NUMBERS = [-3.0, 2.0, -0.5, 4.0]


def check_declaration(d: Any, declared: dict[str, Any]) -> None:
    """Raise DeclarationError where fields do not fit; ``declared`` has the ops that are known."""
    check_counts(d)
    check_parameters(d)
    check_gradient(d)
    for text in d.facts:
        check_fact(d, text)
    for which, text in d.interval:
        check_bound(d, which, text)
    if d.kind == "reduce" or d.reduces:
        check_reduction(d, declared)


def check_names(d: Any, given: Iterable[str]) -> None:
    """The words of fields are among those that each field takes; names of ops are looked up later, since ops name each other."""
    for name in given:
        about, value = type(d).__dataclass_fields__[name].metadata, getattr(d, name)
        choices, known = about.get("one_of", ()), about.get("among")
        if choices and value and value not in choices:
            raise DeclarationError(
                f"{d.name}: {name} is {value!r}", needs=joined([*choices]), hint=meant(value, choices)
            )
        wrong = [word for word in named_in(value) if word not in known(d)] if known else []
        if wrong:
            taken = known(d)
            raise DeclarationError(
                f"{d.name}: {name} is {value!r}, which names {wrong[0]}",
                needs=f"names among {', '.join(taken)}" if taken else f"a signature that names {wrong[0]}",
            )


def check_takes(d: Any, given: Iterable[str]) -> None:
    """Laws of so many operands are those of ops that take so many: rules would write other ops wrongly."""
    for name in given:
        about, value = type(d).__dataclass_fields__[name], getattr(d, name)
        takes = about.metadata.get("takes")
        if takes not in (None, len(d.tensors)) and value != about.default:
            raise DeclarationError(
                f"{d.name}: {name} is {value!r}, for {listed(d)}",
                needs=f"an op of {takes} operand{'s' * (takes != 1)}",
            )


def check_ops(waiting: dict[str, dict[str, list[str]]], ops: Iterable[str], declared: Any) -> None:
    """Names of ops that were not declared when a declaration named them are those of ops now; each op is asked once.

    Errors   DeclarationError for an op that names none, with the names that are close
    """
    for op in [op for op in ops if op in waiting]:
        for name, named in waiting[op].items():
            for other in named:
                if declared.find(other) is None:
                    raise DeclarationError(
                        f"{op}: {name} names {other!r}, which is no op", hint=meant(other, declared)
                    )
        waiting.pop(op, None)


def check_types(name: str, given: Mapping[str, Any], hint: Callable[[str], Any]) -> None:
    """Each field holds what its type says; ``hint`` gives the type of a field."""
    for field, value in given.items():
        key = (field, type(value))
        if key in FITTING:
            continue
        if not fits(value, hint(field)):
            raise DeclarationError(f"{name}: {field} is {value!r}", needs=said(hint(field)))
        if not isinstance(value, tuple):  # of which the items tell
            FITTING.add(key)


def fits(value: Any, kind: Any) -> bool:
    """True for a value of a type, as annotations say types."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return True
    if origin in (Union, UnionType):
        return any(fits(value, part) for part in parts)
    if origin is tuple:
        same = parts[:1] * len(value) if isinstance(value, tuple) and parts[-1] is ... else parts
        return isinstance(value, tuple) and len(value) == len(same) and all(map(fits, value, same))
    if origin is Callable:
        return callable(value)
    if kind in (float, int):
        number = isinstance(value, Real if kind is float else Integral)
        return number and not isinstance(value, (bool, np.bool_))
    return isinstance(value, origin or kind)


FITTING: set[tuple[str, type]] = set()  # fields, and classes of what they may hold, as far as they were asked
KINDS: dict[Any, str] = {
    str: "text",
    float: "a number",
    int: "a whole number",
    bool: "True or False",
    dict: "a dict",
}


def said(kind: Any) -> str:
    """A type in words.

    >>> said(float | None), said(str | tuple[str, ...]), said(tuple[float, float])
    ('a number', 'text or a tuple of text', 'a tuple of a number and a number')
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return joined([said(part) for part in parts if part is not NoneType])
    if origin is tuple:
        return "a tuple of " + " and ".join(said(part) for part in parts if part is not ...)
    if origin is Callable:
        return "a function"
    return KINDS.get(origin or kind) or f"a {(origin or kind).__name__}"


def bounds(name: str, field: str, given: Any) -> tuple[float, float]:
    """Two numbers as floats, the least first."""
    try:
        low, high = map(float, given)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not low <= high:
        raise DeclarationError(
            f"{name}: {field} is {given!r}", needs="two numbers, the least first, as (0.0, 1.0)"
        )
    return low, high


def listed(d: Any) -> str:
    """The operands of an op, for an error."""
    return f"{len(d.tensors)} operand{'s' * (len(d.tensors) != 1)} ({', '.join(d.tensors)})"


def check_counts(d: Any) -> None:
    """Dtypes and shapes are said of as many operands and results as there are."""
    if d.kind != "elemwise" and d.infer is None:
        raise DeclarationError(
            f"{d.name}: nothing says the type of the result", needs="signature=, as (n,k)->(n), or infer="
        )
    if d.kind != "elemwise" and d.c is not None and not callable(d.c):
        raise DeclarationError(
            f"{d.name}: c is {d.c!r}", needs="a function of (w, op, ins, out) that writes C text"
        )
    if d.kind == "elemwise" and d.builder:
        raise DeclarationError(
            f"{d.name}: builder is {d.builder!r}", needs="a view or a block; c of an elementwise op is C text"
        )
    if d.of_bools and d.of_bools not in CODE:
        raise DeclarationError(
            f"{d.name}: of_bools is {d.of_bools!r}, which is no dtype", among=(d.of_bools, sorted(CODE))
        )
    if d.signature:
        check_letters(d)
        left, _, right = d.signature.partition("->")
        _same_count(d, "dtypes", d.signature, len(left.split(",")), len(right.split(",")))
    if d.shapes is not None:
        changed = [name for axes in d.shapes.results for name, _ in axes.changed]
        if unknown := [name for name in changed if name not in d.parameters]:
            raise DeclarationError(
                f"{d.name}: signature is '{d.shapes}', which names {unknown[0]}",
                needs=f"a parameter that says which axes, as parameters={{'{unknown[0]}': AXES}}",
            )
        _same_count(d, "signature", d.shapes, len(d.shapes.operands), len(d.shapes.results))


def check_letters(d: Any) -> None:
    """Each dtype is a letter; that of a result is one of the operands, or is told without them."""
    left, arrow, right = d.signature.partition("->")
    operands, results = left.split(",") if left else [], right.split(",")
    wrong = [letter for letter in operands if letter not in LETTERS]
    wrong += [out for out in results if out not in (*operands, *OF_RESULTS, *CODE)]
    if wrong or not arrow:
        raise DeclarationError(
            f"{d.name}: {'signature' if d.kind == 'elemwise' else 'dtypes'} is '{d.signature}'"
            + f": {wrong[0]!r} cannot stand there" * bool(wrong),
            needs=f"letters of operands ({', '.join(f'{k} {v}' for k, v in LETTERS.items())}), an arrow, and for a result "
            f"a letter of an operand, {', '.join(OF_RESULTS)} or the name of a dtype",
        )


def _same_count(d: Any, field: str, text: object, operands: int, results: int) -> None:
    if operands != len(d.tensors) or results != d.outputs:
        raise DeclarationError(
            f"{d.name}: {field} is '{text}', for {operands} operand{'s' * (operands != 1)} and "
            f"{results} result{'s' * (results != 1)}",
            needs=f"one part for each of {listed(d)}, and {d.outputs} after the arrow",
        )


def check_parameters(d: Any) -> None:
    """The keyword-only arguments of the meaning are the parameters."""
    given = inspect.signature(d.meaning).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in given):
        return
    names = {p.name for p in given if p.kind is p.KEYWORD_ONLY}
    if names != set(d.parameters):
        raise DeclarationError(
            f"{d.name}: its function has the keyword-only arguments {sorted(names)}, parameters are {sorted(d.parameters)}",
            needs="the same names, as parameters={'axes': AXES} for def f(x, *, axes)",
        )


def check_gradient(d: Any) -> None:
    """The function of the gradient takes what it is given."""
    if d.grad is None:
        return
    arguments = inspect.signature(d.grad)
    if d.kind != "elemwise":
        _four(d, arguments)
        return
    known = (*d.tensors, "out", "dy", "op")
    unknown = [name for name in arguments.parameters if name not in known]
    if unknown:
        raise DeclarationError(
            f"{d.name}: grad asks for {', '.join(unknown)}",
            needs=f"names among {', '.join(known)}",
            among=(unknown[0], known),
        )


def _four(d: Any, arguments: inspect.Signature) -> None:
    try:
        arguments.bind(*range(4))
    except TypeError:
        raise DeclarationError(
            f"{d.name}: grad is a function of {arguments}",
            needs="four arguments: grad(op, inputs, output, dy), which gives a list with one gradient per input",
        ) from None


def check_fact(d: Any, text: str) -> None:
    """A fact in words names facts and operands that exist."""
    found = FACT.fullmatch(text)
    conditions = [CONDITION.fullmatch(p.strip()) for p in found[2].split(",")] if found and found[2] else []
    named = [name for c in conditions if c is not None for name in c.groups() if name]
    if found is None or None in conditions or not set(named) <= set(d.tensors):
        raise DeclarationError(
            f"{d.name}: {text!r} is no fact",
            needs="nonneg, nonzero, finite or unsigned, perhaps after float, perhaps with if and conditions of operands "
            f"({', '.join(d.tensors)}), as: nonneg if nonneg {d.tensors[0]}, or: nonneg if same x y",
        )


def check_bound(d: Any, which: str, text: str) -> None:
    """A bound of the result is an expression of floats and of bounds of the operands."""
    known = {f"{k}_{t}" for k in ("lo", "hi") for t in d.tensors}
    try:
        nodes = [*ast.walk(ast.parse(text, mode="eval"))]
    except SyntaxError:
        nodes = []
    functions = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
    wrong = [n for n in nodes if _stands_not(n, known, functions)]
    if which not in ("lo", "hi") or not nodes or wrong:
        said = ", ".join(map(ast.unparse, wrong)) or which
        raise DeclarationError(
            f"{d.name}: the bound {which!r} is {text!r}" + f": {said} cannot stand there" * bool(nodes),
            needs=f"lo or hi, and an expression of {', '.join(sorted(known))}, floats as 1.0, min and max",
        )


def _stands_not(node: Any, known: Iterable[str], functions: set[int]) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) is not float
    if isinstance(node, ast.Name):
        return node.id not in (FUNCTIONS if id(node) in functions else known)
    return False


# ------------------------------------------------------------------------------------------------ reductions


def check_reduction(d: Any, declared: dict[str, Any]) -> None:
    """A reduction gives a single element as it is, and may be done in parts: so loops and laws take it."""
    between = declared.get(d.reduces)
    if d.reduces and (between is None or len(between.tensors) != 2):
        raise DeclarationError(
            f"{d.name}: reduces is {d.reduces!r}", needs="the name of an op of two operands, declared before"
        )
    if set(d.parameters) == {"axes"} and len(d.tensors) == 1:
        _check_parts(d, (d.signature or (between.signature if between else "t"))[0], between)


def _check_parts(d: Any, letter: str, between: Any) -> None:
    x = np.array(SAMPLES.get(letter, NUMBERS)).reshape(2, 2)
    alone = _tried(d.meaning, x[:1, :1], axes=(0, 1))
    if alone is not None and not _close(alone, x[:1, :1]):
        _refuse(d, f"of the one element {x[0, 0]} it gives {alone.item()}")
    rows, whole = _tried(d.meaning, x, axes=(1,)), _tried(d.meaning, x, axes=(0, 1))
    parts = None if rows is None else _tried(d.meaning, rows, axes=(0,))
    if whole is not None and parts is not None and not _close(parts, whole):
        _refuse(
            d,
            f"of all elements of {x.tolist()} it gives {whole.item()}, of the results of rows {parts.item()}",
        )
    joined = _tried(between.meaning, x[:, :1], x[:, 1:]) if between else None
    if joined is not None and rows is not None and not _close(joined, rows):
        _refuse(
            d, f"{between.name} joins the rows of {x.tolist()} to {joined.ravel()}, it gives {rows.ravel()}"
        )


def _tried(meaning: Callable[..., Any], *values: Any, **parameters: Any) -> Any:
    """A result on a few numbers; None where the function does not take them."""
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(meaning(*values, **parameters))
        return None if found.dtype.kind not in "bifu" or np.isnan(found).any() else found
    except Exception:
        return None


def _close(found: Any, wanted: Any) -> bool:
    return found.size == wanted.size and np.allclose(found.ravel(), wanted.ravel(), 1e-3, 1e-6)


def _refuse(d: Any, said: str) -> None:
    raise DeclarationError(
        f"{d.name}: {said}",
        needs="a reduction that gives a single element as it is, and of results of parts that of the whole",
        hint="what is done to each element first belongs in an op before it, as in min(sqr(x))",
    )
