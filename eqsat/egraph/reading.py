"""An e-graph as it is read out: e-nodes, the classes of what was loaded, and what is known of them."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

from eqsat.base.values import dataclass
from eqsat.egraph.adapter import Frozen, Session
from eqsat.egraph.contradictions import Known, contradiction
from eqsat.egraph.encode import Encoded
from eqsat.egraph.folding import NUM
from eqsat.egraph.scheduler import PhaseReport
from eqsat.egraph.schema import constructor
from eqsat.graph.declare import OPS

LEAF, ARR, APP = "Leaf", "Arr", "App"
READ = [
    *(LEAF, NUM, ARR, APP, "Cons", "Nil", "node"),
    *("dtype", "ndim", "mask", "dep", "step_of", "cval", "lo", "hi"),
]


@dataclass(frozen=True)
class ENode:
    """One way to compute a class: an op name (or Leaf, Num, Arr, App), its parameters and child classes."""

    op: str
    params: tuple[Any, ...]
    children: tuple[int, ...]
    cls: int
    unstable: bool = False


@dataclass(frozen=True)
class Saturated:
    """An e-graph as read out: e-nodes, the class of each loaded node, and the types of classes."""

    enodes: list[ENode]
    class_of: list[int]
    dtype: dict[int, int]
    ndim: dict[int, int]
    mask: dict[int, int]
    phases: list[PhaseReport] = field(default_factory=list)
    rules: int = 0
    left_out: int = 0  # rules for what the graph is made of that are too slow for one of this size
    dep: dict[int, int] = field(default_factory=dict)  # the loops on whose time a class depends
    step_of: dict[int, int] = field(default_factory=dict)  # the class of the new value of each state
    low: dict[int, float] = field(default_factory=dict)  # the least value of classes, where it is known
    seconds: dict[str, float] = field(default_factory=dict)
    retried: list[str] = field(default_factory=list)  # why e-graphs with more rules were thrown away
    suspected: list[str] = field(default_factory=list)  # the rules that matched in these
    refused: str = ""  # two values of one class that differ; then the e-graph is not to be used
    widened: bool = False  # whether it was made with more rules once it had been looked at

    @property
    def outgrown(self) -> bool:
        """True for an e-graph that has met a limit: no more rules are added to it."""
        return any(p.stopped in ("nodes", "seconds") for p in self.phases)

    def unsettled(self, nodes: int) -> bool:
        """True for one that would meet a limit with more rules, too: it met one before forms grow, or holds so many rows."""
        early = any(
            p.stopped == "seconds" or (p.stopped == "nodes" and p.name != "grow") for p in self.phases
        )
        return early or (self.outgrown and self.phases[-1].rows > nodes)

    def matches(self) -> dict[str, int]:
        """The number of matches of each rule, over all phases."""
        total: dict[str, int] = {}
        for phase in self.phases:
            for name, count in phase.matches.items():
                total[name] = total.get(name, 0) + count
        return {name: total[name] for name in sorted(total) if total[name]}


def read(session: Session, encoded: Encoded, ops: set[str]) -> Saturated:
    """E-nodes and class types of a session."""
    tables = [constructor(name) for name in ops] + [f"unstable_{name}" for name in ops]
    frozen = session.freeze([*READ, *tables])
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
    dtype, ndim, mask = (column(frozen, t) for t in ("dtype", "ndim", "mask"))
    low = column(frozen, "lo")
    dep, step_of = (column(frozen, t) if encoded.loops else {} for t in ("dep", "step_of"))
    refused = contradiction(enodes, Known(column(frozen, "cval"), low, column(frozen, "hi"), dtype))
    classes = [node[k] for k in range(len(encoded.variables))]
    return Saturated(enodes, classes, dtype, ndim, mask, dep=dep, step_of=step_of, low=low, refused=refused)


def typed(found: Saturated) -> Saturated:
    """The same without e-nodes of which time did not suffice to find the type, nor that of an operand."""
    known = {e.cls for e in found.enodes if e.op not in OPS} | found.dtype.keys()
    return replace(found, enodes=[e for e in found.enodes if known.issuperset((e.cls, *e.children))])


def column(frozen: Frozen, name: str) -> dict[int, Any]:
    """The values of an analysis by class."""
    table = frozen.columns(name)
    return dict(zip(table.inputs[0], table.output, strict=True)) if table.inputs else {}


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
