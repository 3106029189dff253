"""Generators and random variables under PyTensor's names: distributions, states, streams, loops."""

import numpy as np
import pytest
import scipy.stats

from eqsat.errors import ArgumentError

COUNT = 2000
# A distribution: its arguments in PyTensor, and what SciPy has for the same.
DRAWS = {
    "uniform": ((1.0, 3.0), scipy.stats.uniform(1, 2)),
    "normal": ((1.0, 2.0), scipy.stats.norm(1, 2)),
    "standard_normal": ((), scipy.stats.norm()),
    "lognormal": ((0.1, 0.5), scipy.stats.lognorm(0.5, scale=np.exp(0.1))),
    "exponential": ((2.0,), scipy.stats.expon(scale=2)),
    "gumbel": ((1.0, 2.0), scipy.stats.gumbel_r(1, 2)),
    "beta": ((2.0, 3.0), scipy.stats.beta(2, 3)),
    "cauchy": ((1.0, 2.0), scipy.stats.cauchy(1, 2)),
    "chisquare": ((3.0,), scipy.stats.chi2(3)),
    "gengamma": ((2.0, 1.5, 3.0), scipy.stats.gengamma(2 / 1.5, 1.5, scale=3)),
    "halfcauchy": ((0.0, 2.0), scipy.stats.halfcauchy(0, 2)),
    "halfnormal": ((1.0, 2.0), scipy.stats.halfnorm(1, 2)),
    "invgamma": ((3.0, 2.0), scipy.stats.invgamma(3, scale=2)),
    "laplace": ((1.0, 2.0), scipy.stats.laplace(1, 2)),
    "logistic": ((1.0, 2.0), scipy.stats.logistic(1, 2)),
    "pareto": ((3.0, 2.0), scipy.stats.pareto(3, scale=2)),
    "rayleigh": ((2.0,), scipy.stats.rayleigh(scale=2)),
    "t": ((4.0, 1.0, 2.0), scipy.stats.t(4, 1, 2)),
    "triangular": ((0.0, 1.0, 4.0), scipy.stats.triang(0.25, 0, 4)),
    "truncexpon": ((2.0, 1.0, 2.0), scipy.stats.truncexpon(2, 1, 2)),
    "vonmises": ((0.5, 2.0), scipy.stats.vonmises(2, 0.5)),
    "wald": ((1.0, 2.0), scipy.stats.invgauss(0.5, scale=2)),
    "weibull": ((2.0,), scipy.stats.weibull_min(2)),
    "bernoulli": ((0.3,), scipy.stats.bernoulli(0.3)),
    "binomial": ((9, 0.3), scipy.stats.binom(9, 0.3)),
    "integers": ((2, 9), scipy.stats.randint(2, 9)),
    "betabinom": ((9, 2.0, 3.0), scipy.stats.betabinom(9, 2, 3)),
    "geometric": ((0.3,), scipy.stats.geom(0.3)),
    "hypergeometric": ((9, 8, 7), scipy.stats.hypergeom(17, 9, 7)),
    "nbinom": ((4, 0.4), scipy.stats.nbinom(4, 0.4)),
    "negative_binomial": ((4, 0.4), scipy.stats.nbinom(4, 0.4)),
    "poisson": ((3.5,), scipy.stats.poisson(3.5)),
    "categorical": (([0.2, 0.5, 0.3],), scipy.stats.rv_discrete(values=([0, 1, 2], [0.2, 0.5, 0.3]))),
}


@pytest.fixture
def pt(pytensor):
    return pytensor.tensor


@pytest.mark.parametrize("name", list(DRAWS))
def test_draws_follow_their_distribution(pt, name):
    arguments, law = DRAWS[name]
    rng = pt.random.shared_rng(seed=11)
    count = 200 if name == "vonmises" else COUNT  # SciPy takes milliseconds for one
    x = getattr(pt.random, name)(*arguments, size=(count,), rng=rng)
    assert x.type.shape == (count,)
    found = x.eval(mode="reference")
    if x.dtype == "int64":
        low, high = int(law.ppf(1e-4)), int(law.ppf(0.9999))
        kinds = np.arange(low, high + 1)
        counts = np.array([(found == k).sum() for k in kinds])
        expected = law.pmf(kinds) * COUNT
        kept = expected > 8
        distance = ((counts - expected)[kept] ** 2 / expected[kept]).sum()
        assert distance < scipy.stats.chi2(kept.sum()).ppf(0.999)
    else:
        assert scipy.stats.kstest(found, law.cdf).pvalue > 1e-3


def test_gamma_takes_a_rate_or_a_scale(pt):
    rng = pt.random.shared_rng(seed=2)
    by_rate, by_scale = (
        pt.random.gamma(2.0, **{k: v}, size=5, rng=rng) for k, v in (("rate", 4.0), ("scale", 0.25))
    )
    np.testing.assert_array_equal(by_rate.eval(mode="reference"), by_scale.eval(mode="reference"))
    with pytest.raises(ArgumentError, match="either rate or scale"):
        pt.random.gamma(2.0)


def test_draws_of_vectors(pt):
    rng = pt.random.shared_rng(seed=3)
    cov = np.array([[2.0, 0.6], [0.6, 1.0]])
    x = pt.random.multivariate_normal([1.0, -1.0], cov, size=(COUNT,), rng=rng).eval(mode="reference")
    np.testing.assert_allclose(np.cov(x.T), cov, atol=0.15)
    np.testing.assert_allclose(x.mean(0), [1, -1], atol=0.1)
    stack = pt.random.multivariate_normal(np.zeros((5, 2)), np.stack([cov] * 5), rng=rng)
    assert stack.eval(mode="reference").shape == (5, 2)
    d = pt.random.dirichlet([1.0, 2.0, 7.0], size=(COUNT,), rng=rng).eval(mode="reference")
    np.testing.assert_allclose(d.sum(1), 1)
    np.testing.assert_allclose(d.mean(0), [0.1, 0.2, 0.7], atol=0.02)
    m = pt.random.multinomial(6, [0.5, 0.5], size=(4,), rng=rng).eval(mode="reference")
    assert m.sum(1).tolist() == [6] * 4
    order = pt.random.permutation(pt.arange(7), rng=rng).eval(mode="reference")
    assert sorted(order) == list(range(7))
    picked = pt.random.choice(pt.as_tensor([4.0, 5.0, 6.0]), size=3, replace=False, rng=rng)
    assert sorted(picked.eval(mode="reference")) == [4, 5, 6]
    weighted = pt.random.choice(3, size=(50,), p=[0.0, 1.0, 0.0], rng=rng)
    assert set(weighted.eval(mode="reference")) == {1}


def test_a_generator_moves_on_where_its_update_is_given(pytensor, pt):
    rng = pytensor.shared(np.random.default_rng(123), name="rng")
    next_rng, x = pt.random.normal(0, 1, size=3, rng=rng).owner.outputs
    still = pytensor.function([], x)
    moving = pytensor.function([], x, updates={rng: next_rng})
    np.testing.assert_array_equal(still(), still())
    first, second = moving(), moving()
    assert not np.isclose(first, second).any()
    rng.set_value(np.random.default_rng(123))
    np.testing.assert_array_equal(moving(), first)
    state = rng.get_value()
    after = moving()
    rng.set_value(state)
    np.testing.assert_array_equal(moving(), after)
    rng.set_value(seed=5)
    assert isinstance(rng.get_value(), np.random.Generator)


def test_generators_chain_and_do_not_repeat(pytensor, pt):
    rng = pt.random.shared_rng(seed=4, name="rng")
    second, x = rng.normal(size=4)
    third, y = second.normal(size=4)
    f = pytensor.function([], [x, y], updates={rng: third})
    found = np.r_[f(), f()].ravel()
    assert len(set(found)) == 16


def test_a_generator_may_be_an_input(pytensor, pt):
    rng = pt.random.rng("rng")
    next_rng, x = rng.uniform(2.0, 3.0)
    f = pytensor.function([pytensor.In(rng, mutable=True)], [next_rng, x])
    state, value = f(np.random.default_rng(7))
    _, other = f(state)
    assert f(np.random.default_rng(7))[1] == value
    assert value != other
    assert 2 <= value < 3


def test_an_op_knows_its_parameters(pytensor, pt):
    from pytensor.tensor.random.op import RandomVariable

    mu = pt.dscalar("mu")
    x = pt.random.normal(mu, 2.0, size=(3,), name="x")
    assert isinstance(x.owner.op, RandomVariable)
    _, size, loc, scale = x.owner.inputs
    assert (loc, scale.data, x.name, size.type.ndim) == (mu, 2.0, "x", 1)
    assert x.owner.op.name == "normal_rv"
    slope = pytensor.grad(x.sum(), mu)
    assert slope.eval({mu: 1.0}, mode="reference") == 3.0


def test_lengths_may_be_variables(pytensor, pt):
    n = pt.lscalar("n")
    x = pt.random.poisson(4.0, size=(n, 2))
    assert x.type.shape == (None, 2)
    assert pytensor.function([n], x)(3).shape == (3, 2)
    assert pt.random.normal(pt.dvector("v")).type.ndim == 1
    assert pt.random.normal(size=pt.as_tensor([2, 3])).type.shape == (2, 3)


def test_what_does_not_fit_is_refused(pt):
    with pytest.raises(ArgumentError, match="poisson: too many parameters"):
        pt.random.poisson(1.0, 2, 3)
    with pytest.raises(ArgumentError, match="beta: beta is not given"):
        pt.random.beta(1.0)
    with pytest.raises(ArgumentError, match="normal: spread is not known"):
        pt.random.normal(spread=2.0)
    with pytest.raises(ArgumentError, match="a generator or a seed"):
        pt.random.shared_rng()
    with pytest.raises(ArgumentError, match="a generator or a seed"):
        pt.random.shared_rng(seed=1).set_value(np.random.default_rng(1), seed=2)


def test_streams_move_on_by_themselves(pytensor, pt):
    stream = pt.random.RandomStream(seed=9)
    x, k = stream.normal(5.0, 0.1, size=(2,)), stream.poisson(3.0, size=2)
    assert len(stream.updates()) == 2
    f, still = pytensor.function([], [x, k]), pytensor.function([], x, no_default_updates=True)
    assert not np.isclose(f()[0], f()[0]).any()
    np.testing.assert_array_equal(still(), still())
    stream.seed(9)
    first = f()
    stream.seed(9)
    np.testing.assert_array_equal(f()[0], first[0])
    with pytest.raises(AttributeError, match="'skewnormal'"):
        stream.skewnormal  # noqa: B018
    with pytest.raises(ArgumentError, match="a generator of its own"):
        stream.normal(rng=pt.random.shared_rng(seed=1))


def test_loops_draw_anew_in_each_step(pytensor, pt):
    stream = pt.random.RandomStream(1)
    walk, updates = pytensor.scan(
        lambda x: x + stream.normal(), outputs_info=[pt.as_tensor(0.0, dtype="float64")], n_steps=6
    )
    steps = np.diff(pytensor.function([], walk, updates=updates)())
    assert len(set(steps)) == 5

    rng = pt.random.shared_rng(seed=2)

    def step(x, rng):
        next_rng, move = rng.normal()
        return x + move, next_rng

    start = pt.as_tensor(0.0, dtype="float64")
    walk, last = pytensor.scan(step, outputs_info=[start, rng], n_steps=6, return_updates=False)
    f = pytensor.function([], walk, updates={rng: last})
    first, second = f(), f()
    assert len({*np.diff(first), *np.diff(second)}) == 10
