"""Random graphs of the whole public surface in every mode: functions of many outputs, which count as graphs each."""

from __future__ import annotations

import contextlib
import random
from typing import Any

from campaign import compare, numpy_surface
from campaign.arrays import LENGTHS, random_input
from campaign.check import Failure, Reference, check_mode, run_mode, told
from campaign.compilers import quick, usual
from campaign.digest import finding
from campaign.pool import Pool, Refused
from campaign.program import Program, Step
from campaign.surface import KINDS, Function, declared_ops, filled, functions, options, ways
from campaign.trial import Finding, Trial
from eqsat.errors import BoundsError, EqsatError, ShapeError
from eqsat.graph.dtypes import ALL, COMPLEX, FLOATS, INTEGERS

UNIT = "graphs"
STEPS = 44  # of a function
OPERATORS = [
    "{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / {b}", "{a} ** 2", "-{a}", "{a} // {b}", "{a} % {b}", "{a} > {b}", "{a}[::-1]", "{a}[1:]", "{a}[:-1]", "{a}[0]", "{a}[-1]", "{a}[..., 0]",
    "{a}[..., ::-2]", "{a}[:, 1:]", "{a}[None]", "{a}.T", "{a}[{i}]", "{a}[:, {i}]", "{a}[{n}]", "{a}[{n}:]", "{a}[{m}]", "{a}.sum(0)", "{a}.mean()", "{a}.max(-1)", "{a}.flatten()", "{a}.reshape((-1, 1))", "{a}.dimshuffle('x', 0)",
    "T.set_subtensor({a}[1:], {b}[1:])", "T.set_subtensor({a}[0], 2)", "T.inc_subtensor({a}[:1], {b}[:1])", "T.inc_subtensor({a}[{i}], 1)", "T.set_subtensor({a}[{i}], {a}[{i}] * 2)", "{a}.astype({d})", "T.cast({a}, {d})", "{a} + 1", "{a} * 0.5", "2 / {a}",
    "T.switch({a} > {b}, {a}, {b})", "T.dot({a}, {b}.T)", "T.dot({a}.T, {b})", "T.exp({a}).sum(-1, keepdims=True)", "{a} - {a}.max(-1, keepdims=True)", "{a}.shape[0] * {a}", "T.arange({a}.shape[0])", "T.concatenate([{a}, {b}])", "T.stack([{a}, {b}])",
]  # fmt: skip


def kind_of(value: Any) -> str:
    """The kind and rank of an array, as the surface names them."""
    letter = {"f": "f", "c": "c", "b": "b"}.get(value.dtype.kind, "i")
    return f"{letter}{value.ndim}"


class Grower(Pool):
    """Grows values by random calls of public functions."""

    def __init__(self, rng: random.Random, trial: Trial) -> None:
        super().__init__(rng)
        self.trial = trial
        self.length, self.other = rng.choice(LENGTHS), rng.choice(LENGTHS)
        self.public: list[Function] = functions() + declared_ops()
        self.crashes: list[Refused] = []
        self.without_value: Refused | None = None
        for kind in ("f2", "f1", rng.choice(KINDS), rng.choice(KINDS)):
            self.leaf(kind)

    def leaf(self, kind: str) -> str:
        """A new input of a kind and rank, of any dtype of the kind."""
        dtypes = {"f": FLOATS, "i": INTEGERS, "b": ("bool",), "c": COMPLEX}[kind[0]]
        lengths = [self.length] * 6 + [self.other, 1]
        shape = tuple(self.rng.choice(lengths) for _ in range(int(kind[1])))
        if len(shape) > 2:
            shape = tuple(min(n, 3) for n in shape)
        return self.add_input(random_input(self.rng, f"v{len(self.inputs)}", self.rng.choice(dtypes), shape))

    def operand(self, kind: str) -> str:
        """A value of a kind and rank; a new input where there is none, and now and then anyway."""
        found = self.pick(lambda v: kind_of(v) == kind)
        if found is None or (self.rng.random() < 0.1 and len(self.inputs) < 12):
            return self.leaf(kind) if len(self.inputs) < 16 else found or "v0"
        return found

    def step(self) -> str | None:
        """One more value; None where nothing came of it."""
        text = self.operator() if self.rng.random() < 0.35 else self.call()
        if text is None:
            return None
        try:
            return self.add(text)
        except Refused as refused:
            self.refused(refused)
            return None

    def refused(self, refused: Refused) -> None:
        """Errors of users are part of the surface; any other class is a finding."""
        self.trial.count("refused")
        if refused.at_run_time and isinstance(refused.error, (BoundsError, ShapeError)):
            self.without_value = refused
        if not isinstance(refused.error, EqsatError):
            self.crashes.append(refused)

    def call(self) -> str | None:
        function = self.rng.choice(self.public)
        known = ways(function)
        if not known:
            return None
        operands = filled(self.rng.choice(known), self.operand)
        return f"{function.path}({', '.join(operands)}{options(function, self.rng)})"

    def operator(self) -> str:
        rng = self.rng
        kind = kind_of(self.value(self.pick() or "v0"))
        a = self.operand(kind)
        b = self.operand(kind) if rng.random() < 0.7 else self.pick() or a
        return rng.choice(OPERATORS).format(
            a=a, b=b, i=self.operand("i1") if rng.random() < 0.3 else "[0]", n=rng.choice(["0", "1", "-1", "2"]),
            m=f"({a} > 0)", d=repr(rng.choice(ALL)),
        )  # fmt: skip


def grow(seed: int, trial: Trial) -> tuple[Program, Grower]:
    """The program of a seed, and what it grew from."""
    grower = Grower(random.Random(seed), trial)
    made = [name for name in (grower.step() for _ in range(STEPS)) if name]
    return grower.program(made or ["v0"]), grower


def trial(seed: int) -> Trial:
    """One function of many outputs."""
    result = Trial()
    program, grower = grow(seed, result)
    result.tried = len(program.outputs)
    for found in [crashed(crash) for crash in grower.crashes] + [
        beside_numpy(grower, s, result) for s in grower.steps
    ]:
        if found is not None:
            result.failed += 1
            result.findings.append(found)
    reference = Reference(program, seed)
    modes, compiler = modes_of(seed)
    with compiler():
        errors_stay(grower, modes[-1], result)
        failures = [f for f in (check_mode(reference, mode) for mode in modes) if f is not None]
        for failure in failures:
            result.failed += 1
            small = finding(program, in_numpy(reference, failure))
            result.findings += [small] if small else []
    return result


def errors_stay(grower: Grower, mode: str, result: Trial) -> None:
    """A step that has no value as written must end in an error in a mode, too."""
    if grower.without_value is None:
        return
    result.count("errors")
    step = Step("r999", grower.without_value.text)
    program = Program(tuple(grower.inputs), (*grower.steps, step), (step.name,)).pruned()
    failure = no_error(program, mode)
    if failure is not None:
        result.failed += 1
        small = finding(program, failure, again=no_error)
        result.findings += [small] if small else []


def no_error(program: Program, mode: str, rules: Any = None) -> Failure | None:
    """The failure of a program that has a value in a mode, but none as written."""
    inputs, outputs, values = program.graph()
    try:
        compare.evaluate(outputs, dict(zip(inputs, values)))
    except (BoundsError, ShapeError) as error:
        with contextlib.suppress(EqsatError):
            found = run_mode(program, mode, rules)
            return Failure(
                mode,
                "no error",
                f"{program.outputs[0]} is {found[0]}, as written {told(error)}".replace("\n", ""),
            )
    return None


def modes_of(seed: int) -> tuple[list[str], Any]:
    """The modes of a seed, and how it is compiled: two of three only take the e-graph, one of twelve is optimised."""
    if seed % 3:
        return ["numpy"], quick
    return ["FAST_COMPILE", "FAST_RUN"], usual if seed % 12 == 0 else quick


def in_numpy(reference: Reference, failure: Failure) -> Failure:
    """The failure of the same kind in mode ``numpy``, where there is one: it is made small sooner."""
    if failure.mode != "FAST_RUN":
        return failure
    other = check_mode(reference, "numpy")
    return other if other is not None and other.kind == failure.kind else failure


def beside_numpy(grower: Grower, step: Step, result: Trial) -> Finding | None:
    """A step of which NumPy makes something else."""
    values = {name: grower.value(name) for name in [*step.reads(), step.name]}
    theirs = numpy_surface.theirs_of(step, values)
    if theirs is None:
        return None
    result.count("compared with NumPy")
    text = numpy_surface.difference(values[step.name], theirs)
    if text is None:
        return None
    operands = [
        f"{name} = np.array({v.tolist()}, {v.dtype.name!r})"
        for name, v in values.items()
        if name != step.name
    ]
    return Finding(
        f"NumPy {step.text.partition('(')[0]}",
        f"{step.text}: {text}"[:600],
        "\n".join([*operands, str(step)]),
    )


def crashed(refused: Refused) -> Finding | None:
    """A call that ends in an error that is none of ours; TypeError is Python's own for arguments that do not fit."""
    if isinstance(refused.error, (TypeError, MemoryError)):
        return None
    name = refused.text.partition("(")[0]
    return Finding(f"surface {name} {type(refused.error).__name__}", told(refused.error), refused.text)
