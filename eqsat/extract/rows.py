"""Groups of steps that run over blocks of rows: what one step writes the next one reads while it is near."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from eqsat.base.values import dataclass
from eqsat.extract.clusters import Clusters
from eqsat.extract.cost import CostModel
from eqsat.extract.group_costs import steps_seconds
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.free_axes import free_axes, summed_axes
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.plan import (
    Call,
    Kernel,
    Load,
    Plan,
    Result,
    Rows,
    Step,
    is_aligned,
    reads,
    seen_type,
    writes,
)

MOST_STEPS = 2000  # of a plan; longer ones stay as they are
MOST_MEMBERS = 24
MOST_VARIABLES = 128  # that a group reads and makes: compilers are slow on long functions
MOST_AGAIN = 65536  # bytes that a block may read for every block of rows


@dataclass
class Fit:
    """The axis along which the rows of each operand lie, None where it is read as a whole; and how each result has them.

    That is the axis, or the reduction that joins the results of some rows. ``axis`` is that of a kernel's space.
    """

    operands: list[tuple[Variable, int | None]]
    results: list[tuple[Variable, Any]]
    axis: int = 0


def grouped(plan: Plan, model: CostModel) -> list[Step]:
    """The steps of a plan with those put together that can run over blocks of rows; then over those along another axis."""
    if len(plan.steps) > MOST_STEPS:
        return plan.steps
    rest = Plan(plan.inputs, plan.outputs, _Groups(plan, model).steps())
    return _Across(rest, model).steps()


class _Groups:
    """Groups while they are found."""

    across = False

    def __init__(self, plan: Plan, model: CostModel) -> None:
        self.plan, self.model = plan, model
        self.clusters = Clusters(plan.steps)
        self.fits: dict[int, Fit] = {}  # per step
        self.axis: dict[int, dict[Variable, int | None]] = {}  # per cluster, of what it reads and makes
        self.made: dict[int, dict[Variable, Any]] = {}
        self.last: dict[Variable, int] = {}

    def steps(self) -> list[Step]:
        """The steps in order, groups as steps of their own."""
        for k, step in enumerate(self.plan.steps):
            self._enter(k, step)
        self._unite()
        return [step for c in self.clusters.order() for step in self._best(c)]

    def _best(self, c: int) -> list[Step]:
        """The steps of a cluster as a group, or one after the other where that costs less."""
        members, late = self._members(self.clusters.members[c])
        group = self._group(self.clusters.members[c], self.made.get(c, {}))
        if group is None or self._seconds([group]) >= self._seconds(members):
            return [*members, *late]
        return [group, *late]

    def _seconds(self, steps: Sequence[Step]) -> float:
        return steps_seconds(steps, self.model)

    # ------------------------------------------------------------------------------------------------ which steps

    def _enter(self, k: int, step: Step) -> None:
        for c in self._candidates(step):
            for fit in self._fits(step, self.made[c]):
                if self._is_light(step, fit) and self._takes(c, fit) and self.clusters.may_join(c, k):
                    self.clusters.join(c, k)
                    self._note(c, k, fit)
                    return
        first = next((fit for fit in self._fits(step, {}) if self._begins(step, fit)), None)
        if first is not None:
            self.axis[k], self.made[k] = {}, {}
            self._note(k, k, first)

    def _fits(self, step: Step, made: dict[Variable, Any]) -> Iterator[Fit]:
        return fits_of(step, made, [0])

    def _begins(self, step: Step, fit: Fit) -> bool:
        """True where a step may be the first of a group."""
        return self._is_light(step, fit) and not (isinstance(step, Call) and _is_view(step))

    def _is_light(self, step: Step, fit: Fit) -> bool:
        """False for a block that reads or adds up much as a whole for every block of rows, as a product of matrices may."""
        if not isinstance(step, Call):
            return True
        again = [v for v, a in fit.operands if a is None] + [v for v, how in fit.results if is_reduced(how)]
        return sum(map(self._bytes, again)) <= MOST_AGAIN

    def _unite(self) -> None:
        """Make one group of two that have rows in common, where it costs less than they do."""
        holders: dict[Variable, list[int]] = {}
        for c in sorted(self.axis):
            others = {self.clusters.of[a] for v in self.axis[c] for a in holders.get(v, ())}
            for a in sorted(others - {c}, reverse=True):
                if self._agree(a, c) and self.clusters.may_join(a, c) and self._gains(a, c):
                    self.clusters.join(a, c)
                    self.axis[a] = {**self.axis[c], **self.axis[a]}
                    self.made[a].update(self.made[c])
                    break
            for v in (*self.axis[c], *self.made[c]):
                holders.setdefault(v, []).append(c)

    def _agree(self, a: int, b: int) -> bool:
        """True where a later group has the rows of what it shares with another one as that has them."""
        steps = [*self.clusters.members[a], *self.clusters.members[b]]
        if len(steps) > MOST_MEMBERS or len(self._variables(a) | self._variables(b)) > MOST_VARIABLES:
            return False
        shared = [(v, at) for v, at in self.axis[b].items() if v in self._variables(a)]
        known = [rows_along(self.made[a][v]) if v in self.made[a] else self.axis[a][v] for v, _ in shared]
        fits = [at == has for (_, at), has in zip(shared, known, strict=True)]
        made = [at is not None for v, at in shared if v in self.made[a]]
        return all(fits) and all(made) and any(at is not None for _, at in shared)

    def _variables(self, c: int) -> set[Variable]:
        return self.axis[c].keys() | self.made[c].keys()

    def _gains(self, a: int, b: int) -> bool:
        """True where one group of the steps of two costs less than both."""
        steps = sorted([*self.clusters.members[a], *self.clusters.members[b]])
        both = self._group(steps, {**self.made[a], **self.made[b]})
        return both is not None and self._seconds([both]) < self._seconds([*self._best(a), *self._best(b)])

    def _candidates(self, step: Step) -> list[int]:
        """Groups that make or read an operand of a step, the latest first."""
        found = {self.clusters.of[self.last[v]] for v in reads(step) if v in self.last}
        found &= self.axis.keys()
        return sorted((c for c in found if self._has_room(c, step)), reverse=True)

    def _has_room(self, c: int, step: Step) -> bool:
        more = len({*reads(step), *writes(step)} - self.axis[c].keys() - self.made[c].keys())
        variables = len(self._variables(c)) + more
        return len(self.clusters.members[c]) < MOST_MEMBERS and variables <= MOST_VARIABLES

    def _note(self, c: int, k: int, fit: Fit) -> None:
        self.fits[k] = fit
        for v, axis in fit.operands:
            self.axis[c].setdefault(v, axis)
            self.last[v] = c
        for v, how in fit.results:
            self.made[c][v] = how
            self.last[v] = c

    def _takes(self, c: int, fit: Fit) -> bool:
        """True where a step finds the rows of its operands in a group."""
        made, axis = self.made[c], self.axis[c]
        near = False
        for v, a in fit.operands:
            if v in made:
                if a is None or a != rows_along(made[v]):
                    return False
                near = True
            elif a is not None and a == axis.get(v, -1):
                near = True
        return near

    def _bytes(self, variable: Any) -> float:
        size = 1.0
        for n in self.model.lengths(variable.type.shape):
            size *= n
        return size * 8

    # ---------------------------------------------------------------------------------------------- a group as a step

    def _members(self, numbers: Sequence[int]) -> tuple[list[Step], list[Step]]:
        """The steps of a group, and the views that only steps after it look through."""
        members: list[Step] = [self.plan.steps[k] for k in numbers]
        late: list[Step] = []
        for step in reversed(members[:]):
            looked = {v for s in members for v in reads(s)}
            if isinstance(step, Call) and _is_view(step) and looked.isdisjoint(writes(step)):
                members.remove(step)
                late.insert(0, step)
        return members, late

    def _group(self, numbers: Sequence[int], made: dict[Variable, Any]) -> Rows | None:
        """The group of some steps, without the views that only others look through; None where there is none."""
        members, _ = self._members(numbers)
        if sum(not (isinstance(step, Call) and _is_view(step)) for step in members) < 2:
            return None
        fits = {id(self.plan.steps[k]): self.fits[k] for k in numbers}
        return self._rows(members, [fits[id(step)] for step in members], made)

    def _rows(self, members: list[Step], fits: Sequence[Fit], made: dict[Variable, Any]) -> Rows | None:
        """A group; None where a step needs more of what another one makes than the rows at hand, or somebody else needs
        a result that cannot be written as its rows lie.
        """
        inside = {v for step in members for v in writes(step)}
        if any(a is None or a != rows_along(made[v]) for f in fits for v, a in f.operands if v in inside):
            return None
        needed = set(self.plan.outputs)
        ids = {id(step) for step in members}
        for step in self.plan.steps:
            if id(step) not in ids:
                needed.update(reads(step))
        made = {v: how for v, how in made.items() if v in inside}
        plain = {r.variable for s in members if isinstance(s, Kernel) for r in s.results if r.reduce is None}
        if any(not _stands(v, how) and v not in plain for v, how in made.items() if v in needed):
            return None
        return _Inner(inside, needed).rows(members, fits, made, self.across)


class _Across(_Groups):
    """Groups along another axis than the first, of kernels that need none of the others: columns of which sums are taken, say."""

    across = True

    def _fits(self, step: Step, made: dict[Variable, Any]) -> Iterator[Fit]:
        return fits_of(step, made, range(step.ndim)) if isinstance(step, Kernel) else iter(())

    def _begins(self, step: Step, fit: Fit) -> bool:
        return fit.axis > 0 and not any(is_reduced(how) for _, how in fit.results)


def is_reduced(how: Any) -> bool:
    """True for a result that is reduced over the rows, of which ``Fit`` tells the way."""
    return not isinstance(how, int)


def rows_along(how: Any) -> int | None:
    """The axis along which a result has its rows, of which ``Fit`` tells the way; None for a reduction over them."""
    return None if is_reduced(how) else how


def _stands(variable: Any, how: Any) -> bool:
    """True where some rows of a result are one piece of memory."""
    axis = rows_along(how)
    return axis is None or all(n == 1 for n in variable.type.shape[:axis])


def _is_view(step: Call) -> bool:
    return getattr(getattr(step.apply.op, "declaration", None), "kind", "") == "view"


class _Inner:
    """Makes the inner plan of a group: variables of its own, whose lengths along the rows are not known."""

    def __init__(self, inside: set[Variable], needed: set[Variable]) -> None:
        self.inside, self.needed = inside, needed
        self.copies: dict[tuple[Variable, int | None], Variable] = {}
        self.rowed: list[tuple[Variable, Variable, int]] = []
        self.fixed: list[tuple[Variable, Variable]] = []
        self.axis: dict[Variable, int] = {}

    def rows(
        self, members: Sequence[Step], fits: Sequence[Fit], made: dict[Variable, Any], across: bool
    ) -> Rows:
        self.made = made
        steps: list[Step] = [
            self._kernel(s, fit.axis) if isinstance(s, Kernel) else self._call(s, fit)
            for s, fit in zip(members, fits, strict=True)
        ]
        results = [(v, self.copies[v, 0], how) for v, how in made.items() if v in self.needed]
        inputs = [*(i for _, i, _ in self.rowed), *(i for _, i in self.fixed)]
        plan = Plan(inputs, [i for _, i, _ in results], steps)
        return Rows(list(members), plan, self.rowed, self.fixed, results, self.axis, across)

    def _copy(self, v: Any, axis: int | None) -> Any:
        if v in self.inside:
            axis = 0
        if isinstance(v, Constant) and axis is None:
            return v
        found = self.copies.get((v, axis))
        if found is None:
            kind = v.type
            at = rows_along(self.made[v]) if v in self.inside else axis
            if at is not None:
                shape = tuple(None if a == at else n for a, n in enumerate(kind.shape))
                kind = type(kind)(kind.dtype, shape=shape)
            found = self.copies[v, axis] = Variable(
                kind, name=v.name if v.owner is None else str(v)
            )  # the text, for errors
            found.comes_from(v)
            if at is not None:
                self.axis[found] = at
            if v not in self.inside:
                if axis is None:
                    self.fixed.append((v, found))
                else:
                    self.rowed.append((v, found, axis))
        return found

    def _kernel(self, kernel: Kernel, axis: int) -> Kernel:
        expressions: list[Any] = [
            Load(self._copy(e.variable, row_axis(e, axis)), e.views) if isinstance(e, Load) else e
            for e in kernel.expressions
        ]
        results = [Result(self._copy(r.variable, 0), r.root, r.reduce) for r in kernel.results]
        static = tuple(None if a == axis else n for a, n in enumerate(kernel.static))
        return Kernel(expressions, results, static)

    def _call(self, step: Any, fit: Fit) -> Call:
        inputs = [self._copy(v, a) for v, a in fit.operands]
        outputs = [self._copy(v, 0) for v in step.apply.outputs]
        node = Apply(step.apply.op, inputs, outputs)
        node.tag = step.apply.tag
        return Call(node)


# ------------------------------------------------------------------------------------------------- how steps fit


def fits_of(step: Step, made: dict[Variable, Any], axes: Iterable[int]) -> Iterator[Fit]:
    """Ways to see rows of a step's operands and results: each row of its results follows from one row of them, or adds them up.

    ``made`` holds what the steps before it in the group have made; ``axes`` are those along which a kernel's rows may lie.
    """
    if isinstance(step, Kernel):
        for axis in axes:
            yield from _fits_of_kernel(step, axis)
    if not isinstance(step, Call):
        return
    declaration = getattr(step.apply.op, "declaration", None)
    if declaration is None or not declaration.builder or declaration.in_place is not None:
        return
    yield from _fits_of_view(step.apply, made) if declaration.kind == "view" else _fits_of_block(step.apply)


def _fits_of_kernel(kernel: Kernel, axis: int) -> Iterator[Fit]:
    if not kernel.ndim or kernel.static[axis] in (0, 1) or not is_aligned(kernel):
        return
    loads = [e for e in kernel.expressions if isinstance(e, Load)]
    axes = [row_axis(e, axis) for e in loads]
    if any(a == CUT for a in axes) or all(a is None for a in axes):
        return
    results = [
        (r.variable, r.reduce if r.reduce is not None and axis in r.reduce.params["axes"] else axis)
        for r in kernel.results
    ]
    yield Fit([(e.variable, a) for e, a in zip(loads, axes, strict=True)], results, axis)


CUT = -2  # a view that takes part of the rows, or changes their order


def row_axis(load: Load, axis: int = 0) -> int | None:
    """The axis of a variable that runs along one of the kernel that loads it; None where it is the same all along that."""
    axes: list[Any] = list(range(load.variable.type.ndim))  # type: ignore[attr-defined]
    for view in load.views:
        axes = list(_through(getattr(view, "op", view), axes))
    if not axes or axes[axis] is None or seen_type(load).shape[axis] == 1:
        return None
    found: int = axes[axis]
    return found


def _through(op: Any, axes: Sequence[Any]) -> Iterator[Any]:
    """The axes that a view shows, as those of what it looks at."""
    if op.name == "dimshuffle":
        yield from (None if p == "x" else axes[p] for p in op.params["pattern"])
        return
    yield from (CUT for _ in axes)


def _fits_of_view(apply: Apply, made: dict[Variable, Any]) -> Iterator[Fit]:
    """A view of what the group makes, which only moves axes."""
    (source, *rest), op = apply.inputs, apply.op
    if rest or source not in made or op.name != "dimshuffle":  # type: ignore[attr-defined]
        return
    at, pattern = rows_along(made[source]), op.params["pattern"]  # type: ignore[attr-defined]
    if at in pattern:
        yield Fit([(source, at)], [(apply.outputs[0], pattern.index(at))])


def _fits_of_block(apply: Apply) -> Iterator[Fit]:
    free = free_axes(apply)
    if free is not None:
        yield Fit(list(zip(apply.inputs, free, strict=True)), [(v, 0) for v in apply.outputs])
    for axes in summed_axes(apply):
        total = sum_op.bind(axes=(0,))
        yield Fit(list(zip(apply.inputs, axes, strict=True)), [(v, total) for v in apply.outputs])
