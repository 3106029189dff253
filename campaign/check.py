"""A program in several modes, against its graph as written."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import eqsat
from campaign import compare
from campaign.program import Program
from eqsat.base.notices import forget_warnings
from eqsat.errors import EqsatError, EqsatWarning

LIMIT, CONTRADICTION = "the best graph found so far is used", "are left out: with them"
LARGE = 20_000  # elements of inputs and outputs from which fewer draws are made
REFUSED: list[str] = []  # texts of the e-graphs that were refused since a trial began


@dataclass(frozen=True)
class Failure:
    """One thing that is wrong: in which mode, of which kind (``value``, ``input``, or the class of an error), at which output."""

    mode: str
    kind: str
    text: str
    output: int = 0
    rules: Any = field(default=None, compare=False)

    def alike(self, other: Failure | None) -> bool:
        """True of a failure of the same kind in the same mode."""
        return other is not None and (self.mode, self.kind) == (other.mode, other.kind)


class Reference:
    """The values of a program as written, and how far rounding may move them."""

    def __init__(self, program: Program, seed: int = 0) -> None:
        self.program, self.seed = program, seed
        self.inputs, self.outputs, self.values = program.graph()
        self.given = dict(zip(self.inputs, self.values, strict=True))
        self.wanted = compare.evaluate(self.outputs, self.given)
        self.others: dict[tuple[bool, int], Any] = {}
        self.size = sum(np.size(v) for v in [*self.values, *self.wanted])

    def spread(self, rewritten: bool, draws: int = compare.DRAWS) -> Any:
        """Values with noise; more draws once something looks wrong."""
        key = rewritten, draws
        if key not in self.others:
            self.others[key] = compare.spread(self.outputs, self.given, self.seed, rewritten, draws)
        return self.others[key]

    def wrong(self, mode: str, results: Sequence[Any], rewritten: bool) -> Failure | None:
        """The first output that is off."""
        for k, (ours, wanted) in enumerate(zip(results, self.wanted, strict=True)):
            ours = np.asarray(ours)
            if compare.difference(ours, wanted, self.spread(rewritten)[k], rewritten) is None:
                continue
            draws = compare.CONFIRMING if self.size < LARGE else compare.CONFIRMING // 10
            text = compare.difference(ours, wanted, self.spread(rewritten, draws)[k], rewritten)
            if text is not None:
                name = self.program.outputs[k]
                return Failure(mode, "value", f"{name} {text}", k)
        return None


def check(program: Program, modes: Sequence[str], seed: int = 0, rules: Any = None) -> Failure | None:
    """The first failure of a program in some modes; None where all agree with the graph as written."""
    reference = Reference(program, seed)
    for mode in modes:
        found = check_mode(reference, mode, rules)
        if found is not None:
            return found
    return None


def check_mode(reference: Reference, mode: str, rules: Any = None) -> Failure | None:
    """The failure of a program in one mode; ``rules`` chooses those of a mode that rewrites."""
    values = reference.values
    copies = [np.array(v) for v in values]
    try:
        results = called(mode, reference.inputs, reference.outputs, values, rules)
    except Exception as error:
        return Failure(mode, type(error).__name__, told(error))
    for v, copy in zip(values, copies, strict=True):
        if not np.array_equal(v, copy, equal_nan=v.dtype.kind in "fc"):
            return Failure(mode, "input", "an input was changed")
    return reference.wrong(mode, results, mode != "FAST_COMPILE")


def called(mode: str, inputs: Any, outputs: Any, values: Any, rules: Any = None) -> list[Any]:
    """Results of a function; a warning is an error, unless it is one of those that say that rewriting did less."""
    forget_warnings()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        f = eqsat.function(inputs, outputs, mode=mode, rules=rules, on_unused_input="ignore")
        results = list(f(*values))
    for one in said:
        if isinstance(one.message, EqsatWarning) and not expected(str(one.message)):
            raise one.message
    return results


def expected(text: str) -> bool:
    """True of what is said where saturation stops early, or an e-graph is refused, which is counted."""
    if CONTRADICTION in text:
        REFUSED.append(text)
    return LIMIT in text or CONTRADICTION in text


def run_mode(program: Program, mode: str, rules: Any = None) -> list[Any]:
    """The values of a program in a mode."""
    inputs, outputs, values = program.graph()
    return called(mode, inputs, outputs, values, rules)


def told(error: BaseException) -> str:
    """An error in one line, with the place where one that is no EqsatError comes from."""
    text = f"{type(error).__name__}: {str(error).partition(chr(10))[0][:300]}"
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if isinstance(error, EqsatError) or frame is None:
        return text
    return f"{text} ({frame.tb_frame.f_code.co_filename.rpartition('eqsat/')[2]}:{frame.tb_lineno})"
