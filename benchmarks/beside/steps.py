"""Steps of optimisers, and stencils."""

from __future__ import annotations

from typing import Any

from beside.workload import normal, uniform, workload

W = 1_000_000
weights = {"weights": normal("float32", W), "slope": normal("float32", W)}


@workload(
    "one step of RMSprop with momentum, 1e6 float32",
    1e-5,
    **weights,
    square=uniform("float32", 0.1, 1, W),
    speed=normal("float32", W),
)
def rmsprop(m: Any, weights: Any, slope: Any, square: Any, speed: Any) -> Any:
    new = 0.9 * square + 0.1 * slope * slope
    speed = 0.9 * speed + 0.01 * slope / m.sqrt(new + 1e-8)
    return weights - speed, new, speed


@workload(
    "one step of Adam with decay and a slope that is made short, 1e6 float32",
    1e-5,
    **weights,
    mean=normal("float32", W, scale=0.1),
    square=uniform("float32", 0.1, 1, W),
)
def short_adam(m: Any, weights: Any, slope: Any, mean: Any, square: Any) -> Any:
    slope = slope / (m.sqrt((slope * slope).sum()) + 1)
    new_mean, new_square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope * slope
    return weights - 0.01 * (new_mean / (m.sqrt(new_square) + 1e-8) + 0.01 * weights), new_mean, new_square


@workload("a step of the wave equation, 1e6 float64", 1e-12, u=normal("float64", W), old=normal("float64", W))
def wave(m: Any, u: Any, old: Any) -> Any:
    return 2 * u[1:-1] - old[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])


@workload("Laplacian in three dimensions, 120 x 120 x 120 float32", 1e-5, u=normal("float32", 120, 120, 120))
def laplacian_3d(m: Any, u: Any) -> Any:
    c = u[1:-1, 1:-1, 1:-1]
    return (
        u[2:, 1:-1, 1:-1]
        + u[:-2, 1:-1, 1:-1]
        + u[1:-1, 2:, 1:-1]
        + u[1:-1, :-2, 1:-1]
        + u[1:-1, 1:-1, 2:]
        + u[1:-1, 1:-1, :-2]
        - 6 * c
    )


@workload("edges of an image by Sobel, 1000 x 1000 float32", 1e-5, u=normal("float32", 1000, 1000))
def sobel(m: Any, u: Any) -> Any:
    across = u[:-2, 2:] + 2 * u[1:-1, 2:] + u[2:, 2:] - u[:-2, :-2] - 2 * u[1:-1, :-2] - u[2:, :-2]
    down = u[2:, :-2] + 2 * u[2:, 1:-1] + u[2:, 2:] - u[:-2, :-2] - 2 * u[:-2, 1:-1] - u[:-2, 2:]
    return m.sqrt(across * across + down * down)


@workload(
    "central differences along rows and columns, 1500 x 1500 float64", 1e-12, u=normal("float64", 1500, 1500)
)
def differences(m: Any, u: Any) -> Any:
    return (u[1:-1, 2:] - u[1:-1, :-2]) / 2, (u[2:, 1:-1] - u[:-2, 1:-1]) / 2


@workload("running sums of columns, 1000 x 2000 float32", 1e-4, x=normal("float32", 1000, 2000))
def running_columns(m: Any, x: Any) -> Any:
    return m.cumsum(x, 0)
