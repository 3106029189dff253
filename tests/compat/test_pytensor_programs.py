"""Small programs as they are written for PyTensor: they import it, and give what NumPy gives."""

import pickle

import numpy as np
import pytest

pytestmark = pytest.mark.sweep  # whole programs

RNG = np.random.default_rng(3)


def test_logistic_regression_with_momentum(pytensor):
    import pytensor.tensor as pt

    X = RNG.normal(size=(80, 5))
    labels = (X @ np.array([1.0, -2.0, 0.5, 0.0, 1.0]) > 0.2).astype("int64")
    x, y = pt.matrix("x"), pt.vector("y", dtype="int64")
    w, b = pytensor.shared(np.zeros(5), name="w"), pytensor.shared(0.0, name="b")
    chance = pt.sigmoid(x @ w + b)
    loss = pt.switch(pt.eq(y, 1), -pt.log(chance), -pt.log1p(-chance))
    cost = loss.mean() + 0.01 * (w**2).sum()
    updates = {}
    for p, g in zip([w, b], pt.grad(cost, [w, b]), strict=True):
        v = pytensor.shared(np.zeros_like(p.get_value()))
        updates |= {v: 0.8 * v - 0.3 * g, p: p + 0.8 * v - 0.3 * g}
    train = pytensor.function([x, y], [chance > 0.5, loss], updates=updates, name="train")
    costs = [train(X, labels)[1].mean() for _ in range(60)]
    assert costs[0] == np.log(2)
    assert costs[-1] < 0.2
    assert (train(X, labels)[0] == labels).mean() > 0.95


def test_a_network_whose_batches_come_from_a_shared_table(pytensor):
    import pytensor.tensor as pt

    data = pytensor.shared(RNG.normal(size=(60, 4)).astype("float32"), name="data")
    target = pytensor.shared(RNG.integers(0, 3, 60), name="target")
    with pytensor.config.change_flags(floatX="float32"):
        i, x, y = pt.iscalar("i"), pt.matrix("x"), pt.lvector("y")
        W1 = pytensor.shared((0.3 * RNG.normal(size=(4, 8))).astype("float32"))
        W2 = pytensor.shared(np.zeros((8, 3), "float32"))
        hidden = pt.maximum(x @ W1, 0)
        logp = pt.special.log_softmax(hidden @ W2, axis=-1)
        cost = -logp[pt.arange(y.shape[0]), y].mean()
        steps = [(p, p - 0.5 * g) for p, g in zip([W1, W2], pytensor.grad(cost, [W1, W2]), strict=True)]
        rows = slice(i * 20, (i + 1) * 20)
        train = pytensor.function([i], cost, updates=steps, givens={x: data[rows], y: target[rows]})
    assert cost.dtype == "float32"
    first = np.mean([train(k) for k in range(3)])
    last = [np.mean([train(k) for k in range(3)]) for _ in range(60)][-1]
    assert last < 0.85 * first


def test_loops_of_the_documentation(pytensor):
    import pytensor.tensor as pt
    from pytensor.scan.utils import until

    k, a = pt.iscalar("k"), pt.vector("a")
    powers, updates = pytensor.scan(
        fn=lambda prior, a: prior * a, outputs_info=pt.ones_like(a), non_sequences=a, n_steps=k
    )
    power = pytensor.function([a, k], powers[-1], updates=updates)
    np.testing.assert_array_equal(power(np.arange(4.0), 3), np.arange(4.0) ** 3)

    c, v = pt.vector("c"), pt.scalar("v")
    terms = pytensor.scan(
        lambda c, k, v: c * v**k, sequences=[c, pt.arange(50)], non_sequences=v, return_updates=False
    )
    assert pytensor.function([c, v], terms.sum())([1.0, 0.0, 2.0], 3.0) == 19

    doubling = pytensor.scan(
        lambda x, limit: (x * 2, until(x * 2 > limit)),
        outputs_info=pt.as_tensor(1.0, dtype="float64"),
        non_sequences=v,
        n_steps=1024,
        return_updates=False,
    )
    assert pytensor.function([v], doubling)(45.0).tolist() == [2, 4, 8, 16, 32, 64]

    fibonacci, _ = pytensor.scan(
        lambda older, newer: older + newer,
        outputs_info=[{"initial": pt.as_tensor(np.array([0, 1])), "taps": [-2, -1]}],
        n_steps=8,
    )
    assert fibonacci.eval().tolist() == [1, 2, 3, 5, 8, 13, 21, 34]

    x = pt.dvector("x")
    y = x**2 * x.sum()
    J, _ = pytensor.scan(
        lambda i, y, x: pt.grad(y[i], x), sequences=pt.arange(y.shape[0]), non_sequences=[y, x]
    )
    at = np.array([1.0, 2.0])
    np.testing.assert_allclose(J.eval({x: at}), np.diag(2 * at * at.sum()) + at[:, None] ** 2)


def test_views_of_loops(pytensor):
    import pytensor.tensor as pt
    from pytensor.scan.checkpoints import scan_checkpoints
    from pytensor.scan.views import foldl, foldr, map, reduce

    x = pt.dvector("x")
    given = {x: np.array([1.0, 2.0, 4.0])}
    assert map(lambda v: v * 2, x, return_updates=False).eval(given).tolist() == [2, 4, 8]
    zero = pt.constant(0.0, dtype="float64")
    assert reduce(lambda v, s: s + v, x, zero, return_updates=False).eval(given) == 7
    assert foldl(lambda v, s: s * 2 + v, x, zero)[0].eval(given) == 12
    assert foldr(lambda v, s: s * 2 + v, x, zero, return_updates=False).eval(given) == 21
    kept = scan_checkpoints(
        lambda s, a: s + a,
        outputs_info=pt.zeros(1),
        non_sequences=x[:1],
        n_steps=6,
        save_every_N=3,
        return_updates=False,
    )
    assert kept.eval(given).ravel().tolist() == [3, 6]


def test_a_recurrent_network_learns_to_add(pytensor):
    import pytensor.tensor as pt

    x, y = pt.tensor3("x"), pt.dvector("y")
    W, U, o = (pytensor.shared(0.3 * RNG.normal(size=s)) for s in ((2, 6), (6, 6), (6,)))
    hidden = pytensor.scan(
        lambda row, h: pt.tanh(row @ W + h @ U),
        sequences=x,
        outputs_info=pt.zeros((x.shape[1], 6)),
        return_updates=False,
    )
    cost = ((hidden[-1] @ o - y) ** 2).mean()
    rule = [(p, p - 0.05 * g) for p, g in zip([W, U, o], pt.grad(cost, [W, U, o]), strict=True)]
    train = pytensor.function([x, y], cost, updates=rule)
    X = RNG.uniform(-0.5, 0.5, size=(4, 30, 2))
    costs = [float(train(X, X[:, :, 0].sum(0))) for _ in range(120)]
    assert costs[-1] < 0.3 * costs[0]


def test_a_gaussian_process_and_its_gradient(pytensor):
    import pytensor.tensor as pt

    x, y, scale = pt.dvector("x"), pt.dvector("y"), pt.dscalar("scale")
    K = pt.exp(-((x[:, None] - x[None, :]) ** 2) / (2 * scale**2)) + 0.1 * pt.eye(x.shape[0])
    L = pt.linalg.cholesky(K)
    z = pt.linalg.solve_triangular(L, y, lower=True)
    logp = -0.5 * (z @ z) - pt.log(pt.diagonal(L)).sum() - 0.5 * x.shape[0] * pt.log(2 * pt.pi)
    f = pytensor.function([x, y, scale], [logp, pt.grad(logp, scale)])
    at, seen = np.linspace(0, 1, 6), RNG.normal(size=6)
    found, slope = f(at, seen, 0.5)
    K0 = np.exp(-((at[:, None] - at) ** 2) / 0.5) + 0.1 * np.eye(6)
    _, logdet = np.linalg.slogdet(K0)
    expected = -0.5 * seen @ np.linalg.solve(K0, seen) - 0.5 * logdet - 3 * np.log(2 * np.pi)
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(
        slope, (f(at, seen, 0.5 + 1e-6)[0] - f(at, seen, 0.5 - 1e-6)[0]) / 2e-6, rtol=1e-4
    )


def test_a_model_of_random_variables_and_its_batch(pytensor):
    import pytensor.tensor as pt
    from pytensor.graph.replace import vectorize_graph

    rng = pt.random.shared_rng(seed=8)
    mu = pt.dscalar("mu")
    next_rng, data = rng.normal(mu, 0.1, size=(500,))
    simulate = pytensor.function([mu], [data.mean(), data.std()], updates={rng: next_rng})
    means = [simulate(2.0) for _ in range(3)]
    np.testing.assert_allclose(means, [[2.0, 0.1]] * 3, atol=0.03)
    assert len({float(m) for m, _ in means}) == 3

    x, loc = pt.dvector("x"), pt.dscalar("loc")
    logp = (-0.5 * (x - loc) ** 2).sum()
    many = pt.dvector("many")
    np.testing.assert_allclose(
        vectorize_graph(logp, {loc: many}).eval({x: [0.0, 1.0], many: [0.0, 1.0, 2.0]}), [-0.5, -0.5, -2.5]
    )


def test_metropolis_steps_in_a_loop(pytensor):
    import pytensor.tensor as pt

    rng = pt.random.shared_rng(seed=5)

    def step(x, rng):
        moved, jump = rng.normal(0.0, 1.5)
        last, chance = moved.uniform()
        proposed = x + jump
        accept = pt.log(chance) < -0.5 * (proposed - 1) ** 2 + 0.5 * (x - 1) ** 2
        return pt.switch(accept, proposed, x), last

    start = pt.as_tensor(0.0, dtype="float64")
    chain, last = pytensor.scan(step, outputs_info=[start, rng], n_steps=4000, return_updates=False)
    sample = pytensor.function([], chain, updates={rng: last})
    values = np.r_[sample(), sample()]
    assert abs(values.mean() - 1) < 0.15
    assert abs(values.std() - 1) < 0.15


def test_functions_of_every_form(pytensor):
    import pytensor.tensor as pt

    x, y = pt.dscalar("x"), pt.dscalar("y")
    f = pytensor.function([x, pytensor.In(y, value=3.0, name="other")], {"sum": x + y, "product": x * y})
    assert {k: float(v) for k, v in f(2.0).items()} == {"sum": 5, "product": 6}
    assert float(f(2.0, other=1.0)["sum"]) == 3
    state = pytensor.shared(0)
    count = pytensor.function([], state, updates=[(state, state + 1)])
    assert [int(count()) for _ in range(3)] == [0, 1, 2]
    copy = count.copy(swap={state: pytensor.shared(10)})
    assert [int(copy()), int(state.get_value())] == [10, 3]
    loaded = pickle.loads(pickle.dumps(pytensor.function([x], x**2)))
    assert loaded(3.0) == 9
    assert pytensor.function([], None)() == []
    assert (x + y).eval({"x": 1.0, "y": 2.0}) == 3
    given = pytensor.function([x], y * 2, givens=[(y, x + 1)])
    assert given(4.0) == 10
    constant = pytensor.function(
        [x], pt.specify_shape(pt.dvector("v"), (3,)).shape, on_unused_input="ignore", givens={}
    )
    assert constant(0.0).tolist() == [3]


def test_a_table_updated_by_rows(pytensor):
    import pytensor.tensor as pt

    table = pytensor.shared(np.zeros((50, 3)), "table")
    rows, target = pt.ivector("rows"), pt.dmatrix("target")
    part = table[rows]
    cost = ((part - target) ** 2).sum()
    learn = pytensor.function(
        [rows, target], cost, updates=[(table, pt.inc_subtensor(part, -0.5 * pt.grad(cost, part)))]
    )
    goal = RNG.normal(size=(2, 3))
    assert learn([4, 9], goal) > 0
    np.testing.assert_allclose(table.get_value()[[4, 9]], goal)
    assert not table.get_value()[[0, 5]].any()
