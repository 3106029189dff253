"""From scans to equations over time: the body of a loop becomes part of the graph around it.

Every outer output of a ``Scan`` becomes ``collect`` or ``final`` of a value of its body, in which rows of sequences are
``elem`` of them and states are ``state``. Loops of equal numbers of steps at one depth share one index, so that what
two scans compute alike is one value. ``scan/from_equations.py`` is the way back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import Any

from eqsat.base.values import dataclass
from eqsat.graph.constant import constant
from eqsat.graph.core import Apply, Constant, Variable, one_line
from eqsat.graph.dtypes import COMPLEX
from eqsat.graph.loops import (
    MOST_LOOPS,
    Loop,
    LoopTable,
    Recurrence,
    collect_op,
    elem_op,
    final_op,
    state_op,
    steps_known,
    still_op,
)
from eqsat.graph.numbering import Numbering
from eqsat.graph.ops.rows import first_rows
from eqsat.graph.ops.shape import length
from eqsat.graph.ops.specify import specify, unbroadcast_like
from eqsat.graph.walk import clone_with, graph_inputs, rebuild, toposort
from eqsat.scan.buffers import open_buffer
from eqsat.scan.one_index import with_one_index
from eqsat.scan.op import Scan
from eqsat.scan.step_lengths import changes_lengths
from eqsat.scan.steps_read import counts_steps, fewer_steps, steps_read
from eqsat.scan.unrolling import is_tiny, unrolled
from eqsat.scan.utils import ScanArgs, alike, is_tensor

MOST_TAPS = 64  # of one state: each older value is a state of its own


@dataclass
class Opened:
    """A graph whose scans are written out, and its loops."""

    outputs: list[Any]
    table: LoopTable


def open_scans(
    outputs: Sequence[Any],
    without: Collection[str] = (),
    same_mode: Callable[[Any], bool] = lambda mode: False,
) -> Opened:
    """The outputs with the bodies of their scans in the graph; ``without`` names rewrites that are not to happen.

    Without ``merge-loops`` every scan keeps an index of its own. A scan with a mode of its own is opened where ``same_mode`` says
    that its steps would be rewritten as the graph around it is.
    """
    opener = Opener(frozenset(without), same_mode)
    opened = opener.copy(outputs, {}, 0)
    if not opener.table:
        return Opened(opened, opener.table)
    keep_used(opened, opener.table)
    if not opener.merge:
        return Opened(opened, opener.table)
    return merged(opener, with_one_index(opened, opener.table))


def keep_used(outputs: Sequence[Any], table: LoopTable) -> None:
    """Forget the states that no output needs."""
    of = {r.state: r for r in table.recurrences}
    ends = [loop.condition for loop in table.loops if loop.condition is not None]
    used: dict[Recurrence, None] = {}
    seen: set[Variable] = set()
    stack = [*outputs, *ends, *(v for pair in table.equal for v in pair)]
    while stack:
        v = stack.pop()
        if v in seen:
            continue
        seen.add(v)
        if v in of:
            used[of[v]] = None
            stack.append(of[v].step)
        if v.owner is not None:
            stack.extend(v.owner.inputs)
    table.recurrences = [r for r in table.recurrences if r in used]


def can_open(op: Any, node: Apply, same_mode: Callable[[Any], bool]) -> bool:
    """True for a scan of real tensors, over some steps, that is rewritten as the function around it."""
    if not isinstance(op, Scan) or not (op.own_mode is None or same_mode(op.own_mode)):
        return False
    if any(getattr(v.type, "dtype", "") in COMPLEX for v in (*op.inner_inputs, *op.inner_outputs)):
        return False  # rules are about real numbers
    return all(map(is_tensor, (*node.inputs, *op.inner_inputs))) and steps_known(node.inputs[0]) != 0


def has_unused(args: ScanArgs) -> bool:
    """True for a scan with an input that no step reads, or a constant that does not change."""
    read = set(graph_inputs(args.inner_outputs))
    inputs = [*args.inner_in_seqs, *args.inner_in_non_seqs]
    return any(v not in read for v in inputs) or any(isinstance(v, Constant) for v in args.outer_in_non_seqs)


def has_twins(args: ScanArgs) -> bool:
    """True for a scan with two equal inputs, or two equal outputs."""
    new = [*args.inner_out_mit_sot, *args.inner_out_sit_sot, *args.inner_out_nit_sot]
    groups = [args.outer_in_seqs, args.outer_in_non_seqs, Numbering().all(new)]
    return any(len(set(group)) < len(group) for group in groups)


class Opener:
    """Copies graphs, writing out their scans; ``depth`` counts the loops around."""

    def __init__(self, without: frozenset[str], same_mode: Callable[[Any], bool]) -> None:
        self.without, self.same_mode = without, same_mode
        self.merge, self.unrolls = "merge-loops" not in without, "unroll" not in without
        self.cuts = "save-memory" not in without
        self.table = LoopTable()
        self.numbering = Numbering(ordered=False)
        self.by_key: dict[Hashable, Loop] = {}

    def copy(self, outputs: Sequence[Any], replace: dict[Variable, Any], depth: int) -> list[Any]:
        """The outputs with variables replaced and scans opened; what does not change is shared."""
        new: dict[Variable, Any] = dict(replace)
        read = steps_read(outputs, depth > 0) if self.cuts else {}
        for node in toposort(outputs, stop=list(replace)):
            inputs = [new.get(v, v) for v in node.inputs]
            if self.opens(node):
                with one_line(node.outputs[0].made_at):
                    made = self.written_out(node, inputs, depth, read.get(node))
            elif read and counts_steps(node) and node.inputs[0].owner in read:
                (n,) = clone_with([node.inputs[0].owner.inputs[0]], new)
                made = [n]
            elif all(a is b for a, b in zip(inputs, node.inputs, strict=True)):
                continue
            else:
                made = rebuild(node, inputs)
            new.update(zip(node.outputs, made, strict=True))
        return [new.get(v, v) for v in outputs]

    def written_out(
        self, node: Apply, inputs: Sequence[Any], depth: int, read: Iterable[Any] | None = None
    ) -> list[Any]:
        """The outputs of a scan as equations over time, or as steps one after the other where one of them is all.

        ``read`` bounds the rows of them that are read, where these are not all.
        """
        op: Any = node.op
        args, fewer = ScanArgs(inputs, node.outputs, op.inner_inputs, op.inner_outputs, op.info), bool(read)
        if read:
            args.n_steps = fewer_steps(args.n_steps, read)
        tiny = self.unrolls and is_tiny(args)
        plain = (
            unrolled(op, args, lambda outputs, inside: self.copy(outputs, inside, depth)) if tiny else None
        )
        if plain is not None:
            plain = [_as_before(v, old, fewer) for v, old in zip(plain, node.outputs, strict=True)]
            if steps_known(args.n_steps) == 1:
                return plain
        made = OpenScan(self, node, args, depth, fewer).outputs()
        self.table.equal += [] if plain is None else zip(made, plain, strict=True)
        return made

    def opens(self, node: Apply) -> bool:
        """True for a scan to write out."""
        if not can_open(node.op, node, self.same_mode) or len(self.table.loops) >= MOST_LOOPS:
            return False
        args = ScanArgs.from_node(node)
        if "unused-inputs" in self.without and has_unused(args):
            return False
        if any(-min(taps) > MOST_TAPS for taps in args.mit_sot_in_slices):
            return False
        if args.cond and args.mit_mot_in_slices:
            return False  # which rows of a buffer are reached is not known before the end
        if changes_lengths(args):
            return False  # the loop refuses it: rows of a loop in equations have one shape
        return not ("merge-inouts" in self.without and has_twins(args))

    def loop(self, n: Any, depth: int, op: Any, until: bool) -> Loop:
        """The index of a scan: that of others of as many steps at the same depth, unless it may stop before."""
        key: Hashable = ("own", len(self.table.loops))
        if self.merge and not until:
            key = (self.numbering.of(n), depth)
        loop = self.by_key.get(key)
        if loop is None:
            loop = self.by_key[key] = Loop(len(self.table.loops), depth, n, label=op.label)
            self.table.loops.append(loop)
        return loop

    def rows(self, x: Any, n: Any, what: str) -> Any:
        """The first n rows of x: x itself where it is seen to have as many; ``what`` is x in errors."""
        have = x.type.shape[0]
        if have is not None and have == steps_known(n):
            return x
        rows = self.numbering.of(length(x, 0))
        if rows == self.numbering.of(n):
            return x
        enough = rows in map(self.numbering.of, map(_as_length, smallest_of(n)))
        return first_rows(x, n, what="scan: a sequence" if enough else what)

    def recurrence(self, loop: Loop, initial: Any, kind: Any) -> Recurrence:
        """A new state of a loop; its step is set later."""
        key = len(self.table.recurrences)
        state = state_op(initial, loop=loop.number, key=key, kind=kind)
        made = Recurrence(key, loop, state)
        self.table.recurrences.append(made)
        return made


class OpenScan:
    """One scan being written out."""

    def __init__(self, opener: Opener, node: Apply, args: ScanArgs, depth: int, fewer: bool = False) -> None:
        op: Any = node.op
        self.opener, self.node, self.args, self.depth = opener, node, args, depth
        self.fewer = fewer
        self.n = _steps(self.args.n_steps, opener.numbering)
        self.loop = opener.loop(self.n, depth, op, op.info.as_while)
        self.inside: dict[Variable, Any] = {}
        self.open, self.label = int(op.info.as_while), op.label

    def outputs(self) -> list[Any]:
        """Variables for the outer outputs, with their types."""
        args = self.args
        for k, (x, inner) in enumerate(zip(args.outer_in_seqs, args.inner_in_seqs, strict=True)):
            self.inside[inner] = self.row(x, inner, f"sequence {k}")
        for inner, x in zip(args.inner_in_non_seqs, args.outer_in_non_seqs, strict=True):
            stays = "push-out-non-seq" in self.opener.without
            self.inside[inner] = alike(still_op(x, loop=self.loop.number) if stays else x, inner)
        buffers = [open_buffer(self, k) for k in range(args.info.n_mit_mot)]
        several = [self.several(k) for k in range(args.info.n_mit_sot)]
        single = [
            self.state(x, inner)
            for x, inner in zip(args.outer_in_sit_sot, args.inner_in_sit_sot, strict=True)
        ]
        shared = [
            self.state(x, inner) for x, inner in zip(args.outer_in_shared, args.inner_in_shared, strict=True)
        ]
        made = args.info.split("inner_out", self.opener.copy(args.inner_outputs, self.inside, self.depth + 1))
        if made["cond"]:
            self.loop.condition = made["cond"][0]
        for chain, step in zip(several, made["mit_sot"], strict=True):
            for r, value in zip(chain, [step, *(r.state for r in chain)]):
                r.step = alike(value, r.state)
        for r, step in zip([*single, *shared], [*made["sit_sot"], *made["shared"]], strict=True):
            r.step = alike(step, r.state)
        stacked = [*(c[0].step for c in several), *(r.step for r in single), *made["nit_sot"]]
        outs = iter(made["mit_mot"])
        found = [
            *(finish([next(outs) for _ in t]) for finish, t in zip(buffers, args.info.mit_mot_out_slices)),
            *(self.collected(v) for v in stacked),
            *(self.final(r.state.owner.inputs[0], r.step) for r in shared),
        ]
        return [_as_before(v, old, self.fewer) for v, old in zip(found, self.node.outputs, strict=True)]

    def row(self, x: Any, inner: Any, what: str) -> Any:
        """The value of a sequence at the present step."""
        rows = self.opener.rows(x, self.n, f"{self.node.op}: {what}")
        return alike(elem_op(rows, loop=self.loop.number), inner)

    def state(self, initial: Any, inner: Any) -> Recurrence:
        """A state that begins with a value; the inner variable stands for it."""
        r = self.recurrence(initial, inner)
        self.inside[inner] = r.state
        return r

    def recurrence(self, initial: Any, inner: Any) -> Recurrence:
        """A new state of the loop, with the type and the name of an inner variable."""
        r = self.opener.recurrence(self.loop, initial, inner.type)
        r.name = inner.name and inner.name.partition("[t")[0]
        r.label = self.label
        return r

    def several(self, k: int) -> list[Recurrence]:
        """A state of several taps: the value one step ago, and of each older one that it was the next one before."""
        taps, reads = self.args.mit_sot_in_slices[k], self.args.inner_in_mit_sot[k]
        count = -min(taps)
        what = f"{self.node.op}: the initial value of a state"
        initial = self.opener.rows(self.args.outer_in_mit_sot[k], constant(count, dtype="int64"), what)
        chain = [self.recurrence(initial[count - j], reads[0]) for j in range(1, count + 1)]
        for tap, inner in zip(taps, reads, strict=True):
            self.inside[inner] = alike(chain[-tap - 1].state, inner)
        return chain

    def collected(self, value: Any) -> Any:
        """The values at all steps."""
        return collect_op(value, self.n, loop=self.loop.number, open=self.open)

    def final(self, initial: Any, value: Any) -> Any:
        """The value after the last step."""
        return final_op(initial, value, self.n, loop=self.loop.number, open=self.open)


def _steps(n: Any, numbering: Numbering) -> Any:
    """The number of steps, as the length that it is; the smallest of equal numbers is one of them."""
    lengths = [_as_length(v) for v in smallest_of(n)]
    return lengths[0] if len(set(map(numbering.of, lengths))) == 1 else n


def _as_length(n: Any) -> Any:
    if n.owner is not None and getattr(n.owner.op, "name", "") == "length" and n.owner.op.params["axis"] == 0:
        return length(n.owner.inputs[0], 0)
    return n


def smallest_of(n: Any) -> list[Any]:
    """The numbers of which n is the smallest."""
    found, stack = [], [n]
    while stack:
        v = stack.pop()
        if v.owner is not None and getattr(v.owner.op, "name", "") == "minimum":
            stack.extend(reversed(v.owner.inputs))
        else:
            found.append(v)
    return found


def _as_before(v: Any, old: Any, fewer: bool = False) -> Any:
    """A value in the type of the output whose place it takes, with its name and line; ``fewer`` rows where not all are read."""
    if fewer and old.type.ndim:
        v = specify(unbroadcast_like(v, old), (None, *old.type.shape[1:]))
    else:
        v = alike(v, old)
    if v.owner is not None and v.name is None:
        v.name = old.name
        v.comes_from(old)
    return v


# ----------------------------------------------------------------------------------------------- equal recurrences


def merged(opener: Opener, outputs: list[Any]) -> Opened:
    """The graph with one recurrence for all that begin alike and go on alike, of one scan or of several."""
    table = opener.table
    first: dict[Hashable, Recurrence] = {}
    twins: dict[Variable, Any] = {}
    for r, part in zip(table.recurrences, parts(opener), strict=True):
        if first.setdefault(part, r) is not r:
            twins[r.state] = first[part].state
    if not twins:
        return Opened(outputs, table)
    kept = list(first.values())
    return Opened(_with_twins(table, kept, outputs, twins), LoopTable(table.loops, kept, table.equal))


def _with_twins(
    table: LoopTable, kept: Sequence[Recurrence], outputs: Sequence[Any], twins: dict[Variable, Any]
) -> list[Any]:
    """The outputs with one state for all twins, which the table gets too.

    A state that replaces others may begin with a value that is computed of twins, so that it is replaced in its turn.
    """
    ends = [loop for loop in table.loops if loop.condition is not None]
    while twins:
        before = [r.state for r in kept]
        pairs = [v for pair in table.equal for v in pair]
        states = [v for r in kept for v in (r.state, r.step)]
        rest = iter(clone_with([*outputs, *pairs, *states, *(loop.condition for loop in ends)], twins))
        outputs = [next(rest) for _ in outputs]
        table.equal = [(next(rest), next(rest)) for _ in table.equal]
        for r in kept:
            r.state, r.step = next(rest), next(rest)
        for loop in ends:
            loop.condition = next(rest)
        twins = {a: r.state for a, r in zip(before, kept, strict=True) if r.state is not a}
    return list(outputs)


def parts(opener: Opener) -> list[Hashable]:
    """For each recurrence what it has in common with those that have the same values at all steps.

    The coarsest partition that the steps respect, by refinement: Hopcroft 1971.
    """
    found = opener.table.recurrences
    initials = opener.numbering.all([r.state.owner.inputs[0] for r in found])
    part: list[Hashable] = [
        (r.loop.number, start, r.state.type) for r, start in zip(found, initials, strict=True)
    ]
    count = len(set(part))
    while count < len(found):
        numbering = Numbering(dict(zip((r.state for r in found), part, strict=True)), ordered=False)
        steps = numbering.all([r.step for r in found])
        numbers: dict[Hashable, int] = {}
        part = [numbers.setdefault(key, len(numbers)) for key in zip(part, steps, strict=True)]
        if len(numbers) == count:
            break
        count = len(numbers)
    return part
