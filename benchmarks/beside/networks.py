"""Whole networks over the functions of a library: scores of a batch, and a step of gradient descent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

BATCH, RATE = 16, 0.01
Arrays = dict[str, np.ndarray]
NETWORKS: dict[str, Network] = {}


@dataclass(frozen=True)
class Network:
    """Shapes of the weights, what they are trained on, and the scores as a program over the functions of a library.

    ``scores(m, w, x, training)`` gives a row for each label; norms take the figures of the batch where it trains.
    """

    about: str
    shapes: dict[str, tuple[int, ...]]
    data: Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]
    scores: Callable[..., Any]

    def inputs(self, step: bool) -> Arrays:
        """The data, labels where a step is made, and the weights; the same in every process."""
        rng = np.random.default_rng(7)
        x, labels = self.data(rng)
        weights = {name: weight(rng, name, shape) for name, shape in self.shapes.items()}
        return {"x": x, **({"labels": labels} if step else {}), **weights}

    def program(self, m: Any, step: bool, *inputs: Any) -> Any:
        """The scores; or the loss, and the weights after a step."""
        if not step:
            return self.scores(m, dict(zip(self.shapes, inputs[1:], strict=True)), inputs[0], False)
        x, labels, *weights = inputs

        def loss(*w: Any) -> Any:
            found = m.log_softmax(self.scores(m, dict(zip(self.shapes, w, strict=True)), x, True), 1)
            return -found[m.arange(labels.shape[0]), labels].mean()

        value, slopes = m.value_and_grad(loss, weights)
        return value, [w - RATE * g for w, g in zip(weights, slopes, strict=True)]


def weight(rng: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """First values: gains are 1, biases 0, the rest is scaled by what it is summed over."""
    if name.startswith(("gain", "bias")):
        return np.full(shape, name.startswith("gain"), "float32")
    summed = int(np.prod(shape[1:])) if len(shape) == 4 else shape[0]
    return (rng.standard_normal(shape) * (1.4 if len(shape) == 4 else 1) * summed**-0.5).astype("float32")


def images(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Images of 32 x 32, and classes."""
    return rng.standard_normal((BATCH, 3, 32, 32)).astype("float32"), rng.integers(0, 10, BATCH)


def norm(m: Any, w: Any, name: str, x: Any, training: bool) -> Any:
    """Batch norm: by the figures of the batch, or with figures that are part of gain and bias already."""
    gain, bias = (w[f"{kind}_{name}"][:, None, None] for kind in ("gain", "bias"))
    if training:
        mean, variance = x.mean((0, 2, 3), keepdims=True), m.variance(x, (0, 2, 3), keepdims=True)
        x = (x - mean) / m.sqrt(variance + 1e-5)
    return x * gain + bias


def with_norm(name: str, shape: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Shapes of filters and of the norm behind them."""
    yield from ((name, shape), (f"gain_{name}", shape[:1]), (f"bias_{name}", shape[:1]))


def resnet_blocks() -> Iterator[tuple[str, int, int, int]]:
    """Name, channels before and after, and stride of each block."""
    before = 32
    for number in range(8):
        after = 32 << number // 2
        yield f"b{number}", before, after, 2 if number in (2, 4, 6) else 1
        before = after


def resnet_shapes() -> Iterator[tuple[str, tuple[int, ...]]]:
    yield from with_norm("stem", (32, 3, 3, 3))
    for name, before, after, stride in resnet_blocks():
        yield from with_norm(f"{name}_1", (after, before, 3, 3))
        yield from with_norm(f"{name}_2", (after, after, 3, 3))
        if stride > 1:
            yield from with_norm(f"{name}_0", (after, before, 1, 1))
    yield from (("out", (256, 10)), ("bias_out", (10,)))


def resnet(m: Any, w: Any, x: Any, training: bool) -> Any:
    def layer(name: str, x: Any, stride: int, pad: int) -> Any:
        return norm(m, w, name, m.conv2d(x, w[name], stride, pad), training)

    x = m.relu(layer("stem", x, 1, 1))
    for name, _, _, stride in resnet_blocks():
        inner = layer(f"{name}_2", m.relu(layer(f"{name}_1", x, stride, 1)), 1, 1)
        x = m.relu(inner + (layer(f"{name}_0", x, stride, 0) if stride > 1 else x))
    return x.mean((2, 3)) @ w["out"] + w["bias_out"]


MOBILE = ((16, 1), (24, 2), (24, 1), (48, 2), (48, 1), (96, 2), (96, 1))


def mobilenet_blocks() -> Iterator[tuple[str, int, int, int]]:
    """Name, channels before and after, and stride of each block."""
    before = 32
    for number, (after, stride) in enumerate(MOBILE):
        yield f"b{number}", before, after, stride
        before = after


def mobilenet_shapes() -> Iterator[tuple[str, tuple[int, ...]]]:
    yield from with_norm("stem", (32, 3, 3, 3))
    for name, before, after, _ in mobilenet_blocks():
        yield from with_norm(f"{name}_in", (6 * before, before, 1, 1))
        yield from with_norm(f"{name}_each", (6 * before, 1, 3, 3))
        yield from with_norm(f"{name}_out", (after, 6 * before, 1, 1))
    yield from with_norm("last", (384, 96, 1, 1))
    yield from (("out", (384, 10)), ("bias_out", (10,)))


def mobilenet(m: Any, w: Any, x: Any, training: bool) -> Any:
    def layer(name: str, x: Any, stride: int = 1, pad: int = 0, groups: int = 1) -> Any:
        return norm(m, w, name, m.conv2d(x, w[name], stride, pad, groups), training)

    x = m.clip(layer("stem", x, 1, 1), 0, 6)
    for name, before, after, stride in mobilenet_blocks():
        wide = m.clip(layer(f"{name}_in", x), 0, 6)
        wide = m.clip(layer(f"{name}_each", wide, stride, 1, 6 * before), 0, 6)
        inner = layer(f"{name}_out", wide)
        x = x + inner if before == after and stride == 1 else inner
    x = m.clip(layer("last", x), 0, 6)
    return x.mean((2, 3)) @ w["out"] + w["bias_out"]


LAYERS, LENGTH, WIDTH, HEADS, SYMBOLS = 4, 64, 128, 4, 512


def text(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows of symbols, and for each symbol the next one."""
    symbols = rng.integers(0, SYMBOLS, (BATCH, LENGTH + 1))
    return symbols[:, :-1].copy(), symbols[:, 1:].reshape(-1).copy()


def transformer_shapes() -> Iterator[tuple[str, tuple[int, ...]]]:
    d = WIDTH
    yield from (("symbols", (SYMBOLS, d)), ("places", (LENGTH, d)))
    for k in range(LAYERS):
        for name, shape in (("qkv", (d, 3 * d)), ("mix", (d, d)), ("up", (d, 4 * d)), ("down", (4 * d, d))):
            yield from ((f"{name}{k}", shape), (f"bias_{name}{k}", shape[1:]))
        for name in ("first", "second"):
            yield from ((f"gain_{name}{k}", (d,)), (f"bias_{name}{k}", (d,)))
    yield from (("gain_last", (d,)), ("bias_last", (d,)), ("out", (d, SYMBOLS)))


def transformer(m: Any, w: Any, x: Any, training: bool) -> Any:
    places = m.arange(LENGTH)
    seen = places[:, None] >= places[None, :]

    def normed(x: Any, name: str) -> Any:
        mean, variance = x.mean(-1, keepdims=True), m.variance(x, -1, keepdims=True)
        return (x - mean) / m.sqrt(variance + 1e-5) * w[f"gain_{name}"] + w[f"bias_{name}"]

    def dense(x: Any, name: str) -> Any:
        return x @ w[name] + w[f"bias_{name}"]

    def heads(x: Any) -> Any:
        return m.permuted(x.reshape((-1, LENGTH, HEADS, WIDTH // HEADS)), (0, 2, 1, 3))

    def attention(x: Any, k: int) -> Any:
        whole = dense(x, f"qkv{k}")
        q, key, v = (heads(whole[:, i * WIDTH : (i + 1) * WIDTH]) for i in range(3))
        scores = m.matmul(q, m.permuted(key, (0, 1, 3, 2))) * (WIDTH // HEADS) ** -0.5
        found = m.matmul(m.softmax(m.where(seen, scores, -1e9), -1), v)
        return dense(m.permuted(found, (0, 2, 1, 3)).reshape((-1, WIDTH)), f"mix{k}")

    x = (w["symbols"][x] + w["places"]).reshape((-1, WIDTH))
    for k in range(LAYERS):
        x = x + attention(normed(x, f"first{k}"), k)
        inner = dense(normed(x, f"second{k}"), f"up{k}")
        x = x + dense(0.5 * inner * (1 + m.erf(inner * 0.5**0.5)), f"down{k}")
    return normed(x, "last") @ w["out"]


NETWORKS |= {
    "resnet": Network(
        "18 layers with residuals, 16 images of 32 x 32", dict(resnet_shapes()), images, resnet
    ),
    "mobilenet": Network(
        "7 inverted blocks with depthwise convolutions, 16 images of 32 x 32",
        dict(mobilenet_shapes()),
        images,
        mobilenet,
    ),
    "transformer": Network(
        "4 layers of width 128 with a causal mask, 16 rows of 64 symbols",
        dict(transformer_shapes()),
        text,
        transformer,
    ),
}
