"""Delta debugging of programs: fewer outputs, smaller operands, then simpler inputs, as long as the failure stays."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from campaign.compare import evaluate
from campaign.program import Input, Program, substituted

Fails = Callable[[Program], bool]


class Shrinker:
    """Tries smaller programs until the time is up."""

    def __init__(self, fails: Fails, seconds: float) -> None:
        self.fails, self.seconds = fails, seconds
        self.begin = time.monotonic(), time.process_time()

    @property
    def over(self) -> bool:
        """Time is up: that of the processor, or four times as much on the clock."""
        wall, own = time.monotonic() - self.begin[0], time.process_time() - self.begin[1]
        return own > self.seconds or wall > 4 * self.seconds

    def still(self, program: Program) -> bool:
        """True where a program has the failure; one that cannot be made or run has not."""
        if self.over:
            return False
        try:
            return self.fails(program)
        except Exception:
            return False

    def smallest(self, program: Program) -> Program:
        """The program when no smaller one fails."""
        program = self.outputs(program.pruned())
        before = None
        while before is not program and not self.over:
            before = program
            program = self.first(program, shorter_outputs)
            program = self.first(program, without_steps)
            program = self.outputs(program)
        return self.inputs(program)

    def outputs(self, program: Program) -> Program:
        """Leave out outputs, parts of half the size each round."""
        size = max(len(program.outputs) // 2, 1)
        while len(program.outputs) > 1 and size:
            for start in range(0, len(program.outputs), size):
                rest = program.outputs[:start] + program.outputs[start + size :]
                other = replace(program, outputs=rest).pruned()
                if rest and self.still(other):
                    program = other
                    break
            else:
                size //= 2
            size = min(size, len(program.outputs) - 1)
        return program

    def first(self, program: Program, candidates: Callable[[Program], Iterator[Program]]) -> Program:
        """Take the first candidate that fails, and go on from it."""
        found = True
        while found and not self.over:
            found = False
            for other in candidates(program):
                if self.still(other):
                    program, found = other, True
                    break
        return program

    def inputs(self, program: Program) -> Program:
        for candidates in (shorter, plain_layouts, simpler_values):
            program = self.first(program, candidates)
        return program


def shrink(program: Program, fails: Fails, seconds: float = 30.0) -> Program:
    """The smallest program found with the failure."""
    return Shrinker(fails, seconds).smallest(program)


def shorter_outputs(program: Program) -> Iterator[Program]:
    """Programs in which an output is one of the operands of the step that gives it."""
    steps = {s.name: s for s in program.steps}
    for k, name in enumerate(program.outputs):
        for operand in dict.fromkeys(steps[name].reads() if name in steps else ()):
            outputs = (*program.outputs[:k], operand, *program.outputs[k + 1 :])
            yield replace(program, outputs=outputs).pruned()


def without_steps(program: Program) -> Iterator[Program]:
    """Programs in which a step is an operand of its own type, or an input with its value; the last steps first."""
    known = program.variables()
    values = _values(program, known)
    for step in reversed(program.steps):
        mine = known[step.name].type
        for operand in dict.fromkeys(step.reads()):
            if known[operand].type == mine:
                yield _without(program, step.name, operand)
        if step.name in values:
            made = as_input(f"v{900 + int(step.name[1:])}", values[step.name], mine.shape)
            yield _without(replace(program, inputs=(*program.inputs, made)), step.name, made.name)


def _without(program: Program, old: str, new: str) -> Program:
    outputs = tuple(new if o == old else o for o in program.outputs)
    return replace(program, steps=substituted(program.steps, old, new), outputs=outputs).pruned()


def _values(program: Program, known: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the steps that have one."""
    given = {known[i.name]: i.value for i in program.inputs}
    found = {}
    for step in program.steps:
        with suppress(Exception):
            found[step.name] = given[known[step.name]] = evaluate([known[step.name]], given)[0]
    return found


def as_input(name: str, value: object, shape: tuple[int | None, ...]) -> Input:
    array = np.array(value)
    return Input(name, array.dtype.name, tuple(shape), array)


def shorter(program: Program) -> Iterator[Program]:
    """Programs with a length that several inputs have cut to 1 or 2, or by one."""
    lengths = sorted({n for i in program.inputs for n in i.value.shape if n > 1}, reverse=True)
    for n in lengths:
        for less in sorted({1, 2, n - 1}):
            if less < n:
                yield replace(program, inputs=tuple(cut(i, n, less) for i in program.inputs))


def cut(i: Input, old: int, new: int) -> Input:
    """The input with every axis of one length cut to another."""
    value = i.value[tuple(slice(new) if n == old else slice(None) for n in i.value.shape)]
    return replace(i, base=np.array(value), layout="", shape=tuple(new if n == old else n for n in i.shape))


def plain_layouts(program: Program) -> Iterator[Program]:
    """Programs with an input that is contiguous, or of unknown lengths."""
    for k, i in enumerate(program.inputs):
        if i.layout:
            yield _with(program, k, replace(i, base=np.array(i.value), layout=""))
        if any(n not in (None, 1) for n in i.shape):
            yield _with(program, k, replace(i, shape=tuple(n if n == 1 else None for n in i.shape)))


def simpler_values(program: Program) -> Iterator[Program]:
    """Programs with an input of simpler numbers: whole ones, then single elements."""
    for k, i in enumerate(program.inputs):
        old = np.array(i.value)
        ramp = np.arange(1, old.size + 1).reshape(old.shape)
        for new in (
            np.ones(old.shape),
            ramp,
            np.zeros(old.shape),
            np.round(np.nan_to_num(old.real, posinf=9, neginf=-9)),
        ):
            new = new.astype(old.dtype)
            if simpler(new, old):
                yield _with(program, k, replace(i, base=new, layout=""))
        for index in np.ndindex(old.shape):
            for number in (1, 0, 2):
                new = old.copy()
                new[index] = number
                if simpler(new, old):
                    yield _with(program, k, replace(i, base=new, layout=""))


def simpler(new: object, old: object) -> bool:
    """True where numbers take fewer characters to write, or as many and come first."""
    a, b = (str(np.asarray(v).tolist()).replace(".0", "") for v in (new, old))
    return (len(a), a) < (len(b), b)


def _with(program: Program, k: int, i: Input) -> Program:
    return replace(program, inputs=(*program.inputs[:k], i, *program.inputs[k + 1 :]))
