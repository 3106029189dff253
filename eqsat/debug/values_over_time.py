"""Values over time: a form of an opened graph is computed at each step of the loops on which it depends.

A form asks for the values of its operands at the times it needs, such as a state for the new value one step before, and
gets them from a stack of forms that wait. What has been computed is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from operator import or_
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.graph.control.ifelse import IfElse, is_true
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.loops import BINDERS, LoopTable, bits_of, depends, loop_op
from eqsat.graph.run import destroyed, guarded, perform
from eqsat.graph.walk import toposort

AS_WRITTEN = " as written"  # ends the text of a variable
MOST_VALUES = 100_000  # that are computed of a graph with loops
MOST_BYTES = 1 << 30

Time = tuple[int, ...]  # the step of each loop, OUTSIDE where a value does not depend on it
Asking = Generator[tuple["Form", Time], Any, Any]  # asks for values of forms, and ends with one of its own
OUTSIDE = -1


class SpentError(Exception):
    """More values would have to be computed than are allowed."""


@dataclass(frozen=True)
class Nothing:
    """Stands for a value that there is not, and says why; ``own`` where the op itself refused its operands."""

    why: str
    own: bool = False


@dataclass(eq=False)
class Form:
    """A way to compute a value: what it is called, the loops on whose time it depends, as bits, and how it asks."""

    text: str
    mask: int
    at: Callable[[Time], Asking]


def plain(operands: Sequence[Form], compute: Callable[[list[Any]], Any]) -> Callable[[Time], Asking]:
    """A function of values of one time."""

    def at(time: Time) -> Asking:
        values = []
        for o in operands:
            values.append((yield o, time))
        return compute(values)

    return at


def known(value: Any) -> Callable[[Time], Asking]:
    """A value that is there."""
    return plain((), lambda _: value)


def joint(forms: Iterable[Form]) -> int:
    """The loops on which some forms depend together, as bits."""
    return reduce(or_, (f.mask for f in forms), 0)


def moved(time: Time, loop: int, step: int) -> Time:
    """The time at which a loop is at a step, and others where they are."""
    return (*time[:loop], step, *time[loop + 1 :])


class Clock:
    """Computes forms at times; ``state`` has the form of the new value of each recurrence."""

    def __init__(self, table: LoopTable) -> None:
        self.table = table
        self.outside: Time = (OUTSIDE,) * len(table.loops)
        self.state: dict[int, Form] = {}
        self.runs: dict[int, Form] = {}  # for each loop its number of steps, and how many of them it makes
        self.values: dict[tuple[Form, Time], Any] = {}
        self.bytes = 0

    def value(self, form: Form, time: Time) -> Any:
        """The value of a form at a time, or Nothing."""
        answer: Any = None
        stack: list[tuple[tuple[Form, Time], Asking]] = []
        asked: tuple[Form, Time] | None = (form, time)
        while True:
            if asked is not None:
                answer = self.values.get(key := self.narrowed(*asked))
                if answer is None and OUTSIDE in (key[1][k] for k in bits_of(key[0].mask)):
                    answer = Nothing("it depends on a loop that has ended")
                if answer is None:
                    stack.append((key, key[0].at(key[1])))
            if not stack:
                return answer
            answer, asked = _resumed(stack[-1][1], answer)
            if asked is None:
                self.keep(stack.pop()[0], answer)
                if not stack:
                    return answer

    def narrowed(self, form: Form, time: Time) -> tuple[Form, Time]:
        """A form with the part of a time that it depends on."""
        return form, tuple(t if form.mask >> k & 1 else OUTSIDE for k, t in enumerate(time))

    def keep(self, key: tuple[Form, Time], value: Any) -> None:
        """Note a value.

        Errors   SpentError where a graph with loops has too many
        """
        self.values[key] = value
        self.bytes += getattr(value, "nbytes", 0)
        if self.table and (len(self.values) > MOST_VALUES or self.bytes > MOST_BYTES):
            raise SpentError

    def times(self, mask: int, most: int | None = None) -> Iterator[Time]:
        """The times that there are for what depends on some loops; ``most`` bounds the steps of each."""
        while (wider := mask | joint(self.runs[k] for k in bits_of(mask))) != mask:
            mask = wider
        found: Iterator[Time] = iter((self.outside,))
        for k in sorted(bits_of(mask), key=lambda k: self.table.loops[k].depth):
            found = self._steps(found, k, most)
        return found

    def _steps(self, times: Iterator[Time], loop: int, most: int | None) -> Iterator[Time]:
        for time in times:
            run = self.value(self.runs[loop], time)
            if not isinstance(run, Nothing):
                for t in range(run[1] if most is None else min(run[1], most)):
                    yield moved(time, loop, t)

    # ----------------------------------------------------------------------------------------------- loop ops

    def loop_form(self, text: str, op: str, operands: Sequence[Form], loop: int, key: int = 0) -> Form:
        """A form that an op of ``eqsat.graph.loops`` makes of its operands."""
        mask, bit = joint(operands), 1 << loop
        if op in BINDERS:
            ends = self.runs[loop].mask if loop in self.runs else 0
            return Form(text, (mask | ends) & ~bit, self.stack(op, operands, loop))
        if op == "state":
            carried = self.state[key].mask if key in self.state else 0
            return Form(text, mask | carried | bit, self.old(operands[0], loop, key))
        return Form(text, mask | bit, self.row(op, operands[0], loop))

    def row(self, op: str, rows: Form, loop: int) -> Callable[[Time], Asking]:
        """A row of a sequence, zeros for the step that a loop without steps has not; or what stays as it is."""

        def at(time: Time) -> Asking:
            x = yield rows, moved(time, loop, OUTSIDE)
            if op == "still":
                return x
            return np.asarray(x[time[loop]]) if len(x) or time[loop] else np.zeros(x.shape[1:], x.dtype)

        return at

    def old(self, initial: Form, loop: int, key: int) -> Callable[[Time], Asking]:
        """The value of a recurrence one step ago."""

        def at(time: Time) -> Asking:
            if time[loop] == 0:
                return (yield initial, moved(time, loop, OUTSIDE))
            return (yield self.state[key], moved(time, loop, time[loop] - 1))

        return at

    def stack(self, op: str, operands: Sequence[Form], loop: int) -> Callable[[Time], Asking]:
        """The values at all steps, or at the last one."""
        *initial, e, n = operands

        def at(time: Time) -> Asking:
            total, made = yield self.runs[loop], time
            count = int((yield n, time))
            steps = made if count == total else count
            if op == "collect":
                rows = []
                for t in range(steps):
                    rows.append((yield e, moved(time, loop, t)))
                if rows:
                    return np.stack(rows)
                row = yield e, moved(time, loop, 0)
                return np.zeros((0, *row.shape), row.dtype)
            if steps:
                return (yield e, moved(time, loop, steps - 1))
            return (yield initial[0], time) if initial else Nothing("there is no last step")

        return at

    def count(self, n: Form, condition: Form | None, loop: int) -> Form:
        """The number of steps of a loop, and after how many its condition stops it."""

        def at(time: Time) -> Asking:
            total = max(0, int((yield n, time)))
            if condition is not None:
                for t in range(total):
                    if is_true((yield condition, moved(time, loop, t))):
                        return total, t + 1
            return total, total

        mask = n.mask | (0 if condition is None else condition.mask & ~(1 << loop))
        return Form(f"the steps of loop {loop}", mask, at)


def _resumed(steps: Asking, answer: Any) -> tuple[Any, tuple[Form, Time] | None]:
    """The result of a form, or its next question, after an answer."""
    if isinstance(answer, Nothing):
        return Nothing(answer.why), None
    try:
        return None, steps.send(answer)
    except StopIteration as end:
        return end.value, None
    except Exception as error:  # an op that refuses its operands, whatever it raises
        return Nothing(str(error).splitlines()[0] if str(error) else type(error).__name__, True), None


# ---------------------------------------------------------------------------------------------------- as written


def forms_as_written(
    clock: Clock, variables: Sequence[Variable], data: Mapping[Variable, Any]
) -> dict[Variable, Form]:
    """A form for each variable of an opened graph; ``data`` has values of inputs, and of what else is known."""
    loops = clock.table.loops
    roots = [*variables, *clock.table.hidden_roots(), *(loop.n_steps for loop in loops)]
    written = Written(clock, depends(roots, clock.table), data)
    for node in toposort(roots):
        written.add(node)
    for loop in loops:
        end = None if loop.condition is None else written.form(loop.condition)
        clock.runs[loop.number] = clock.count(written.form(loop.n_steps), end, loop.number)
    clock.state.update({r.key: written.form(r.step) for r in clock.table.recurrences})
    return {v: written.form(v) for v in variables}


class Written:
    """Makes forms of the variables of a graph."""

    def __init__(self, clock: Clock, mask: Mapping[Variable, int], data: Mapping[Variable, Any]) -> None:
        self.clock, self.mask, self.data = clock, mask, data
        self.forms: dict[Variable, Form] = {}

    def form(self, v: Variable) -> Form:
        """The form of a variable; of one that no op computes, its value."""
        if v not in self.forms:
            value = v.data if isinstance(v, Constant) else self.data.get(v)
            value = Nothing("it has no value") if value is None else value
            self.forms[v] = Form(_shown(v), 0, known(value))
        return self.forms[v]

    def add(self, node: Apply) -> None:
        """Make those of what a node computes."""
        outputs: list[Any] = node.outputs
        if all(v in self.data for v in outputs):
            return
        mask, operands = self.mask[outputs[0]], [self.form(v) for v in node.inputs]
        if loop_op(outputs[0]):
            params = node.op.params  # type: ignore[attr-defined]
            made = self.clock.loop_form("", node.op.name, operands, params["loop"], params.get("key", 0))
            self.forms[outputs[0]] = Form(_shown(outputs[0]), mask, made.at)
            return
        whole = Form(
            str(node.op), mask, chosen(node, operands) if type(node.op) is IfElse else run(node, operands)
        )
        for k, v in enumerate(outputs):
            self.forms[v] = Form(_shown(v), self.mask[v], plain((whole,), partial(_picked, k)))


def _picked(k: int, values: Sequence[Any]) -> Any:
    """One of the results of an op."""
    return values[0][k]


def _shown(v: Any) -> str:
    """A variable in words; what is read off a loop, or comes out of one, has no name of its own."""
    inside = ", ".join(map(str, v.owner.inputs)) if loop_op(v) and v.name is None else ""
    return (f"{loop_op(v)}({inside})" if inside else str(v)) + AS_WRITTEN


def run(node: Apply, operands: Sequence[Form]) -> Callable[[Time], Asking]:
    """The results of an op of operands, which it does not overwrite."""
    lost = destroyed(node)

    def compute(values: list[Any]) -> list[Any]:
        storage: list[list[Any]] = [[None] for _ in node.outputs]
        perform(node, guarded(lost, values, [False] * len(values), ()), storage)
        return [box[0] for box in storage]

    return plain(operands, compute)


def chosen(node: Apply, operands: Sequence[Form]) -> Callable[[Time], Asking]:
    """The branch of an ifelse that its condition takes; the other is not computed."""
    thens, elses = node.op.branches(operands)  # type: ignore[attr-defined]

    def at(time: Time) -> Asking:
        branch = thens if is_true((yield operands[0], time)) else elses
        values = []
        for o in branch:
            values.append((yield o, time))
        return values

    return at
