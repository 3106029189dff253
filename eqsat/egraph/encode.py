"""A graph becomes integer tables: one row per node, codes instead of strings, patterns and arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import field
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.egraph.chain_schema import PRODUCT
from eqsat.egraph.encode_parts import counts_elements, kept_rows, lengths_rows, readers_rows, sides_rows
from eqsat.egraph.extent_schema import extent_rows
from eqsat.egraph.matrix_lengths import is_identity, matrix_lengths
from eqsat.egraph.models import Models
from eqsat.egraph.operands_seen import OperandsMade
from eqsat.egraph.part_schema import PART, with_parts
from eqsat.egraph.shared_products import MAKES, shared_rows
from eqsat.graph.axis_patterns import compose_patterns, operand_axes, result_axes
from eqsat.graph.constant import constant
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.declare import OPS, DeclaredOp
from eqsat.graph.dtypes import CODE, COMPLEX, REAL, holds_all
from eqsat.graph.loops import LoopTable, depends, stops
from eqsat.graph.moves import MOVES
from eqsat.graph.ops.elemwise import fill
from eqsat.graph.parameters import AXIS, Codes, mask_of_axes
from eqsat.graph.seen import element_of_vector, seen_name
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import toposort
from eqsat.rules.equality import Need

MOST_PATTERNS = 48


@dataclass(frozen=True)
class Encoded:
    """Tables to load, and what is needed to read the result back."""

    tables: dict[str, list[tuple[Any, ...]]]
    codes: Codes
    leaves: list[Variable]
    arrays: list[Any]
    opaque: list[tuple[Apply, int]]
    number: dict[Variable, int]
    variables: list[Variable]
    nodes: list[Apply]
    roots: list[int]
    ops: set[str]
    axes: set[tuple[int, ...]]
    opaque_code: dict[Any, int]
    loops: LoopTable = field(default_factory=LoopTable)
    pairs: set[Need] = field(default_factory=set)  # ops, and what their operands are
    models: Models = field(default_factory=Models)
    assumed: tuple[str, ...] = ()  # commands that state what is known of some nodes once they are loaded


class Encoder:
    """Numbers variables in the order of a walk and writes their rows; ``read`` holds those that something reads."""

    def __init__(self, read: Set[Variable]) -> None:
        self.read = read
        self.tables: dict[str, list[tuple[Any, ...]]] = {}
        self.codes = Codes()
        self.leaves: list[Variable] = []
        self.arrays: list[Any] = []
        self.opaque: list[tuple[Apply, int]] = []
        self.opaque_codes = Codes()
        self.number: dict[Variable, int] = {}
        self.variables: list[Variable] = []
        self.lists: dict[tuple[int, int], int] = {}
        self.ops: set[str] = set()
        self.operands = OperandsMade()
        self.nodes: list[Apply] = []
        self.axes: set[tuple[int, ...]] = set()
        self.models = Models()

    def row(self, table: str, *values: Any) -> None:
        """Add a row to a table."""
        self.tables.setdefault(table, []).append(values)

    def give_number(self, variable: Variable) -> int:
        """Number of a variable, with the row of its type."""
        k = self.number[variable] = len(self.variables)
        self.variables.append(variable)
        kind: Any = variable.type
        if hasattr(kind, "broadcastable"):
            mask = mask_of_axes(tuple(a for a, one in enumerate(kind.broadcastable) if one))
            self.row("in_type", k, CODE[kind.dtype], kind.ndim, mask)
        return k

    def operand(self, variable: Variable) -> int:
        """Number of a variable that is read; inputs and constants get one when first met."""
        found = self.number.get(variable)
        if found is not None:
            return found
        k = self.give_number(variable)
        if isinstance(variable, Constant) and isinstance(variable.type, TensorType):
            self.constant(k, variable)
        else:
            self.row("in_leaf", k, len(self.leaves))
            self.leaves.append(variable)
        return k

    def constant(self, k: int, variable: Constant) -> None:
        """A constant with one element is a number in the e-graph, any other an array with facts."""
        data = variable.data
        if data.dtype.name in COMPLEX:
            self.row("in_arr", k, self.codes.number(_content(data)))
            self.arrays.append(variable)
            return
        if data.size == 1 and data.ndim < 30 and set(data.shape) <= {1}:
            value = data.reshape(())[()]
            if is_exact(value):
                negative_zero = int(value == 0 and bool(np.signbit(value))) if data.dtype.kind == "f" else 0
                self.row("in_num", k, float(value), negative_zero, CODE[data.dtype.name], data.ndim)
                self.operands.number(k, float(value))
                return
        self.row("in_arr", k, self.codes.number(_content(data)))
        self.arrays.append(variable)
        self.array_facts(k, data)

    def array_facts(self, k: int, data: Any) -> None:
        """Range and filling of an array constant."""
        if data.size == 0 or (data.dtype.kind == "f" and not np.isfinite(data).all()):
            return
        if not (is_exact(data.min()) and is_exact(data.max())):
            return
        if is_identity(data):
            self.row("in_identity", k)
        low, high = float(data.min()), float(data.max())
        self.row("in_range", k, low, high)
        if low == high and not (low == 0 and data.dtype.kind == "f" and bool(np.signbit(data).any())):
            self.row("in_cval", k, low)
            self.operands.number(k, low, repeated=True)

    def node(self, apply: Apply) -> None:
        """Rows of one application: an e-node per output that something reads."""
        scalar = element_of_vector(apply)
        if scalar is not None:
            self.number[apply.outputs[0]] = self.operand(scalar)
            return
        op: Any = apply.op
        name = seen_name(apply)
        inputs = [self.operand(v) for v in self.models.operands(apply, name)]
        self.nodes.append(apply)
        if name is not None:
            k = self.give_number(apply.outputs[0])
            params = parameter_codes(apply, self.codes)
            self.note_axes(op)
            self.ops.add(name)
            kind: Any = apply.outputs[0].type
            self.operands.apply(name, inputs, k, whole=False not in kind.broadcastable)
            self.row(f"in_{name}", k, *inputs, *params)
            self.uniform(apply, k)
            return
        tail = self.list_of(inputs)
        for index, output in enumerate(apply.outputs):
            if output not in self.read and len(apply.outputs) > 1:
                continue
            code = self.opaque_codes.number((op, index))
            if code == len(self.opaque):
                self.opaque.append((apply, index))
            k = self.give_number(output)
            self.row("in_app", k, code, tail)
            self.uniform(apply, k)

    def uniform(self, apply: Apply, k: int) -> None:
        """State what fills the result of an opaque op, and the number that it is, where its declaration knows it."""
        rule = getattr(getattr(apply.op, "declaration", None), "uniform", None)
        value = source = rule(*apply.inputs) if rule and len(apply.outputs) == 1 else None
        while source is not None and source.owner is not None and source.owner.op.name == "dimshuffle":
            source = source.owner.inputs[0]
        if value is None or source is None or source.type.dtype in COMPLEX:
            return
        if not isinstance(source, Constant) or source.data.size != 1:
            # of what is not repeated, the lengths are still to be checked
            if True in value.type.broadcastable:
                self.filling(k, apply.outputs[0], value)
            return
        number = source.data.reshape(())[()]
        if not is_finite(number):
            return
        self.row("in_cval", k, float(number))
        self.operands.number(k, float(number), repeated=True)
        if is_exact(number):
            whole: Any = apply.outputs[0]
            self.filling(k, whole, constant(np.full((1,) * whole.ndim, number, whole.type.dtype)))

    def filling(self, k: int, whole: Any, value: Any) -> None:
        """State that a result is itself filled with a value, so that rules on ``fill`` see it."""
        filled = fill(whole, value)
        self.node(filled.owner)
        self.row("in_same", k, self.number[filled])
        self.operands.made[k] |= {"fill"}

    def note_axes(self, op: DeclaredOp) -> None:
        """Remember the sets of axes that occur."""
        if "axes" in op.params:
            self.axes.add(op.params["axes"])
        elif op.declaration.parameters.get("axis") is AXIS:
            self.axes.add((op.params["axis"],))

    def list_of(self, items: Sequence[int]) -> int:
        """Number of a list of operands; equal tails are shared."""
        tail = 0
        if not self.lists:
            self.lists[(-1, -1)] = 0
            self.row("in_nil", 0)
        for item in reversed(items):
            key = (item, tail)
            if key not in self.lists:
                self.lists[key] = len(self.lists)
                self.row("in_cons", self.lists[key], item, tail)
            tail = self.lists[key]
        return tail


def is_exact(value: Any) -> bool:
    """True for a NumPy number that a float64 holds; comparing with the float would itself round."""
    return value.dtype.kind not in "iu" or int(float(value)) == int(value)


def is_finite(value: Any) -> bool:
    """False for what is no number to reckon with: inf + 1 is inf, but inf - inf is not 0."""
    return value.dtype.kind != "f" or bool(np.isfinite(value))


def parameter_codes(apply: Apply, codes: Codes) -> list[int]:
    """The integers that stand for the parameters of an application of a declared op."""
    op: Any = apply.op
    if op.name == "dimshuffle":
        kind: Any = apply.inputs[0].type
        return [pattern_code(codes, op.params["pattern"], kind.ndim)]
    kinds = op.declaration.parameters.values()
    return [kind.encode(v, codes) for kind, v in zip(kinds, op.values, strict=True)]


def pattern_code(codes: Codes, pattern: tuple[Any, ...], ndim: int) -> int:
    """Code of a dimshuffle pattern; it stands for the rank of the operand too, so that rules cannot mix ranks."""
    key = ("pattern", pattern, ndim)
    if key not in codes.numbers:
        codes.numbers[key] = len(codes.values)
        codes.values.append(pattern)
    return codes.numbers[key]


def _content(data: Any) -> tuple[Any, ...]:
    return ("array", data.dtype.name, data.shape, hashlib.sha256(data.tobytes()).digest())


def encode(outputs: Sequence[Variable], loops: LoopTable | None = None, shared: bool = False) -> Encoded:
    """Tables of the graph that the outputs, and the loops opened in it, need; ``shared`` adds operands that products share."""
    loops = LoopTable() if loops is None else loops
    hidden = loops.hidden_roots()
    nodes = toposort([*outputs, *hidden])
    encoder = Encoder({*outputs, *hidden, *(v for apply in nodes for v in apply.inputs)})
    for apply in nodes:
        encoder.node(apply)
    roots = [encoder.operand(v) for v in outputs]
    if loops:
        loop_tables(encoder, loops)
    matrices = has_matrices(encoder)
    if matrices:
        length_tables(encoder)
    if "reshape" in encoder.ops:
        shape_table(encoder)
    if "dimshuffle" in encoder.ops or matrices or has_parts_of_products(encoder):
        pattern_tables(encoder, 1 + max((loop.depth for loop in loops.loops), default=-1))
    if shared and (rows := shared_rows(nodes, encoder.number)):
        encoder.tables |= rows
        encoder.ops |= MAKES
    if with_parts(encoder.ops) != encoder.ops or PART in encoder.ops or counts_elements(encoder.ops):
        encoder.ops.add(PART)
        encoder.tables["in_lengths"] = lengths_rows(encoder.codes, encoder.variables)
        encoder.tables["in_readers"] = readers_rows(encoder.number, nodes, [*outputs, *hidden])
    if any(op.startswith("gather") for op in encoder.ops):
        encoder.tables["in_kept"] = kept_rows(encoder.number, nodes, [*outputs, *hidden])
    if PRODUCT in encoder.ops:
        encoder.tables["in_sides"] = sides_rows(encoder.variables)
    if known := extent_rows(encoder.variables):
        encoder.tables["in_extent"] = known
    dtype_tables(encoder)
    return Encoded(
        encoder.tables,
        encoder.codes,
        encoder.leaves,
        encoder.arrays,
        encoder.opaque,
        encoder.number,
        encoder.variables,
        nodes,
        roots,
        encoder.ops,
        encoder.axes,
        encoder.opaque_codes.numbers,
        loops,
        encoder.operands.needs,
        encoder.models,
    )


def has_matrices(encoder: Encoder) -> bool:
    """True for a graph that rules on matrices are about."""
    units = {"arange", "eq"} <= encoder.ops or "in_identity" in encoder.tables
    forms = {"dot", "sum"} <= encoder.ops and any(getattr(v.type, "ndim", 0) == 1 for v in encoder.variables)
    return (
        units
        or forms
        or {"dot", "reshape"} <= encoder.ops
        or any(d is not None and d.of_matrices for d in map(OPS.find, encoder.ops))
    )


def has_parts_of_products(encoder: Encoder) -> bool:
    """True for a graph with products and indices: one element of a product is the sum of a row times a column that is turned."""
    return PRODUCT in encoder.ops and any(d is not None and d.indexing for d in map(OPS.find, encoder.ops))


def shape_table(encoder: Encoder) -> None:
    """Codes of the shapes of which all lengths are known."""
    for k, v in enumerate(encoder.variables):
        lengths = getattr(v.type, "shape", (None,))
        if None not in lengths:
            encoder.row("in_shape", k, encoder.codes.number(("shape", lengths)))


def length_tables(encoder: Encoder) -> None:
    """Symbols of the lengths of matrices."""
    for k, rows, columns in matrix_lengths(encoder.variables, encoder.nodes):
        encoder.row("in_rows", k, rows)
        encoder.row("in_columns", k, columns)


def loop_tables(encoder: Encoder, loops: LoopTable) -> None:
    """The new values of states; the ops and patterns that rules on loops make."""
    for v in loops.hidden_roots():
        encoder.operand(v)
    known = depends((), loops)
    for r in loops.recurrences:
        encoder.row("in_step", r.key, encoder.operand(r.step), known[r.state])
    for number, bits in stops(known, loops).items():
        encoder.row("in_stops", number, bits)
    for k, v in enumerate(encoder.variables):
        if None not in getattr(v.type, "shape", (None,)):
            encoder.row("in_even", k)
    for a, b in loops.equal:
        encoder.row("in_same", encoder.operand(a), encoder.operand(b))
    encoder.ops.update(*(d.brings for d in map(OPS.find, encoder.ops) if d is not None))


def dtype_tables(encoder: Encoder) -> None:
    """Pairs of dtypes of which one holds every value of the other, for the rules on casts."""
    for small in REAL:
        for big in REAL:
            if holds_all(big, small):
                encoder.row("dtype_widens", CODE[small], CODE[big])


# ------------------------------------------------------------------------------------------------- patterns


def pattern_tables(encoder: Encoder, depth: int = 0) -> None:
    """Facts and functions of the dimshuffle patterns that occur, closed under composition up to a limit.

    ``depth`` counts loops inside each other: their patterns occur beside one more axis, that of time, for each.
    """
    codes = encoder.codes
    shuffles: list[Any] = [v.owner for v in encoder.variables if _shuffled(v)]
    sizes = {(node.op.params["pattern"], node.inputs[0].type.ndim) for node in shuffles}
    found = sorted(sizes, key=str)
    found += named(encoder)
    if "dot" in encoder.ops:
        if has_parts_of_products(encoder):
            found.append(((1, 0), 2))
        encoder.axes |= {(0,), (1,)}  # of sums in the place of products
    patterns = _closure(timed(encoder, found, depth) if depth else [*found, *summed(encoder)])
    for p, ndim in patterns:
        for name, *values in move_rows(codes, p, ndim):
            encoder.row(name, *values)
    for name, *values in sorted(set(move_calls(codes, encoder.axes, patterns, patterns, patterns))):
        encoder.row(name, *values)


Move = tuple[tuple[Any, ...], int]  # a dimshuffle pattern and the rank of its operand
MoveRow = tuple[Any, ...]


def move_rows(codes: Codes, p: tuple[Any, ...], ndim: int) -> list[MoveRow]:
    """The rows of one pattern."""
    code = pattern_code(codes, p, ndim)
    news = mask_of_axes(tuple(i for i, a in enumerate(p) if a == "x"))
    rows: list[MoveRow] = [("pattern_ndim", code, len(p), news)]
    rows += [("pattern_axis", code, 1 << i, 1 << a) for i, a in enumerate(p) if a != "x"]
    if (p, ndim) == ((1, 0), 2):
        rows.append(("pattern_swaps", code))
    if p == tuple(range(ndim)):
        rows.append(("pattern_identity", code, ndim))
    return rows


def move_calls(
    codes: Codes,
    sets: Iterable[tuple[int, ...]],
    patterns: Iterable[Move],
    others: Iterable[Move],
    stated: Iterable[Move],
) -> list[MoveRow]:
    """Compositions of patterns with others after them, where these are stated; axes before and after the patterns."""
    rows: list[MoveRow] = []
    known, others = set(stated), list(others)
    for p, ndim in patterns:
        code = pattern_code(codes, p, ndim)
        for q, n in others:
            if n == len(p) and (compose_patterns(p, q), ndim) in known:
                third = pattern_code(codes, compose_patterns(p, q), ndim)
                rows.append(("call_compose", code, pattern_code(codes, q, n), third))
        for axes in sorted(sets):
            for name, found in (
                ("call_axes_before", operand_axes(p, axes)),
                ("call_axes_after", result_axes(p, axes)),
            ):
                if found is not None:
                    rows.append((name, code, mask_of_axes(axes), mask_of_axes(found)))
    return rows


def stated_moves(codes: Codes, tables: Mapping[str, Sequence[tuple[Any, ...]]]) -> list[Move]:
    """The patterns of which tables have the rows; others may have a code from an earlier e-graph of the same graph."""
    stated = {row[0] for row in tables.get("pattern_ndim", ())}
    keys = [key for key, code in codes.numbers.items() if code in stated and isinstance(key, tuple)]
    return [key[1:] for key in keys if key[0] == "pattern"]  # type: ignore[misc]


def named(encoder: Encoder) -> list[Any]:
    """The moves that rules on matrices name, where there are ops that these are about."""
    if not has_matrices(encoder):
        return []
    for number, move in enumerate(MOVES.values()):
        encoder.row("named_move", number, pattern_code(encoder.codes, *move))
    return list(MOVES.values())


def summed(encoder: Encoder) -> list[Any]:
    """Nodes that rules on products of many matrices make and no loop has: a first axis of a matrix, transposes of all."""
    products = "batched_dot" in encoder.ops or "sum" in encoder.ops
    if not products or not any(getattr(v.type, "ndim", 0) == 3 for v in encoder.variables):
        return []
    made = [(("x", 0, 1), 2), ((1, 0), 2), ((0, 2, 1), 3)]
    lead, swap, swaps = (pattern_code(encoder.codes, *p) for p in made)
    encoder.row("call_lead", 2, lead)
    encoder.row("call_lift", swap, swaps)
    return made


def timed(encoder: Encoder, patterns: list[Any], depth: int) -> list[Any]:
    """The patterns, the same beside an axis of time, and those that make and drop that axis."""
    codes, found = encoder.codes, dict.fromkeys(patterns)
    if "dot" in encoder.ops:  # whose rules transpose
        found[((1, 0), 2)] = None
    most = max((getattr(v.type, "ndim", 0) for v in encoder.variables), default=0)
    for ndim in range(most + 1):
        found[(("x", *range(ndim)), ndim)] = None
        found[(tuple(range(1, ndim + 1)), ndim + 1)] = None
        lead, drop = pattern_code(codes, ("x", *range(ndim)), ndim), tuple(range(1, ndim + 1))
        encoder.row("call_lead", ndim, lead)
        encoder.row("call_drop", ndim, pattern_code(codes, drop, ndim + 1))
    level = list(found)
    for _ in range(depth):
        lifted = [((0, *(a if a == "x" else a + 1 for a in p)), n + 1) for p, n in level]
        for (p, n), (q, m) in zip(level, lifted, strict=True):
            encoder.row("call_lift", pattern_code(codes, p, n), pattern_code(codes, q, m))
        found.update(dict.fromkeys(lifted))
        level = lifted
    return list(found)


def _shuffled(variable: Variable) -> bool:
    return variable.owner is not None and getattr(variable.owner.op, "name", "") == "dimshuffle"


def _closure(found: list[tuple[tuple[Any, ...], int]]) -> list[tuple[tuple[Any, ...], int]]:
    """Patterns with the rank of their operand, what a move and its inverse come to, and compositions, at most MOST_PATTERNS."""
    ranks = {rank for p, n in found for rank in (n, len(p))}
    known = dict.fromkeys([*((tuple(range(n)), n) for n in sorted(ranks)), *found])
    if any(n == 2 for _, n in known) or any(len(p) == 2 for p, _ in known):
        known[((1, 0), 2)] = None
    start = 0
    while start < len(known) and len(known) < MOST_PATTERNS:
        items = list(known)
        new = [(compose_patterns(p, q), n) for p, n in items for q, m in items if m == len(p)]
        start = len(items)
        for item in new:
            if len(known) < MOST_PATTERNS:
                known[item] = None
        if len(known) == start:
            break
    return list(known)
