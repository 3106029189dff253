"""Models of PyMC that nutpie samples through addresses of eqsat's functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pm = pytest.importorskip("pymc")
nutpie = pytest.importorskip("nutpie")
import pytensor  # noqa: E402
import pytensor.tensor as pt  # noqa: E402

from eqsat.bridges.pytensor import nutpie_model  # noqa: E402
from eqsat.errors import ArgumentError  # noqa: E402

PLAIN = pytensor.compile.mode.Mode(linker="py", optimizer="fast_compile")
DATA = np.array([1.0, 2.0, 4.0, 5.0])


def groups() -> Any:
    """A model with data, named axes, a transformed variable and a value that is computed for the trace."""
    with pm.Model(coords={"group": ["a", "b"]}) as model:
        data = pm.Data("data", DATA)
        mean = pm.Normal("mean", 0, 10, dims="group")
        spread = pm.HalfNormal("spread", 1)
        pm.Deterministic("twice", 2 * mean, dims="group")
        pm.Normal("y", mean[np.array([0, 0, 1, 1])], spread, observed=data)
    return model


def evaluated(made: Any, point: np.ndarray) -> tuple[int, float, np.ndarray]:
    value, slope = np.zeros(1), np.zeros(len(point))
    code = made.compiled_logp_func(len(point), point, slope, value, None)
    return code, float(value[0]), slope


def test_density_and_gradient_are_those_of_pymc() -> None:
    model = groups()
    made = nutpie_model(model)
    logp, slope = (f(mode=PLAIN) for f in (model.compile_logp, model.compile_dlogp))
    names = {n: s for n, s in made.shapes.items() if n in model.initial_point()}
    for seed in range(3):
        x = made.initial_point_func(seed)
        parts = np.split(x, np.cumsum([int(np.prod(s)) for s in names.values()])[:-1])
        point = {n: p.reshape(s) for (n, s), p in zip(names.items(), parts, strict=True)}
        code, value, gradient = evaluated(made, x)
        assert code == 0 and value == pytest.approx(float(logp(point)), rel=1e-12)
        order = dict(zip([v.name for v in model.value_vars], np.split(slope(point), [2]), strict=True))
        np.testing.assert_allclose(gradient, np.concatenate([order[n] for n in names]), rtol=1e-10)


def test_points_without_a_density_are_rejected() -> None:
    made = nutpie_model(groups())
    assert evaluated(made, np.full(3, 1e200))[0] > 0
    assert made.compiled_logp_func(2, np.zeros(3), np.zeros(3), np.zeros(1), None) < 0


def test_nutpie_samples() -> None:
    trace = nutpie.sample(nutpie_model(groups()), draws=500, tune=300, chains=2, seed=1, progress_bar=False)
    mean = np.asarray(trace.posterior["mean"]).reshape(-1, 2)
    assert mean.mean(axis=0) == pytest.approx([1.5, 4.5], abs=0.15)
    np.testing.assert_allclose(np.asarray(trace.posterior["twice"]).reshape(-1, 2), 2 * mean, rtol=1e-12)
    assert trace.posterior["mean"].coords["group"].values.tolist() == ["a", "b"]


def test_first_values_and_names_that_are_kept() -> None:
    model = groups()
    made = nutpie_model(
        model, initial_points={"mean": np.array([3.0, 7.0])}, jitter_rvs=[], var_names=["spread"]
    )
    assert {3.0, 7.0} <= set(made.initial_point_func(1).tolist())
    assert "twice" not in made.shapes and "spread" in made.shapes


class ByHand(pytensor.graph.op.Op):  # type: ignore[misc]
    """An op that eqsat has no entry for."""

    itypes, otypes = [pt.dscalar], [pt.dscalar]

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        outputs[0][0] = np.asarray(2 * inputs[0])


def test_ops_in_python_are_named() -> None:
    with pm.Model() as model:
        pm.Deterministic("z", ByHand()(pm.Normal("x")))
    with pytest.warns(match="ByHand"), pytest.raises(ArgumentError, match="ByHand runs in Python"):
        nutpie_model(model)
