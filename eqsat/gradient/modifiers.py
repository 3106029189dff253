"""Functions that change gradients and nothing else; a compiled graph knows nothing of them."""

from __future__ import annotations

from typing import Any

from eqsat.errors import ArgumentError
from eqsat.graph.constant import as_tensor
from eqsat.graph.ops import modifiers as ops


def grad_clip(x: Any, lower_bound: float, upper_bound: float) -> Any:
    """x; its gradient is limited to a range. Forward mode passes through it unchanged.

    >>> import eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> float(T.grad(grad_clip(x, -1, 1) * 5, x).eval({x: 2.0}))
    1.0
    """
    low, high = _number("grad_clip", lower_bound), _number("grad_clip", upper_bound)
    if not low <= high:
        raise ArgumentError(f"grad_clip: the lower bound {low} is above the upper bound {high}")
    return ops.clip_gradient(as_tensor(x), low=low, high=high)


def grad_scale(x: Any, multiplier: float) -> Any:
    """x; its gradient is multiplied by a number, such as -1 to reverse it.

    >>> import eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> float(T.grad(grad_scale(x, -0.5) * 4, x).eval({x: 1.0}))
    -2.0
    """
    return ops.scale_gradient(as_tensor(x), factor=_number("grad_scale", multiplier))


def zero_grad(x: Any) -> Any:
    """x; its gradient is zero, in second derivatives too.

    >>> import eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> float(T.grad(x * zero_grad(x), x).eval({x: 3.0}))
    3.0
    """
    return ops.zero_gradient(as_tensor(x))


def disconnected_grad(x: Any) -> Any:
    """x; for gradients nothing that is computed from it depends on it, as if it were another input.

    >>> import eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> T.grad(disconnected_grad(x) * 2, x, disconnected_inputs="ignore", return_disconnected="None") is None
    True
    """
    return ops.disconnect_gradient(as_tensor(x))


def consider_constant(x: Any) -> Any:
    """x; its gradient is zero. The older name of ``zero_grad``.

    >>> import eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> float(T.grad(consider_constant(x) * x, x).eval({x: 3.0}))
    3.0
    """
    return zero_grad(x)


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: {value!r} is not a number") from None
