"""Forms of a loop on a device, and their prices: which one is cheapest depends on how much a step has to do.

In ``lanes`` each thread takes an element through all steps, in a ``block`` the threads of one block share the work of a step, on the
``host`` its processor runs the steps, and by ``launches`` it starts the kernels of every step.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from eqsat.extract.cost import CostModel
from eqsat.extract.step_costs import Shapes, operation_seconds, shape_of, space_of, step_cost, steps_of
from eqsat.graph.plan import Call, Kernel, Loop, Step, is_elementwise

NEAR = 256  # elements of a kernel that the host runs by itself
ALONE = 16  # elements of a kernel that one thread runs by itself
WIDE = 8.0  # elements that a processor computes at once


def forms_of(loop: Loop, model: CostModel, shape: Shapes = shape_of) -> tuple[str, ...]:
    """The forms of a loop, the cheapest first; none where a target has only one.

    Which of a block and launches is cheaper is known when it is known how rows are shared, at times only in a call: a block is tried first.
    """
    if not model.barrier:
        return ()
    prices = form_prices(loop, model, shape)
    found = sorted(prices, key=lambda form: prices[form])
    found.insert(found.index("launches"), "block")
    return tuple(dict.fromkeys(found))


def form_prices(loop: Loop, model: CostModel, shape: Shapes = shape_of) -> Mapping[str, float]:
    """Seconds of a loop in each of its forms."""
    steps, count = loop.plan.steps, steps_of(loop, model, shape)
    inside = model.of_a_block()
    one_by_one = [step_cost(s, model) for s in steps]
    prices = {"launches": count * sum(c.seconds for c in one_by_one)}
    kernels = [s for s in steps if isinstance(s, Kernel)]
    waiting = sum(operation_seconds(s, model) for s in kernels)
    spaces = [space_of(s, model) for s in kernels]
    if is_elementwise(loop):
        work = sum(max(0.0, c.seconds - model.call) for c in one_by_one)
        reads = model.barrier if loop.sequences else 0.0
        prices["lanes"] = model.call + count * max(work, waiting + reads)
    if all(_is_small(s, ALONE) for s in steps):
        own = sum(operation_seconds(s, model) * n for s, n in zip(kernels, spaces, strict=True))
        prices["block"] = model.call + count * own
    else:
        prices["block"] = model.call + count * sum(step_cost(s, inside).seconds for s in steps)
    if all(_is_small(s, NEAR) for s in steps):
        here = [
            max(1.0, n / WIDE) * operation_seconds(s, model) for s, n in zip(kernels, spaces, strict=True)
        ]
        prices["host"] = model.visit + count * sum(here) * model.serial / (model.waits * model.flop)
    return prices


def _is_small(step: Step, most: int) -> bool:
    """True for a kernel over so few elements, and for a view."""
    if isinstance(step, Call):
        return getattr(getattr(step.apply.op, "declaration", None), "kind", "") == "view"
    return isinstance(step, Kernel) and prod(n if n is not None else most + 1 for n in step.static) <= most
