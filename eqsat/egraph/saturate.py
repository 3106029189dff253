"""ALGEBRA: load a graph, saturate the rules in phases, fold constants between them, and read the e-graph out."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eqsat.egraph import adapter
from eqsat.egraph.adapter import Session, Template
from eqsat.egraph.compile_rule import ops_of, relevant, rule_text
from eqsat.egraph.encode import Encoded, is_exact
from eqsat.egraph.scheduler import Budget, PhaseReport, run_phase
from eqsat.egraph.schema import constructor, rules_of, schema_of
from eqsat.graph.declare import OPS, find_op
from eqsat.graph.dtypes import ALL, CODE
from eqsat.rules.rule import Rule, RuleSet

LEAF, NUM, ARR, APP = "Leaf", "Num", "Arr", "App"


@dataclass(frozen=True)
class ENode:
    """One way to compute a class: an op name (or Leaf, Num, Arr, App), its parameters and child classes."""

    op: str
    params: tuple[Any, ...]
    children: tuple[int, ...]
    cls: int
    unstable: bool = False


@dataclass
class Saturated:
    """An e-graph as read out: e-nodes, the class of each loaded node, and the types of classes."""

    enodes: list[ENode]
    class_of: list[int]
    dtype: dict[int, int]
    ndim: dict[int, int]
    mask: dict[int, int]
    phases: list[PhaseReport] = field(default_factory=list)
    rules: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    def matches(self) -> dict[str, int]:
        """How often each rule matched, over all phases."""
        total: dict[str, int] = {}
        for phase in self.phases:
            for name, count in phase.matches.items():
                total[name] = total.get(name, 0) + count
        return {name: total[name] for name in sorted(total) if total[name]}


@dataclass
class _Entry:
    rules: tuple[Rule, ...]
    ops: frozenset[str]
    template: Template


_TEMPLATES: dict[RuleSet, list[_Entry]] = {}
_LOCK = threading.Lock()


def template_for(ops: set[str], rules: RuleSet) -> tuple[Template, frozenset[str], int]:
    """A template with every rule that can fire in a graph of these ops; built once and reused."""
    with _LOCK:
        entries = _TEMPLATES.setdefault(rules, [])
        for entry in entries:
            if ops <= entry.ops and all(OPS.get(o) is not None for o in entry.ops):
                return entry.template, entry.ops, len(entry.rules)
        grown = set(ops).union(*(e.ops for e in entries[-1:]))
        chosen, known = relevant(rules, {o for o in grown if o in OPS})
        for r in chosen:
            known |= ops_of(r.left) | ops_of(r.right)
        texts = [*rules_of(known), *(rule_text(r) for r in chosen)]
        entry = _Entry(tuple(chosen), frozenset(known), Template(schema_of(known), texts))
        entries.append(entry)
        return entry.template, entry.ops, len(entry.rules)


def saturate(encoded: Encoded, rules: RuleSet, budget: Budget) -> Saturated:
    """The e-graph of a graph after the rules have run.

    Errors   EGraphUnavailable where egglog cannot be loaded; EGraphFailure where it fails
    """
    start = time.perf_counter()
    adapter.bindings()  # a forked child must fail here: to end a session of its parent's e-graph would hang
    template, ops, count = template_for(encoded.ops, rules)
    with template.session() as session:
        made = time.perf_counter()
        session.load(encoded.tables)
        session.saturate("load")
        loaded = time.perf_counter()
        phases, folder = [], Folder(encoded, ops)
        size = session.size()
        limits = {"shrink": budget.nodes + 3 * size, "grow": budget.nodes + size}
        for name, rulesets in (("shrink", ["shrink"]), ("grow", ["shrink", "grow"])):
            for _ in range(3):
                left = max(1e-3, budget.seconds - (time.perf_counter() - loaded))
                limit = Budget(limits[name], budget.matches, left, budget.iterations)
                phases.append(run_phase(session, name, ["facts"], rulesets, limit))
                if phases[-1].stopped != "saturated" or not folder.fold(session):
                    break
        ran = time.perf_counter()
        result = read(session, encoded, ops)
    result.phases, result.rules = phases, count
    result.seconds = {
        "template": made - start,
        "load": loaded - made,
        "saturate": ran - loaded,
        "read": time.perf_counter() - ran,
    }
    return result


def read(session: Session, encoded: Encoded, ops: frozenset[str]) -> Saturated:
    """E-nodes and class types of a session."""
    frozen = session.freeze()
    enodes = [ENode(LEAF, (r.inputs[0],), (), r.output) for r in frozen.rows(LEAF)]
    enodes += [ENode(NUM, tuple(r.inputs), (), r.output) for r in frozen.rows(NUM)]
    enodes += [ENode(ARR, (r.inputs[0],), (), r.output) for r in frozen.rows(ARR)]
    lists = read_lists(frozen)
    enodes += [ENode(APP, (r.inputs[0],), lists[r.inputs[1]], r.output) for r in frozen.rows(APP)]
    for name in sorted(ops):
        arity = len(OPS[name].tensors)
        unstable = {tuple(r.inputs) for r in frozen.rows(f"unstable_{name}")}
        for r in frozen.rows(constructor(name)):
            key = tuple(r.inputs)
            enodes.append(ENode(name, key[arity:], key[:arity], r.output, key in unstable))
    node = {r.inputs[0]: r.output for r in frozen.rows("node")}
    dtype, ndim, mask = ({r.inputs[0]: r.output for r in frozen.rows(t)} for t in ("dtype", "ndim", "mask"))
    return Saturated(enodes, [node[k] for k in range(len(encoded.variables))], dtype, ndim, mask)


def read_lists(frozen: Any) -> dict[int, tuple[int, ...]]:
    """Operands of each list class."""
    cells = {r.output: tuple(r.inputs) for r in frozen.rows("Cons")}
    lists: dict[int, tuple[int, ...]] = {r.output: () for r in frozen.rows("Nil")}
    for start in cells:
        path, at = [], start
        while at not in lists:
            path.append(at)
            at = cells[at][1]
        for cell in reversed(path):
            lists[cell] = (cells[cell][0], *lists[cells[cell][1]])
    return lists


class Folder:
    """Computes ops on known numbers with their NumPy meaning and tells the e-graph that they are equal."""

    def __init__(self, encoded: Encoded, ops: frozenset[str]) -> None:
        self.next = len(encoded.variables)
        self.ops = [n for n in sorted(ops) if OPS[n].kind in ("elemwise", "reduce") and n != "fill"]
        self.done: set[tuple[Any, ...]] = set()

    def fold(self, session: Session) -> bool:
        """Add what can be computed; True where something was added."""
        frozen = session.freeze()
        numbers: dict[int, tuple[Any, ...]] = {}
        for r in frozen.rows(NUM):
            numbers.setdefault(r.output, tuple(r.inputs))
        tables: dict[str, list[tuple[Any, ...]]] = {}
        for name in self.ops:
            arity = len(OPS[name].tensors)
            for r in frozen.rows(constructor(name)):
                children, params = tuple(r.inputs[:arity]), tuple(r.inputs[arity:])
                if r.output not in numbers and all(c in numbers for c in children):
                    self.add(tables, name, [numbers[c] for c in children], params)
        if tables:
            session.load(tables)
            session.saturate("load")
        return bool(tables)

    def add(
        self, tables: Any, name: str, operands: Sequence[tuple[Any, ...]], params: tuple[int, ...]
    ) -> None:
        """Rows that say what one op of numbers is equal to."""
        key = (name, tuple(map(str, operands)), params)
        value = None if key in self.done else folded(name, operands, params)
        self.done.add(key)
        if value is None:
            return
        first = self.next
        self.next += len(operands) + 2
        for i, number in enumerate(operands):
            tables.setdefault("in_num", []).append((first + i, *number))
        made, result = first + len(operands), first + len(operands) + 1
        tables.setdefault(f"in_{name}", []).append((made, *range(first, made), *params))
        tables["in_num"].append((result, *value))
        tables.setdefault("in_same", []).append((made, result))


def folded(name: str, operands: Sequence[tuple[Any, ...]], params: tuple[int, ...]) -> tuple[Any, ...] | None:
    """The number that an op of numbers gives, as a row of ``Num``; None where it cannot be one."""
    kinds = OPS[name].parameters.values()
    from eqsat.graph.parameters import Codes

    op = find_op(name, tuple(k.decode(p, Codes()) for k, p in zip(kinds, params, strict=True)))
    arrays = [number_value(o) for o in operands]
    try:
        result = np.asarray(op.compute(*arrays))
    except Exception:  # an op that refuses these numbers stays as it is and says so when it runs
        return None
    value = result.reshape(-1)[0]
    if result.dtype.name not in CODE or not is_exact(value):
        return None
    tag = int(result.dtype.kind == "f" and value == 0 and bool(np.signbit(value)))
    return (float(value), tag, CODE[result.dtype.name], result.ndim)


def number_value(row: Sequence[Any]) -> Any:
    """NumPy array of a ``Num`` row: value, sign of zero, dtype, ndim."""
    value, tag, dtype, ndim = row
    number = -0.0 if tag else value
    name = ALL[dtype]
    return np.full((1,) * ndim, number if name.startswith("float") else int(number), name)
