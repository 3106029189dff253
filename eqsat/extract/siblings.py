"""Kernels over one space become one with several results: what both read is read once, what both compute is computed once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from eqsat.extract.clusters import Clusters
from eqsat.extract.folds_in_pieces import with_folds
from eqsat.graph.core import Variable
from eqsat.graph.plan import Compute, Expression, Kernel, Literal, Load, Pick, Result, Step, reads, seen_type

MOST_STEPS = 2000  # of a plan; kernels of longer ones stay as they are
MOST_MEMORY = 16  # variables that a kernel reads and writes


def merged(steps: Sequence[Step], most: int, outputs: Collection[Variable]) -> list[Step]:
    """The steps with kernels put together, none of which has more than ``most`` expressions.

    A kernel that became one with all that read one of its results no longer writes it, unless it is among the outputs.
    """
    if len(steps) > MOST_STEPS or sum(isinstance(step, Kernel) for step in steps) < 2:
        return list(steps)
    clusters = Clusters(steps)
    kernels: dict[int, Kernel] = {k: step for k, step in enumerate(steps) if isinstance(step, Kernel)}
    readers: dict[Variable, list[int]] = {}
    for k, kernel in list(kernels.items()):
        for c in _near(k, kernel, clusters, readers):
            both = joined(kernels[c], kernels[k], most)
            if both is not None and clusters.may_join(c, k):
                clusters.join(c, k)
                kernels[c] = both
                break
        for v in memory(steps[k]):
            readers.setdefault(v, []).append(k)
    return _read_later([kernels.get(c, steps[c]) for c in clusters.order()], outputs)


def _read_later(steps: list[Step], outputs: Collection[Variable]) -> list[Step]:
    """The steps, of which kernels write only results that another step or the caller reads."""
    needed = {*outputs, *(v for step in steps for v in reads(step))}
    return [
        Kernel(s.expressions, [r for r in s.results if r.variable in needed], s.static)
        if isinstance(s, Kernel)
        else s
        for s in steps
    ]


def _in_one_space(kernel: Kernel) -> bool:
    """True for a kernel all of whose expressions have its index space; what they pick may lie anywhere."""
    return all(isinstance(e, (Load, Compute, Literal, Pick)) for e in kernel.expressions)


def _near(k: int, kernel: Kernel, clusters: Clusters, readers: dict[Variable, list[int]]) -> list[int]:
    """Clusters of earlier kernels that have a variable in common with one, the latest first."""
    found = {clusters.of[c] for v in memory(kernel) for c in readers.get(v, ())}
    return sorted(found, reverse=True)[:8]


def memory(step: Any) -> list[Variable]:
    """Variables that a kernel reads and writes."""
    return [*dict.fromkeys([*reads(step), *(r.variable for r in step.results)])]


def joined(a: Kernel, b: Kernel, most: int) -> Kernel | None:
    """One kernel with the results of two, of which one may put pieces together; None where there is none."""
    apart = [k for k in (a, b) if not _in_one_space(k)]
    if not apart:
        return together(a, b, most)
    folds = b if apart[0] is a else a
    both = with_folds(apart[0], folds) if len(apart) == 1 else None
    return both if both is not None and is_short(both, most) else None


def is_short(kernel: Kernel, most: int) -> bool:
    """True for a kernel of no more expressions and variables than compilers do well."""
    return len(kernel.expressions) <= most and len(memory(kernel)) <= MOST_MEMORY


def together(a: Kernel, b: Kernel, most: int) -> Kernel | None:
    """One kernel with the results of two, of which the second may read plain results of the first; None where there is none."""
    axes = {r.reduce.params["axes"] for k in (a, b) for r in k.results if r.reduce is not None}
    made = {r.variable: r for r in a.results}
    taken = [e for e in b.expressions if isinstance(e, Load) and e.variable in made]
    if len(axes) > 1 or not same_space(a, b, made):
        return None
    if any(e.views or made[e.variable].reduce is not None for e in taken):
        return None
    if any(v in made for e in b.expressions if isinstance(e, Pick) for v in e.apply.inputs):
        return None
    expressions = _Expressions(a)
    places = expressions.add(b, {v: r.root for v, r in made.items()})
    results = [*a.results, *(Result(r.variable, places[r.root], r.reduce) for r in b.results)]
    static = tuple(m if n is None else n for m, n in zip(b.static, a.static, strict=True))
    both = Kernel(expressions.all, results, static)
    return both if is_short(both, most) else None


def same_space(a: Kernel, b: Kernel, made: dict[Variable, Result]) -> bool:
    """True where both run over the same places, as their types or a variable that both read show."""
    if a.ndim != b.ndim:
        return False
    known = [m is not None and m == n for m, n in zip(a.static, b.static, strict=True)]
    if any(m != n for m, n in zip(a.static, b.static, strict=True) if m is not None and n is not None):
        return False
    shared = {(e.variable, e.views) for e in a.expressions if isinstance(e, Load)}
    for e in b.expressions:
        if isinstance(e, Load) and ((e.variable, e.views) in shared or e.variable in made and not e.views):
            known = [k or covers for k, covers in zip(known, covered(e, a.ndim), strict=True)]
    return all(known)


def covered(load: Load, ndim: int) -> list[bool]:
    """For each axis of the space, whether a load runs along it."""
    return [n != 1 for n in seen_type(load).shape]


class _Expressions:
    """The expressions of a kernel, to which those of others are added, each once."""

    def __init__(self, kernel: Kernel) -> None:
        self.all: list[Expression] = list(kernel.expressions)
        self.place = {_key(e): k for k, e in enumerate(self.all)}

    def add(self, kernel: Kernel, known: dict[Variable, int]) -> list[int]:
        """Places of the expressions of a kernel, in which loads of known variables are expressions that are there."""
        places: list[int] = []
        for e in kernel.expressions:
            if isinstance(e, Load) and e.variable in known:
                places.append(known[e.variable])
                continue
            if isinstance(e, Compute):
                e = replace(e, args=tuple(places[a] for a in e.args))
            key = _key(e)
            if key not in self.place:
                self.place[key] = len(self.all)
                self.all.append(e)
            places.append(self.place[key])
        return places


def _key(e: Expression) -> Any:
    if isinstance(e, Literal):
        return (e.dtype, e.value.tobytes())
    return e
