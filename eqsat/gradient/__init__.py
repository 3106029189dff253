"""Derivatives of graphs: reverse and forward mode, whole matrices of them, and checks against differences."""

from __future__ import annotations

from eqsat.base.names import late_names
from eqsat.errors import DisconnectedInputError, NullTypeGradError, VerifyGradError
from eqsat.gradient.check import E_grad, numeric_grad, verify_grad
from eqsat.gradient.derived import (
    Lop,
    hessian,
    hessian_vector_product,
    jacobian,
    jacobian_vector_product,
    pullback,
    pushforward,
    subgraph_grad,
    vector_jacobian_product,
)
from eqsat.gradient.forward import Rop
from eqsat.gradient.modifiers import (
    consider_constant,
    disconnected_grad,
    grad_clip,
    grad_scale,
    zero_grad,
)
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
    "Lop",
    "NullType",
    "NullTypeGradError",
    "Rop",
    "VerifyGradError",
    "consider_constant",
    "disconnected_grad",
    "grad",
    "grad_clip",
    "grad_not_implemented",
    "grad_scale",
    "grad_undefined",
    "hessian",
    "hessian_vector_product",
    "jacobian",
    "jacobian_vector_product",
    "numeric_grad",
    "pullback",
    "pushforward",
    "subgraph_grad",
    "vector_jacobian_product",
    "verify_grad",
    "zero_grad",
]

late_names(__name__)
