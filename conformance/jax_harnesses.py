"""The harnesses of primitives that JAX ships, through eqsat: values in the dtypes that eqsat has.

    make conformance SUITE=jax TESTS=conformance CONFORMANCE_PYTHON=python with jax and absl-py

A primitive that eqsat cannot say is refused here and never run by JAX, so that no difference is hidden. A harness is skipped where JAX
itself does not run it, or where an array has a dtype that eqsat lacks. Twelve of each group run, from the first to the last; ``HARNESSES``
is another number, 0 all of the 7,414.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import jax

jax.config.update("jax_enable_x64", True)

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from jax._src.internal_test_util import test_harnesses  # noqa: E402  it reads the configuration

from eqsat.bridges.jax import from_jax  # noqa: E402
from eqsat.graph.dtypes import ALL  # noqa: E402

tree = jax.tree_util
COUNT = int(os.environ.get("HARNESSES", "12"))
LOOSE = (
    2e-3,
    1e-9,
)  # relative errors by the size of an element: JAX's approximations of special functions are short


def chosen() -> Iterator[Any]:
    """The harnesses that JAX runs on a CPU, or some of each group."""
    groups: dict[str, list[Any]] = {}
    for harness in test_harnesses.all_harnesses:
        if harness.filter("cpu"):
            groups.setdefault(harness.group_name, []).append(harness)
    for group in groups.values():
        ordered = sorted(group, key=lambda h: str(h.fullname))  # JAX defines them in an order of its process
        yield from ordered if not COUNT else ordered[:: -(-len(ordered) // COUNT)]


HARNESSES = {h.fullname: h for h in chosen()}


def arrays(values: Any) -> list[Any]:
    """The leaves of a tree as arrays of NumPy; keys of generators as their words. Skipped for a dtype that eqsat lacks."""
    keys = [
        jax.dtypes.issubdtype(getattr(x, "dtype", None), jax.dtypes.prng_key)
        for x in tree.tree_leaves(values)
    ]
    found = [
        np.asarray(jax.random.key_data(x) if key else x)
        for x, key in zip(tree.tree_leaves(values), keys, strict=True)
    ]
    if other := sorted({str(x.dtype) for x in found} - set(ALL)):
        pytest.skip(f"the dtype {', '.join(other)}")
    return found


def said(harness: Any, results: list[Any]) -> list[Any]:
    """The results as far as JAX says them: open are the upper half of a factor, signs of vectors, and the order of what no key tells apart."""
    group, params = harness.group_name, harness.params
    if group == "cholesky":
        return [np.tril(x) for x in results]
    if group in ("eig", "eigh", "svd") and len(results) > 1:
        vectors = max(x.ndim for x in results)
        return [np.abs(x) if x.ndim == vectors else x for x in results]
    return results[: params["num_keys"]] if group == "sort" and not params.get("is_stable", True) else results


def same(found: list[Any], wanted: list[Any]) -> None:
    """Shapes, dtypes and values agree; a number is compared in the measure of the largest one."""
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        if b.dtype.kind not in "fc":
            np.testing.assert_array_equal(a, b)
            continue
        rtol = LOOSE[b.dtype.itemsize > (4 if b.dtype.kind == "f" else 8)]
        finite = np.abs(b[np.isfinite(b)])
        largest = float(finite.max(initial=0.0))
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * max(largest, 1e-3))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", HARNESSES, ids=list(HARNESSES))
def test_values(name: str) -> None:
    harness = HARNESSES[name]
    given = harness.dyn_args_maker(np.random.RandomState(0))
    arrays(given)
    try:
        wanted = arrays(harness.dyn_fun(*given))
    except Exception as error:
        pytest.skip(f"JAX does not run it: {type(error).__name__}")
    graph = from_jax(harness.dyn_fun, *given, opaque=False)
    found = arrays(graph.function(mode="reference")(*given))
    same(said(harness, found), said(harness, wanted))
