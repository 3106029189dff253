"""Small programs as they were written for Theano: they import it, and their costs fall."""

import pickle

import numpy as np
import pytest

pytestmark = pytest.mark.sweep  # whole programs


def blobs(count=60, side=4, classes=3, seed=0):
    """Separable made-up images and their labels."""
    rng = np.random.RandomState(seed)
    centres = (rng.uniform(size=(classes, side * side)) > 0.6) * 0.8
    labels = np.arange(count) % classes
    return (centres[labels] + 0.1 * rng.uniform(size=(count, side * side))), labels


def dataset(theano, T, images, labels):
    """Data as the tutorials store them: both as floats, labels cast back."""
    x = theano.shared(np.asarray(images, dtype=theano.config.floatX), borrow=True)
    y = theano.shared(np.asarray(labels, dtype=theano.config.floatX), borrow=True)
    return x, T.cast(y, "int32")


class Layer:
    """A layer with tanh, or without for activation=None."""

    def __init__(self, theano, rng, input, n_in, n_out, W=None, activation="tanh"):
        T = theano.tensor
        if W is None:
            bound = np.sqrt(6.0 / (n_in + n_out))
            values = np.asarray(rng.uniform(-bound, bound, (n_in, n_out)), dtype=theano.config.floatX)
            W = theano.shared(value=values, name="W", borrow=True)
        self.W = W
        self.b = theano.shared(np.zeros((n_out,), dtype=theano.config.floatX), name="b", borrow=True)
        linear = T.dot(input, self.W) + self.b
        self.output = linear if activation is None else getattr(T, activation)(linear)
        self.params = [self.W, self.b]


class Softmax(Layer):
    """A layer that gives chances of classes."""

    def __init__(self, theano, input, n_in, n_out):
        T = theano.tensor
        start = theano.shared(np.zeros((n_in, n_out), dtype=theano.config.floatX), name="W")
        super().__init__(theano, None, input, n_in, n_out, start, None)
        self.p = T.nnet.softmax(self.output)
        self.predicted = T.argmax(self.p, axis=1)
        self.T = T

    def cost(self, y):
        T = self.T
        return -T.mean(T.log(self.p)[T.arange(y.shape[0]), y])

    def errors(self, y):
        assert y.ndim == self.predicted.ndim and y.dtype.startswith("int")
        return self.T.mean(self.T.neq(self.predicted, y))


def batches(train, count, epochs):
    """Mean costs of the epochs."""
    return [np.mean([train(i) for i in range(count)]) for _ in range(epochs)]


def test_logistic_regression_by_gradient_descent(theano):
    import theano.tensor as T

    x_all, y_all = dataset(theano, T, *blobs())
    index, x, y = T.lscalar(), T.matrix("x"), T.ivector("y")
    model = Softmax(theano, x, 16, 3)
    part = slice(index * 20, (index + 1) * 20)
    givens = {x: x_all[part], y: y_all[part]}
    cost = model.cost(y)
    g_W, g_b = T.grad(cost=cost, wrt=model.W), T.grad(cost=cost, wrt=model.b)
    updates = [(model.W, model.W - 0.5 * g_W), (model.b, model.b - 0.5 * g_b)]
    train = theano.function(inputs=[index], outputs=cost, updates=updates, givens=givens)
    errors = theano.function(inputs=[index], outputs=model.errors(y), givens=givens)
    costs = batches(train, 3, 15)
    assert costs[-1] < 0.3 * costs[0]
    assert np.mean([errors(i) for i in range(3)]) == 0
    classifier = pickle.loads(pickle.dumps([model.W, model.b, model.predicted, x]))
    predict = theano.function([classifier[3]], classifier[2])
    assert (predict(x_all.get_value()[:6]) == [0, 1, 2, 0, 1, 2]).all()


def test_logistic_regression_by_conjugate_gradients_over_one_flat_vector(theano):
    import theano.tensor as T
    from scipy.optimize import fmin_cg

    images, labels = blobs()
    theta = theano.shared(value=np.zeros(16 * 3 + 3, dtype=theano.config.floatX), name="theta", borrow=True)
    W, b = theta[0 : 16 * 3].reshape((16, 3)), theta[16 * 3 : 16 * 3 + 3]
    x, y = T.matrix(), T.ivector()
    p = T.nnet.softmax(T.dot(x, W) + b)
    cost = T.nnet.categorical_crossentropy(p, y).mean()
    both = theano.function([x, y], [cost, T.grad(cost, theta)], name="both", allow_input_downcast=True)
    error = theano.function([x, y], T.mean(T.neq(T.argmax(p, axis=1), y)), allow_input_downcast=True)

    def at(which):
        def value(flat):
            theta.set_value(flat, borrow=True)
            return both(images, labels)[which]

        return value

    fmin_cg(f=at(0), x0=np.zeros(51), fprime=at(1), disp=0, maxiter=20)
    assert error(images, labels) == 0


def test_tied_weights_and_corruption_with_defaults(theano):
    import theano.tensor as T
    from theano.tensor.shared_randomstreams import RandomStreams

    images, _ = blobs(side=5)
    data = theano.shared(images.astype(theano.config.floatX))
    rng = np.random.RandomState(123)
    streams = RandomStreams(rng.randint(2**30))
    index, level, rate, x = T.lscalar("index"), T.scalar("corruption"), T.scalar("lr"), T.matrix("x")
    W = theano.shared(rng.uniform(-0.4, 0.4, (25, 12)).astype(theano.config.floatX), name="W")
    hidden, visible = theano.shared(np.zeros(12), name="b"), theano.shared(np.zeros(25))
    noisy = streams.binomial(size=x.shape, n=1, p=1 - level, dtype=theano.config.floatX) * x
    y = T.nnet.sigmoid(T.dot(noisy, W) + hidden)
    z = T.nnet.sigmoid(T.dot(y, W.T) + visible)
    cost = T.mean(-T.sum(x * T.log(z) + (1 - x) * T.log(1 - z), axis=1))
    params = [W, hidden, visible]
    updates = [(p, p - rate * g) for p, g in zip(params, T.grad(cost, params), strict=True)]
    train = theano.function(
        inputs=[index, theano.In(level, value=0.2), theano.In(rate, value=0.1)],
        outputs=cost,
        updates=updates,
        givens={x: data[index * 10 : (index + 1) * 10]},
    )
    clean = [np.mean([train(index=i, corruption=0.0, lr=0.1) for i in range(6)]) for _ in range(10)]
    assert clean[-1] < 0.8 * clean[0]
    noisier = [np.mean([train(index=i, corruption=0.5) for i in range(6)]) for _ in range(2)]
    assert noisier[0] > clean[-1]


def test_network_with_both_penalties(theano):
    import theano.tensor as T

    x_all, y_all = dataset(theano, T, *blobs())
    index, x, y = T.lscalar(), T.matrix("x"), T.ivector("y")
    first = Layer(theano, np.random.RandomState(1), x, 16, 8)
    last = Softmax(theano, first.output, 8, 3)
    L1 = abs(first.W).sum() + abs(last.W).sum()
    L2 = (first.W**2).sum() + (last.W**2).sum()
    cost = last.cost(y) + 0.001 * L1 + 0.001 * L2
    params = first.params + last.params
    updates = [(p, p - 0.3 * T.grad(cost, p)) for p in params]
    part = slice(index * 20, (index + 1) * 20)
    train = theano.function([index], cost, updates=updates, givens={x: x_all[part], y: y_all[part]})
    costs = batches(train, 3, 15)
    assert costs[-1] < 0.4 * costs[0]


def test_small_convolutional_network(theano):
    import theano.tensor as T
    from theano.tensor.nnet import conv
    from theano.tensor.signal import downsample

    rng = np.random.RandomState(23455)
    images, labels = blobs(side=8)
    x_all, y_all = dataset(theano, T, images, labels)
    index, x, y = T.lscalar(), T.matrix("x"), T.ivector("y")
    W = theano.shared(rng.uniform(-0.3, 0.3, (4, 1, 3, 3)).astype(theano.config.floatX), borrow=True)
    b = theano.shared(value=np.zeros((4,), dtype=theano.config.floatX), borrow=True)
    out = conv.conv2d(
        input=x.reshape((20, 1, 8, 8)), filters=W, filter_shape=(4, 1, 3, 3), image_shape=(20, 1, 8, 8)
    )
    pooled = downsample.max_pool_2d(input=out, ds=(2, 2), ignore_border=True)
    features = T.tanh(pooled + b.dimshuffle("x", 0, "x", "x"))
    last = Softmax(theano, features.flatten(2), 4 * 3 * 3, 3)
    cost = last.cost(y)
    params = [*last.params, W, b]
    grads = T.grad(cost, params)
    updates = [(p, p - 0.2 * g) for p, g in zip(params, grads, strict=True)]
    part = slice(index * 20, (index + 1) * 20)
    givens = {x: x_all[part], y: y_all[part]}
    train = theano.function([index], [cost, last.errors(y)], updates=updates, givens=givens)
    epochs = [[train(i) for i in range(3)] for _ in range(12)]
    assert np.mean(epochs[-1], 0)[0] < 0.5 * np.mean(epochs[0], 0)[0]
    assert np.mean(epochs[-1], 0)[1] == 0


def test_rmsprop_and_dropout(theano):
    from theano import tensor as T
    from theano.sandbox.rng_mrg import MRG_RandomStreams as RandomStreams

    streams = RandomStreams()
    images, labels = blobs()
    targets = np.eye(3)[labels]
    X, Y = T.fmatrix(), T.fmatrix()
    rng = np.random.RandomState(3)
    w_h = theano.shared(np.asarray(rng.randn(16, 10) * 0.3, dtype=theano.config.floatX))
    w_o = theano.shared(np.asarray(rng.randn(10, 3) * 0.3, dtype=theano.config.floatX))

    def softmax(v):
        e_x = T.exp(v - v.max(axis=1).dimshuffle(0, "x"))
        return e_x / e_x.sum(axis=1).dimshuffle(0, "x")

    def dropout(v, p=0.0):
        if p > 0:
            v *= streams.binomial(v.shape, p=1 - p, dtype=theano.config.floatX)
            v /= 1 - p
        return v

    def model(p):
        return softmax(T.dot(dropout(T.maximum(T.dot(dropout(X, p), w_h), 0.0), p), w_o))

    cost = T.mean(T.nnet.categorical_crossentropy(model(0.2), Y))
    params, updates = [w_h, w_o], []
    for p, g in zip(params, T.grad(cost=cost, wrt=params), strict=True):
        acc = theano.shared(p.get_value() * 0.0)
        acc_new = 0.9 * acc + 0.1 * g**2
        updates += [(acc, acc_new), (p, p - 0.02 * g / T.sqrt(acc_new + 1e-6))]
    train = theano.function([X, Y], cost, updates=updates, allow_input_downcast=True)
    predict = theano.function([X], T.argmax(model(0.0), axis=1), allow_input_downcast=True)
    costs = [float(train(images, targets)) for _ in range(60)]
    assert costs[-1] < 0.3 * costs[0]
    assert (predict(images) == labels).all()


def test_habits_of_older_programs(theano):
    import theano.tensor as T

    v, m = T.dvector("v"), T.dmatrix("m")
    assert T.nnet.softmax(v).ndim == 2
    assert T.nnet.softmax(v).eval({v: [1.0, 1.0]}).tolist() == [[0.5, 0.5]]
    assert v
    assert v != None  # noqa: E711
    kind = T.TensorType("float64", (False, True))
    assert kind.broadcastable == (False, True)
    assert kind("c").type.broadcastable == (False, True)
    s = theano.shared(np.zeros(2))
    s.value = [1.0, 2.0]
    s.set_value(np.array([3.0, 4.0]), borrow=True)
    assert s.value.tolist() == [3, 4]
    assert isinstance(s, theano.compile.SharedVariable)
    assert isinstance(s, theano.Variable)
    assert T.zeros((2, 2)).dtype == theano.config.floatX
    assert theano.function([m], T.stack(m[0], m[1]).sum(axis=0))(np.eye(2)).tolist() == [1, 1]
    assert theano._asarray([1], dtype="floatX").dtype == theano.config.floatX
    assert theano.printing.pp(v + 1) == "(v + 1.0)"
