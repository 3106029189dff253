"""Gaussian processes, covariances, walks, maps."""

from __future__ import annotations

import numpy as np
import pymc as pm
import pytensor.tensor as pt

from gallery import model

Dice = np.random.Generator


@model
def gaussian_process(dice: Dice) -> None:
    x = np.linspace(0, 10, 60)[:, None]
    cov = pm.HalfNormal("eta", 2) ** 2 * pm.gp.cov.Matern52(1, pm.Gamma("ls", 2, 1))
    y = np.sin(x[:, 0]) + 0.1 * dice.normal(size=60)
    pm.gp.Marginal(cov_func=cov).marginal_likelihood("y", X=x, y=y, sigma=pm.HalfNormal("sigma", 1))


@model
def latent_gaussian_process(dice: Dice) -> None:
    x = np.linspace(0, 1, 40)[:, None]
    cov = pm.Exponential("eta", 1) ** 2 * pm.gp.cov.ExpQuad(1, pm.InverseGamma("ls", 3, 1))
    f = pm.gp.Latent(cov_func=cov).prior("f", X=x)
    pm.Bernoulli("y", logit_p=f, observed=dice.integers(0, 2, 40))


@model
def lkj_mvnormal(dice: Dice) -> None:
    size = pm.Exponential.dist(1.0)
    chol, _, _ = pm.LKJCholeskyCov("chol", n=4, eta=2.0, sd_dist=size, compute_corr=True)
    mu = pm.Normal("mu", 0, 1, shape=4)
    pm.MvNormal("y", mu, chol=chol, observed=dice.normal(size=(200, 4)))


@model
def varying_slopes(dice: Dice) -> None:
    group, x = dice.integers(0, 10, 200), dice.normal(size=200)
    size = pm.Exponential.dist(1.0)
    chol, _, _ = pm.LKJCholeskyCov("chol", n=2, eta=2.0, sd_dist=size, compute_corr=True)
    both = pm.Normal("mu", 0, 1, shape=2) + pt.dot(chol, pm.Normal("z", 0, 1, shape=(2, 10))).T
    mean = both[group, 0] + both[group, 1] * x
    pm.Normal("y", mean, pm.Exponential("s", 1), observed=dice.normal(size=200))


@model
def random_walk(dice: Dice) -> None:
    y = np.cumsum(dice.normal(size=400)) + dice.normal(size=400)
    start = pm.Normal.dist(0, 10)
    x = pm.GaussianRandomWalk("x", sigma=pm.HalfNormal("s", 1), init_dist=start, steps=399)
    pm.Normal("y", x, pm.HalfNormal("o", 1), observed=y)


@model
def stochastic_volatility(dice: Dice) -> None:
    start = pm.Normal.dist(0, 100)
    walk = pm.GaussianRandomWalk("vol", sigma=pm.Exponential("step", 10), init_dist=start, shape=300)
    y = dice.normal(size=300) * 0.02
    pm.StudentT("y", nu=pm.Exponential("nu", 0.1), lam=pt.exp(-2 * walk), observed=y)


@model
def conditional_autoregression(dice: Dice) -> None:
    near = np.eye(30, k=1) + np.eye(30, k=-1)
    alpha, tau = pm.Uniform("alpha", 0, 1), pm.Gamma("tau", 2, 2)
    phi = pm.CAR("phi", mu=np.zeros(30), tau=tau, alpha=alpha, W=near)
    pm.Poisson("y", pt.exp(phi), observed=dice.poisson(3, 30))
