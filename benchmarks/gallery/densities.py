"""Regressions, hierarchies, mixtures, counts, survival."""

from __future__ import annotations

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pymc.distributions.transforms import ordered

from gallery import model

Dice = np.random.Generator


@model
def eight_schools(dice: Dice) -> None:
    y, s = np.array([28.0, 8, -3, 7, -1, 1, 18, 12]), np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    mu, tau = pm.Normal("mu", 0, 5), pm.HalfCauchy("tau", 5)
    pm.Normal("y", mu + tau * pm.Normal("z", 0, 1, shape=8), s, observed=y)


@model
def radon(dice: Dice) -> None:
    county, floor, y = (
        dice.integers(0, 85, 919),
        dice.integers(0, 2, 919).astype(float),
        dice.normal(1, 1, 919),
    )
    level = pm.Normal("mu_a", 0, 10) + pm.HalfCauchy("s_a", 5) * pm.Normal("a", 0, 1, shape=85)
    slope = pm.Normal("mu_b", 0, 10) + pm.HalfCauchy("s_b", 5) * pm.Normal("b", 0, 1, shape=85)
    pm.Normal("y", level[county] + slope[county] * floor, pm.HalfCauchy("eps", 5), observed=y)


@model
def hierarchical_logistic(dice: Dice) -> None:
    x, group, y = dice.normal(size=(5000, 8)), dice.integers(0, 50, 5000), dice.integers(0, 2, 5000)
    beta = pm.Normal("beta", pm.Normal("mu", 0, 1, shape=8), pm.HalfNormal("s", 1, shape=8), shape=(50, 8))
    pm.Bernoulli("y", logit_p=(x * beta[group]).sum(-1), observed=y)


@model
def mixture(dice: Dice) -> None:
    y = np.concatenate([dice.normal(-2, 1, 400), dice.normal(3, 0.5, 600)])
    w, mu = pm.Dirichlet("w", np.ones(3)), pm.Normal("mu", 0, 5, shape=3)
    pm.NormalMixture("y", w=w, mu=mu, sigma=pm.HalfNormal("s", 2, shape=3), observed=y)


@model
def negative_binomial(dice: Dice) -> None:
    x = dice.normal(size=(2000, 5))
    y = dice.poisson(np.exp(x[:, 0] * 0.3 + 1))
    rate = pt.exp(pt.dot(x, pm.Normal("b", 0, 1, shape=5)) + pm.Normal("c", 0, 1))
    pm.NegativeBinomial("y", mu=rate, alpha=pm.Exponential("a", 1), observed=y)


@model
def ordered_logistic(dice: Dice) -> None:
    x, y = dice.normal(size=1000), dice.integers(0, 5, 1000)
    cuts = pm.Normal("c", mu=np.linspace(-2, 2, 4), sigma=1, shape=4, transform=ordered)
    pm.OrderedLogistic("y", eta=pm.Normal("b", 0, 1) * x, cutpoints=cuts, observed=y)


@model
def zero_inflated(dice: Dice) -> None:
    y = dice.poisson(2, 1500) * dice.integers(0, 2, 1500)
    pm.ZeroInflatedPoisson("y", pm.Beta("psi", 2, 2), pm.Gamma("mu", 2, 1), observed=y)


@model
def censored_weibull(dice: Dice) -> None:
    y = np.minimum(dice.weibull(1.5, 500) * 3, 4.0)
    times = pm.Weibull.dist(alpha=pm.HalfNormal("a", 2), beta=pm.HalfNormal("b", 3))
    pm.Censored("y", times, lower=None, upper=4.0, observed=y)


@model
def horseshoe(dice: Dice) -> None:
    x = dice.normal(size=(1500, 20))
    y = x @ dice.normal(size=20) + dice.standard_t(3, 1500)
    sizes = pm.HalfCauchy("lam", 1, shape=20) * pm.HalfCauchy("tau", 1)
    beta = pm.Normal("z", 0, 1, shape=20) * sizes
    pm.StudentT("y", nu=pm.Gamma("nu", 2, 0.1), mu=pt.dot(x, beta), sigma=pm.HalfNormal("s", 1), observed=y)


@model
def beta_binomial(dice: Dice) -> None:
    n = dice.integers(5, 50, 400)
    alpha, beta = pm.HalfNormal("a", 5), pm.HalfNormal("b", 5)
    pm.BetaBinomial("y", alpha=alpha, beta=beta, n=n, observed=dice.binomial(n, 0.3))


@model
def truncated_normal(dice: Dice) -> None:
    y = np.abs(dice.normal(size=300))
    pm.TruncatedNormal("y", pm.Normal("mu", 0, 1), pm.HalfNormal("s", 1), lower=0, observed=y)


@model
def two_groups(dice: Dice) -> None:
    mu, s = pm.Normal("mu", 0, 5, shape=2), pm.Uniform("s", 0.1, 10, shape=2)
    nu = pm.Exponential("nu", 1 / 29) + 1
    for k, y in enumerate((dice.normal(1, 1, 40), dice.normal(0, 2, 50))):
        pm.StudentT(f"y{k}", nu=nu, mu=mu[k], lam=s[k] ** -2, observed=y)


@model
def piecewise_survival(dice: Dice) -> None:
    deaths, exposure = dice.integers(0, 2, size=(150, 12)), dice.uniform(0.1, 1, size=(150, 12))
    risk = pt.exp(pm.Normal("b", 0, 10) * dice.integers(0, 2, 150))
    hazard = pm.Gamma("hazard", 0.01, 0.01, shape=12)
    pm.Poisson("y", mu=pt.outer(risk, hazard) * exposure, observed=deaths)


@model
def item_response(dice: Dice) -> None:
    ability, hardness = pm.Normal("ability", 0, 1, shape=60), pm.Normal("hardness", 0, 1, shape=20)
    logit = pm.LogNormal("a", 0, 0.5, shape=20) * (ability[:, None] - hardness)
    pm.Bernoulli("y", logit_p=logit, observed=dice.integers(0, 2, (60, 20)))


@model
def dirichlet_process(dice: Dice) -> None:
    y = np.r_[dice.normal(-3, 1, 80), dice.normal(2, 1, 80)]
    beta = pm.Beta("beta", 1, pm.Gamma("alpha", 1, 1), shape=8)
    w = beta * pt.concatenate([[1.0], pt.cumprod(1 - beta)[:-1]])
    tau, mu = pm.Gamma("tau", 1, 1, shape=8), pm.Normal("mu", 0, 5, shape=8)
    pm.NormalMixture("y", w / w.sum(), mu, tau=tau, observed=y)


@model
def splines(dice: Dice) -> None:
    basis = np.maximum(0, dice.normal(size=(800, 17)))
    mean = pm.Normal("a", 100, 5) + pt.dot(basis, pm.Normal("w", 0, 3, shape=17))
    pm.Normal("y", mean, pm.Exponential("s", 1), observed=dice.normal(100, 1, 800))


@model
def softmax_regression(dice: Dice) -> None:
    x, y = dice.normal(size=(150, 4)), dice.integers(0, 3, 150)
    logit = x @ pm.Normal("b", 0, 1, shape=(4, 3)) + pm.Normal("a", 0, 1, shape=3)
    pm.Categorical("y", p=pm.math.softmax(logit, axis=1), observed=y)


@model
def censored_gamma(dice: Dice) -> None:
    y = np.clip(dice.gamma(2, 1, size=200), 0.5, 3)
    times = pm.Gamma.dist(pm.HalfNormal("a", 3) + 0.5, pm.HalfNormal("b", 1) + 0.1)
    pm.Censored("y", times, lower=0.5, upper=3, observed=y)
