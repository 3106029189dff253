"""Laws of elements: both sides as graphs over metavariables of whatever rank, whose dtypes follow from where they stand."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat import tensor as T
from eqsat.base.brackets import Steps, evaluated
from eqsat.bridges.rules.files import Line
from eqsat.errors import ArgumentError, RuleError
from eqsat.rules.facts import nonzero
from eqsat.rules.metavars import MetaVariable, metaconstants, metavars
from eqsat.rules.public import rule
from eqsat.rules.rule import Rule
from eqsat.tensor.prefix_notation import NoTruth, applied, function_of, number_of, truth

DTYPES = {"float": "float64", "int": "int64", "bool": "bool"}
ASKED: dict[str, Any] = {  # egg has no conditions of its own; these names are usual
    "is_not_zero": lambda x: nonzero(x.meta),
    "is_nonzero": lambda x: nonzero(x.meta),
    "is_pos": lambda x: x > 0,
    "is_positive": lambda x: x > 0,
    "is_not_neg": lambda x: x >= 0,
    "is_nonneg": lambda x: x >= 0,
    "is_neg": lambda x: x < 0,
}
CONSTANT = ("is_const", "is_constant")


def is_variable(word: str, plain: bool) -> bool:
    """True for the name of a variable: after ``?``, or in a plain file whatever is no number."""
    if not plain:
        return len(word) > 1 and word[0] == "?"
    try:
        number_of(word)
    except ArgumentError:
        return not word.startswith(("'", "#", '"'))
    return False


def variables_of(form: Any, plain: bool) -> list[str]:
    """The variables of a side, in the order in which they occur; heads of brackets are none."""
    found: dict[str, None] = {}
    stack = [form]
    while stack:
        part = stack.pop()
        if isinstance(part, list):
            stack.extend(reversed(part[1:]))
        elif is_variable(part, plain):
            found[part] = None
    return list(found)


class Elements:
    """Reads the sides of one line; ``truths`` are the variables that are true or false, the others are numbers of one dtype."""

    def __init__(self, line: Line, dtype: str) -> None:
        self.line, self.dtype = line, dtype
        self.truths: set[str] = set()
        self.variables: dict[str, Any] = {}

    def rule(self, name: str, tier: str) -> Rule:
        """The rule.

        Errors   ArgumentError or RuleError with the reason why there is none
        """
        while True:
            self.variables = self.declared()
            try:
                left, right, when = self.sides()
                return rule(name, left, right, when=when, tier=tier)
            except NoTruth as error:
                if not isinstance(error.value, MetaVariable) or error.value.name in self.truths:
                    raise
                self.truths.add(error.value.name)

    def declared(self) -> dict[str, Any]:
        """A metavariable for each variable, and one that matches known numbers alone where a condition asks for it."""
        line, made = self.line, {}
        fixed = {word for form in line.conditions if form[0] in CONSTANT for word in form[1:]}
        for k, word in enumerate(
            dict.fromkeys([*variables_of(line.left, line.plain), *variables_of(line.right, line.plain)])
        ):
            name = word.lstrip("?")
            name = name if name.isidentifier() and name.isascii() and name[0] != "_" else f"v{k}"
            dtype = "bool" if name in self.truths else self.dtype
            made[word] = metaconstants(name, dtype) if word in fixed else metavars(name, dtype=dtype)
        return made

    def sides(self) -> tuple[Any, Any, Any]:
        """Both sides, of one dtype, and the condition."""
        left, right = (evaluated(self.steps, side) for side in (self.line.left, self.line.right))
        named = variables_of(self.line.left, self.line.plain)
        if isinstance(left, MetaVariable):
            raise RuleError(f"the left side is {left.name}, which stands for every value")
        if not named:
            raise RuleError(
                "the left side has no variables, and expressions of numbers are computed without rules"
            )
        if "bool" in (left.type.dtype, right.type.dtype) and left.type.dtype != right.type.dtype:
            left, right = truth(left), truth(right)
        if not variables_of(self.line.right, self.line.plain):
            like = self.variables[named[0]]
            right = T.full_like(like, right, dtype=left.type.dtype)
        return left, right, self.condition()

    def steps(self, form: Any) -> Steps:
        """The value of a form; it asks for those of its parts."""
        if isinstance(form, str) or len(form) == 1:
            return self.leaf(form if isinstance(form, str) else form[0])
        head = form[0]
        if not isinstance(head, str) or function_of(head) is None:
            raise ArgumentError(
                f"{head if isinstance(head, str) else 'a bracket at the head'} has no form here"
            )
        operands = []
        for part in form[1:]:
            operands.append((yield (part,)))
        return T.as_tensor_variable(applied(head, operands))

    def leaf(self, word: str) -> Any:
        """A variable or a constant."""
        if word in self.variables:
            return self.variables[word]
        value = number_of(word)
        if isinstance(value, bool):
            return T.constant(np.asarray(value))
        if self.dtype == "float" or not float(value).is_integer():
            return T.constant(np.asarray(value, "float64"))
        number = int(value)
        if not -(2**63) <= number < 2**63:
            raise ArgumentError(f"int64 does not hold {word}")
        return T.constant(np.asarray(number, "int64"))

    def condition(self) -> Any:
        """The conditions, joined; None where there are none."""
        found = None
        for form in self.line.conditions:
            if form[0] in CONSTANT:
                continue
            one = self.asked(form)
            found = one if found is None else found & one
        return found

    def asked(self, form: Any) -> Any:
        """One condition: a comparison, or a name that is usual in programs for egg."""
        if isinstance(form, str):
            raise ArgumentError(f"the condition {form} has no form here")
        if form[0] in ASKED:
            return ASKED[form[0]](*(self.variables[word] for word in form[1:]))
        if function_of(form[0]) is None:
            raise ArgumentError(f"the condition {form[0]} has no form here")
        return evaluated(self.steps, form)
