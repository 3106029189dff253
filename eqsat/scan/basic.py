"""scan: from a Python function of one step to a loop in the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from eqsat.base.hooks import hook
from eqsat.errors import ArgumentError
from eqsat.graph.core import Variable, one_line, user_line
from eqsat.graph.tensor_type import shorten
from eqsat.graph.updates import OrderedUpdates
from eqsat.scan.checkpoint_policy import default_steps
from eqsat.scan.scan_arguments import Input, as_sequence, as_state, listed, number_of_steps
from eqsat.scan.trace import Step, trace
from eqsat.scan.utils import ScanArgs


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
    checkpoint: int | bool | None = None,
) -> tuple[Any, OrderedUpdates]:
    """Outputs of a function called step by step, each stacked over time, and the updates of shared variables.

    ``fn`` is called once, with variables: for each of ``sequences`` its row at the step, for each state its value at
    the step before, then ``non_sequences``. It returns outputs, a dict of updates and ``until(condition)``, each
    optional, and may use any other variable of the graph; with ``strict`` shared ones must be among ``non_sequences``.

    A sequence is a tensor or ``dict(input=x, taps=[-1, 0])``, which passes the rows at t - 1 and t; sequences may
    differ in length, and the shortest counts unless ``n_steps`` is given. ``outputs_info`` has an item for each output:
    None, an initial value, or ``dict(initial=x, taps=[-2, -1])`` with the values at the times before 0 stacked, of
    which only as many count as the taps reach back. Values of a state may change from a length of 1 to an unknown one, and to a wider dtype. ``go_backwards`` reads sequences
    from their ends. ``truncate_gradient`` is the number of last steps through which gradients flow. With ``mode`` the
    steps are compiled in it; ``profile`` and ``allow_gc`` are taken for older programs and change nothing.

    Gradients need the states of all steps. ``checkpoint=k`` lets them keep one of k and compute those between again,
    True chooses k, 0 keeps all. With None it is done where the states would take more than ``config.memory_bound``.

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
    step = traced(fn, inputs, outputs_info, non_sequences, strict)
    with one_line(user_line()):
        args = args_of(step, number_of_steps(n_steps, inputs))
        every = _every(checkpoint, args, truncate_gradient)
        args.make_node(name=name, mode=mode, truncate_gradient=truncate_gradient, checkpoint=every)
    found = {kind: getattr(args, f"outer_out_{kind}") for kind in ("nit_sot", "mit_sot", "sit_sot", "shared")}
    return results(step, found, return_list)


def traced(fn: Any, inputs: Sequence[Input], outputs_info: Any, non_sequences: Any, strict: bool) -> Step:
    """One step, of the arguments of scan."""
    states = None if outputs_info is None else [as_state(v, k) for k, v in enumerate(listed(outputs_info))]
    return trace(fn, inputs, states, listed(non_sequences), strict)


def results(step: Step, found: Mapping[str, Sequence[Any]], return_list: bool) -> tuple[Any, OrderedUpdates]:
    """The results of scan, from the outer outputs by kind: outputs in the order of fn, and updates."""
    updates = OrderedUpdates(zip(step.shared, found["shared"], strict=True))
    for s in step.own:
        s.default_update = updates[s]
    kinds = {kind: iter(values) for kind, values in found.items()}
    outputs = [
        next(kinds["nit_sot" if not s.taps else "sit_sot" if s.single else "mit_sot"]) for s in step.states
    ]
    if return_list or len(outputs) > 1:
        return outputs, updates
    return (outputs[0] if outputs else None), updates


def _every(checkpoint: Any, args: ScanArgs, truncate_gradient: int) -> int | None:
    """The steps between checkpoints, None where that is left to the bound of memory."""
    if checkpoint is None or checkpoint is False:
        return None if checkpoint is None else 0
    if not isinstance(checkpoint, (int, np.integer)) or checkpoint < 0:
        raise ArgumentError(
            f"scan: checkpoint is {shorten(checkpoint)}",
            needs="a number of steps, True for one that scan chooses, 0 to keep all values, or None",
        )
    for given, what in ((bool(args.cond), "until"), (truncate_gradient > 0, "truncate_gradient")):
        if given and checkpoint:
            raise ArgumentError(f"scan: checkpoint and {what} do not go together", hint="checkpoint=None")
    return default_steps(args.n_steps) if checkpoint is True else int(checkpoint)


def check_fn(name: str, fn: Any) -> None:
    """Raise ArgumentError for what cannot be called."""
    if not callable(fn):
        raise ArgumentError(
            f"{name}: fn is {shorten(fn)}",
            needs="a function of one step, which takes rows, states and non-sequences",
        )


def _check(fn: Any, truncate_gradient: Any, go_backwards: Any, mode: Any) -> None:
    check_fn("scan", fn)
    number = not isinstance(truncate_gradient, bool) and isinstance(truncate_gradient, (int, np.integer))
    if not number or (truncate_gradient != -1 and truncate_gradient < 1):
        raise ArgumentError(
            f"scan: truncate_gradient is {shorten(truncate_gradient)}",
            needs="the number of last steps through which gradients flow, or -1 for all",
        )
    if isinstance(go_backwards, Variable) or go_backwards not in (True, False):
        raise ArgumentError(f"scan: go_backwards is {shorten(go_backwards)}", needs="True or False")
    if mode is not None:
        hook("get_mode")(mode)


def args_of(step: Step, n_steps: Any) -> ScanArgs:
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
