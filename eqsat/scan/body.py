"""One scan from results of a loop: which sequences, states and other variables its body reads, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.graph.core import Constant, Variable
from eqsat.graph.loops import Loop, Recurrence, loop_op, own_loops, steps_known
from eqsat.graph.ops.join import concatenate
from eqsat.graph.ops.shape import shape_padleft
from eqsat.scan.utils import ScanArgs, alike


class Body:
    """Makes the scan of a group of results."""

    def __init__(self, closer: Any, loop: Loop, group: Sequence[Any]) -> None:
        self.closer, self.loop, self.group = closer, loop, list(group)
        self.inner: dict[Variable, Any] = {}
        self.args = ScanArgs.create_empty(closer.build(group[0].owner.inputs[-1]))
        self.states: dict[Recurrence, Any] = {}
        self.wanted = [b.owner.inputs[1 if loop_op(b) == "final" else 0] for b in group]
        self.always = (steps_known(self.args.n_steps) or 0) > 0
        self.stacked = {
            e
            for b, e in zip(self.group, self.wanted, strict=True)
            if loop_op(b) == "collect" or self.by_stack(b)
        }

    def by_stack(self, binder: Any) -> bool:
        """True for a last value that is read from a stack, so that no steps are an error."""
        return loop_op(binder) == "last" and not self.always

    def results(self) -> list[tuple[Any, Any]]:
        """The results of the group and what computes them."""
        self.read()
        chains = self.chains()
        roots = [*self.wanted, *(r.step for r in self.states)]
        condition = [] if self.loop.condition is None else [self.loop.condition]
        made = self.closer.inside(self.loop.number).close([*roots, *condition], self.inner)
        value = dict(zip(roots, made, strict=False))
        self.args.cond = made[len(roots) :]
        places = self.enter(chains, value)
        labels = dict.fromkeys(r.label for r in self.states if r.label)
        self.args.make_node(name="+".join(labels) or self.loop.label)
        return [(b, alike(place(), b)) for b, place in zip(self.group, places, strict=True)]

    # ---------------------------------------------------------------------------------------------- what is read

    def read(self) -> None:
        """Give inner variables to all that the body takes from around it, and note the states that it carries."""
        closer = self.closer
        condition = [] if self.loop.condition is None else [self.loop.condition]
        stack = [*condition, *reversed(self.wanted)]
        seen: set[Variable] = set()
        while stack:
            v = stack.pop()
            if v in seen:
                continue
            seen.add(v)
            if not closer.dep[v] & ~closer.scope:
                self.inner[v] = v if isinstance(v, Constant) else self.fixed(v)
            elif (self.loop.number, v) in closer.stacks:
                self.inner[v] = self.row(closer.stacks[(self.loop.number, v)], v)
            elif v.owner is not None and own_loops(v.owner) == 1 << self.loop.number:
                stack.extend(self.of_time(v))
            else:
                stack.extend(reversed(closer.deeper(v)))

    def of_time(self, v: Any) -> list[Any]:
        """The inner variable of a row or a state; what else is needed then."""
        closer, x = self.closer, v.owner.inputs[0]
        if loop_op(v) != "state":
            self.inner[v] = self.row(closer.build(x), v) if loop_op(v) == "elem" else self.fixed(x)
            return []
        r = closer.recurrence[v]
        stack = closer.stacks.get((self.loop.number, r.step))
        if stack is not None:
            before = alike(closer.build(x), v)
            series = concatenate([shape_padleft(before), stack])
            self.inner[v] = self.row(series, v)
            return []
        self.inner[v] = self.states[r] = _variable(v, x, "[t-1]", r.name)
        return [r.step]

    def row(self, series: Any, v: Any) -> Any:
        """The inner variable of a sequence."""
        inner = _variable(v, series, "[t]")
        self.args.outer_in_seqs.append(series)
        self.args.inner_in_seqs.append(inner)
        return inner

    def fixed(self, v: Any) -> Any:
        """The inner variable of what does not change."""
        outer = self.closer.build(v)
        if isinstance(outer, Constant):
            return outer
        inner = v.type.make_variable(v.name)
        inner.comes_from(v)
        self.args.outer_in_non_seqs.append(outer)
        self.args.inner_in_non_seqs.append(inner)
        return inner

    # ---------------------------------------------------------------------------------------------- what is made

    def chains(self) -> dict[Any, list[Recurrence]]:
        """The states whose values are stacked, each with those that are its older values."""
        chains = {r.step: [r] for r in reversed(self.states) if r.step in self.stacked}
        after = {r.step: r for r in self.states if loop_op(r.step) == "state"}
        for chain in chains.values():
            following = after.get(chain[-1].state)
            while following is not None and following not in chain and self.fits(following, chain[0]):
                chain.append(following)
                following = after.get(following.state)
        return chains

    def fits(self, r: Recurrence, first: Recurrence) -> bool:
        """True for an older value of a state that can lie in its stack."""
        return bool(r.state.type == first.state.type) and r.step not in self.stacked

    def enter(self, chains: dict[Any, list[Recurrence]], value: dict[Any, Any]) -> list[Any]:
        """Fill in the states and outputs; for each result, what gives it once the scan is made."""
        args = self.args
        stack_of: dict[Any, tuple[str, int]] = {}
        in_stacks = {r for chain in chains.values() for r in chain}
        for e, chain in chains.items():
            stack_of[e] = self.several(chain, value[e]) if len(chain) > 1 else self.single(chain[0], value[e])
        last_of: dict[Any, int] = {}
        for r, inner in self.states.items():
            if r not in in_stacks:
                last_of[(r.step, r.state.owner.inputs[0])] = self.shared(
                    r.state.owner.inputs[0], inner, value[r.step]
                )
        for e in dict.fromkeys(e for e in self.wanted if e in self.stacked and e not in stack_of):
            stack_of[e] = ("nit_sot", len(args.inner_out_nit_sot))
            args.inner_out_nit_sot.append(value[e])
        places = []
        for binder, e in zip(self.group, self.wanted, strict=True):
            places.append(self.place(binder, e, stack_of, last_of, value))
        return places

    def place(self, binder: Any, e: Any, stack_of: Any, last_of: Any, value: Any) -> Any:
        """The maker of one result."""
        args, kind = self.args, loop_op(binder)
        if e in stack_of and (kind != "final" or self.always):
            name, k = stack_of[e]
            if kind == "collect":
                return lambda: getattr(args, f"outer_out_{name}")[k]
            return lambda: getattr(args, f"outer_out_{name}")[k][-1]
        start = binder.owner.inputs[0] if kind == "final" else None
        found = [k for (step, initial), k in last_of.items() if step is e and start in (None, initial)]
        if not found:
            if start is None:  # some steps are certain, so the value before them is never seen
                stack_of[e] = ("nit_sot", len(args.inner_out_nit_sot))
                args.inner_out_nit_sot.append(value[e])
                return self.place(binder, e, stack_of, last_of, value)
            found = [last_of.setdefault((e, start), self.shared(start, None, value[e]))]
        return lambda: args.outer_out_shared[found[0]]

    def several(self, chain: Sequence[Recurrence], out: Any) -> tuple[str, int]:
        """A state of which older values are read too."""
        args = self.args
        rows = [shape_padleft(self.start(r)) for r in reversed(chain)]
        args.mit_sot_in_slices.append(tuple(-k - 1 for k in range(len(chain))))
        args.outer_in_mit_sot.append(concatenate(rows))
        args.inner_in_mit_sot.append([self.states[r] for r in chain])
        args.inner_out_mit_sot.append(alike(out, chain[0].state))
        return "mit_sot", len(args.inner_out_mit_sot) - 1

    def single(self, r: Recurrence, out: Any) -> tuple[str, int]:
        """A state of which the value before is read."""
        args = self.args
        args.sit_sot_in_slices.append((-1,))
        args.outer_in_sit_sot.append(self.start(r))
        args.inner_in_sit_sot.append(self.states[r])
        args.inner_out_sit_sot.append(alike(out, r.state))
        return "sit_sot", len(args.inner_out_sit_sot) - 1

    def start(self, r: Recurrence) -> Any:
        """The initial value of a state, in its type."""
        return alike(self.closer.build(r.state.owner.inputs[0]), r.state)

    def shared(self, initial: Any, inner: Any, out: Any) -> int:
        """A state of which nothing but the last value is kept."""
        args = self.args
        inner = out.type.make_variable() if inner is None else inner
        args.inner_in_shared.append(inner)
        args.outer_in_shared.append(alike(self.closer.build(initial), inner))
        args.inner_out_shared.append(alike(out, inner))
        return len(args.outer_in_shared) - 1


def _variable(v: Any, source: Any, at: str, name: str | None = None) -> Any:
    known = name or source.name
    inner = v.type.make_variable(known + at if known else v.name)
    inner.comes_from(v)
    return inner
