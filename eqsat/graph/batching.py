"""A graph computed for many values at once: every op gets a leading axis, by the rule of its declaration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, BatchError, RankError, ShapeError
from eqsat.graph.batch_rules import Unbatched, elementwise, expand, shift_axes
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.ops.join import stack
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.graph.ops.specify import specify
from eqsat.graph.parameters import AXES
from eqsat.graph.walk import rebuild, toposort

MOST_COPIES = 256  # of an op without a rule, where the length of the batch is known


@dataclass
class Batch:
    """The new variables of a batched graph, and which of them have the leading axis."""

    new: dict[Variable, Variable]
    batched: set[Variable]
    count: Any

    def node(self, node: Apply) -> None:
        """Apply the op of a node to its new operands, if there are any."""
        flags = [v in self.batched for v in node.inputs]
        inputs = [self.new.get(v, v) for v in node.inputs]
        if not any(flags):
            if any(v in self.new for v in node.inputs):
                self.new.update(zip(node.outputs, rebuild(node, inputs), strict=True))
            return
        results = apply_batched(node, inputs, flags, self.count)
        for old, fresh in zip(node.outputs, results, strict=True):
            if isinstance(fresh, Unbatched):
                self.new[old] = fresh.variable
            else:
                self.new[old] = specify(fresh, (None, *old.type.shape))  # type: ignore[attr-defined]
                self.batched.add(old)


def batch(outputs: Sequence[Variable], replace: Mapping[Variable, Any]) -> list[Any]:
    """The outputs for a batch of values: each variable of ``replace`` becomes one with a leading axis.

    All of the new variables have one length on that axis, or length 1 by type, which broadcasts as elsewhere. Outputs
    that depend on none of them are repeated.

    Errors   BatchError, a NotImplementedError, for an op that has no rule, which it names; ShapeError for batches of
             different lengths, when the graph runs where they are not known before

    >>> import eqsat.tensor as T
    >>> x, many = T.dvector("x"), T.dmatrix("many")
    >>> batch([x.sum()], {x: many})[0].eval({many: [[1.0, 2.0], [3.0, 4.0]]})
    array([3., 7.])
    """
    _check(replace)
    many, known = _longest(replace)
    new = {old: _fitted(v, known) if old in many else v for old, v in replace.items()}
    single = {old: dimshuffle(v, *range(1, v.ndim)) for old, v in new.items() if old not in many}
    count = length(new[many[0]], 0)
    work = Batch(new | single, set(many), count)
    for node in toposort(outputs, stop=replace):
        work.node(node)
    made = [(work.new.get(v, v), v in work.batched) for v in outputs]
    return [v if done else expand(v, count) for v, done in made]


def _longest(replace: Mapping[Variable, Any]) -> tuple[list[Variable], int | None]:
    """The variables whose batch has the length of all, and that length where it is known; the others have length 1."""
    lengths = {old: v.type.shape[0] for old, v in replace.items()}
    found = sorted({n for n in lengths.values() if n is not None and n != 1})
    if len(found) > 1:
        raise ShapeError(
            f"batch: the batches have the lengths {' and '.join(map(str, found))}",
            operands=[(str(v), v) for v in replace.values()],
            needs="one length, or length 1 in the type",
        )
    long = [old for old, n in lengths.items() if n != 1]
    return (long, found[0] if found else None) if long else (list(replace), 1)


def _fitted(many: Any, count: int | None) -> Any:
    """A batch whose length, where that of another is known, is checked to be the same."""
    return many if count is None else specify(many, (count, *many.type.shape[1:]))


def _check(replace: Mapping[Variable, Any]) -> None:
    if not replace:
        raise ArgumentError("batch: no variable is replaced")
    for old, new in replace.items():
        have, want = new.type, old.type
        if have.ndim != want.ndim + 1 or have.dtype != want.dtype:  # type: ignore[attr-defined]
            raise RankError(
                f"batch: {new} is not a batch of {old}",
                operands=[(str(old), old), (str(new), new)],
                needs="the same dtype and one axis more, on the left",
            )


def apply_batched(node: Apply, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Sequence[Any]:
    """Results of an op of which some operands have a leading axis."""
    op = node.op
    if isinstance(op, DeclaredOp):
        rule = op.declaration.batch
        if rule is None and op.declaration.kind == "elemwise":
            rule = elementwise
        elif rule is None and op.declaration.parameters == {"axes": AXES}:
            rule = shift_axes
        if rule is not None:
            made = rule(op, inputs, flags, count)
            return made if isinstance(made, list) else [made]
    elif hasattr(op, "batched") and (results := op.batched(inputs, flags, count)) is not None:
        return results  # type: ignore[no-any-return]
    return _copies(node, inputs, flags, count)


def _copies(node: Apply, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> list[Any]:
    """One application per entry of the batch, where their number is known."""
    number = int(count.data) if isinstance(count, Constant) else None
    if number is None or not 0 < number <= MOST_COPIES:
        raise no_rule(node.op, inputs)
    rows = [
        node.op.make_node(*(v[k] if f else v for v, f in zip(inputs, flags, strict=True))).outputs
        for k in range(number)
    ]
    return [stack(list(column)) for column in zip(*rows, strict=True)]


def no_rule(op: Any, inputs: Sequence[Any]) -> BatchError:
    """The error for an op that cannot be batched."""
    return BatchError(
        f"{op} has no rule for a batch of values",
        operands=[(str(v), v) for v in inputs],
        hint="the field batch= of its declaration, or a batch of known length (T.specify_shape)",
        op=op,
    )
