"""Terms of programs for egglog as graphs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from eqsat import tensor as T
from eqsat.base.brackets import Bracket, Steps, evaluated, forms_of
from eqsat.errors import ArgumentError, EqsatError
from eqsat.graph.core import Constant
from eqsat.graph.declared_op import DeclaredOp
from eqsat.tensor.prefix_notation import applied, function_of, number_of

__all__ = ["from_egglog"]

FRACTIONS = ("rational", "bigrat")


def from_egglog(
    source: Any, inputs: Mapping[str, Any] | None = None, dtype: str = "float64"
) -> dict[str, Any]:
    """The terms that a program for egglog, a file or its text, defines by ``let`` and asks for by ``extract``, as variables by name.

    A constructor is an op by its name, in small letters and without ``o_`` before it: ``Add``, ``exp`` and ``o_log1p`` are ops, and so are the functions
    of ``eqsat.tensor``. One that holds a text is an input, and one that holds a number is a constant. ``inputs`` says which variables inputs are;
    others are scalars of ``dtype``. Rules, schedules and checks are passed over.

    Errors   ArgumentError for text without terms, a name that nothing defines, or a constructor that is no op

    >>> import eqsat, eqsat.tensor as T
    >>> found = eqsat.from_egglog('''
    ... (datatype Math (Num f64) (Var String) (Add Math Math) (Log Math))
    ... (let x (Var "x"))
    ... (let y (Log (Add (Num 1.0) x)))
    ... ''', inputs={"x": T.dvector("x")})
    >>> print(eqsat.pp(eqsat.optimize(found["y"]).optimized[0]))
    log1p(x)
    """
    text = str(source)
    if not text.lstrip().startswith(("(", ";")):
        text = _read(source)
    reader = Terms(inputs or {}, dtype)
    for form in forms_of(text, "from_egglog"):
        if isinstance(form, Bracket) and form:
            reader.command(form)
    if not reader.found:
        raise ArgumentError(
            "from_egglog: the program defines no term", needs='commands as (let y (Exp (Var "x")))'
        )
    return reader.found


def _read(source: Any) -> str:
    if isinstance(source, str) and not source.strip():
        return source
    try:
        return Path(source).read_text(encoding="utf-8")
    except (OSError, TypeError, ValueError) as error:
        raise ArgumentError(f"from_egglog: {source!r} cannot be read: {error}") from None


class Terms:
    """The terms of a program; ``found`` has those that were defined or asked for."""

    def __init__(self, inputs: Mapping[str, Any], dtype: str) -> None:
        self.dtype = dtype
        self.inputs: dict[str, Any] = dict(inputs)
        self.found: dict[str, Any] = {}

    def command(self, form: Bracket) -> None:
        """Read a command that holds a term; others say nothing of terms."""
        head, *rest = form
        if head == "let" and len(rest) == 2:
            self.found[str(rest[0])] = self.value(rest[1], form.line)
        elif head in ("extract", "query-extract") and rest:
            name = rest[0] if isinstance(rest[0], str) else self.free("extract")
            self.found[name] = self.value(rest[0], form.line)

    def free(self, name: str) -> str:
        """A name that no term has yet."""
        number = 2
        made = name
        while made in self.found:
            made, number = f"{name}-{number}", number + 1
        return made

    def value(self, form: Any, line: int) -> Any:
        """The graph of a term."""
        try:
            return T.as_tensor_variable(evaluated(self.steps, form))
        except EqsatError as error:
            raise ArgumentError(
                f"from_egglog: line {line}: {error.message}",
                operands=error.operands,
                needs=error.needs,
                hint=error.hint,
            ) from None

    def steps(self, form: Any) -> Steps:
        """The value of a term; it asks for those of its operands."""
        if isinstance(form, str):
            return self.leaf(form)
        head, *rest = form
        if len(rest) == 1 and isinstance(rest[0], str) and rest[0].startswith('"'):
            return self.input(rest[0].strip('"'))
        name = str(head).lower().removeprefix("o_")
        if name in FRACTIONS and len(rest) == 2:
            return self.leaf("/".join(map(str, rest)))
        operands = []
        for part in rest:
            operands.append((yield (part,)))
        if function_of(name) is not None:
            return applied(name, operands)
        public = getattr(T, name, None) if name in T.__all__ else None
        if isinstance(public, (FunctionType, DeclaredOp)):
            return public(*operands)
        if len(rest) == 1 and isinstance(operands[0], Constant):
            return operands[0]  # a constructor that holds a number
        raise ArgumentError(f"{head} is no op", needs="ops by their names, as Add, exp, matmul")

    def leaf(self, word: str) -> Any:
        """The value of a word: a term that was defined before, an input, or a number."""
        if word in self.found or word in self.inputs:
            return self.found.get(word, self.inputs.get(word))
        try:
            return T.constant(np.asarray(number_of(word), self.dtype))
        except ArgumentError:
            raise ArgumentError(
                f"nothing defines {word}", needs="a name that a let before it defines, or one of inputs="
            ) from None

    def input(self, name: str) -> Any:
        """The input of a name; the same each time."""
        return self.inputs.setdefault(name, T.scalar(name, dtype=self.dtype))
