"""Thirty e-graphs of models in the form of extraction-gym, with a README of what their costs are.

    python benchmarks/egraph_dataset.py FOLDER [NAME...] [--seconds 5]

Each file is an e-graph of egraph-serialize after the default rules have run: attention, cells of recurrent networks, processes,
losses, and expressions of FPBench's kind with their gradients. Costs are nanoseconds by the cost model.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import eqsat
import eqsat.tensor as T
from eqsat.base.text_tables import table
from eqsat.extract.extractors import extract_with
from eqsat.extract.serialize import loads
from eqsat.rounding import read_fpcore

MOST_BYTES = 5_000_000
NANOSECONDS = 1e9
GRAPHS: dict[str, Callable[[], Any]] = {}
EXPRESSIONS = Path(__file__).with_name("hamming.fpcore")
OF_FPBENCH = 10
HEAD = ("e-graph", "e-nodes", "classes", "greedy ns", "best ns", "bound ns", "bytes")
README = """# E-graphs of models

Each file is an e-graph in the form of egraph-serialize, which extraction-gym reads. It was saturated by the default rules of eqsat
{version} from the graph of a model; `root_eclasses` are its outputs, and `class_data` has the types of classes.

`cost` is the time of an e-node in nanoseconds by eqsat's cost model of a processor: bytes that are read and written, operations and
calls of functions of 64-bit numbers. Unknown lengths count as {length:g}. A form that may overflow or lose all digits where another one
does not costs more than everything else together; a form that has to be taken as written costs what it takes. The cost of an extraction is the sum over the
e-nodes that are chosen, each once (DAG cost). E-nodes that cannot be chosen are left out.

"greedy" is the best e-node by the cost of its tree, "best" what `eqsat extract` found in {seconds:g} s, "bound" is below every extraction.

```
{table}
```
"""


def graph(build: Callable[[], Any]) -> Callable[[], Any]:
    """Register the graph of a model."""
    GRAPHS[build.__name__] = build
    return build


def parameters(*shapes: tuple[int, ...]) -> list[Any]:
    """Matrices and vectors of known lengths."""
    return [eqsat.TensorType("float64", shape)(f"w{k}") for k, shape in enumerate(shapes)]


def sloped(loss: Any, *weights: Any) -> list[Any]:
    """A loss and its gradients."""
    return [loss, *eqsat.grad(loss, list(weights))]


@graph
def attention() -> Any:
    """One head of attention."""
    x, q, k, v = parameters((32, 64), (64, 16), (64, 16), (64, 16))
    scores = T.dot(T.dot(x, q), T.dot(x, k).T) / T.sqrt(16.0)
    weights = T.exp(scores) / T.sum(T.exp(scores), axis=1, keepdims=True)
    return T.dot(weights, T.dot(x, v))


@graph
def attention_gradient() -> Any:
    """The slopes of attention."""
    x, q, k, v = parameters((32, 64), (64, 16), (64, 16), (64, 16))
    scores = T.dot(T.dot(x, q), T.dot(x, k).T) / 4.0
    return sloped(T.sum(T.dot(T.softmax(scores, axis=1), T.dot(x, v)) ** 2), q, k, v)


@graph
def gru_step() -> Any:
    """One step of a gated recurrent unit."""
    x, h, w, u = parameters((8,), (16,), (48, 8), (48, 16))
    gates = T.dot(w, x) + T.dot(u, h)
    reset, update = (1 / (1 + T.exp(-gates[16 * k : 16 * k + 16])) for k in (0, 1))
    new = T.tanh(T.dot(w, x)[32:] + reset * T.dot(u, h)[32:])
    return update * h + (1 - update) * new


@graph
def gru_step_gradient() -> Any:
    """Its slopes."""
    x, h, w, u = parameters((8,), (16,), (48, 8), (48, 16))
    gates = T.sigmoid(T.dot(w, x) + T.dot(u, h))
    return sloped(T.sum((gates[:16] * h + (1 - gates[:16]) * T.tanh(gates[16:32])) ** 2), w, u)


@graph
def lstm_step() -> Any:
    """One step of a long short-term memory."""
    x, h, c, w, u = parameters((8,), (16,), (16,), (64, 8), (64, 16))
    z = T.dot(w, x) + T.dot(u, h)
    taken, kept, given = (T.sigmoid(z[16 * k : 16 * k + 16]) for k in range(3))
    new = kept * c + taken * T.tanh(z[48:])
    return [given * T.tanh(new), new]


@graph
def gaussian_process() -> Any:
    """The log likelihood of a Gaussian process with a squared exponential kernel."""
    x, y = parameters((20,), (20,))
    scale, noise = T.dscalars("scale", "noise")
    distance = (x[:, None] - x[None, :]) / scale
    kernel = T.exp(-(distance**2) / 2) + noise**2 * T.eye(20)
    factor = T.linalg.cholesky(kernel)
    whitened = T.linalg.solve_triangular(factor, y, lower=True)
    return -T.sum(whitened**2) / 2 - T.sum(T.log(T.diagonal(factor))) - 10 * T.log(2 * 3.141592653589793)


@graph
def gaussian_process_inverse() -> Any:
    """The same by an inverse and a determinant, as it is often written."""
    x, y = parameters((20,), (20,))
    distance = x[:, None] - x[None, :]
    kernel = T.exp(-(distance**2) / 2) + 0.01 * T.eye(20)
    return -T.dot(y, T.dot(T.linalg.inv(kernel), y)) / 2 - T.log(T.linalg.det(kernel)) / 2


@graph
def logistic_loss() -> Any:
    """The loss of a logistic regression, and its slope."""
    x, y, w = parameters((100, 5), (100,), (5,))
    p = 1 / (1 + T.exp(-T.dot(x, w)))
    return sloped(-T.mean(y * T.log(p) + (1 - y) * T.log(1 - p)), w)


@graph
def cross_entropy() -> Any:
    """The cross entropy of a softmax, and its slope."""
    x, y, w = parameters((50, 8), (50, 4), (8, 4))
    z = T.dot(x, w)
    p = T.exp(z) / T.sum(T.exp(z), axis=1, keepdims=True)
    return sloped(-T.mean(T.sum(y * T.log(p), axis=1)), w)


@graph
def mixture() -> Any:
    """The log likelihood of a mixture of two normal distributions."""
    (x,) = parameters((200,))
    a, b, s, w = T.dscalars("a", "b", "s", "w")
    parts = [weight * T.exp(-(((x - m) / s) ** 2) / 2) / s for weight, m in ((w, a), (1 - w, b))]
    return T.sum(T.log(parts[0] + parts[1]))


@graph
def student_loss() -> Any:
    """The log likelihood of Student's distribution, and its slopes."""
    (x,) = parameters((200,))
    m, s = T.dscalars("m", "s")
    return sloped(T.sum(-2.5 * T.log(1 + ((x - m) / s) ** 2 / 4) - T.log(s)), m, s)


@graph
def huber_loss() -> Any:
    """A loss that is square near zero."""
    x, y = parameters((200,), (200,))
    r = T.abs(x - y)
    return T.mean(T.switch(r < 1, r**2 / 2, r - 0.5))


@graph
def kl_divergence() -> Any:
    """The divergence of two softmax distributions."""
    a, b = parameters((30, 10), (30, 10))
    p, q = T.softmax(a, axis=1), T.softmax(b, axis=1)
    return T.sum(p * (T.log(p) - T.log(q)), axis=1)


@graph
def layer_norm() -> Any:
    """Rows less their mean, over their deviation."""
    x, g, b = parameters((40, 16), (16,), (16,))
    centred = x - T.mean(x, axis=1, keepdims=True)
    return centred / T.sqrt(T.mean(centred**2, axis=1, keepdims=True) + 1e-5) * g + b


@graph
def perceptron_gradient() -> Any:
    """The slopes of a network of two layers."""
    x, y, w, v = parameters((64, 10), (64, 3), (10, 20), (20, 3))
    return sloped(T.mean((T.dot(T.tanh(T.dot(x, w)), v) - y) ** 2), w, v)


@graph
def matrix_chain() -> Any:
    """A product of five matrices of unequal sizes."""
    a, b, c, d, e = parameters((10, 40), (40, 5), (5, 60), (60, 3), (3, 30))
    return T.dot(T.dot(T.dot(T.dot(a, b), c), d), e)


@graph
def ridge_regression() -> Any:
    """The weights of a ridge regression by an inverse."""
    x, y = parameters((100, 6), (100,))
    return T.dot(T.dot(T.linalg.inv(T.dot(x.T, x) + 0.1 * T.eye(6)), x.T), y)


@graph
def kalman_step() -> Any:
    """One step of a Kalman filter."""
    m, p, f, h, z = parameters((4,), (4, 4), (4, 4), (2, 4), (2,))
    mean, spread = T.dot(f, m), T.dot(T.dot(f, p), f.T)
    gain = T.dot(T.dot(spread, h.T), T.linalg.inv(T.dot(T.dot(h, spread), h.T) + T.eye(2)))
    return [mean + T.dot(gain, z - T.dot(h, mean)), spread - T.dot(T.dot(gain, h), spread)]


@graph
def random_walk() -> Any:
    """A loop: the log density of a random walk."""
    (x,) = parameters((100,))
    s = T.dscalar("s")
    step = lambda a, before, total: (a, total - ((a - before) / s) ** 2 / 2 - T.log(s))
    (_, totals), _ = eqsat.scan(step, sequences=[x], outputs_info=[T.zeros(()), T.zeros(())])
    return totals[-1]


@graph
def black_scholes() -> Any:
    """The price of an option."""
    (s,) = parameters((100,))
    k, r, v, t = T.dscalars("k", "r", "v", "t")
    d = (T.log(s / k) + (r + v**2 / 2) * t) / (v * T.sqrt(t))
    cdf = lambda x: (1 + T.erf(x / T.sqrt(2.0))) / 2
    return s * cdf(d) - k * T.exp(-r * t) * cdf(d - v * T.sqrt(t))


def with_expressions() -> dict[str, Callable[[], Any]]:
    """All graphs, those of numerical expressions with their slopes last."""
    cores = [core for core in read_fpcore(EXPRESSIONS) if not core.refused][:OF_FPBENCH]
    named = {
        f"fpbench_{k + 1}": lambda core=core: [core.output, *eqsat.grad(core.output, core.inputs)]
        for k, core in enumerate(cores)
    }
    return GRAPHS | named


def written(name: str, outputs: Any, folder: Path, seconds: float) -> tuple[str, ...]:
    """Write one file; its row of the table."""
    made = eqsat.optimize(outputs).egraph.to_json()
    for node in made["nodes"].values():
        node["cost"] = round(node["cost"] * NANOSECONDS, 6)
    text = json.dumps(made)
    if len(text) > MOST_BYTES:
        raise SystemExit(f"{name}: {len(text):,} bytes are more than {MOST_BYTES:,}")
    (folder / f"{name}.json").write_text(text, encoding="utf-8")
    problem = loads(text, name).problem
    greedy, best = (extract_with(way, problem, seconds) for way in ("greedy", "best"))
    numbers = (f"{n:.2f}" for n in (greedy.cost, best.cost, best.bound))
    return (name, str(len(problem.cost)), str(problem.n_classes), *numbers, str(len(text)))


def main() -> None:
    """Write the files that were asked for, and the README."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="some of the e-graphs; all by default")
    parser.add_argument("--seconds", type=float, default=5.0, help="for the extraction of each; 5 by default")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    every, rows = with_expressions(), []
    for name in asked.names or every:
        rows.append(written(name, every[name](), asked.folder, asked.seconds))
        print("  ".join(rows[-1]), flush=True)
    text = README.format(
        version=eqsat.__version__,
        length=eqsat.config.default_length,
        seconds=asked.seconds,
        table=table(HEAD, rows, right=range(1, 7)),
    )
    (asked.folder / "README.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
