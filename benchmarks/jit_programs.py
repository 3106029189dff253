"""Programs as NumPy's users write them, run by ``eqsat.jit`` as they stand: the same results, and how much sooner.

``python benchmarks/jit_programs.py`` prints a table: milliseconds of a call of each program with and without jit, the seconds of the
first call, and the largest difference. ``--only kmeans`` picks programs by a part of their names, ``--size`` their size.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np


def kmeans(points, centres, steps=5):
    k = centres.shape[0]
    for _ in range(steps):
        distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        labels = np.argmin(distances, axis=1)
        hot = np.eye(k)[labels]
        counts = np.maximum(hot.sum(axis=0), 1)
        centres = (hot.T @ points) / counts[:, None]
    return centres, labels


def softmax_regression(X, y, W, b, rate=0.1):
    n, k = len(X), W.shape[1]
    logits = X @ W + b
    logits -= logits.max(axis=1, keepdims=True)
    p = np.exp(logits)
    p /= p.sum(axis=1, keepdims=True)
    loss = -np.mean(np.log(p[np.arange(n), y]))
    hot = np.zeros((n, k))
    hot[np.arange(n), y] = 1
    slope = (p - hot) / n
    return loss, W - rate * X.T @ slope, b - rate * slope.sum(axis=0)


def principal_components(X):
    centred = X - X.mean(axis=0)
    _, s, vt = np.linalg.svd(centred, full_matrices=False)
    return s**2 / (len(X) - 1), np.abs(vt[:2])


def game_of_life(board):
    neighbours = np.zeros(board.shape, dtype=int)
    neighbours[1:, 1:] += board[:-1, :-1]
    neighbours[1:, :] += board[:-1, :]
    neighbours[1:, :-1] += board[:-1, 1:]
    neighbours[:, 1:] += board[:, :-1]
    neighbours[:, :-1] += board[:, 1:]
    neighbours[:-1, 1:] += board[1:, :-1]
    neighbours[:-1, :] += board[1:, :]
    neighbours[:-1, :-1] += board[1:, 1:]
    return np.where((neighbours == 3) | ((board == 1) & (neighbours == 2)), 1, 0)


def life_by_rolls(board):
    neighbours = sum(
        np.roll(np.roll(board, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)
    )
    return (neighbours == 3) | (board & (neighbours == 2))


def mandelbrot(xs, ys, steps=20):
    c = xs[None, :] + 1j * ys[:, None]
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=int)
    for _ in range(steps):
        inside = z.real**2 + z.imag**2 <= 4
        z = np.where(inside, z * z + c, z)
        count += inside
    return count


def random_walks(steps):
    places = np.cumsum(np.where(steps > 0.5, 1, -1), axis=1)
    return places.mean(axis=0), places.std(axis=0), np.abs(places).max(axis=1).mean()


def moving_average(x, width=25):
    total = np.cumsum(np.insert(x, 0, 0.0))
    return (total[width:] - total[:-width]) / width


def distances(a, b):
    return np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(-1))


def distances_by_products(a, b):
    squares = (a**2).sum(1)[:, np.newaxis] + (b**2).sum(1) - 2 * a.dot(b.T)
    return np.sqrt(np.clip(squares, 0, None))


def power_iteration(A, v, steps=10):
    for _ in range(steps):
        w = A @ v
        v = w / np.linalg.norm(w)
    return v @ A @ v, v


def blur(image):
    padded = np.pad(image, 1, mode="edge")
    out = np.zeros_like(image)
    for i in range(3):
        for j in range(3):
            out += padded[i : i + image.shape[0], j : j + image.shape[1]]
    return out / 9


def sobel(image):
    dx = image[:, 2:] - image[:, :-2]
    dy = image[2:, :] - image[:-2, :]
    return np.hypot(dx[1:-1], dy[:, 1:-1])


def newton_roots(x, steps=8):
    for _ in range(steps):
        x = x - (x**3 - 2 * x - 5) / (3 * x**2 - 2)
    return x


def euler_pendulum(angle, speed, dt=0.01, steps=20):
    for _ in range(steps):
        angle, speed = angle + dt * speed, speed - dt * 9.81 * np.sin(angle)
    return angle, speed


def runge_kutta(y, dt=0.05):
    def slope(y):
        return np.stack([y[1], (1 - y[0] ** 2) * y[1] - y[0]])

    k1 = slope(y)
    k2 = slope(y + dt / 2 * k1)
    k3 = slope(y + dt / 2 * k2)
    k4 = slope(y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def histogram(x):
    counts, edges = np.histogram(x, bins=20, range=(-4.0, 4.0))
    widths = np.diff(edges)
    return counts / (counts.sum() * widths), edges


def interpolated(x):
    knots = np.linspace(-3, 3, 50)
    return np.interp(x, knots, np.sin(knots))


def standardise(X):
    return (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-8)


def min_max(X):
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / (high - low)


def cosine_similarity(X):
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    return unit @ unit.T


def logistic_step(X, y, w, rate=0.1, penalty=1e-3):
    p = 1 / (1 + np.exp(-(X @ w)))
    loss = -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)) + penalty * np.sum(w**2)
    return loss, w - rate * (X.T @ (p - y) / len(y) + 2 * penalty * w)


def pagerank(links, damping=0.85, steps=10):
    n = links.shape[0]
    out = links.sum(axis=0)
    M = links / np.where(out == 0, 1, out)
    rank = np.full(n, 1 / n)
    for _ in range(steps):
        rank = damping * M @ rank + (1 - damping) / n
    return rank / rank.sum()


def kalman_steps(x, P, z, F, H, Q, R):
    x = x @ F.T
    P = F @ P @ F.T + Q
    S = H @ P @ H.T + R
    K = P @ H.T @ np.linalg.inv(S)
    x = x + (z - x @ H.T) @ K.T
    return x, (np.eye(len(P)) - K @ H) @ P


def convolution(image, kernel):
    kh, kw = kernel.shape
    h, w = image.shape[0] - kh + 1, image.shape[1] - kw + 1
    out = np.zeros((h, w))
    for i in range(kh):
        for j in range(kw):
            out += kernel[i, j] * image[i : i + h, j : j + w]
    return out


def jacobi(u, steps=5):
    for _ in range(steps):
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        u = v
    return u, np.abs(u).max()


def confusion(truth, guess, classes=10):
    counts = np.zeros((classes, classes), dtype=int)
    np.add.at(counts, (truth, guess), 1)
    return counts, np.trace(counts) / counts.sum()


def one_hot(labels, classes=10):
    return (labels[:, None] == np.arange(classes)).astype(np.float32)


def top_k_accuracy(scores, labels, k=3):
    best = np.argsort(-scores, axis=1)[:, :k]
    return np.mean(np.any(best == labels[:, None], axis=1))


def least_squares(x, y):
    A = np.column_stack([np.ones(len(x)), x, x**2])
    coefficients = np.linalg.solve(A.T @ A, A.T @ y)
    residual = y - A @ coefficients
    return coefficients, 1 - (residual**2).sum() / ((y - y.mean()) ** 2).sum()


def monte_carlo_pi(x, y):
    inside = (x**2 + y**2) < 1
    return 4 * np.count_nonzero(inside) / len(x)


def black_scholes_paths(draws, s0=100.0, rate=0.02, sigma=0.3, strike=105.0):
    steps = draws.shape[1]
    dt = 1 / steps
    paths = s0 * np.exp(np.cumsum((rate - sigma**2 / 2) * dt + sigma * np.sqrt(dt) * draws, axis=1))
    payoff = np.maximum(paths[:, -1] - strike, 0)
    return np.exp(-rate) * payoff.mean(), np.exp(-rate) * payoff.std() / np.sqrt(len(payoff))


def numerical_gradient(f, h):
    inner = (f[2:] - f[:-2]) / (2 * h)
    return np.concatenate([[(f[1] - f[0]) / h], inner, [(f[-1] - f[-2]) / h]])


def trapezoid(x, y):
    return np.sum((y[1:] + y[:-1]) / 2 * np.diff(x)), np.trapezoid(y, x)


def dense_layers(x, params):
    for layer in params:
        x = np.maximum(x @ layer["w"] + layer["b"], 0)
    return x


def attention(q, k, v):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ v


def layer_norm(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return gain * (x - mean) / np.sqrt(var + eps) + bias


def n_body(place, speed, mass, dt=0.01):
    apart = place[None, :, :] - place[:, None, :]
    cubes = (np.sum(apart**2, axis=-1) + 1e-3) ** 1.5
    force = (mass[None, :, None] * apart / cubes[:, :, None]).sum(axis=1)
    speed = speed + dt * force
    return place + dt * speed, speed, 0.5 * np.sum(mass * np.sum(speed**2, axis=1))


def exponential_smoothing(x, alpha=0.5, taps=12):
    weights = alpha * (1 - alpha) ** np.arange(taps)
    return np.convolve(x, weights, mode="valid")


def greyscale_threshold(rgb, level=0.5):
    grey = rgb @ np.array([0.2989, 0.5870, 0.1140])
    mask = grey > level
    return mask, grey[mask].mean(), np.where(mask, grey, 0)


def naive_bayes(X, y, Z, classes=3):
    scores = []
    for c in range(classes):
        hits = (y == c).astype(float)
        n = hits.sum()
        mean = hits @ X / n
        var = hits @ (X - mean) ** 2 / n + 1e-3
        scores.append(
            np.log(n / len(y)) - 0.5 * np.sum(np.log(2 * np.pi * var) + (Z - mean) ** 2 / var, axis=1)
        )
    return np.argmax(np.stack(scores, axis=1), axis=1)


def autocorrelation(x, lags=20):
    x = x - x.mean()
    power = np.dot(x, x)
    return np.array([1.0] + [np.dot(x[:-k], x[k:]) / power for k in range(1, lags)])


def ranks(x):
    order = np.argsort(x)
    places = np.empty(len(x), dtype=int)
    places[order] = np.arange(len(x))
    return places


def outliers(x):
    q1, q3 = np.percentile(x, [25, 75])
    spread = q3 - q1
    keep = (x > q1 - 1.5 * spread) & (x < q3 + 1.5 * spread)
    return x[keep].mean(), np.sum(~keep), np.median(x)


def smooth_labels(labels, logits, eps=0.1):
    n, k = logits.shape
    logits = logits - np.max(logits, axis=1, keepdims=True)
    logp = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    target = np.full((n, k), eps / k)
    target[np.arange(n), labels] += 1 - eps
    return -(target * logp).sum() / n


def heat_equation(u, alpha=0.1, steps=10):
    for _ in range(steps):
        u[1:-1] += alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


class Program(NamedTuple):
    """A program, and a maker of its arguments for about so many elements."""

    function: Callable[..., Any]
    arguments: Callable[[np.random.Generator, int], tuple[Any, ...]]
    options: dict[str, Any] = {}


def square(r: np.random.Generator, n: int) -> np.ndarray:
    side = int(np.sqrt(n))
    return r.random((side, side))


def spd(r: np.random.Generator, n: int) -> np.ndarray:
    a = r.normal(size=(n, n))
    return a @ a.T / n + np.eye(n)


_ALL: tuple[tuple[Callable[..., Any], Callable[[Any, int], tuple[Any, ...]]], ...] = (
    (kmeans, lambda r, n: (r.normal(size=(n // 2, 2)), r.normal(size=(8, 2)))),
    (softmax_regression, lambda r, n: (r.normal(size=(n // 20, 20)), r.integers(0, 10, n // 20), r.normal(size=(20, 10)), np.zeros(10))),
    (principal_components, lambda r, n: (r.normal(size=(n // 10, 10)) * np.arange(1, 11),)),
    (game_of_life, lambda r, n: ((square(r, n) > 0.6).astype(int),)),
    (life_by_rolls, lambda r, n: ((square(r, n) > 0.6).astype(int),)),
    (mandelbrot, lambda r, n: (np.linspace(-2, 0.5, int(np.sqrt(n))), np.linspace(-1.2, 1.2, int(np.sqrt(n))))),
    (random_walks, lambda r, n: (r.random((n // 100, 100)),)),
    (moving_average, lambda r, n: (r.normal(size=n),)),
    (distances, lambda r, n: (r.normal(size=(int(np.sqrt(n)), 3)), r.normal(size=(int(np.sqrt(n)), 3)))),
    (distances_by_products, lambda r, n: (r.normal(size=(int(np.sqrt(n)), 3)), r.normal(size=(int(np.sqrt(n)), 3)))),
    (power_iteration, lambda r, n: (spd(r, int(np.sqrt(n))), np.ones(int(np.sqrt(n))))),
    (blur, lambda r, n: (square(r, n),)),
    (sobel, lambda r, n: (square(r, n),)),
    (newton_roots, lambda r, n: (r.random(n) + 2,)),
    (euler_pendulum, lambda r, n: (r.normal(size=n), r.normal(size=n))),
    (runge_kutta, lambda r, n: (r.normal(size=(2, n)),)),
    (histogram, lambda r, n: (r.normal(size=n),)),
    (interpolated, lambda r, n: (r.normal(size=n),)),
    (standardise, lambda r, n: (r.normal(size=(n // 10, 10)),)),
    (min_max, lambda r, n: (r.normal(size=(n // 10, 10)),)),
    (cosine_similarity, lambda r, n: (r.normal(size=(int(np.sqrt(n)), 20)),)),
    (logistic_step, lambda r, n: (r.normal(size=(n // 10, 10)), (r.random(n // 10) > 0.5).astype(float), r.normal(size=10) / 5)),
    (pagerank, lambda r, n: ((square(r, n) > 0.9).astype(float),)),
    (kalman_steps, lambda r, n: (r.normal(size=(n // 4, 4)), spd(r, 4), r.normal(size=(n // 4, 2)), np.eye(4) + 0.1 * np.eye(4, k=2), np.eye(2, 4), 0.1 * np.eye(4), np.eye(2))),
    (convolution, lambda r, n: (square(r, n), np.ones((3, 3)) / 9)),
    (jacobi, lambda r, n: (square(r, n),)),
    (confusion, lambda r, n: (r.integers(0, 10, n), r.integers(0, 10, n))),
    (one_hot, lambda r, n: (r.integers(0, 10, n),)),
    (top_k_accuracy, lambda r, n: (r.normal(size=(n // 10, 10)), r.integers(0, 10, n // 10))),
    (least_squares, lambda r, n: (r.normal(size=n), r.normal(size=n))),
    (monte_carlo_pi, lambda r, n: (r.random(n), r.random(n))),
    (black_scholes_paths, lambda r, n: (r.normal(size=(n // 50, 50)),)),
    (numerical_gradient, lambda r, n: (np.sin(np.linspace(0, 10, n)), 10 / (n - 1))),
    (trapezoid, lambda r, n: (np.sort(r.random(n)), r.normal(size=n))),
    (dense_layers, lambda r, n: (r.normal(size=(n // 50, 50)), [{"w": r.normal(size=(50, 50)) / 7, "b": np.zeros(50)} for _ in range(3)])),
    (attention, lambda r, n: tuple(r.normal(size=(n // 500 + 1, 16, 32)) for _ in range(3))),
    (layer_norm, lambda r, n: (r.normal(size=(n // 50, 50)), np.ones(50), np.zeros(50))),
    (n_body, lambda r, n: (r.normal(size=(int(np.sqrt(n)), 3)), r.normal(size=(int(np.sqrt(n)), 3)), r.random(int(np.sqrt(n))))),
    (exponential_smoothing, lambda r, n: (r.normal(size=n),)),
    (greyscale_threshold, lambda r, n: (r.random((int(np.sqrt(n)), int(np.sqrt(n)), 3)),)),
    (naive_bayes, lambda r, n: (r.normal(size=(n // 10, 10)), np.arange(n // 10) % 3, r.normal(size=(n // 10, 10)))),
    (autocorrelation, lambda r, n: (r.normal(size=n),)),
    (ranks, lambda r, n: (r.normal(size=n),)),
    (outliers, lambda r, n: (r.normal(size=n),)),
    (smooth_labels, lambda r, n: (r.integers(0, 10, n // 10), r.normal(size=(n // 10, 10)))),
    (heat_equation, lambda r, n: (r.normal(size=n),)),
)  # fmt: skip
_OPTIONS = {"convolution": {"static_shapes": "kernel"}}  # a loop of Python over the kernel
PROGRAMS = {f.__name__: Program(f, arguments, _OPTIONS.get(f.__name__, {})) for f, arguments in _ALL}


def copied(value: Any) -> Any:
    """Arguments that a call may write."""
    return tuple(v.copy() if isinstance(v, np.ndarray) else v for v in value)


def largest_difference(a: Any, b: Any) -> float:
    """The largest difference of two results, relative to 1 or to what is larger; infinite where dtypes or shapes differ."""
    if isinstance(b, (tuple, list)):
        return max(largest_difference(x, y) for x, y in zip(a, b, strict=True))
    if np.shape(a) != np.shape(b) or np.asarray(a).dtype != np.asarray(b).dtype:
        return np.inf
    a, b = np.asarray(a, float), np.asarray(b, float)
    return float(np.max(np.abs(a - b) / np.maximum(1, np.abs(b)), initial=0.0))


def least_seconds(pair: Sequence[Callable[[], Any]], rounds: int, budget: float) -> list[float]:
    """The least time of a call of each, taken in turns."""
    best = [np.inf] * len(pair)
    for _ in range(rounds):
        for k, call in enumerate(pair):
            start, calls = time.perf_counter(), 0
            while time.perf_counter() - start < budget / rounds / len(pair):
                calls += 1
                begun = time.perf_counter()
                call()
                best[k] = min(best[k], time.perf_counter() - begun)
    return best


def rows(
    size: int, only: str, rounds: int, budget: float
) -> Iterator[tuple[str, float, float, float, float]]:
    """For each program: its name, milliseconds without and with jit, seconds of the first call, the largest difference."""
    import eqsat

    for name, (function, arguments, options) in PROGRAMS.items():
        if only not in name:
            continue
        given = arguments(np.random.default_rng(0), size)
        made = eqsat.jit(function, **options)
        start = time.perf_counter()
        found = made(*copied(given))
        first = time.perf_counter() - start
        difference = largest_difference(found, function(*copied(given)))
        own = copied(given), copied(given)
        pair = [partial(f, *a) for f, a in zip((function, made), own, strict=True)]
        plain, jitted = least_seconds(pair, rounds, budget)
        yield name, plain * 1e3, jitted * 1e3, first, difference


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=0.3, help="seconds for each program")
    options = parser.parse_args()
    print(f"{'program':24} {'NumPy ms':>9} {'jit ms':>9} {'times':>6} {'first s':>8} {'difference':>11}")
    times = []
    for name, plain, jitted, first, difference in rows(
        options.size, options.only, options.rounds, options.budget
    ):
        times.append(plain / jitted)
        print(
            f"{name:24} {plain:9.3f} {jitted:9.3f} {plain / jitted:6.1f} {first:8.2f} {difference:11.1e}",
            flush=True,
        )
    print(
        f"{len(times)} programs; geometric mean {np.exp(np.mean(np.log(times))):.1f}, least {min(times):.2f}"
    )


if __name__ == "__main__":
    main()
