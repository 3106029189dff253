"""Compiles plans for tests, and gives the values that NumPy would compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from eqsat.base.configuration import config
from eqsat.cgen import CompiledPlan, Tools, compile_plan, find_compiler
from eqsat.graph.core import Constant
from eqsat.graph.plan import Plan, plan_as_written
from eqsat.graph.walk import toposort

Check = Callable[..., list[np.ndarray]]


def reference(inputs: Sequence[Any], outputs: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Values of outputs by the ops' own meaning in NumPy."""
    env: dict[Any, Any] = dict(zip(inputs, values, strict=True))
    for node in toposort(outputs):
        storage: list[list[Any]] = [[None] for _ in node.outputs]
        node.op.perform(node, [v.data if isinstance(v, Constant) else env[v] for v in node.inputs], storage)
        env.update((v, cell[0]) for v, cell in zip(node.outputs, storage, strict=True))
    return [v.data if isinstance(v, Constant) else env[v] for v in outputs]


def written(inputs: Sequence[Any], outputs: Sequence[Any]) -> Plan:
    """The plan of a graph without fusion."""
    return plan_as_written(inputs, outputs, toposort(outputs))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "compiled" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.c)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cache directory for the session."""
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def compiled(folder: str) -> Callable[..., CompiledPlan]:
    """Compile a plan, or inputs and outputs as written; skips where there is no compiler."""
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C compiler")

    def build(plan: Any, outputs: Any = None, **options: Any) -> CompiledPlan:
        plan = plan if outputs is None else written(plan, outputs)
        return compile_plan(plan, Tools(compiler, folder, True), **{"target": config.target, **options})

    return build


@pytest.fixture(scope="session")
def check(compiled: Callable[..., CompiledPlan]) -> Check:
    """Compile a graph as written, run it and compare with NumPy; gives the values."""

    def run(
        inputs: Sequence[Any], outputs: Sequence[Any], *calls: Sequence[Any], ulps: float = 8, atol: float = 0
    ) -> list[np.ndarray]:
        function = compiled(inputs, outputs)
        got: list[np.ndarray] = []
        for values in calls:
            got = function(*values)
            same(outputs, got, reference(inputs, outputs, values), ulps, atol)
        return got

    return run


def in_parts(have: Any, expected: Any, ulps: float) -> tuple[Any, Any]:
    """Both parts of complex numbers; a part that is off by some units of the modulus counts as equal."""
    with np.errstate(all="ignore"):
        near = np.abs(have - expected) <= ulps * np.finfo(have.dtype).eps * np.abs(expected)
    have = np.where(near, expected, have)
    return np.stack([have.real, have.imag]), np.stack([expected.real, expected.imag])


def same(
    variables: Sequence[Any], got: Sequence[np.ndarray], want: Sequence[Any], ulps: float, atol: float
) -> None:
    """Refuse values that differ: floats by more than some units in the last place, others at all."""
    for variable, have, expected in zip(variables, got, want, strict=True):
        expected = np.asarray(expected)
        where = f"{variable}: {have!r} {expected!r}"
        assert type(have) is np.ndarray and have.dtype == expected.dtype and have.shape == expected.shape, (
            where
        )
        assert have.dtype == variable.type.dtype
        if have.dtype.kind == "c":
            have, expected = in_parts(have, expected, ulps)
        if have.dtype.kind != "f":
            assert np.array_equal(have, expected), where
            continue
        rtol = ulps * float(np.finfo(have.dtype).eps)
        tiny = float(np.finfo(have.dtype).tiny)
        assert np.allclose(have, expected, rtol=rtol, atol=max(tiny, atol), equal_nan=True), where
