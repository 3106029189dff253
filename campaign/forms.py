"""The forms of the steps of a plan, counted by name: what a campaign over kernels has really tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from eqsat.graph.plan import Call, Kernel, Literal, Load, Loop, Pick, Pieces, Plan, Rows, seen_type


def forms(plan: Plan) -> Counter[str]:
    """Count the forms of a plan, the plans inside groups and loops included.

    >>> import eqsat.tensor as T
    >>> from eqsat.functions.planning import plan_graph
    >>> x = T.dmatrix("x")
    >>> sorted(forms(plan_graph([x], [T.sum(x, 1), T.exp(x)], fused=True)).items())
    [('fold of rows', 1), ('kernel', 1), ('several results', 1), ('view', 1)]
    """
    found: Counter[str] = Counter()
    stack = [(plan, "")]
    while stack:
        now, where = stack.pop()
        for step in now.steps:
            if isinstance(step, (Rows, Loop)):
                stack.append((step.plan, "loop" if isinstance(step, Loop) else where))
            found.update(_forms_of(step, where))
    return found


def _forms_of(step: Any, where: str) -> Iterator[str]:
    if isinstance(step, Kernel):
        yield from _of_kernel(step)
    elif isinstance(step, Call):
        declaration = getattr(step.apply.op, "declaration", None)
        yield "view" if getattr(declaration, "kind", "") == "view" else f"call of {step.apply.op.name}"  # type: ignore[attr-defined]
    elif isinstance(step, Loop):
        yield f"loop in a {where}" if where else "loop"
        yield from (f"state: {s.kind}" for s in step.states)
    else:
        yield "group"
        if any(how is not None and not isinstance(how, int) for _, _, how in step.results):
            yield "group reduced over rows"
        if any(isinstance(s, Call) for s in step.plan.steps):
            yield "group with a call"


def _of_kernel(kernel: Kernel) -> Iterator[str]:
    yield "kernel"
    kinds = [type(e) for e in kernel.expressions]
    for kind, name in ((Pieces, "pieces"), (Pick, "pick")):
        if kind in kinds:
            yield name
    if len(kernel.results) > 1:
        yield "several results"
    if any(r.reduce is not None for r in kernel.results):
        yield from {_of_fold(r.reduce.params["axes"], kernel.ndim) for r in kernel.results if r.reduce}
        yield from ["contraction nest"] * _meets(kernel)
    if kinds and kinds[-1] is Literal:
        yield "filled"
    views = [view for e in kernel.expressions if isinstance(e, (Load, Pick)) for view in e.views]
    names = {getattr(view, "op", view).name for view in views}
    yield from (f"read through a {name}" for name in sorted(names))


def _of_fold(axes: Any, ndim: int) -> str:
    if len(axes) == ndim:
        return "fold of all"
    if max(axes) == ndim - 1:
        return "fold of rows"
    return "fold of columns" if 0 in axes else "fold of a middle axis"


def _meets(kernel: Kernel) -> bool:
    """True where operands that lack different axes meet, as in a product of matrices."""
    shapes = [seen_type(e).shape for e in kernel.expressions if isinstance(e, Load)]
    lacking = {
        tuple(a for a, n in enumerate(shape) if n == 1 != kernel.static[a])
        for shape in shapes
        if len(shape) == kernel.ndim
    }
    return len(lacking - {()}) > 1 or (len(lacking) > 1 and kernel.ndim > 2)
