"""Train a two-layer network on the handwritten digits of scikit-learn, compiled by eqsat, beside plain NumPy."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HIDDEN, BATCH, RATE, DECAY = 128, 32, np.float32(0.1), np.float32(1e-4)
Arrays = tuple[np.ndarray, ...]


def load_digits() -> tuple[Arrays, Arrays]:
    """Training and test digits: 8 x 8 grey images as 64 numbers from 0 to 1, and their labels."""
    from sklearn.datasets import load_digits as read

    images, labels = read(return_X_y=True)
    order = np.random.default_rng(7).permutation(len(labels))
    images, labels = (images[order] / 16).astype("float32"), labels[order].astype("int32")
    return (images[:1440], labels[:1440]), (images[1440:], labels[1440:])


def first_weights() -> list[np.ndarray]:
    """Small random weights and zero biases of both layers."""
    rng = np.random.default_rng(1)
    w1 = rng.normal(0, 64**-0.5, (64, HIDDEN)).astype("float32")
    w2 = rng.normal(0, HIDDEN**-0.5, (HIDDEN, 10)).astype("float32")
    return [w1, np.zeros(HIDDEN, "float32"), w2, np.zeros(10, "float32")]


def build(train: Arrays) -> tuple[Any, Any, list[Any]]:
    """The training step and the classifier, compiled."""
    import eqsat
    import eqsat.tensor as T

    images, labels = (eqsat.shared(a, name) for a, name in zip(train, ("images", "labels"), strict=True))
    weights = [
        eqsat.shared(w, name) for w, name in zip(first_weights(), ("W1", "b1", "W2", "b2"), strict=True)
    ]
    w1, b1, w2, b2 = weights
    x, y, start = T.fmatrix("x"), T.ivector("y"), T.lscalar("start")

    hidden = T.maximum(T.dot(x, w1) + b1, 0)
    probability = T.softmax(T.dot(hidden, w2) + b2)
    loss = -T.mean(T.log(probability)[T.arange(y.shape[0]), y])
    cost = loss + DECAY * (T.sum(w1**2) + T.sum(w2**2))
    gradients = T.grad(cost, weights)
    step = eqsat.function(
        [start],
        cost,
        updates=[(w, w - RATE * g) for w, g in zip(weights, gradients, strict=True)],
        givens={x: images[start : start + BATCH], y: labels[start : start + BATCH]},
        name="step",
    )
    classify = eqsat.function([x], T.argmax(probability, axis=1), name="classify")
    return step, classify, weights


class NumpyNetwork:
    """The same arithmetic written by hand in NumPy."""

    def __init__(self, train: Arrays) -> None:
        self.images, self.labels = train
        self.weights = first_weights()

    def step(self, start: int) -> np.float32:
        """One step of gradient descent on a batch; the cost before it."""
        x, y = self.images[start : start + BATCH], self.labels[start : start + BATCH]
        w1, b1, w2, b2 = self.weights
        before = x @ w1 + b1
        hidden = np.maximum(before, 0)
        scores = hidden @ w2 + b2
        scores -= scores.max(axis=1, keepdims=True)
        exps = np.exp(scores)
        probability = exps / exps.sum(axis=1, keepdims=True)
        rows = np.arange(len(y))
        cost = -np.mean(np.log(probability[rows, y])) + DECAY * (np.sum(w1**2) + np.sum(w2**2))
        probability[rows, y] -= 1
        delta = probability / np.float32(len(y))
        back = (delta @ w2.T) * (before > 0)
        gradients = (
            x.T @ back + 2 * DECAY * w1,
            back.sum(0),
            hidden.T @ delta + 2 * DECAY * w2,
            delta.sum(0),
        )
        self.weights = [w - RATE * g for w, g in zip(self.weights, gradients, strict=True)]
        return cost


def epoch(step: Callable[[int], Any], count: int) -> float:
    """Seconds of one pass over the training digits."""
    start = time.perf_counter()
    for first in range(0, count, BATCH):
        step(first)
    return time.perf_counter() - start


def compare(step: Any, network: NumpyNetwork, count: int) -> tuple[float, float]:
    """Median seconds of five epochs of each, run in turn."""
    times = [(epoch(step, count), epoch(network.step, count)) for _ in range(6)][1:]
    ours, theirs = zip(*times, strict=True)
    return statistics.median(ours), statistics.median(theirs)


def main() -> None:
    """Build, say what the optimiser did, train, compare, and write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=120)
    parser.add_argument("--out", type=Path, default=Path("demo-output"))
    options = parser.parse_args()
    train, test = load_digits()
    print(f"digits: {len(train[1])} to train on, {len(test[1])} to test on")
    step, classify, weights = build(train)
    print("\nwhat the optimiser did to the training step\n" + str(step.report))
    print("\nseconds to make the training step")
    for stage, seconds in step.seconds.items():
        print(f"  {stage:<8} {seconds:.3f}")
    print("\ntraining")
    total = 0.0
    for number in range(1, options.epochs + 1):
        total += epoch(step, len(train[1]))
        if number in (1, 5, 10) or number % 20 == 0:
            right = float(np.mean(classify(test[0]) == test[1]))
            print(f"  epoch {number:>3}  {total:6.3f} s  test accuracy {right:.2%}", flush=True)
    network = NumpyNetwork(train)
    for _ in range(options.epochs):
        epoch(network.step, len(train[1]))
    gap = max(float(np.abs(w.get_value() - v).max()) for w, v in zip(weights, network.weights, strict=True))
    print(
        f"\nlargest difference between eqsat's weights and NumPy's after {options.epochs} epochs: {gap:.1e}"
    )
    ours, theirs = compare(step, network, len(train[1]))
    print(
        f"median of 5 epochs: eqsat {ours * 1e3:.2f} ms, NumPy {theirs * 1e3:.2f} ms, ratio {theirs / ours:.2f}"
    )
    options.out.mkdir(parents=True, exist_ok=True)
    step.report.draw(options.out / "training-step.svg")
    (options.out / "training-step.c").write_text(step.c_source or "no C compiler was found\n")
    print(
        f"written: {options.out / 'training-step.svg'} (before and after), {options.out / 'training-step.c'}"
    )


if __name__ == "__main__":
    main()
