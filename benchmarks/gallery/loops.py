"""Models of time: filters, hidden states, epidemics, by scan."""

from __future__ import annotations

from typing import Any

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt

from gallery import model

Dice = np.random.Generator


@model
def kalman_filter(dice: Dice) -> None:
    y = np.cumsum(dice.normal(size=300)) + dice.normal(size=300)

    def step(seen: Any, mean: Any, var: Any, q: Any, r: Any) -> Any:
        expected = var + q
        gain, wrong = expected / (expected + r), seen - mean
        logp = -0.5 * (pt.log(2 * np.pi * (expected + r)) + wrong**2 / (expected + r))
        return mean + gain * wrong, (1 - gain) * expected, logp

    noise = [pm.HalfNormal("q", 1) ** 2, pm.HalfNormal("r", 1) ** 2]
    start = [pt.constant(np.float64(0.0)), pt.constant(np.float64(10.0)), None]
    *_, logp = pytensor.scan(step, [pt.as_tensor(y)], start, noise, return_updates=False)
    pm.Potential("logp", logp.sum())


@model
def hidden_markov(dice: Dice) -> None:
    moves, mu = pm.Dirichlet("P", np.ones((3, 3))), pm.Normal("mu", [-1.0, 0.0, 1.0], 1, shape=3)
    seen = pm.logp(pm.Normal.dist(mu, 1.0), dice.normal(size=200)[:, None])

    def step(e: Any, a: Any, logs: Any) -> Any:
        return e + pt.logsumexp(a[:, None] + logs, axis=0)

    out = pytensor.scan(step, [seen[1:]], [seen[0] - np.log(3)], [pt.log(moves)], return_updates=False)
    pm.Potential("logp", pt.logsumexp(out[-1]))


@model
def epidemic(dice: Dice) -> None:
    first = pm.HalfNormal("first", 10)

    def step(able: Any, ill: Any, beta: Any, gamma: Any) -> Any:
        new = beta * able * ill / 1000
        return able - new, ill + new - gamma * ill, new

    rates = [pm.LogNormal("beta", -1, 0.5), pm.LogNormal("gamma", -2, 0.5)]
    start = [1000 - first, first, None]
    *_, new = pytensor.scan(step, None, start, rates, n_steps=60, return_updates=False)
    pm.NegativeBinomial("y", mu=pt.maximum(new, 1e-6), alpha=10.0, observed=dice.poisson(20, size=60))


@model
def garch(dice: Dice) -> None:
    omega, alpha, beta = pm.HalfNormal("o", 1), pm.Uniform("a", 0, 1), pm.Uniform("b", 0, 1)
    y = dice.normal(size=200)
    pm.GARCH11("y", omega=omega, alpha_1=alpha, beta_1=beta, initial_vol=1.0, observed=y)
