"""Forms of a graph that leave the range of their dtype although the result lies in it, found by running the graph with wider floats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.inner_graphs import insides
from eqsat.graph.interpreter import Interpreter
from eqsat.graph.walk import toposort
from eqsat.inspect.explanation.deadline import Deadline
from eqsat.inspect.explanation.values import Points
from eqsat.inspect.unstable_form import Form, form_of
from eqsat.printing.line import pp

WIDE = np.longdouble
HAS_WIDE = bool(np.finfo(WIDE).maxexp > np.finfo(np.float64).maxexp)
LARGEST = 3000  # nodes of a graph that is run
SECONDS = 2.0
FAR = np.array([1000.0, -990.0, 300.0, -310.0, 30.0, -29.0, 1.0, -1.5, 0.0, 1e-12])  # no two cancel
KINDS: tuple[Any, ...] = (FAR, FAR[FAR > 0], FAR[FAR < 0], FAR[abs(FAR) <= 30], FAR[:2], FAR[4:])
ROUNDS = 3  # draws of each kind
SHORT = 40  # characters of an operand


def lost_range(outputs: Sequence[Any]) -> list[Form]:
    """The first nodes whose value leaves the range of the dtype at some point although the real value lies in it.

    Inputs are drawn from numbers between -1000 and 1000 and near 0. A node counts where its operands have no more than left the
    range, and wider floats give a number; steps of loops are not looked into, and neither is a graph for which ``why_not_run`` has a reason.

    >>> import eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> [(form.text, form.why) for form in lost_range([T.log(1 + T.exp(x))])]
    [('log((1.0 + exp(x)))', 'inf where the value is 1000, as (1.0 + exp(x)) overflows')]
    >>> lost_range([T.softplus(x)])
    []
    """
    if why_not_run(outputs):
        return []
    deadline = Deadline.after(SECONDS)
    found: dict[Variable, str] = {}
    for inputs, values in draws(outputs, deadline):
        run = WideRun(inputs, values)
        compute = Interpreter(inputs, outputs)
        compute.watch = run.see
        try:
            with np.errstate(all="ignore"):
                compute(*[v.copy() if hasattr(v, "copy") else v for v in values])
        except Exception:  # the graph refuses these values
            continue
        for v, why in run.lost.items():
            found.setdefault(v, why)
        if deadline.passed:
            break
    return [form_of(v, why) for v, why in found.items()]


def why_not_run(outputs: Sequence[Any]) -> str:
    """The reason why a graph is not run to see where it loses range, in words; empty for one that is."""
    nodes = toposort(list(outputs))
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        inner = insides(node)
        if not inner and not isinstance(node.op, DeclaredOp):
            return f"{node.op} may do more than compute"
        waiting += [n for graph in inner for n in toposort(graph.results)]
    if len(nodes) > LARGEST:
        return f"{len(nodes):,} ops are more than {LARGEST:,}"
    return "" if HAS_WIDE else "there are no wider floats on this machine"


def draws(outputs: Sequence[Any], deadline: Deadline) -> Iterator[tuple[list[Any], list[Any]]]:
    """Values of the inputs: of lengths and whole numbers at which the graph can be computed, and floats far out."""
    usual, rng = Points(outputs, deadline), np.random.default_rng(0)
    if usual.values is None:
        return
    for kind in KINDS * ROUNDS:
        yield usual.inputs, [far(v, kind, rng) for v in usual.values]


def far(value: Any, among: Any, rng: Any) -> Any:
    """Floats of the shape and the dtype of a value, drawn among some; other values as they are."""
    if getattr(value, "dtype", np.dtype(object)).kind != "f":
        return value
    return np.asarray(rng.choice(among, np.shape(value)), value.dtype)


class WideRun:
    """Watches an interpreter and computes each node with wider floats too; ``lost`` are the nodes that lose range, with the reason."""

    def __init__(self, inputs: Sequence[Any], values: Sequence[Any]) -> None:
        self.wide: dict[Variable, Any] = dict(zip(inputs, map(widened, values), strict=True))
        self.left: dict[Variable, set[str]] = {}  # the values that leave the range, and in which ways
        self.spoilt: set[Variable] = set()
        self.lost: dict[Variable, str] = {}

    def see(self, node: Apply, operands: list[Any], results: list[Any]) -> None:
        """One step of the interpreter."""
        spoilt = any(v in self.spoilt for v in node.inputs)
        for v, narrow, wide in zip(
            node.outputs, results, self.computed(node, operands, results), strict=True
        ):
            self.wide[v] = wide
            if spoilt or not is_float(narrow) or np.shape(narrow) != np.shape(wide):
                self.spoilt.add(v) if spoilt else None
                continue
            self.judge(node, v, np.asarray(narrow), np.asarray(wide))

    def computed(self, node: Apply, operands: list[Any], results: list[Any]) -> list[Any]:
        """The results with wider floats; those of the interpreter where the op has none."""
        wide = [
            widened(v.data) if isinstance(v, Constant) else self.wide.get(v, x)
            for v, x in zip(node.inputs, operands, strict=True)
        ]
        if isinstance(node.op, DeclaredOp) and len(results) == 1:
            try:
                made = np.asarray(node.op.declaration.meaning(*wide, **wide_parameters(node.op.params)))
                return [made if made.dtype.kind != "f" else made.astype(WIDE)]
            except Exception:  # of ops that know no wider floats
                pass
        return list(map(widened, results))

    def judge(self, node: Apply, v: Variable, narrow: Any, wide: Any) -> None:
        """Note whether a value left the range, or was lost because operands had."""
        limits = np.finfo(narrow.dtype)
        size = np.abs(wide)
        number, fits = np.isfinite(wide), (size <= limits.max) & ((size >= limits.tiny) | (size == 0))
        over, under = number & (size > limits.max), (narrow == 0) & (size > 0) & (size < limits.tiny)
        gone = [u for u in dict.fromkeys(node.inputs) if u in self.left]
        reasons = [f"{pp(u, SHORT)} {' or '.join(sorted(self.left[u]))}" for u in gone]
        wrong = number & (np.isnan(narrow) | fits & (np.isinf(narrow) | (narrow == 0) & (size > 0)))
        if wrong.any() and reasons:
            worst = np.where(wrong, size + limits.max * ~np.isfinite(narrow), -1)
            at = np.unravel_index(int(np.argmax(worst)), worst.shape)
            self.lost[v] = (
                f"{narrow[at]:g} where the value is {float(wide[at]):.6g}, as {' and '.join(reasons)}"
            )
            self.spoilt.add(v)
        elif over.any() or under.any():
            self.left[v] = {"overflows"} if over.any() else set()
            self.left[v] |= {"vanishes"} if under.any() else set()
        elif wrong.any():
            self.spoilt.add(v)


def is_float(value: Any) -> bool:
    return getattr(value, "dtype", np.dtype(object)).kind == "f"


def widened(value: Any) -> Any:
    """Floats as wider ones, anything else as it is."""
    return np.asarray(value, WIDE) if is_float(value) else value


def wide_parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of an op, a dtype of floats as that of wider ones."""
    return {k: WIDE if isinstance(v, str) and v.startswith("float") else v for k, v in given.items()}
