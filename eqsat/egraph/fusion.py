"""PLAN: fusion as equality; every choice of storing a value or computing it again is in the e-graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from eqsat.base.values import dataclass
from eqsat.egraph.adapter import Frozen, Template
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.parameters import Codes
from eqsat.graph.pieces import boxes_of, is_plain_part, moved_operands, numbers_of, writes_few
from eqsat.graph.tensor_type import TensorType

MOST_OPERANDS = 8
TABLES = {"view": "in_view", "reduce": "in_reduction", "pick": "in_picked"}

SCHEMA = [
    "(sort T)",  # an array in memory
    "(sort S)",  # a number at an index, inside a kernel
    "(ruleset load)",
    "(ruleset fuse)",
    "(constructor node (i64) T)",
    "(constructor Memory (i64) T)",
    "(constructor Literal (i64) T)",
    "(constructor Picked (i64) T)",
    "(constructor View (i64 T) T)",
    "(constructor Reduction (i64 T) T)",
    "(constructor Load (T) S)",
    "(constructor Store (S) T)",
    "(constructor Reduce (i64 S) T)",
    "(constructor see (i64 S) S)",
    "(constructor number (i64) S)",
    "(constructor pick (i64) S)",
    "(relation in_memory (i64 i64))",
    "(relation in_literal (i64 i64))",
    "(relation in_picked (i64 i64))",
    "(relation in_view (i64 i64 i64))",
    "(relation in_reduction (i64 i64 i64))",
]

RULES = [
    "(rule ((in_memory k i)) ((union (node k) (Memory i))) :ruleset load)",
    "(rule ((in_literal k c)) ((union (node k) (Literal c))) :ruleset load)",
    "(rule ((in_picked k c)) ((union (node k) (Picked c))) :ruleset load)",
    "(rule ((in_view k c a)) ((union (node k) (View c (node a)))) :ruleset load)",
    "(rule ((in_reduction k c a)) ((union (node k) (Reduction c (node a)))) :ruleset load)",
    "(rule ((= e (Literal c))) ((union e (Store (number c)))) :ruleset fuse)",
    "(rule ((= e (Picked c))) ((union e (Store (pick c)))) :ruleset fuse)",
    "(rule ((= e (View c x))) ((union e (Store (see c (Load x))))) :ruleset fuse)",
    "(rule ((= e (Reduction c x))) ((union e (Reduce c (Load x)))) :ruleset fuse)",
    "(rule ((= s (Load (Store t)))) ((union s t)) :ruleset fuse)",
]

for _n in range(1, MOST_OPERANDS + 1):
    _t, _s, _k = " T" * _n, " S" * _n, " i64" * _n
    _keys = [f"k{i}" for i in range(_n)]
    _xs = [f"x{i}" for i in range(_n)]
    SCHEMA += [
        f"(constructor Map{_n} (i64{_t}) T)",
        f"(constructor map{_n} (i64{_s}) S)",
        f"(relation in_map{_n} (i64 i64{_k}))",
    ]
    RULES += [
        f"(rule ((in_map{_n} k c {' '.join(_keys)})) "
        f"((union (node k) (Map{_n} c {' '.join(f'(node {k})' for k in _keys)}))) :ruleset load)",
        f"(rule ((= e (Map{_n} c {' '.join(_xs)}))) "
        f"((union e (Store (map{_n} c {' '.join(f'(Load {x})' for x in _xs)})))) :ruleset fuse)",
    ]


@dataclass(frozen=True)
class Scalar:
    """A way to have a number inside a kernel.

    It is to ``map`` an op, ``see`` through a view, put together ``pieces``, ``pick`` by indices, or to write a ``number``.
    """

    kind: str
    op: Any
    children: tuple[int, ...]


@dataclass
class Fused:
    """The PLAN e-graph as read out, in terms of classes of arrays and classes of numbers."""

    array_of: dict[Variable, int]
    variable_of: dict[int, Variable]
    stores: dict[int, int] = field(default_factory=dict)
    reduces: dict[int, tuple[Any, int]] = field(default_factory=dict)
    load_of: dict[int, int] = field(default_factory=dict)
    arrays_at: dict[int, list[int]] = field(default_factory=dict)
    scalars: dict[int, Scalar] = field(default_factory=dict)


_TEMPLATE = Template(SCHEMA, RULES)


@dataclass(frozen=True)
class Moved:
    """An op that moves elements, and the numbers of the operands that it reads from memory."""

    op: Any
    numbers: tuple[int, ...]


def kind_of(apply: Apply) -> str:
    """The part that an application takes in fusion: map, view, reduce, pieces, pick or call."""
    op = apply.op
    if not isinstance(op, DeclaredOp):
        return "call"
    if boxes_of(apply) and len(moved_operands(apply)) <= MOST_OPERANDS:
        return "call" if _overwrites(apply) else "pieces"
    if op.declaration.kind == "elemwise" and len(apply.inputs) <= MOST_OPERANDS:
        return "map"
    if op.declaration.kind == "reduce":
        return "reduce"
    if op.declaration.picks is not None:
        return "pick"
    if op.declaration.indexing == "part":
        return "view" if is_plain_part(op) else "call"
    return "view" if op.name == "dimshuffle" else "call"


def _overwrites(apply: Apply) -> bool:
    """True for an op that writes a few elements into what is in memory anyway."""
    if not writes_few(apply):
        return False
    owner = apply.inputs[apply.op.declaration.in_place].owner  # type: ignore[attr-defined]
    return owner is None or getattr(getattr(owner.op, "declaration", None), "kind", "") != "elemwise"


def is_literal(variable: Variable) -> bool:
    """True for a tensor with one element that is constant, which is written into the code."""
    return (
        isinstance(variable, Constant) and isinstance(variable.type, TensorType) and variable.data.size == 1
    )


def fuse(nodes: Sequence[Apply], outputs: Sequence[Variable]) -> Fused:
    """The e-graph in which fused and unfused forms of the nodes are equal.

    Errors   EGraphUnavailable where egglog cannot be loaded; EGraphFailure where it fails
    """
    ops, literals = Codes(), Codes()
    number: dict[Variable, int] = {}
    tables: dict[str, list[tuple[int, ...]]] = {}

    def known(variable: Variable) -> int:
        if variable not in number:
            k = number[variable] = len(number)
            if is_literal(variable):
                value: Any = variable.data  # type: ignore[attr-defined]
                key = (value.tobytes(), value.dtype.name, value.ndim)
                tables.setdefault("in_literal", []).append((k, literals.number(key)))
            else:
                tables.setdefault("in_memory", []).append((k, k))
        return number[variable]

    for apply in nodes:
        kind = kind_of(apply)
        if kind == "call":
            for variable in (*apply.inputs, *apply.outputs):
                known(variable)
            continue
        inside, beside = _operands(apply, kind)
        operands = [known(v) for v in inside]
        op = Moved(apply.op, tuple(map(known, beside))) if kind in ("pieces", "pick") else apply.op
        k = number[apply.outputs[0]] = len(number)
        table = TABLES.get(kind, f"in_map{len(operands)}")
        tables.setdefault(table, []).append((k, ops.number(op), *operands))
    for variable in outputs:
        known(variable)
    with _TEMPLATE.session() as session:
        session.load(tables)
        session.saturate("load")
        session.saturate("fuse")
        return _read(session.freeze(), number, ops, literals)


def _operands(apply: Apply, kind: str) -> tuple[Sequence[Variable], Sequence[Variable]]:
    """The operands that may be computed in a kernel, and those that are read from memory there."""
    if kind == "pick":
        return (), apply.inputs
    return (moved_operands(apply), numbers_of(apply)) if kind == "pieces" else (apply.inputs, ())


def _read(frozen: Frozen, number: dict[Variable, int], ops: Codes, literals: Codes) -> Fused:
    node = {r.inputs[0]: r.output for r in frozen.rows("node")}
    array_of = {v: node[k] for v, k in number.items()}
    variable_of: dict[int, Variable] = {}
    for v, t in array_of.items():
        variable_of.setdefault(t, v)
    fused = Fused(array_of, variable_of)
    fused.stores = {r.output: r.inputs[0] for r in frozen.rows("Store")}
    fused.reduces = {r.output: (ops.values[r.inputs[0]], r.inputs[1]) for r in frozen.rows("Reduce")}
    for r in frozen.rows("Load"):
        fused.load_of[r.inputs[0]] = r.output
        fused.arrays_at.setdefault(r.output, []).append(r.inputs[0])
    for n in range(1, MOST_OPERANDS + 1):
        for r in frozen.rows(f"map{n}"):
            op = ops.values[r.inputs[0]]
            kind = "pieces" if isinstance(op, Moved) else "map"
            fused.scalars.setdefault(r.output, Scalar(kind, op, tuple(r.inputs[1:])))
    for r in frozen.rows("see"):
        fused.scalars.setdefault(r.output, Scalar("see", ops.values[r.inputs[0]], (r.inputs[1],)))
    for r in frozen.rows("pick"):
        fused.scalars[r.output] = Scalar("pick", ops.values[r.inputs[0]], ())
    for r in frozen.rows("number"):
        fused.scalars[r.output] = Scalar("number", literals.values[r.inputs[0]], ())
    return fused
