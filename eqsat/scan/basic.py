"""scan: from a Python function of one step to a loop in the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError
from eqsat.graph.core import Variable, one_line, user_line
from eqsat.graph.tensor_type import shorten
from eqsat.scan.arguments import as_sequence, as_state, listed, number_of_steps
from eqsat.scan.trace import Step, trace
from eqsat.scan.utils import ScanArgs
from eqsat.updates import OrderedUpdates


def scan(
    fn: Callable[..., Any],
    sequences: Any = None,
    outputs_info: Any = None,
    non_sequences: Any = None,
    n_steps: Any = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
    mode: Any = None,
    name: str | None = None,
    profile: Any = False,
    allow_gc: Any = None,
    strict: bool = False,
    return_list: bool = False,
) -> tuple[Any, OrderedUpdates]:
    """Outputs of a function called step by step, each stacked over time, and the updates of shared variables.

    ``fn`` is called once, with variables: for each of ``sequences`` its row at the step, for each state its value at
    the step before, then ``non_sequences``. It returns outputs, a dict of updates and ``until(condition)``, each
    optional, and may use any other variable of the graph, unless ``strict``.

    A sequence is a tensor or ``dict(input=x, taps=[-1, 0])``, which passes the rows at t - 1 and t; sequences may
    differ in length, and the shortest counts unless ``n_steps`` is given. ``outputs_info`` has an item for each output:
    None, an initial value, or ``dict(initial=x, taps=[-2, -1])`` with the values at the times before 0 stacked. Values
    of a state may change from a length of 1 to an unknown one, and to a wider dtype. ``go_backwards`` reads sequences
    from their ends. ``truncate_gradient`` is the number of last steps through which gradients flow. With ``mode`` the
    steps are compiled in it; ``profile`` and ``allow_gc`` are taken for older programs and change nothing.

    The updates must go to ``function(updates=...)``, or the random numbers drawn inside are added by it.

    Shapes   an output of the type of one step's, with the number of steps before; one output alone is not in a list
             unless ``return_list``
    Errors   ArgumentError, DTypeError, RankError, ShapeError where what is given and what fn returns do not fit

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> sums, updates = eqsat.scan(lambda a, s: s + a, sequences=x, outputs_info=T.constant(0.0))
    >>> sums.eval({x: [1.0, 2.0, 3.0]})
    array([1., 3., 6.])
    """
    _check(fn, truncate_gradient, go_backwards, mode)
    inputs = [as_sequence(v, k, go_backwards) for k, v in enumerate(listed(sequences))]
    states = None if outputs_info is None else [as_state(v, k) for k, v in enumerate(listed(outputs_info))]
    step = trace(fn, inputs, states, listed(non_sequences), strict)
    with one_line(user_line()):
        count = number_of_steps(n_steps, inputs)
        args = _args(step, count)
        args.make_node(name=name, mode=mode, truncate_gradient=truncate_gradient)
        updates = OrderedUpdates(zip(step.shared, args.outer_out_shared, strict=True))
    for s in step.own:
        s.default_update = updates[s]
    outputs = _in_order(step, args)
    if return_list or len(outputs) > 1:
        return outputs, updates
    return (outputs[0] if outputs else None), updates


def _check(fn: Any, truncate_gradient: Any, go_backwards: Any, mode: Any) -> None:
    from eqsat.modes import get_mode

    if not callable(fn):
        raise ArgumentError(
            f"scan: fn is {shorten(fn)}",
            needs="a function of one step, which takes rows, states and non-sequences",
        )
    number = not isinstance(truncate_gradient, bool) and isinstance(truncate_gradient, (int, np.integer))
    if not number or (truncate_gradient != -1 and truncate_gradient < 1):
        raise ArgumentError(
            f"scan: truncate_gradient is {shorten(truncate_gradient)}",
            needs="the number of last steps through which gradients flow, or -1 for all",
        )
    if isinstance(go_backwards, Variable) or go_backwards not in (True, False):
        raise ArgumentError(f"scan: go_backwards is {shorten(go_backwards)}", needs="True or False")
    if mode is not None:
        get_mode(mode)


def _args(step: Step, n_steps: Any) -> ScanArgs:
    """The scan of a step."""
    args = ScanArgs.create_empty(n_steps)
    for s, inner in zip(step.inputs, step.rows, strict=True):
        args.outer_in_seqs += s.slices()
        args.inner_in_seqs += inner
    for state, inner, out in zip(step.states, step.values, step.outputs, strict=True):
        if not state.taps:
            args.inner_out_nit_sot.append(out)
        elif state.single:
            args.sit_sot_in_slices.append((-1,))
            args.outer_in_sit_sot.append(state.start())
            args.inner_in_sit_sot += inner
            args.inner_out_sit_sot.append(out)
        else:
            args.mit_sot_in_slices.append(tuple(state.taps))
            args.outer_in_mit_sot.append(state.start())
            args.inner_in_mit_sot.append(inner)
            args.inner_out_mit_sot.append(out)
    args.outer_in_shared, args.inner_in_shared = list(step.shared), list(step.shared)
    args.inner_out_shared = list(step.shared.values())
    args.outer_in_non_seqs, args.inner_in_non_seqs = list(step.fixed), list(step.fixed)
    args.cond = [] if step.condition is None else [step.condition]
    return args


def _in_order(step: Step, args: ScanArgs) -> list[Any]:
    """The outer outputs in the order in which fn returns them."""
    kinds = {
        "nit": iter(args.outer_out_nit_sot),
        "sit": iter(args.outer_out_sit_sot),
        "mit": iter(args.outer_out_mit_sot),
    }
    return [next(kinds["nit" if not s.taps else "sit" if s.single else "mit"]) for s in step.states]
