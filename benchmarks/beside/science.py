"""Sums over pairs and neighbours, with gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from beside.workload import normal, uniform, workload


def valley(x: Any) -> Any:
    """Rosenbrock's function."""
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


@workload("Rosenbrock's function with gradient, 1e6 float64", 1e-10, x=normal("float64", 1_000_000))
def rosen_grad(m: Any, x: Any) -> Any:
    return m.value_and_grad(valley, [x])


@rosen_grad.in_numpy
def _(x: Any) -> Any:
    off = x[1:] - x[:-1] ** 2
    slope = np.zeros_like(x)
    slope[:-1] = -400.0 * x[:-1] * off - 2 * (1 - x[:-1])
    slope[1:] += 200.0 * off
    return valley(x), slope


@rosen_grad.in_numba
def _() -> Any:
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def run(x):  # type: ignore[no-untyped-def]
        n = x.size
        slope = np.empty_like(x)
        value = 0.0
        for i in numba.prange(n):
            s = 0.0
            if i + 1 < n:
                off = x[i + 1] - x[i] * x[i]
                value += 100.0 * off * off + (1 - x[i]) ** 2
                s += -400.0 * x[i] * off - 2 * (1 - x[i])
            if i > 0:
                s += 200.0 * (x[i] - x[i - 1] * x[i - 1])
            slope[i] = s
        return value, slope

    return run


def potential(m: Any, p: Any, mass: Any) -> Any:
    """Softened potential of bodies that attract each other."""
    apart = p[:, None, :] - p[None, :, :]
    return -0.5 * (mass[:, None] * mass[None, :] / m.sqrt((apart * apart).sum(-1) + 1e-2)).sum()


@workload(
    "potential of 1024 bodies with gradient, float64",
    1e-9,
    p=normal("float64", 1024, 3),
    mass=uniform("float64", 0.5, 1.5, 1024),
)
def nbody_grad(m: Any, p: Any, mass: Any) -> Any:
    return m.value_and_grad(lambda p: potential(m, p, mass), [p])


@nbody_grad.in_numpy
def _(p: Any, mass: Any) -> Any:
    apart = p[:, None, :] - p[None, :, :]
    near = 1 / np.sqrt((apart * apart).sum(-1) + 1e-2)
    both = mass[:, None] * mass[None, :]
    return -0.5 * (both * near).sum(), ((both * near**3)[:, :, None] * apart).sum(1)


@nbody_grad.in_numba
def _() -> Any:
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def run(p, mass):  # type: ignore[no-untyped-def]
        n = p.shape[0]
        slope = np.empty_like(p)
        value = 0.0
        for i in numba.prange(n):
            a = b = c = e = 0.0
            for j in range(n):
                x, y, z = p[i, 0] - p[j, 0], p[i, 1] - p[j, 1], p[i, 2] - p[j, 2]
                near = 1 / (x * x + y * y + z * z + 1e-2)
                weight = mass[j] * math.sqrt(near)
                e += weight
                weight *= near
                a += weight * x
                b += weight * y
                c += weight * z
            value -= 0.5 * mass[i] * e
            slope[i, 0], slope[i, 1], slope[i, 2] = mass[i] * a, mass[i] * b, mass[i] * c
        return value, slope

    return run


@workload(
    "kernel of a Gaussian process times a vector, 2000 points of 4, float64",
    1e-9,
    x=normal("float64", 2000, 4),
    v=normal("float64", 2000),
)
def kernel_times(m: Any, x: Any, v: Any) -> Any:
    apart = x[:, None, :] - x[None, :, :]
    return m.exp(-0.5 * (apart * apart).sum(-1)) @ v


@workload(
    "nearest of 64 centres of 20000 points of 8, float64",
    0.0,
    x=normal("float64", 20_000, 8),
    centres=normal("float64", 64, 8),
)
def nearest(m: Any, x: Any, centres: Any) -> Any:
    apart = x[:, None, :] - centres[None, :, :]
    return m.argmin((apart * apart).sum(-1), 1)


@workload("Laplacian of a field, 2000 x 2000 float64", 1e-12, u=normal("float64", 2000, 2000))
def laplacian(m: Any, u: Any) -> Any:
    return u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]


@workload(
    "total variation of an image with gradient, 1000 x 1000 float64", 1e-9, u=normal("float64", 1000, 1000)
)
def variation(m: Any, u: Any) -> Any:
    def total(u: Any) -> Any:
        down, right = u[1:, :-1] - u[:-1, :-1], u[:-1, 1:] - u[:-1, :-1]
        return m.sqrt(down * down + right * right + 1e-3).sum()

    return m.value_and_grad(total, [u])


@variation.in_numpy
def _(u: Any) -> Any:
    down, right = u[1:, :-1] - u[:-1, :-1], u[:-1, 1:] - u[:-1, :-1]
    size = np.sqrt(down * down + right * right + 1e-3)
    slope = np.zeros_like(u)
    slope[1:, :-1] += down / size
    slope[:-1, 1:] += right / size
    slope[:-1, :-1] -= (down + right) / size
    return size.sum(), slope
