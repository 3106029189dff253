"""Programs over the functions of a library, at sizes of a GPU and at tiny ones, with the bytes that each has to move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from beside.workload import Maker, Workload, integers, normal, uniform

Program = Callable[..., Any]


@dataclass(frozen=True)
class Size:
    """Rows and columns of matrices, steps and lanes of loops, width of networks."""

    rows: int
    columns: int
    picked: int
    steps: int
    lanes: int
    long: int
    batch: int
    width: int
    wide: int
    words: int


SIZES = {
    "full": Size(32768, 1024, 262144, 10_000, 10_000, 200, 32, 128, 512, 256),
    "tiny": Size(40, 33, 50, 5, 40, 4, 3, 8, 8, 6),
}
HEADS = 4


@dataclass(frozen=True)
class Row:
    """A workload; ``kind`` says with which goal it is compared, ``moved`` how many bytes it reads and writes at the least."""

    work: Workload
    kind: str
    moved: float = 0.0


def rows(size: Size) -> dict[str, Row]:
    """Every workload of a size."""
    r, c, f = size.rows, size.columns, "float32"
    x, y = normal(f, r, c), normal(f, r, c)
    whole, row = 4.0 * r * c, 4.0 * c
    made = [
        _row("elementwise", "elementwise", 3 * whole, lambda m, x, y: m.exp(x) * y + 0.5, x=x, y=y),
        _row("broadcast", "elementwise", 2 * whole + row, lambda m, x, u: m.tanh(x * u), x=x, u=normal(f, c)),
        _row("sums of rows", "rows", whole + 4 * r, lambda m, x: (x * x).sum(1), x=x),
        _row("sums of columns", "columns", whole + row, lambda m, x: (x * x).sum(0), x=x),
        _row("sum of all", "rows", whole, lambda m, x: m.sqrt((x * x).sum()), x=x),
        _row("softmax", "groups", 2 * whole, lambda m, x: m.softmax(x, 1), x=x),
        _row("layer norm", "groups", 2 * whole, norm, x=x, gain=normal(f, c), bias=normal(f, c)),
        _row("softmax backwards", "groups", 3 * whole, softmax_slope, s=x, dy=y),
        _row("gather", "gather", 8.0 * size.picked * c, lambda m, x, i: x[i], x=x, i=integers(r, size.picked)),
        _row("running sums", "rows", 2 * whole, lambda m, x: m.cumsum(x, 1), x=x),
        _sir(size),
        _gru(size),
        _transformer(size),
    ]  # fmt: skip
    return {made.work.name: made for made in made}


def _row(name: str, kind: str, moved: float, program: Program, **inputs: Maker) -> Row:
    return Row(Workload(name, "", inputs, program, 1e-4), kind, moved)


def norm(m: Any, x: Any, gain: Any, bias: Any) -> Any:
    """Layer norm of rows."""
    mean, variance = x.mean(1, keepdims=True), m.variance(x, 1, keepdims=True)
    return (x - mean) / m.sqrt(variance + 1e-5) * gain + bias


def softmax_slope(m: Any, s: Any, dy: Any) -> Any:
    """The gradient of a softmax, from its result."""
    return s * (dy - (s * dy).sum(1, keepdims=True))


def _sir(size: Size) -> Row:
    lanes = size.lanes

    def program(m: Any, s: Any, i: Any, beta: Any) -> Any:
        def step(state: Any) -> Any:
            s, i = state
            caught = 0.01 * beta * s * i
            return s - caught, i + caught - 0.001 * i

        return [states[-1] for states in m.scan(step, (s, i), steps=size.steps)]

    given = {"s": uniform("float32", 0.9, 1, lanes), "i": uniform("float32", 0.01, 0.1, lanes)}
    found = Workload(
        "SIR", "", {**given, "beta": uniform("float32", 0.3, 0.5, lanes)}, program, 1e-3, ("torch", "cupy")
    )
    return Row(found, "loops")


def _gru(size: Size) -> Row:
    h, b = size.width, size.batch

    def program(m: Any, x: Any, start: Any, wx: Any, wh: Any, bias: Any) -> Any:
        def step(state: Any, row: Any) -> Any:
            past = state @ wh
            reset = m.sigmoid(row[:, :h] + past[:, :h])
            keep = m.sigmoid(row[:, h : 2 * h] + past[:, h : 2 * h])
            new = m.tanh(row[:, 2 * h :] + reset * past[:, 2 * h :])
            return (1 - keep) * new + keep * state

        return m.scan(step, start, x @ wx + bias)

    kernel = normal("float32", h, 3 * h, scale=h**-0.5)
    given = {"x": normal("float32", size.long, b, h), "start": normal("float32", b, h), "wx": kernel}
    return Row(
        Workload("GRU", "", {**given, "wh": kernel, "bias": normal("float32", 3 * h)}, program, 1e-3), "loops"
    )


def _shapes(d: int) -> dict[str, tuple[int, ...]]:
    return {
        "g1": (d,), "c1": (d,), "wq": (d, d), "wk": (d, d), "wv": (d, d), "out": (d, d),
        "g2": (d,), "c2": (d,), "up": (d, 4 * d), "down": (4 * d, d),
    }  # fmt: skip


def _transformer(size: Size) -> Row:
    """A training step of a block: weights after a step against its gradients."""
    d, words, b = size.wide, size.words, size.batch
    part = d // HEADS

    def block(m: Any, x: Any, w: dict[str, Any]) -> Any:
        def heads(v: Any) -> Any:
            split = v.reshape((b, words, HEADS, part))
            return m.permuted(split, (0, 2, 1, 3)).reshape((b * HEADS, words, part))

        flat = norm(m, x, w["g1"], w["c1"])
        q, k, v = (heads(flat @ w[name]) for name in ("wq", "wk", "wv"))
        shares = m.softmax(m.matmul(q, m.permuted(k, (0, 2, 1))) * part**-0.5, 2)
        mixed = m.permuted(m.matmul(shares, v).reshape((b, HEADS, words, part)), (0, 2, 1, 3))
        x = x + mixed.reshape((b * words, d)) @ w["out"]
        return x + m.tanh(norm(m, x, w["g2"], w["c2"]) @ w["up"]) @ w["down"]

    def program(m: Any, x: Any, *weights: Any) -> Any:
        def loss(*given: Any) -> Any:
            return (block(m, x, dict(zip(_shapes(d), given, strict=True))) ** 2).mean()

        value, slopes = m.value_and_grad(loss, list(weights))
        return [value, *(w - 0.01 * s for w, s in zip(weights, slopes, strict=True))]

    given: dict[str, Maker] = {"x": normal("float32", b * words, d)}
    for name, shape in _shapes(d).items():
        given[name] = normal("float32", *shape, scale=d**-0.5, shift=float(name[0] == "g"))
    return Row(Workload("transformer step", "", given, program, 1e-3, ("cupy",)), "training")
