"""Every rewrite by value: all e-nodes of a saturated e-graph are computed, and those of one class compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from eqsat.debug.suspects import suspects
from eqsat.debug.values_over_time import (
    AS_WRITTEN,
    MOST_BYTES,
    MOST_VALUES,
    OUTSIDE,
    Clock,
    Form,
    Nothing,
    SpentError,
    Time,
    forms_as_written,
    joint,
    known,
    plain,
)
from eqsat.egraph.encode import Encoded
from eqsat.egraph.folding import number_value
from eqsat.egraph.reading import APP, ARR, LEAF, NUM, ENode, Saturated
from eqsat.egraph.saturate import saturate
from eqsat.errors import ArgumentError, DebugModeError, EqsatError
from eqsat.graph.core import Constant, Variable
from eqsat.graph.declare import OPS, coded_op
from eqsat.graph.interpreter import Interpreter
from eqsat.graph.tensor_type import shorten
from eqsat.graph.walk import graph_inputs
from eqsat.pipeline.program import Program
from eqsat.printing.short_text import applied
from eqsat.rules.rule import RuleSet

FIRST_STEPS = 3  # of each loop, which are looked at first
CUT = f"forms were compared up to a limit of {MOST_VALUES} values or {MOST_BYTES >> 30} GiB"


def check_classes(program: Program, given: Mapping[Variable | str, Any], encoded: Encoded) -> str | None:
    """Compute every form that the rules make of a program, at some inputs, and compare those that are said to be equal.

    The answer says in words which limit was met, if any.

    Errors   DebugModeError with two forms that differ and the rules that are suspected; ArgumentError for a value that
             lacks, does not fit its variable, or is of none
    """
    data = checked_values(program.outputs, given)
    run = Interpreter(list(data), list(program.outputs))
    run.watch = lambda node, operands, results: data.update(zip(node.outputs, results, strict=True))
    run(*data.values())
    return compare_classes(Equalities(program, encoded), data)


class Equalities:
    """The e-graph of a program, loops opened as ``optimize`` does, under its rules or some of them."""

    def __init__(self, program: Program, encoded: Encoded) -> None:
        self.program, self.encoded = program, encoded
        self.saturated = self.under(program.settings.rules)

    def under(self, rules: RuleSet) -> Saturated:
        """The e-graph that some rules make of the program."""
        return saturate(self.encoded, rules, self.program.budget, *self.program.pricing)


def compare_classes(found: Equalities, data: Mapping[Variable, Any]) -> str | None:
    """Compare all forms of an e-graph, with values of the inputs and of what else is known; which limit was met, in words.

    Errors   DebugModeError with two forms that differ
    """
    precision = precision_of(found.encoded)

    def wrong(saturated: Saturated) -> tuple[str | None, bool]:
        classes = class_values(found.encoded, saturated, data)
        return disagreement(classes, precision), classes.cut

    text, cut = wrong(found.saturated)
    rules = found.program.settings.rules
    complain(text, found.saturated, rules, lambda some: wrong(found.under(some))[0] is not None)
    return CUT if cut else None


def checked_values(outputs: Sequence[Variable], given: Any) -> dict[Variable, Any]:
    """The values of the inputs of a graph, given by variable or name, as arrays of their types; shared ones have their own."""
    if not isinstance(given, Mapping):
        raise ArgumentError(f"check={shorten(given)} is not a dict", hint="check={x: [1.0, 2.0]}")
    inputs = [v for v in graph_inputs(outputs) if not isinstance(v, Constant)]
    states: list[Any] = [v for v in inputs if hasattr(v, "container")]
    shared: dict[Any, Any] = {v: v.get_value(borrow=True) for v in states}
    data = shared | {_named(key, inputs): value for key, value in given.items()}
    missing = [v for v in inputs if v not in data]
    if missing:
        raise ArgumentError(f"check: there is no value of {missing[0]}", needs="a value of every input")
    return {v: _fitting(v, value) for v, value in data.items()}


def _named(key: Any, inputs: Sequence[Variable]) -> Variable:
    if isinstance(key, Variable):
        return key
    found = [v for v in inputs if v.name == key]
    if len(found) == 1:
        return found[0]
    said = f"{len(found)} inputs have that name" if found else "the graph reads no input of that name"
    raise ArgumentError(f"check: {key!r}: {said}", needs=", ".join(map(str, inputs)) or "no inputs")


def _fitting(variable: Any, value: Any) -> Any:
    """A value as an array of the type of its variable."""
    if not hasattr(variable.type, "dtype"):
        return value
    try:
        return variable.type.filter(value, allow_downcast=True)
    except (EqsatError, ValueError, TypeError) as error:
        raise ArgumentError(
            f"check: {shorten(value)} is no value of {variable}: {str(error).splitlines()[0]}",
            operands=[(str(variable), variable)],
        ) from error


def precision_of(encoded: Encoded) -> float:
    """The part of the largest element by which forms may differ."""
    single = any(getattr(v.type, "dtype", "") == "float32" for v in encoded.variables)
    return 1e-3 if single else 1e-6


def complain(
    text: str | None, saturated: Saturated, rules: RuleSet, fails: Callable[[RuleSet], bool]
) -> None:
    """Raise where there is something to complain of, with the rules that are suspected."""
    if text is None:
        return
    fired = [r for r in rules if r.name in saturated.matches()]
    found = suspects(fails, fired, seconds=20.0)
    raise DebugModeError(
        f"two forms that the rules made equal differ: {text}",
        operands=[(r.name, f"{r} declared at {r.made_at}") for r in found],
        hint=f"eqsat rules verify, or eqsat.verify.verify of {' and '.join(r.name for r in found)}",
        rules=[r.name for r in found],
    )


class Classes:
    """The forms of each class of an e-graph, those that are as written first, and their values over time.

    Operands of an e-node are the first forms that were found of their classes, of those that depend on fewest loops.
    """

    def __init__(self, encoded: Encoded, saturated: Saturated, data: Mapping[Variable, Any]) -> None:
        self.encoded, self.table = encoded, encoded.loops
        self.clock = Clock(encoded.loops)
        self.first: dict[int, Form] = {}
        self.forms: dict[int, list[Form]] = {}
        self.cut = False  # a limit was met before all forms were compared
        written = forms_as_written(self.clock, list(encoded.number), data)
        for variable, number in encoded.number.items():
            self._note(self.forms, saturated.class_of[number], written[variable])
        enodes = [e for e in saturated.enodes if e.op not in (APP, LEAF, ARR)]  # which are all as written
        as_written = {cls: list(found) for cls, found in self.forms.items()}
        while True:
            self.forms = {cls: list(found) for cls, found in as_written.items()}
            if not self._add(enodes):
                break

    def _note(self, forms: dict[int, list[Form]], cls: int, form: Form) -> bool:
        """Add a form to a class; True where it takes the place of one that depends on more loops."""
        forms.setdefault(cls, []).append(form)
        first = self.first.setdefault(cls, form)
        if form.mask.bit_count() >= first.mask.bit_count():
            return False
        self.first[cls] = form
        return True

    def _add(self, enodes: Sequence[ENode]) -> bool:
        """Add the forms of all e-nodes whose operands have one; True where operands of some could be better."""
        waiting, better = list(enodes), False
        while waiting:
            rest = []
            for e in waiting:
                if all(c in self.first for c in e.children):
                    better |= self._note(self.forms, e.cls, self._form(e))
                else:
                    rest.append(e)
            if len(rest) == len(waiting):
                break
            waiting = rest
        return better

    def _form(self, e: ENode) -> Form:
        if e.op == NUM:
            value = number_value(e.params)
            return Form(str(value.reshape(-1)[0]), 0, known(value))
        operands = [self.first[c] for c in e.children]
        names = [o.text.removesuffix(AS_WRITTEN) for o in operands]
        text = applied(e.op, names)
        if OPS[e.op].kind == "loop":
            key = e.params[1] if e.op == "state" else 0
            return self.clock.loop_form(text, e.op, operands, e.params[0], key)
        op = coded_op(e.op, e.params, self.encoded.codes)
        return Form(
            applied(str(op), names),
            joint(operands),
            plain(operands, lambda given: np.asarray(op.compute(*given))),
        )

    def wrong(self, precision: float, most: int | None = None) -> str | None:
        """Two forms of a class that differ, in words; ``most`` bounds the steps of loops, and leaves out what is timeless."""
        with np.errstate(all="ignore"):
            for cls, forms in self.forms.items():
                said: dict[Time, tuple[str, Any]] = {}
                for form in forms:
                    mask = self.first[cls].mask | form.mask
                    for time in self.clock.times(mask, most) if mask or most is None else ():
                        text = self._difference(said, self.first[cls], form, time, precision)
                        if text:
                            return f"{text}{self._place(time)}"
        return None

    def _difference(
        self, said: dict[Time, tuple[str, Any]], first: Form, form: Form, time: Time, precision: float
    ) -> str | None:
        """The difference of a form at a time from those that were looked at before, whose values are in ``said``."""
        when = self.clock.narrowed(first, time)[1]
        name, a = said[when] if when in said else (first.text, self.clock.value(first, time))
        b = self.clock.value(form, time)
        text = _apart_in_words(name, a, form.text, b, precision)
        said[when] = _together(name, a, form.text, b)
        return text

    def _place(self, time: Time) -> str:
        """A time in words."""
        steps = [(loop, time[loop.number]) for loop in self.table.loops if time[loop.number] != OUTSIDE]
        words = [f"step {t} of {loop.label or f'loop {loop.number}'}" for loop, t in steps]
        return f", at {', '.join(words)}" if words else ""


def class_values(encoded: Encoded, saturated: Saturated, data: Mapping[Variable, Any]) -> Classes:
    """Every value that the e-nodes of each class give, children taken from the first that was found.

    ``data`` holds values of variables of the graph: at least of its inputs.
    """
    return Classes(encoded, saturated, data)


def disagreement(classes: Classes, precision: float) -> str | None:
    """Two forms of a class that differ where both are finite, in words; None where all agree.

    The first steps of loops come before their results, for which all steps are needed.
    """
    try:
        early = classes.wrong(precision, FIRST_STEPS) if classes.table else None
        return early or classes.wrong(precision)
    except SpentError:
        classes.cut = True
    return None


def _apart_in_words(name: str, a: Any, other: str, b: Any, precision: float) -> str | None:
    """The difference of a value from one that is known, in words; None where they agree, or where one has no value."""
    if isinstance(b, Nothing) and b.own and isinstance(a, np.ndarray):
        return f"{name} is {a.tolist()}, {other} raises {b.why}"
    if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray)):
        return None
    if b.dtype != a.dtype or not _broadcasts(b, a):
        return f"{name} is {a.dtype}{a.shape}, {other} is {b.dtype}{b.shape}"
    if b.size and b.dtype.kind == "f" and _apart(b, a, precision):
        return f"{name} is {a.tolist()}, {other} is {b.tolist()}"
    return None


def _together(name: str, a: Any, other: str, b: Any) -> tuple[str, Any]:
    """A value that has elements of another where it is not finite, so that later ones are compared there too."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return (name, a) if isinstance(a, np.ndarray) else (other, b)
    if a.dtype.kind != "f" or np.isfinite(a).all():
        return name, a
    return f"{name} or {other}", np.where(np.isfinite(a), a, b)


def _broadcasts(a: Any, b: Any) -> bool:
    """Equal shapes; a number stands for any array of length-1 axes."""
    return a.shape == b.shape or (a.size == b.size == 1)


def _apart(v: Any, first: Any, precision: float) -> bool:
    good = np.isfinite(v) & np.isfinite(first)
    room = precision * (np.max(np.abs(first[good]), initial=0.0) + 1e-3)
    return bool(np.any(np.abs(np.where(good, v, 0) - np.where(good, first, 0)) > room))
