"""Instances of rules on loops: both sides as graphs with rows, states and stacks.

A metavariable under ``elem`` becomes an outer tensor with a row for each step, a ``fixed`` one an outer tensor, one
that ``moves`` a row, a state or a value of both, and one of which nothing is said any of these. ``state`` is a state
whose step is what ``recurs`` says, else another value. Now and then all of it lies inside of a second loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from eqsat.graph.constant import constant
from eqsat.graph.core import Constant, Variable
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import BOOL, FLOATS
from eqsat.graph.loops import BINDERS, Loop, LoopTable, Recurrence, elem_op, state_op
from eqsat.graph.ops.elemwise import switch
from eqsat.graph.ops.index import part_op
from eqsat.graph.parts import FULL
from eqsat.graph.tensor_type import TensorType
from eqsat.rules.pattern import Meta, Parameter, Term, metas_of, subterms
from eqsat.rules.rule import Rule
from eqsat.scan.utils import alike
from eqsat.verify.part_points import drawn_entry
from eqsat.verify.points import DTYPES, draw, facts_of, parameter_kinds, rank_of
from eqsat.verify.sides import Array, Graph, Point, Undefined

INNER, OUTER = 0, 1  # numbers of the loop that a rule speaks of and of the one around it
OWN = 0  # the key of the state that a rule names
TAKES = {
    "?": (BOOL,),
    "f": FLOATS,
    "i": ("int64", "int8", "uint8", BOOL),
    "n": ("int64", "int8", "uint8", *FLOATS),
}
DOMAINS = {"float": "f", "int": "i", "number": "n", "bool": "?"}


def is_loop_rule(rule: Rule) -> bool:
    """True for a rule that names an op of loops."""
    terms = [p for side in (rule.left, rule.right) for p in subterms(side) if isinstance(p, Term)]
    return any(OPS[p.op].kind == "loop" for p in terms)


def roles(rule: Rule) -> dict[str, str]:
    """The role of each metavariable: rows, picked (rows that time picks), count, start, fixed, moves or free."""
    found: dict[str, str] = {}
    for p in subterms(rule.left):
        if isinstance(p, Term) and p.op in ("elem", "state") and isinstance(p.args[0], Meta):
            found[p.args[0].name] = "rows" if p.op == "elem" else "start"
        if isinstance(p, Term) and p.op == "arange":
            found[p.args[1].name] = "count"
        if isinstance(p, Term) and OPS[p.op].form_of == "subtensor" and isinstance(p.args[-1], Term):
            found |= {a.name: "picked" for a in p.args[:-1]}
        if isinstance(p, Term) and p.op in BINDERS:
            found[p.args[-1].name] = "count"
    for fact, args in facts_of(rule):
        if fact in ("fixed", "moves"):
            found.setdefault(args[0].name, fact)
    return {m.name: found.get(m.name, "free") for m in metas_of(rule.left)}


def letters(rule: Rule) -> dict[str, set[str]]:
    """The letters of signatures that the ops of the left side and the domain ask of the dtype of each metavariable."""
    found = {m.name: {DOMAINS[m.domain]} if m.domain in DOMAINS else set() for m in metas_of(rule.left)}
    for p in subterms(rule.left):
        names = OPS[p.op].signature.partition("->")[0].split(",") if isinstance(p, Term) else []
        for letter, arg in zip(names, getattr(p, "args", ()), strict=False):
            while isinstance(arg, Term) and OPS[arg.op].kind == "loop":
                arg = arg.args[0]
            if letter and isinstance(arg, Meta):
                found[arg.name].add(letter)
    return found


class Drawing(Graph):
    """One instance of a rule: ``left`` and ``right`` as variables, and the values of what is outside."""

    def __init__(self, rule: Rule, rng: Any, inside: bool) -> None:
        super().__init__(Point({}))
        self.rule, self.rng, self.inside = rule, rng, inside
        self.backward = rule.tier != "exact"
        self.whole = self.backward and rng.random() < 0.5
        self.made: dict[tuple[Any, ...], Any] = {}
        self.given: dict[Variable, Array] = {}
        self.steps = int(rng.choice([2, 3, 5, 1, 0]))
        self.around = int(rng.integers(1, 4)) if rng.random() < 0.2 else None
        self.n = self.number_of_steps()
        self.table = LoopTable([Loop(INNER, int(self.around is not None), self.n)])
        if self.around is not None:
            self.table.loops.append(Loop(OUTER, 0, constant(np.int64(self.around))))
        self.uneven: set[str] = set()  # what has another shape in each step
        self.recurs = inside or bool(rng.random() < 0.5)
        self.draw_all()
        self.left = self.run(rule.left)
        self.root_dtype, self.root_ndim = self.left.type.dtype, self.left.type.ndim
        self.step_of_own()

    # ------------------------------------------------------------------------------------------------- what is drawn

    def number_of_steps(self) -> Any:
        """A constant, or a variable, which alone may be 0."""
        if self.steps and self.rng.random() < 0.5:
            return constant(np.int64(self.steps))
        self.steps = max(self.steps, int(self.rule.left.op == "last"))
        n = TensorType("int64", shape=())("n")
        self.given[n] = np.array(self.steps)
        return n

    def draw_all(self) -> None:
        """Variables for the metavariables, and values for the parameters."""
        written = [p.params[1] for p in subterms(self.rule.left) if isinstance(p, Term) and p.op in BINDERS]
        self.open = next((k for k in written if isinstance(k, int)), int(self.rng.random() < 0.25))
        if self.open:
            self.table.loops[INNER].condition = elem_op(self.outer("stop", BOOL, (), rows=True), loop=INNER)
        self.sizes = shapes = self.shapes()
        dtypes = self.dtypes()
        role = roles(self.rule)
        order = sorted(role, key=lambda name: (role[name] != "start", name))
        for name, kind in parameter_kinds(self.rule).items():
            self.point.params[name] = self.parameter_value(name, kind, shapes)
        for name in order:
            self.variables[name] = self.value_of(name, role[name], dtypes[name], shapes[name])

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of one step: of one rank, some axes of length 1."""
        names = sorted(m.name for m in metas_of(self.rule.left))
        known = rank_of(self.rule)
        least = int("axis" in map(self.field, parameter_kinds(self.rule)))
        rank = int(self.rng.integers(least, 4)) if known is None else known
        common = [int(self.rng.choice([2, 3, 1])) for _ in range(rank)]
        alike = (
            not self.steps and "start" in roles(self.rule).values()
        )  # no step looks at the shape of a state
        places = {m.name for m in metas_of(self.rule.left) if m.domain == "place"}
        return {
            n: ()
            if n in places
            else tuple(1 if not alike and self.rng.random() < 0.25 else k for k in common)
            for n in names
        }

    def dtypes(self) -> dict[str, str]:
        """One dtype for all metavariables but those of which an op asks something else."""
        asked = letters(self.rule)
        free = [n for n, found in asked.items() if found == {"a"}]
        mains = ["float64", "float32", "int64", "int8", "uint8", BOOL]
        rest = [TAKES[k] for n in asked for k in asked[n] - {"?"} if k in TAKES]
        able = [d for d in mains if all(d in taken for taken in rest)]
        main = str(self.rng.choice(able or mains))
        chosen = {n: BOOL if "?" in found else main for n, found in asked.items()}
        if not able:  # floats beside integers
            chosen |= {
                n: self.able(found, mains) for n, found in asked.items() if found & TAKES.keys() - {"?"}
            }
        chosen |= {m.name: "int64" for m in metas_of(self.rule.left) if m.domain == "place"}
        return {**chosen, **{n: str(self.rng.choice(mains)) for n in sorted(free)}}

    def able(self, asked: set[str], mains: list[str]) -> str:
        """A dtype that is of all letters asked for."""
        return str(self.rng.choice([d for d in mains if all(d in TAKES[k] for k in asked if k in TAKES)]))

    def parameter_value(self, name: str, kind: str, shapes: dict[str, tuple[int, ...]]) -> Any:
        """A value for a parameter metavariable."""
        rank = max((len(s) for s in shapes.values()), default=0)
        if kind == "axes":
            return tuple(a for a in range(rank) if self.rng.random() < 0.6)
        if kind == "part":
            return self.part(name, shapes)
        if kind == "pattern":
            return self.pattern(next((s for n, s in sorted(shapes.items()) if n == "x"), ()))
        if kind == "dtype":
            return str(self.rng.choice(DTYPES))
        fixed = {"loop": INNER, "key": OWN, "open": self.open}
        field = self.field(name)
        return fixed[field] if field in fixed else int(self.rng.integers(0, max(rank, 1)))

    def field(self, name: str) -> str:
        """The name that the op of the left side has for a parameter metavariable."""
        for p in subterms(self.rule.left):
            for value, field in zip(
                getattr(p, "params", ()), OPS[p.op].parameters if isinstance(p, Term) else ()
            ):
                if value == Parameter(name):
                    return field
        raise AssertionError(name)

    def pattern(self, shape: Sequence[int]) -> tuple[Any, ...]:
        """A dimshuffle pattern for a shape: axes of length 1 may go, new ones may come."""
        kept = [a for a, k in enumerate(shape) if k != 1 or self.rng.random() < 0.5]
        found: list[Any] = [kept[i] for i in self.rng.permutation(len(kept))]
        for _ in range(int(self.rng.integers(0, 3))):
            found.insert(int(self.rng.integers(0, len(found) + 1)), "x")
        return tuple(found)

    def part(self, name: str, shapes: dict[str, tuple[int, ...]]) -> tuple[Any, ...]:
        """An index pattern for what the left side takes a part of, with a "?" where an operand says which."""
        term = next(
            t for t in subterms(self.rule.left) if isinstance(t, Term) and Parameter(name) in t.params
        )
        source = term.args[0]
        shape = shapes[source.name if isinstance(source, Meta) else source.args[0].name]
        entries = [drawn_entry(self.rng, k) for k in shape]
        if isinstance(source, Term) and source.op == "collect":
            entries.insert(0, [("int", -1), FULL, drawn_entry(self.rng, 3)][int(self.rng.integers(0, 3))])
        index = term.args[1:]
        if index and isinstance(index[0], Term):
            entries.insert(0, ("int", "?"))
        elif index and entries:
            entries[int(self.rng.integers(0, len(entries)))] = ("int", "?")
        return tuple(entries)

    # --------------------------------------------------------------------------------------------------- variables

    def value_of(self, name: str, role: str, dtype: str, shape: tuple[int, ...]) -> Any:
        """A variable for a metavariable."""
        if role == "count":
            return self.n
        zero, one = self.asks("zero", name), self.asks("filled_with_one", name)
        if self.inside and role != "start" and (zero or one):
            return constant(np.full(shape, int(one), dtype))
        if role in ("rows", "picked"):
            return self.outer(name, dtype, shape, rows=True, more=int(role == "picked"))
        if role == "start":
            ones = ("filled_with_one", name) in [(f, str(a[0])) for f, a in facts_of(self.rule)]
            start = (
                constant(np.ones(shape, dtype)) if ones and self.inside else self.outer(name, dtype, shape)
            )
            self.point.params[self.kind_name()] = self.type_of_state(start)
            return start
        if role == "free" or (role == "fixed" and not self.inside):
            role = str(self.rng.choice(["fixed", "moves", "own"]))
        if role == "own" and (own := self.own_state()) is not None:
            return own
        return self.outer(name, dtype, shape) if role == "fixed" else self.moving(name, dtype, shape)

    def type_of_state(self, start: Any) -> TensorType:
        """The type of a state: that of its initial value, or one that leaves open what a step may leave open."""
        if self.rng.random() < 0.7:
            return start.type  # type: ignore[no-any-return]
        others = [self.sizes[n] for n, role in roles(self.rule).items() if role != "count"]
        alone = [all(s[a] == 1 for s in others) for a in range(start.ndim)]
        return TensorType(start.type.dtype, shape=tuple(1 if one else None for one in alone))

    def kind_name(self) -> str:
        """The parameter metavariable for the type of the state that the rule names."""
        return next(n for n in parameter_kinds(self.rule) if self.field(n) == "kind")

    def own_state(self) -> Any:
        """The state that the rule names; None where it names none."""
        for p in subterms(self.rule.left):
            if isinstance(p, Term) and p.op == "state" and p.args[0].name in self.variables:
                return self.run(p)
        return None

    def outer(self, name: str, dtype: str, shape: tuple[int, ...], rows: bool = False, more: int = 0) -> Any:
        """An outer tensor, with a row for each step, or more, where that is asked for; in a second loop a row of it."""
        static = tuple(k if k == 1 or self.rng.random() < 0.5 else None for k in shape)
        if rows:
            sure = isinstance(self.n, Constant) or self.rng.random() < 0.2
            count = self.steps + int(self.rng.integers(0, more + 1))
            shape, static = (count, *shape), (count if sure else None, *static)
        if self.around is not None:
            shape, static = (self.around, *shape), (self.around, *static)
        v = TensorType(dtype, shape=static)(name)
        self.given[v] = self.values(dtype, shape)
        return v if self.around is None else elem_op(v, loop=OUTER)

    def values(self, dtype: str, shape: tuple[int, ...]) -> Array:
        """Any values for an exact rule; for others whole numbers, of which sums are exact, or some of ordinary size."""
        if dtype == "int64" and not shape[int(self.around is not None) :] and self.rng.random() < 0.8:
            return np.asarray(self.rng.integers(-2, 3, shape))  # may stand in an index
        if self.whole and dtype in FLOATS:
            return self.rng.integers(-3, 4, shape).astype(dtype)
        if self.backward and dtype in FLOATS:
            return np.asarray(self.rng.normal(size=shape) * 3, dtype)
        return draw(self.rng, dtype, shape, self.backward)

    def moving(self, name: str, dtype: str, shape: tuple[int, ...]) -> Any:
        """A value that depends on time: a row, a state, or a choice between both."""
        row = elem_op(self.outer(name, dtype, shape, rows=True), loop=INNER)
        if shape and self.rng.random() < (0.5 if not self.inside else 0.25 * (not self.asks("steady", name))):
            return self.cut(name, row)
        form = int(self.rng.integers(0, 3))
        if not form:
            return row
        key = 1 + max((r.key for r in self.table.recurrences), default=OWN)
        state = state_op(self.outer(name, dtype, shape), loop=INNER, key=key, kind=row.type)
        made = Recurrence(key, self.table.loops[INNER], state, row)
        self.table.recurrences.append(made)
        if form == 1:
            return state
        which = elem_op(self.outer("which", BOOL, (1,) * len(shape), rows=True), loop=INNER)
        made.step = switch(which, row, state)
        return made.step

    def asks(self, fact: str, name: str) -> bool:
        """True where the condition of the rule states a fact of a metavariable."""
        return any(fact == f and str(args[0]) == name for f, args in facts_of(self.rule))

    def cut(self, name: str, row: Any) -> Any:
        """The elements of a row, along some axis, before or from the place that the step says."""
        self.uneven.add(name)
        axis = int(self.rng.integers(0, row.ndim))
        entries = [FULL] * row.ndim
        entries[axis] = ("slice", None, "?", None) if self.rng.random() < 0.5 else ("slice", "?", None, None)
        return part_op(row, self.count(), pattern=tuple(entries))

    @cached_property
    def counts(self) -> Any:
        """Lengths for all steps."""
        around = () if self.around is None else (self.around,)
        counts = TensorType("int64", shape=(*around, None))("count")
        self.given[counts] = self.rng.integers(0, 4, (*around, self.steps))
        return counts

    def count(self) -> Any:
        """A length that changes from step to step."""
        counts = self.counts if self.around is None else elem_op(self.counts, loop=OUTER)
        return elem_op(counts, loop=INNER)

    def step_of_own(self) -> None:
        """Give the state that the rule names its new value."""
        state = self.own_state()
        if state is None:
            return
        left = self.rule.left
        step = self.left if left.op == "state" else self.run(left.args[1 if left.op == "final" else 0])
        if not self.recurs or "recurs" not in dict(facts_of(self.rule)):
            shape = self.given_shape(state.owner.inputs[0])
            step = elem_op(self.outer("step", state.type.dtype, shape, rows=True), loop=INNER)
            step = alike(step, state)
        if step.type != state.type:
            raise Undefined("a step changes the type of its state")
        self.table.recurrences.append(Recurrence(OWN, self.table.loops[INNER], state, step))

    def new_value(self) -> Any:
        """The new value that a step gives the state that the rule names."""
        return next(r.step for r in self.table.recurrences if r.key == OWN)

    def given_shape(self, v: Any) -> tuple[int, ...]:
        """The shape of an outer tensor in one step of the loop around."""
        return (
            tuple(self.given[v].shape) if v in self.given else tuple(self.given[v.owner.inputs[0]].shape[1:])
        )

    def known_shape(self, meta: Meta) -> tuple[int | None, ...]:
        return tuple(self.leaf(meta).type.shape)

    def apply(self, op: str, args: list[Any], params: dict[str, Any]) -> Any:
        """The variable of an op: one for equal operands, so that a state is one on both sides."""
        key = (op, *map(id, args), *params.values())
        if key not in self.made:
            self.made[key] = super().apply(op, args, params)
        return self.made[key]
