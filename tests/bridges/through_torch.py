"""Functions and modules of torch through eqsat, and their gradients."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("eqsat.bridges.torch")  # which names the backend

REFERENCE = {"mode": "reference", "opaque": False}


@pytest.fixture(autouse=True)
def fresh() -> None:
    """Draws from a known seed, and no graph that another test compiled."""
    torch.manual_seed(0)
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()


def close(found: Any, wanted: Any) -> None:
    """Values, dtypes and shapes agree."""
    leaves = torch.utils._pytree.tree_leaves
    for a, b in zip(leaves(found), leaves(wanted), strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4, equal_nan=True)


def compiled(fn: Any, dynamic: bool | None = None, **options: Any) -> Any:
    return torch.compile(
        fn, backend="eqsat", fullgraph=True, dynamic=dynamic, options={**REFERENCE, **options}
    )


def gradients(module: Any, x: Any) -> list[Any]:
    """The gradients of a loss for parameters and input."""
    x = x.clone().requires_grad_()
    module.zero_grad(set_to_none=True)
    (module(x) ** 2).mean().backward()
    return [x.grad, *(p.grad.clone() for p in module.parameters())]
