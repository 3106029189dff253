"""scan_checkpoints: a loop that gives its values between parts of some steps, and keeps no others for gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, ShapeError
from eqsat.graph.core import one_line, user_line
from eqsat.graph.ops.create import known_integer
from eqsat.graph.tensor_type import shorten
from eqsat.graph.updates import OrderedUpdates


def scan_checkpoints(
    fn: Callable[..., Any],
    sequences: Any = None,
    outputs_info: Any = None,
    non_sequences: Any = None,
    name: str | None = "checkpointscan_fn",
    n_steps: Any = None,
    save_every_N: int = 10,
    padding: bool = True,
) -> tuple[Any, OrderedUpdates]:
    """Outputs of a loop after every ``save_every_N`` steps and after the last one, and the updates.

    The arguments are those of ``scan``. The gradient keeps the states at these steps only and computes the steps between
    them again, so that a loop of n steps holds n / N + N values at a time in the place of n. Sequences may have taps, as
    may states. With ``padding=False`` N must divide the number of steps, and the graph has no steps after the last part.

    Shapes   an output of the type of one step's, with an axis of length ceil(n / N) before
    Errors   ArgumentError for ``until``, and for N that is no positive integer; ShapeError where N does not divide the
             number of steps without ``padding``; and those of ``scan``

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> sums, _ = eqsat.scan_checkpoints(lambda a, s: s + a, x, T.constant(0.0), save_every_N=2)
    >>> sums.eval({x: [1.0, 2.0, 3.0, 4.0, 5.0]})
    array([ 3., 10., 15.])
    """
    from eqsat.scan.basic import args_of, check_fn, results, traced
    from eqsat.scan.scan_arguments import as_sequence, listed, number_of_steps
    from eqsat.scan.segments import Parts

    check_fn("scan_checkpoints", fn)
    whole = isinstance(save_every_N, (int, np.integer)) and not isinstance(save_every_N, bool)
    if not whole or save_every_N < 1:
        raise ArgumentError(
            f"scan_checkpoints: save_every_N is {shorten(save_every_N)}", needs="a positive number of steps"
        )
    inputs = [as_sequence(v, k, False) for k, v in enumerate(listed(sequences))]
    step = traced(fn, inputs, outputs_info, non_sequences, False)
    if step.condition is not None:
        raise ArgumentError(
            "scan_checkpoints: until does not go together with checkpoints", hint="eqsat.scan"
        )
    with one_line(user_line()):
        args = args_of(step, number_of_steps(n_steps, inputs))
        node = args.make_node(name=name)
        _check_length(args.n_steps, int(save_every_N), padding)
        parts = Parts(node.op, node.inputs, int(save_every_N), None, padding)
        found = {**parts.values_between(), "shared": parts.shared}
    return results(step, found, False)


def _check_length(n_steps: Any, every: int, padding: bool) -> None:
    n = known_integer(n_steps)
    if not padding and n is not None and n % every:
        raise ShapeError(
            f"scan_checkpoints: {n} steps are not a multiple of save_every_N={every}", hint="padding=True"
        )
