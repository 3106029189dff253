"""Seconds of each kernel, library call and Python op of a function made with ``function(..., profile=True)``."""

from __future__ import annotations

import atexit
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from eqsat.base.notebook_tables import notebook_table
from eqsat.base.values import dataclass
from eqsat.graph.core import Apply
from eqsat.graph.interpreter import Interpreter
from eqsat.graph.plan import Branch, Call, Compute, Kernel, Loop, Pick, Pieces, Plan, Rows, Step
from eqsat.printing.short_text import computed

__all__ = ["Profile"]

WIDEST = 60


@dataclass(frozen=True)
class Row:
    """One step: what it is (kernel, view, block, loop, python, copy), the ops it computes, and its seconds so far.

    ``inside`` are the steps of a loop that runs in C, whose seconds are part of the loop's.
    """

    kind: str
    text: str
    seconds: float
    inside: tuple[Row, ...] = ()


class Profile:
    """Times of a function: ``calls``, ``seconds`` in all of them, and ``rows``, one per step.

    ``making`` are the seconds of the stages in which the function was made, and ``rewriting`` those of the parts of the first
    stage, the e-graph.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> f = eqsat.function([x], T.exp(x).sum(), profile=True, mode="numpy")
    >>> f([1.0, 2.0]).shape, f.profile.calls, len(f.profile.rows)
    ((), 1, 3)
    """

    def __init__(
        self,
        name: str,
        steps: Callable[[], list[Row]],
        making: Mapping[str, float],
        rewriting: Mapping[str, float] | None = None,
    ) -> None:
        self.name, self.making, self.rewriting = name, making, rewriting or {}
        self.calls, self.seconds = 0, 0.0
        self._steps = steps

    @property
    def rows(self) -> list[Row]:
        """One row per step, in the order of execution."""
        return self._steps()

    def timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """The function with its calls counted and timed."""

        def run(*values: Any) -> Any:
            start = time.perf_counter()
            result = call(*values)
            self.seconds += time.perf_counter() - start
            self.calls += result is not None
            return result

        return run

    def __repr__(self) -> str:
        return f"<Profile of {self.name}: {self.calls} calls, {self.seconds:.6f} s>"

    def __str__(self) -> str:
        head = f"{self.name}: {self.calls} calls, {self.seconds:.6f} s; made in {sum(self.making.values()):.3f} s"
        lines = [f"{head} ({stages(self.making)})"]
        if self.rewriting:
            lines.append(f"  e-graph: {stages(self.rewriting)}")
        lines += ["   share    seconds  kind    ops", *self._table(self.rows, 0)]
        rest = self.seconds - sum(row.seconds for row in self.rows)
        return "\n".join(
            [*lines, f"  {self._share(rest)}  {rest:9.6f}  call    arguments, memory and results"]
        )

    def _repr_html_(self) -> str:
        rows = [(self._share(s), f"{s:.6f}", kind, text) for s, kind, text in self._steps_and_rest()]
        return notebook_table(
            str(self).partition("\n")[0], ("share", "seconds", "kind", "ops"), rows, right=(0, 1)
        )

    def _steps_and_rest(self) -> list[tuple[float, str, str]]:
        """Seconds, kind and text of each step, the longest first, and of what is around them."""
        rows = [(row.seconds, row.kind, row.text) for row in self.rows]
        rest = self.seconds - sum(seconds for seconds, *_ in rows)
        return sorted([*rows, (rest, "call", "arguments, memory and results")], key=lambda row: -row[0])

    def _table(self, rows: Sequence[Row], depth: int) -> Iterator[str]:
        """Lines of steps, the longest first, those of loops followed by what is inside; short ones are one line."""
        rows = sorted(rows, key=lambda row: -row.seconds)
        small = [row for row in rows[5:] if row.seconds < 5e-4 * self.seconds]
        indent = "  " * depth
        for row in rows[: len(rows) - len(small)]:
            yield f"  {self._share(row.seconds)}  {row.seconds:9.6f}  {indent}{row.kind:<7} {row.text}"
            yield from self._table(row.inside, depth + 1)
        if small:
            seconds = sum(row.seconds for row in small)
            yield f"          {seconds:9.6f}  {indent}other   {len(small)} steps below 0.05 % each"

    def _share(self, seconds: float) -> str:
        return f"{seconds / self.seconds if self.seconds else 0.0:6.1%}"

    def print_at_exit(self) -> None:
        """Print the table to the standard error when the process ends, if the function was called."""
        atexit.register(lambda: self.calls and print(self, file=sys.stderr))


def stages(seconds: Mapping[str, float]) -> str:
    """Names of stages with their seconds."""
    return ", ".join(f"{name} {spent:.3f}" for name, spent in seconds.items())


def step_text(step: Step) -> tuple[str, str]:
    """Kind and ops of a step of a plan."""
    if isinstance(step, Call):
        kind = getattr(getattr(step.apply.op, "declaration", None), "kind", "python")
        return kind, node_text(step.apply)
    if isinstance(step, (Loop, Branch)):
        return "loop" if isinstance(step, Loop) else "branch", with_types(str(step.apply.op), step.apply)
    if isinstance(step, Rows):
        texts = [step_text(inner)[1].rsplit(" -> ", 1)[0] for inner in step.plan.steps]
        return (
            "rows",
            f"{shortened('; '.join(texts))} -> {', '.join(v.type.short() for v, _, _ in step.results)}",
        )  # type: ignore[attr-defined]
    names = [e.op.name for e in step.expressions if isinstance(e, Compute)]
    names += [e.apply.op.name for e in step.expressions if isinstance(e, (Pick, Pieces))]  # type: ignore[attr-defined]
    names += [str(r.reduce) for r in step.results if r.reduce is not None]
    text = shortened(", ".join(names))
    return "kernel", f"{text} -> {', '.join(r.variable.type.short() for r in step.results)}"


def shortened(text: str) -> str:
    """A text that fits a line of the table."""
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


def node_text(node: Apply) -> str:
    """The expression that an op computes, and the types of its results."""
    text = computed(node.outputs[0], WIDEST).removesuffix("[0]" if len(node.outputs) > 1 else "")
    return with_types(text, node)


def with_types(text: str, node: Apply) -> str:
    return f"{text} -> {', '.join(v.type.short() for v in node.outputs)}"


def plan_rows(plan: Plan, compiled: Any) -> list[Row]:
    """Rows of a compiled plan: C steps by their own clocks, Python ops by ours."""
    seconds = compiled.step_seconds()
    in_python = iter(compiled.python_seconds)
    opaque = {id(node) for node in compiled.opaque}
    rows = _rows(plan.steps, opaque, iter(seconds[1:]), in_python)
    if seconds[0]:
        rows.append(Row("copy", "outputs that share memory with something else", seconds[0]))
    return rows


def _rows(
    steps: Sequence[Step], opaque: set[int], in_c: Iterator[float], in_python: Iterator[float]
) -> list[Row]:
    """Rows of steps; the clocks of what is inside a loop come before its own, which has the rest of its time."""
    rows = []
    for step in steps:
        kind, text = step_text(step)
        inside: list[Row] = []
        if not isinstance(step, (Kernel, Rows)) and id(step.apply) in opaque:
            kind, own = "python", next(in_python)
        else:
            if isinstance(step, Loop):
                inside = _rows(step.plan.steps, opaque, in_c, in_python)
            own = next(in_c)
        rows.append(Row(kind, text, own + sum(row.seconds for row in inside), tuple(inside)))
    return rows


def timed(interpreter: Interpreter) -> tuple[Callable[..., Any], Callable[[], list[Row]]]:
    """An interpreter with a clock: how to call it, and its rows."""
    spent: dict[Apply, float] = dict.fromkeys(interpreter.nodes, 0.0)
    last = [0.0]

    def watch(node: Apply, operands: list[Any], results: list[Any]) -> None:
        now = time.perf_counter()
        spent[node] += now - last[0]
        last[0] = now

    def call(*values: Any) -> Any:
        last[0] = time.perf_counter()
        return interpreter(*values)

    interpreter.watch = watch
    return call, lambda: [Row("numpy", node_text(node), t) for node, t in spent.items()]
