"""Recurrent networks as they were written for Theano, against the same arithmetic by hand in NumPy."""

from collections import OrderedDict

import numpy as np
import pytest

pytestmark = pytest.mark.sweep  # whole programs

RNG = np.random.RandomState(4)
WORDS, HIDDEN = 9, 5
IDS, NEXT = RNG.randint(0, WORDS, 7).astype("int32"), RNG.randint(0, WORDS, 7).astype("int32")


@pytest.fixture(autouse=True)
def _same_numbers_whatever_ran_before():
    RNG.seed(4)


def softmax(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum()


def small(*shape):
    return RNG.uniform(-0.4, 0.4, shape)


def language_step(weights, cut):
    """Cost and gradients of a network over words: state tanh(U[:, word] + W state), chances softmax(V state)."""
    U, V, W = weights
    states, chances = [np.zeros(HIDDEN)], []
    for word in IDS:
        states.append(np.tanh(U[:, word] + W @ states[-1]))
        chances.append(softmax(V @ states[-1]))
    slopes, back = [np.zeros_like(w) for w in weights], np.zeros(HIDDEN)
    for t in reversed(range(max(0, len(IDS) - cut), len(IDS))):
        wrong = chances[t] - np.eye(WORDS)[NEXT[t]]
        slopes[1] += np.outer(wrong, states[t + 1])
        inner = (V.T @ wrong + back) * (1 - states[t + 1] ** 2)
        slopes[0][:, IDS[t]] += inner
        slopes[2] += np.outer(inner, states[t])
        back = W.T @ inner
    return -np.log([c[y] for c, y in zip(chances, NEXT, strict=True)]).sum(), slopes


@pytest.mark.parametrize("cut", [3, 1000])
def test_a_language_model_with_columns_by_index_rows_of_softmax_and_a_cut_gradient(theano, cut):
    import theano.tensor as T

    start = [small(HIDDEN, WORDS), small(WORDS, HIDDEN), small(HIDDEN, HIDDEN)]
    U, V, W = (theano.shared(name=name, value=v) for name, v in zip("UVW", start, strict=True))
    x, y, rate = T.ivector("x"), T.ivector("y"), T.scalar("rate")

    def step(x_t, before, U, V, W):
        state = T.tanh(U[:, x_t] + W.dot(before))
        row = T.nnet.softmax(V.dot(state))
        assert row.ndim == 2
        return [row[0], state]

    [chances, _], updates = theano.scan(
        step,
        sequences=x,
        outputs_info=[None, {"initial": T.zeros(HIDDEN)}],
        non_sequences=[U, V, W],
        truncate_gradient=cut,
        strict=True,
    )
    assert not updates
    cost = T.sum(T.nnet.categorical_crossentropy(chances, y))
    slopes = [T.grad(cost, w) for w in (U, V, W)]
    loss, slope = theano.function([x, y], cost), theano.function([x, y], slopes)
    learn = theano.function(
        [x, y, rate], [], updates=[(w, w - rate * g) for w, g in zip((U, V, W), slopes, strict=True)]
    )
    for _ in range(5):
        wanted, by_hand = language_step(start, cut)
        np.testing.assert_allclose(loss(IDS, NEXT), wanted, rtol=1e-12)
        for got, want in zip(slope(IDS, NEXT), by_hand, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)
        assert learn(IDS, NEXT, 0.1) == []
        start = [w - 0.1 * g for w, g in zip(start, by_hand, strict=True)]
    for w, want in zip((U, V, W), start, strict=True):
        np.testing.assert_allclose(w.get_value(), want, rtol=1e-10)


def test_a_gated_network_with_slices_of_stacked_weights_running_squares_and_a_default(theano):
    import theano.tensor as T

    E, U, W = (theano.shared(small(*s)) for s in ((HIDDEN, WORDS), (3, HIDDEN, HIDDEN), (3, HIDDEN, HIDDEN)))
    V = theano.shared(small(WORDS, HIDDEN))
    x, y = T.ivector("x"), T.ivector("y")

    def step(x_t, before):
        gate, reset = (T.nnet.hard_sigmoid(U[k].dot(E[:, x_t]) + W[k].dot(before)) for k in (0, 1))
        new = T.tanh(U[2].dot(E[:, x_t]) + W[2].dot(before * reset))
        state = (T.ones_like(gate) - gate) * new + gate * before
        return [T.nnet.softmax(V.dot(state))[0], state]

    [chances, _], _ = theano.scan(
        step, sequences=x, truncate_gradient=-1, outputs_info=[None, {"initial": T.zeros(HIDDEN)}]
    )
    cost = T.sum(T.nnet.categorical_crossentropy(chances, y))
    rate, decay = T.scalar("rate"), T.scalar("decay")
    updates = []
    for w in (E, U, W, V):
        square, slope = theano.shared(w.get_value() * 0), T.grad(cost, w)
        new = decay * square + (1 - decay) * slope**2
        updates += [(w, w - rate * slope / T.sqrt(new + 1e-6)), (square, new)]
    inputs = [x, y, rate, theano.Param(decay, default=0.9)]
    before = [w.get_value() for w, _ in updates]
    learn = theano.function(inputs, cost, updates=updates)
    costs = [learn(IDS, NEXT, 0.02) for _ in range(6)]
    assert costs[-1] < 0.9 * costs[0]
    after = [w.get_value() for w, _ in updates]
    for (w, _), value in zip(updates, before, strict=True):
        w.set_value(value)
    plain = theano.function(inputs, cost, updates=updates, mode="reference")
    np.testing.assert_allclose([plain(IDS, NEXT, 0.02, 0.9) for _ in range(6)], costs, rtol=1e-9)
    for (w, _), value in zip(updates, after, strict=True):
        np.testing.assert_allclose(w.get_value(), value, rtol=1e-6, atol=1e-9)


def test_a_tagger_with_windows_of_words_rows_stacked_over_time_and_normalised_embeddings(theano):
    from theano import tensor as T

    width, window, tags = 3, 3, 4
    shapes = {
        "words": (WORDS + 1, width),
        "in": (width * window, HIDDEN),
        "state": (HIDDEN, HIDDEN),
        "out": (HIDDEN, tags),
        "b_state": (HIDDEN,),
        "b_out": (tags,),
        "first": (HIDDEN,),
    }
    params = [theano.shared(name=k, value=small(*s).astype(theano.config.floatX)) for k, s in shapes.items()]
    words, w_in, w_state, w_out, b_state, b_out, first = params
    ids, y = T.imatrix(), T.ivector("y")
    x = words[ids].reshape((ids.shape[0], width * window))

    def recurrence(x_t, before):
        state = T.nnet.sigmoid(T.dot(x_t, w_in) + T.dot(before, w_state) + b_state)
        return [state, T.nnet.softmax(T.dot(state, w_out) + b_out)]

    [_, rows], _ = theano.scan(fn=recurrence, sequences=x, outputs_info=[first, None], n_steps=x.shape[0])
    chances = rows[:, 0, :]
    cost = -T.mean(T.log(chances)[T.arange(x.shape[0]), y])
    rate = T.scalar("rate")
    slopes = T.grad(cost, params)
    learn = theano.function(
        inputs=[ids, y, rate],
        outputs=cost,
        updates=OrderedDict((p, p - rate * g) for p, g in zip(params, slopes, strict=True)),
    )
    long = T.sqrt((words**2).sum(axis=1)).dimshuffle(0, "x")
    normalise = theano.function(inputs=[], updates={words: words / long})
    padded = [-1, *IDS, -1]
    windows = [np.asarray(padded[k : k + window]).astype("int32") for k in range(len(IDS))]
    labels = IDS % tags

    def by_hand():
        table, a, u, o, p, q, state = (v.get_value() for v in params)
        total = 0.0
        for ids, tag in zip(windows, labels, strict=True):
            state = 1 / (1 + np.exp(-(table[ids].ravel() @ a + state @ u + p)))
            total -= np.log(softmax(state @ o + q)[tag])
        return total / len(labels)

    for _ in range(4):
        wanted = by_hand()
        np.testing.assert_allclose(learn(windows, labels, 0.1), wanted, rtol=1e-12)
        assert by_hand() < wanted
        normalise()
        np.testing.assert_allclose((words.get_value() ** 2).sum(1), 1)


def test_momentum_in_a_dict_of_updates_with_the_sequences_given_by_index(theano):
    import theano.tensor as T

    series = theano.shared(RNG.normal(size=(4, 6, 2)))
    targets = theano.shared(np.cumsum(series.get_value(), axis=1))
    x, y = T.matrix(), T.matrix("y", dtype=theano.config.floatX)
    W, W_in, h0 = (theano.shared(small(*s)) for s in ((2, 2), (2, 2), (2,)))
    h, _ = theano.scan(
        lambda x_t, before: T.dot(x_t, W_in) + T.dot(before, W), sequences=x, outputs_info=[h0]
    )
    cost = T.mean((h - y) ** 2) + 0.001 * abs(W.sum())
    speeds = {p: theano.shared(p.get_value() * 0) for p in (W, W_in, h0)}
    updates, rate, momentum, index = {}, T.scalar("rate"), T.scalar("momentum"), T.lscalar("index")
    for p, speed in speeds.items():
        change = momentum * speed - rate * T.grad(cost, p)
        updates[speed], updates[p] = change, p + change
    start = {p: p.get_value() for p in updates}

    def costs(mode):
        for p, value in start.items():
            p.set_value(value)
        givens = {x: series[index], y: targets[index]}
        train = theano.function([index, rate, momentum], cost, updates=updates, givens=givens, mode=mode)
        return [np.mean([train(i, 0.003, 0.5) for i in range(4)]) for _ in range(60)]

    found = costs(theano.Mode(linker="cvm"))
    assert found[-1] < 0.5 * found[0]
    assert np.trace(W_in.get_value()) > np.trace(start[W_in]) + 0.5
    np.testing.assert_allclose(found, costs("reference"), rtol=1e-8)


def test_a_draw_that_a_step_uses_is_new_in_every_step_wherever_it_was_written(theano):
    import theano.tensor as T

    stream = T.shared_randomstreams.RandomStreams(5)
    draw, x = stream.uniform(size=(2,)), T.dvector("x")
    anew, updates = theano.scan(lambda v: v + draw, sequences=x)
    f = theano.function([x], anew, updates=updates)
    values = [f([0.0] * 4) for _ in range(2)]
    assert len(np.unique(values)) == 16
    fixed, updates = theano.scan(lambda v, d: v + d, sequences=x, non_sequences=draw)
    rows = theano.function([x], fixed, updates=updates)([0.0] * 4)
    assert len(np.unique(rows)) == 2
    doubled, updates = theano.map(lambda v: (v + draw, theano.scan_module.until(v > 1)), x)
    assert len(np.unique(theano.function([x], doubled, updates=updates)([0.0, 0.0, 2.0, 0.0]))) == 6


def test_loops_under_the_names_of_their_old_modules(theano):
    import theano.tensor as T
    from theano.scan_module import scan_op, scan_utils
    from theano.scan_module.scan import scan
    from theano.scan_module.scan_utils import equal_computations, until
    from theano.scan_module.scan_views import foldl

    assert theano.scan is scan and theano.scan_module.until is until is scan_utils.until
    x = T.vector("x")
    total, _ = foldl(lambda v, s: s + v, x, T.constant(0.0, dtype=x.dtype))
    assert theano.function([x], total)([1.0, 2.0, 3.0]) == 6
    sums, _ = theano.scan(lambda v, s: s + v, sequences=x, outputs_info=T.constant(0.0, dtype=x.dtype))
    assert isinstance(sums.owner.op, scan_op.Scan)
    assert equal_computations([x + 1], [x + 1])
