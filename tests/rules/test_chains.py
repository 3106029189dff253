"""Long chains of products get the brackets that dynamic programming finds, whatever the factors and whoever reads them."""

import itertools
import random
import time

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.egraph.chains import Brackets, guesses, lengths_of
from eqsat.extract.chains import product_price
from eqsat.extract.cost import CostModel
from eqsat.graph.dtypes import CODE
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import toposort

PRICE = product_price(CostModel())
VIEW = 1e-6  # of the cost: transposes and moved axes of inputs are counted but cost nothing


def matrix(m, n, name=None):
    return TensorType("float64", shape=(m, n))(name)


def chain(factors):
    made = factors[0]
    for factor in factors[1:]:
        made = T.dot(made, factor)
    return made


def optimum(lengths):
    """The cost of the best brackets, by the textbook."""
    count = len(lengths) - 1
    cost = {(i, i + 1): 0.0 for i in range(count)}
    for width in range(2, count + 1):
        for i in range(count - width + 1):
            j = i + width
            cost[i, j] = min(
                cost[i, h] + cost[h, j] + PRICE(CODE["float64"], lengths[i], lengths[h], lengths[j])
                for h in range(i + 1, j)
            )
    return cost[0, count]


def drawn(count, seed):
    rng = random.Random(seed)
    few = [2, 3, 5, 8, 13, 40, 100, 300]  # equal lengths, and a column with a row
    lengths = [rng.choice(few) if seed % 2 else rng.randint(2, 500) for _ in range(count + 1)]
    return [1 if i == count // 2 and seed % 2 else n for i, n in enumerate(lengths)]


def factors_of(lengths):
    return [matrix(m, n, f"x{i}") for i, (m, n) in enumerate(itertools.pairwise(lengths))]


def saturated(report):
    return all(phase.stopped == "saturated" for phase in report.phases)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("count", [10, 20, 40])
def test_the_optimum_is_reached(count, seed):
    lengths = drawn(count, count + seed)
    report = eqsat.optimize(chain(factors_of(lengths)))
    assert report.cost_after == pytest.approx(optimum(lengths), rel=VIEW)
    assert saturated(report)
    assert report.rules["dot-chain"]


@pytest.mark.sweep
def test_eighty_products_take_less_than_two_seconds():
    eqsat.optimize(chain(factors_of(drawn(10, 0))))  # the rules are loaded
    lengths = drawn(81, 80)
    start = time.thread_time()
    report = eqsat.optimize(chain(factors_of(lengths)))
    assert time.thread_time() - start < 2.0
    assert report.cost_after == pytest.approx(optimum(lengths), rel=VIEW)
    assert report.e_nodes < 3000


def test_transposed_factors_and_a_vector_at_the_end():
    lengths = [*drawn(12, 2), 1]
    factors = [
        x if i % 3 else matrix(x.type.shape[1], x.type.shape[0]).T
        for i, x in enumerate(factors_of(lengths)[:-1])
    ]
    vector = TensorType("float64", shape=(lengths[-2],))("v")
    report = eqsat.optimize(T.dot(chain(factors), vector))
    assert report.cost_after == pytest.approx(optimum(lengths), rel=1e-3)


def test_the_transpose_of_a_chain_and_a_chain_within():
    lengths = drawn(14, 3 + 1)
    factors = factors_of(lengths)
    best = optimum(lengths)
    assert eqsat.optimize(chain(factors).T).cost_after == pytest.approx(best, rel=1e-3)
    within = chain([chain(factors[:5]), chain(factors[5:]).T.T])
    assert eqsat.optimize(within).cost_after == pytest.approx(best, rel=1e-3)
    turned = chain([chain([f.T for f in reversed(factors[:7])]).T, *factors[7:]])
    assert eqsat.optimize(turned).cost_after == pytest.approx(best, rel=1e-3)


def test_a_scalar_in_the_middle_scales_the_smallest_matrix():
    lengths = drawn(12, 6)
    factors, s = factors_of(lengths), T.dscalar("s")
    plain = eqsat.optimize(chain(factors)).cost_after
    scaled = eqsat.optimize(chain([*factors[:6], s * factors[6], *factors[7:]])).cost_after
    model = CostModel()
    smallest = min(m * n for m, n in (x.type.shape for x in factors))
    most = model.call + smallest * 8 * model.byte + smallest * model.flop
    assert plain < scaled < plain + 2 * most


def test_one_factor_in_several_chains():
    first, second = drawn(12, 7), drawn(11, 9)
    second[3:5] = first[6:8]
    one, two = factors_of(first), factors_of(second)
    two[3] = one[6]
    report = eqsat.optimize([chain(one), chain(two)])
    assert report.cost_after <= (optimum(first) + optimum(second)) * (1 + VIEW)


def test_a_part_that_is_read_elsewhere_is_computed_once():
    lengths = [50] * 13
    factors = factors_of(lengths)
    part = T.exp(chain(factors[4:8]))
    backwards = chain(
        [chain(factors[:4]), T.dot(T.dot(factors[4], factors[5]), T.dot(factors[6], factors[7]))]
    )
    report = eqsat.optimize([part, chain([backwards, *factors[8:]])])
    products = [v for v in toposort(report.optimized) if v.op.name == "dot"]
    assert len(products) == 11


def test_chains_in_other_brackets_are_one():
    factors = factors_of(drawn(11, 10))
    right = factors[-1]
    for x in reversed(factors[:-1]):
        right = T.dot(x, right)
    report = eqsat.optimize([chain(factors), right])
    assert sum(v.op.name == "dot" for v in toposort(report.optimized)) == 10
    assert report.optimized[0] is report.optimized[1]


def test_a_chain_less_itself_in_other_brackets_is_0():
    factors = factors_of(drawn(11, 10))
    right = T.dot(factors[0], chain(factors[1:]))
    difference = eqsat.optimize(chain(factors) - right).optimized[0]
    assert [v.op.name for v in toposort([difference])][-1:] == ["alloc"]
    assert not eqsat.function([], difference)().any()


def test_zeros_of_a_chain_beside_numbers_that_are_no_lengths():
    factors, scale = factors_of([3, 4, 5, 2]), T.dscalar("scale")
    right = T.dot(factors[0], chain(factors[1:]))
    made = eqsat.optimize([chain(factors) - right, scale * np.nan, scale + np.inf]).optimized
    f = eqsat.function([*factors, scale], made, on_unused_input="ignore")
    zeros, nan, inf = f(*(np.ones(x.type.shape) for x in factors), 1.0)
    assert zeros.shape == (3, 2) and not zeros.any() and np.isnan(nan) and np.isinf(inf)


def test_values_are_those_of_the_chain():
    lengths = [3, 4, 2, 5, 1, 3, 6, 2, 2, 4, 3]
    factors = factors_of(lengths)
    rng = np.random.default_rng(0)
    values = [rng.standard_normal(x.type.shape) for x in factors]
    got = eqsat.function(factors, chain(factors))(*values)
    np.testing.assert_allclose(got, np.linalg.multi_dot(values), rtol=1e-12)


def test_exact_rules_leave_the_brackets():
    report = eqsat.optimize(chain(factors_of(drawn(10, 1))), rules="exact")
    assert report.cost_after == report.cost_before


def test_unknown_lengths_get_the_best_brackets_of_each_guess():
    brackets = Brackets(None, 64.0)
    lengths = lengths_of([2, -1, -1, 7, 7, 3])
    assert lengths == (2, -1, 7, 3)
    found = set(brackets.splits(lengths, CODE["float64"]))
    assert (0, 3, 2) in found
    open_ends = set(brackets.splits((-1, 8, 8, -1), CODE["float64"]))
    assert {(0, 3, 1), (0, 3, 2)} <= open_ends
    assert len(list(guesses((-1,) * 9, 64.0))) == 3
