"""Seconds in each stage of compiling the forward pass and the gradient of a GPT of some layers, checked against NumPy.

Pre-normalised blocks: layer norm, attention of several heads with a causal mask, layer norm, two layers with a GELU
between; a last norm and the cross-entropy of the next symbol. Processor seconds, so that a busy machine changes little.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

BLOCK = ("g1", "c1", "qkv", "bqkv", "out", "bout", "g2", "c2", "up", "bup", "down", "bdown")
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Size:
    """Lengths of the model."""

    layers: int = 12
    width: int = 32
    heads: int = 4
    steps: int = 8
    batch: int = 2
    symbols: int = 20

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every parameter."""
        d = self.width
        block = [
            (d,),
            (d,),
            (d, 3 * d),
            (3 * d,),
            (d, d),
            (d,),
            (d,),
            (d,),
            (d, 4 * d),
            (4 * d,),
            (4 * d, d),
            (d,),
        ]
        layers = {
            f"{name}{k}": shape for k in range(self.layers) for name, shape in zip(BLOCK, block, strict=True)
        }
        return {"symbols": (self.symbols, d), "places": (self.steps, d), **layers, "g": (d,), "c": (d,)}

    def parameters(self) -> Arrays:
        """First parameters: gains near 1, the rest small."""
        rng = np.random.default_rng(0)
        gains = ("g", "g1", "g2")
        return {
            name: rng.normal(float(name.rstrip("0123456789") in gains or name in gains), 0.1, shape)
            for name, shape in self.shapes().items()
        }

    def text(self) -> np.ndarray:
        """Symbols, and one more than the steps for what comes next."""
        return np.random.default_rng(1).integers(0, self.symbols, (self.batch, self.steps + 1))


def loss_of(np: Any, size: Size, w: dict[str, Any], text: Any, gelu: Any, pick: Any) -> Any:
    """The mean cross-entropy; ``np`` is NumPy or ``eqsat.tensor``, ``gelu`` and ``pick`` what they have no name for."""
    rows, steps, d, heads = size.batch * size.steps, size.steps, size.width, size.heads

    def norm(x: Any, gain: Any, centre: Any) -> Any:
        x = x - np.mean(x, axis=1, keepdims=True)
        return x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + 1e-5) * gain + centre

    def split(x: Any) -> Any:
        parts = np.transpose(np.reshape(x, (size.batch, steps, heads, d // heads)), (0, 2, 1, 3))
        return np.reshape(parts, (size.batch * heads, steps, d // heads))

    def softmax(x: Any) -> Any:
        e = np.exp(x - np.max(x, axis=-1, keepdims=True))
        return e / np.sum(e, axis=-1, keepdims=True)

    def attend(x: Any) -> Any:
        q, k, v = (split(x[:, i * d : (i + 1) * d]) for i in range(3))
        weights = softmax(np.matmul(q, np.transpose(k, (0, 2, 1))) * (d // heads) ** -0.5 + MASKS[steps])
        mixed = np.reshape(np.matmul(weights, v), (size.batch, heads, steps, d // heads))
        return np.reshape(np.transpose(mixed, (0, 2, 1, 3)), (rows, d))

    x = np.reshape(w["symbols"][text[:, :-1]] + w["places"], (rows, d))
    for k in range(size.layers):
        p = {name: w[f"{name}{k}"] for name in BLOCK}
        x = x + np.dot(attend(np.dot(norm(x, p["g1"], p["c1"]), p["qkv"]) + p["bqkv"]), p["out"]) + p["bout"]
        x = x + np.dot(gelu(np.dot(norm(x, p["g2"], p["c2"]), p["up"]) + p["bup"]), p["down"]) + p["bdown"]
    scores = np.dot(norm(x, w["g"], w["c"]), np.transpose(w["symbols"]))
    return -np.mean(np.log(pick(softmax(scores), np.reshape(text[:, 1:], (rows,)))))


MASKS = {n: np.triu(np.full((n, n), -1e9), 1) for n in range(1, 129)}


def loss_in_numpy(size: Size, w: Arrays, text: np.ndarray) -> float:
    """The loss by NumPy."""
    from scipy.special import erf

    def pick(p: np.ndarray, labels: np.ndarray) -> np.ndarray:
        return p[np.arange(len(labels)), labels]

    return float(loss_of(np, size, w, text, lambda x: 0.5 * x * (1 + erf(x / 2**0.5)), pick))


def build(size: Size, parameters: Arrays, dtype: str = "float64") -> Any:
    """The function of a text that gives the loss and the gradient of every parameter."""
    import eqsat
    import eqsat.tensor as T

    w = {
        name: eqsat.shared(value.astype(dtype), name, shape=value.shape) for name, value in parameters.items()
    }
    text = T.lmatrix("text")

    def pick(p: Any, labels: Any) -> Any:
        return p[T.arange(labels.shape[0]), labels]

    loss = loss_of(T, size, w, text, T.gelu, pick)
    return eqsat.function([text], [loss, *T.grad(loss, list(w.values()))], name="transformer")


def check(size: Size, parameters: Arrays, function: Any) -> float:
    """The largest relative error, of the loss and of the slope along one direction of each parameter."""
    text = size.text()
    loss, *gradients = function(text)
    errors = [abs(float(loss) / loss_in_numpy(size, parameters, text) - 1)]
    rng = np.random.default_rng(2)
    for (name, value), gradient in zip(parameters.items(), gradients, strict=True):
        direction = rng.normal(size=value.shape) * 1e-5
        up, down = (
            loss_in_numpy(size, {**parameters, name: value + sign * direction}, text) for sign in (1, -1)
        )
        slope = float(np.sum(gradient * direction))
        scale = float(np.sqrt(np.sum(gradient**2) * np.sum(direction**2)))
        errors.append(abs((up - down) / 2 - slope) / max(scale, 1e-12))
    return max(errors)


def stages(size: Size) -> tuple[dict[str, float], Any, Any]:
    """Seconds by stage, the report and the function."""
    parameters = size.parameters()
    start = time.perf_counter()
    function = build(size, parameters)
    total = time.perf_counter() - start
    report, compiled = function.report, function.seconds
    phases: dict[str, float] = {}
    for phase in report.phases:
        phases[phase.name] = phases.get(phase.name, 0.0) + phase.seconds
    inside = {k: v for k, v in report.seconds.items() if k != "saturate"}
    rest = {k: v for k, v in compiled.items() if k != "e-graph"}
    graph = total - sum(compiled.values())
    return {"build": graph, **inside, **phases, **rest, "total": total}, report, function


def show(size: Size) -> None:
    """The table of one model, and whether it is right."""
    found, report, function = stages(size)
    print(
        f"{size.layers} layers: {report.nodes_before} -> {report.nodes_after} nodes, {report.e_nodes} e-nodes, "
        f"{sum(p.seconds for p in report.phases):.2f} s of saturation, {report.rules_tried} rules"
    )
    print(
        f"  cost {report.cost_before * 1e3:.3f} ms as written, {report.cost_after * 1e3:.3f} ms extracted, "
        f"at least {report.bound * 1e3:.3f} ms"
    )
    for stage, seconds in found.items():
        print(f"  {stage:<10} {seconds:8.3f} s")
    for budget in report.budgets:
        print(f"  {budget}")
    print(f"  largest error against NumPy {check(size, size.parameters(), function):.1e}")


def main() -> None:
    """Measure models of some numbers of layers, each in turn."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--layers", default="1,2,4,12", help="numbers of layers with commas between")
    for layers in parser.parse_args().layers.split(","):
        show(Size(layers=int(layers)))


if __name__ == "__main__":
    main()
