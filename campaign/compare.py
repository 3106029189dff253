"""Values of a graph as written, how far rounding may move them, and whether a mode agrees.

Tolerance: the graph is run again with every floating result moved by a few units in the last place, and the operands
of what sums or factors too, since an order of summation is such a change. A mode may be off by ten times what that
changes. Integers and bool must be equal. A graph as written must be NaN where the reference is. A rewritten one may be defined
where some value is NaN or infinite, and zeros may change their sign (tier ``extends``; docs/rules.md says it for operands
that are NaN, and for no elements): so these are anything in the runs with noise, and what depends on them is not compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from eqsat.graph.core import Constant
from eqsat.graph.declare import OPS
from eqsat.graph.walk import toposort

KEEPING = {
    "neg",
    "abs",
    "maximum",
    "minimum",
    "switch",
    "clip",
    "fill",
    "alloc",
    "max",
    "min",
    "cast",
    "sign",
}
DRAWS = 6
CONFIRMING = 300  # draws before a failure is believed


def is_exact(op: Any) -> bool:
    """True of an op whose floating results are elements of its operands, or their negatives."""
    declaration = OPS.find(getattr(op, "name", ""))
    if declaration is None:
        return False
    return declaration.kind == "view" or declaration.name in KEEPING or bool(declaration.elements)


def sums(op: Any) -> bool:
    """True of an op that is not elementwise and computes: its order of summation is not told."""
    declaration = OPS.find(getattr(op, "name", ""))
    return declaration is None or declaration.kind in ("reduce", "block")


LARGE = 1e4
UNDERFLOWING = {"mul", "sqr", "truediv", "pow", "exp", "exp2", "reciprocal", "sigmoid", "softplus"}
ANYTHING = np.array([0.0, 0.0, 1.0, 1.0, -1.0, 0.5, 3.0, -1e30, 1e30, -np.inf, np.inf, np.nan])


def underflown(op: Any, value: Any, operands: Sequence[Any], noise: np.random.Generator) -> Any:
    """A result with what is zero or subnormal, although no operand is zero, replaced by other such numbers."""
    if value.dtype.kind != "f" or getattr(op, "name", "") not in UNDERFLOWING:
        return value
    tiny = np.finfo(value.dtype).tiny
    with np.errstate(all="ignore"):
        small = np.abs(value) < tiny
        for x in operands:
            small &= x != 0
        return np.where(small, tiny * noise.uniform(-0.1, 1, value.shape), value).astype(value.dtype)


def unsummed(op: Any, value: Any, operands: Sequence[Any], noise: np.random.Generator) -> Any:
    """A result of products that are summed, of operands that are not all finite: BLAS may skip what is zero, NaN too."""
    if (
        value.dtype.kind not in "fc"
        or not sums(op)
        or all(np.isfinite(x).all() for x in operands if isinstance(x, np.ndarray))
    ):
        return value
    return (
        np.where(noise.random(value.shape) < 0.5, noise.choice(ANYTHING), value).astype(value.dtype)
        if len(operands) > 1
        else value
    )


def far(value: Any, noise: np.random.Generator) -> Any:
    """An operand moved where it is large: libraries differ in what they make of the sine of 1e30."""
    return np.where(np.abs(value) > LARGE, moved(value, noise), value) if value.dtype.kind == "f" else value


def without_nan(value: Any, noise: np.random.Generator) -> Any:
    """An input whose NaN are anything: tiers but ``exact`` promise nothing of them."""
    value = np.asarray(value)
    if value.dtype.kind not in "fc" or not np.isnan(value).any():
        return value
    with np.errstate(all="ignore"):
        return np.where(np.isnan(value), noise.choice(ANYTHING), value).astype(value.dtype)


def of_nothing(node: Any, operands: Sequence[Any]) -> bool:
    """True of a sum, or the like, of no elements that were computed: rewriting may define it otherwise."""
    return sums(node.op) and any(
        v.owner is not None and getattr(x, "size", 1) == 0 for v, x in zip(node.inputs, operands, strict=True)
    )


def extended(value: Any, noise: np.random.Generator, anything: bool = False) -> Any:
    """A floating array with some of what is not finite replaced by anything, and the sign of some zeros changed."""
    if value.dtype.kind not in "fc":
        return value
    odd = (anything | ~np.isfinite(value)) & (noise.random(value.shape) < noise.choice([0.3, 0.6, 1.0]))
    zero = (value == 0) & (noise.random(value.shape) < 0.3)
    same = noise.random() < 0.5
    other = noise.choice(ANYTHING) if same else noise.choice(ANYTHING, value.shape)
    with np.errstate(all="ignore"):
        return np.where(odd, other, np.where(zero, -value, value)).astype(value.dtype)


def moved(value: Any, noise: np.random.Generator) -> Any:
    """A floating array with every element moved by up to four units in the last place."""
    if value.dtype.kind not in "fc":
        return value
    eps = np.finfo(value.dtype).eps
    with np.errstate(all="ignore"):
        return (value * (1 + 4 * eps * noise.uniform(-1, 1, value.shape))).astype(value.dtype)


def evaluate(
    outputs: Sequence[Any],
    given: Mapping[Any, Any],
    noise: np.random.Generator | None = None,
    rewritten: bool = True,
) -> list[Any]:
    """The values of outputs op by op; with noise, moved as rounding may move them, and rewriting if it is ``rewritten``."""
    known = dict(given)
    if noise is not None and rewritten:
        known = {v: without_nan(value, noise) for v, value in given.items()}

    def value(v: Any) -> Any:
        if v not in known:
            known[v] = v.data if isinstance(v, Constant) else v.get_value()
        return known[v]

    for node in toposort(list(outputs), stop=known):
        perform(node, value, known, noise, rewritten)
    return [value(v) for v in outputs]


def perform(
    node: Any,
    value: Any,
    known: dict[Any, Any],
    noise: np.random.Generator | None = None,
    rewritten: bool = True,
) -> None:
    """Compute one node into ``known``."""
    storage: list[list[Any]] = [[None] for _ in node.outputs]
    operands = [value(v) for v in node.inputs]
    exact = noise is None or is_exact(node.op)
    if noise is not None and not exact and sums(node.op):
        operands = [moved(v, noise) if isinstance(v, np.ndarray) else v for v in operands]
    elif noise is not None and not exact and len(operands) == 1:
        operands = [far(operands[0], noise)]
    with np.errstate(all="ignore"):
        node.op.perform(node, operands, storage)
    for v, cell in zip(node.outputs, storage, strict=True):
        known[v] = cell[0]
        if not exact and noise is not None:
            known[v] = moved(np.asarray(cell[0]), noise)
            known[v] = extended(known[v], noise, of_nothing(node, operands)) if rewritten else known[v]
            known[v] = underflown(node.op, known[v], operands, noise)
            known[v] = unsummed(node.op, known[v], operands, noise)


def spread(
    outputs: Sequence[Any], given: Mapping[Any, Any], seed: int, rewritten: bool, draws: int = DRAWS
) -> list[list[Any]]:
    """For each output, its values under some draws of noise; draws that end in an error are left out."""
    noise = np.random.default_rng(seed)
    runs: list[list[Any]] = []
    for _ in range(draws):
        with suppress(Exception):  # such as an index that is no longer within the bounds
            runs.append(evaluate(outputs, given, noise, rewritten))
    return [list(values) for values in zip(*runs, strict=True)] or [[] for _ in outputs]


def difference(ours: Any, wanted: Any, others: Sequence[Any], rewritten: bool) -> str | None:
    """How the value of a mode is wrong, in words; None where it is within the tolerance."""
    if ours.shape != wanted.shape or ours.dtype != wanted.dtype:
        return f"is {ours.dtype}{ours.shape}, as written {wanted.dtype}{wanted.shape}"
    others = [o for o in others if o.shape == wanted.shape]
    if ours.dtype.kind == "c":
        parts = [
            (ours.real, wanted.real, [o.real for o in others]),
            (ours.imag, wanted.imag, [o.imag for o in others]),
        ]
        return _floats_apart(*_joined(parts), rewritten)
    if ours.dtype.kind != "f":
        stable = np.ones(wanted.shape, bool)
        for other in others:
            stable &= other == wanted
        return None if np.array_equal(ours[stable], wanted[stable]) else _told(ours, wanted)
    return _floats_apart(ours, wanted, others, rewritten)


def _joined(parts: Sequence[tuple[Any, Any, Any]]) -> tuple[Any, Any, list[Any]]:
    """Real and imaginary parts as one array of real numbers, with the error of either allowed in both."""
    ours, wanted, others = (list(p) for p in zip(*parts, strict=True))
    size = np.maximum(np.abs(wanted[0]), np.abs(wanted[1]))
    eps = float(np.finfo(wanted[0].dtype).eps) * size
    draws = [np.stack([a, b]) for a, b in zip(*others, strict=True)]
    with np.errstate(all="ignore"):
        draws += [np.stack([wanted[0] + eps, wanted[1] + eps])]
    return np.stack(ours), np.stack(wanted), draws


def _floats_apart(ours: Any, wanted: Any, others: Sequence[Any], rewritten: bool) -> str | None:
    with np.errstate(all="ignore"):
        finite, wide = np.isfinite(wanted), wanted.astype("float64")
        range_ = np.zeros(wanted.shape)
        for other in others:
            finite &= np.isfinite(other)
            range_ = np.fmax(range_, np.abs(other.astype("float64") - wide))
        info = np.finfo(wanted.dtype)
        limit = 10 * range_ + 16 * float(info.eps) * np.abs(wide) + 4 * float(info.tiny)
        off = np.abs(ours.astype("float64") - wide)
    if (finite & ~(off <= limit)).any():
        return _told(ours, wanted)
    if rewritten:
        return None
    same = all(np.array_equal(np.isnan(o), np.isnan(wanted)) for o in others)
    return None if not same or np.array_equal(np.isnan(ours), np.isnan(wanted)) else _told(ours, wanted)


def _told(ours: Any, wanted: Any) -> str:
    with np.printoptions(threshold=12, edgeitems=4):
        return f"is {ours}, as written {wanted}".replace("\n", "")
