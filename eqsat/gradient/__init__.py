"""Derivatives of graphs: reverse and forward mode, whole matrices of them, and checks against differences."""

from __future__ import annotations

from eqsat.errors import DisconnectedInputError, NullTypeGradError, VerifyGradError
from eqsat.gradient.check import E_grad, numeric_grad, verify_grad
from eqsat.gradient.node import is_constant, sum_to
from eqsat.gradient.reverse import backpropagate, grad
from eqsat.gradient.undefined import (
    DisconnectedType,
    NullType,
    grad_not_implemented,
    grad_undefined,
    undefined_grad,
)

__all__ = [
    "DisconnectedInputError",
    "DisconnectedType",
    "E_grad",
    "NullType",
    "NullTypeGradError",
    "VerifyGradError",
    "backpropagate",
    "grad",
    "grad_not_implemented",
    "grad_undefined",
    "is_constant",
    "numeric_grad",
    "sum_to",
    "undefined_grad",
    "verify_grad",
]
