"""Train a recurrent network (GRU) to spell numbers letter by letter; both training and writing are loops in the graph."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T

TEXT = "one two three four five six seven eight nine ten eleven twelve "  # and again from the start
LETTERS = sorted(set(TEXT))
HIDDEN, BATCH, STEPS, RATE = 48, 16, 24, 0.01


def codes(text: str) -> np.ndarray:
    """The numbers of letters."""
    return np.array([LETTERS.index(c) for c in text], "int64")


@dataclass
class Network:
    """A GRU over letters, with weights that start small and random."""

    seed: int = 0

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)
        shapes = {
            "letters": (len(LETTERS), 3 * HIDDEN),
            "gates": (HIDDEN, 2 * HIDDEN),
            "candidate": (HIDDEN, HIDDEN),
            "out": (HIDDEN, len(LETTERS)),
        }
        self.weights = [
            eqsat.shared(rng.normal(0, HIDDEN**-0.5, s).astype("float32"), k) for k, s in shapes.items()
        ]
        self.weights.append(eqsat.shared(np.zeros(3 * HIDDEN, "float32"), "bias"))

    def step(self, letter: Any, state: Any) -> Any:
        """The state after a letter of every text in the batch."""
        letters, gates, candidate, _, bias = self.weights
        given = letters[letter] + bias
        update, reset = (
            T.sigmoid(given[:, k : k + HIDDEN] + T.dot(state, gates[:, k : k + HIDDEN])) for k in (0, HIDDEN)
        )
        new = T.tanh(given[:, 2 * HIDDEN :] + T.dot(reset * state, candidate))
        return update * state + (1 - update) * new

    def scores(self, state: Any) -> Any:
        """For every letter how likely it is to be the next, as logarithms up to a constant."""
        return T.dot(state, self.weights[3])


def start(batch: Any) -> Any:
    """The state before the first letter."""
    return T.zeros((batch, HIDDEN), dtype="float32")


def trainer(network: Network) -> Callable[[np.ndarray], Any]:
    """One step of Adam on texts of a batch; gives the loss per letter, in nats."""
    text = T.lmatrix("text")  # one row per letter, one column per text
    states, _ = eqsat.scan(network.step, sequences=text[:-1], outputs_info=start(text.shape[1]))
    chance = T.softmax(network.scores(states), axis=-1).reshape((-1, len(LETTERS)))
    follows = text[1:].flatten()
    loss = -T.mean(T.log(chance)[T.arange(follows.shape[0]), follows])
    return eqsat.function([text], loss, updates=adam(loss, network.weights), name="train")


def adam(loss: Any, weights: list[Any]) -> list[tuple[Any, Any]]:
    """Updates of the weights and of the running means of their gradients and of the squares of these."""
    count = eqsat.shared(np.float32(0), "count")
    now = count + np.float32(1)
    rate = np.float32(RATE) * T.sqrt(1 - np.float32(0.999) ** now) / (1 - np.float32(0.9) ** now)
    updates: list[tuple[Any, Any]] = [(count, now)]
    for w, gradient in zip(weights, T.grad(loss, weights), strict=True):
        mean, square = (eqsat.shared(np.zeros_like(w.get_value())) for _ in range(2))
        new_mean = np.float32(0.9) * mean + np.float32(0.1) * gradient
        new_square = np.float32(0.999) * square + np.float32(0.001) * gradient**2
        updates += [(mean, new_mean), (square, new_square)]
        updates.append((w, w - rate * new_mean / (T.sqrt(new_square) + np.float32(1e-8))))
    return updates


def writer(network: Network) -> Callable[[str, int], str]:
    """Continues a text: each step reads the letter that the step before found the likeliest."""
    text, count = T.lvector("text"), T.lscalar("count")
    read, _ = eqsat.scan(network.step, sequences=text.dimshuffle(0, "x"), outputs_info=start(1))

    def write(state: Any) -> tuple[Any, Any]:
        letter = T.argmax(network.scores(state), axis=1)
        return network.step(letter, state), letter[0]

    (_, letters), _ = eqsat.scan(write, outputs_info=[read[-1], None], n_steps=count)
    function = eqsat.function([text, count], letters, name="write")
    return lambda text, count: "".join(LETTERS[k] for k in function(codes(text), count))


def batches(count: int, seed: int = 1) -> Any:
    """Batches of pieces of the text, cut out at random places."""
    rng = np.random.default_rng(seed)
    endless = codes(TEXT * 2)
    for _ in range(count):
        starts = rng.integers(0, len(TEXT), BATCH)
        yield endless[starts + np.arange(STEPS + 1)[:, None]]


def main() -> None:
    """Build, train, and let the network write before and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--updates", type=int, default=300)
    options = parser.parse_args()
    began = time.perf_counter()
    network = Network()
    train, write = trainer(network), writer(network)
    print(f"untrained:  one two{write('one two', 50)}   ({time.perf_counter() - began:.2f} s to build)")
    began = time.perf_counter()
    for number, batch in enumerate(batches(options.updates), 1):
        loss = float(train(batch))
        if number in (1, 10) or number % 100 == 0:
            print(f"update {number:>4}  {loss:.3f} nats per letter  {time.perf_counter() - began:.2f} s")
    print(f"trained:    one two{write('one two', 50)}")


if __name__ == "__main__":
    main()
