"""Promises of declarations: shapes, C text, checks and gradient of an op are tried on operands drawn from its signature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.base.names import meant
from eqsat.base.progress import shows_progress
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, DeclarationError, ShapeError
from eqsat.functions.function import function
from eqsat.gradient.check import VerifyGradError, verify_grad
from eqsat.gradient.node import declared_grads
from eqsat.gradient.undefined import is_null
from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.declared_op import DeclaredOp
from eqsat.graph.dtypes import COMPLEX, INEXACT
from eqsat.graph.ops.complex import imag_op, real_op
from eqsat.graph.shapes import bound
from eqsat.graph.tensor_type import TensorType
from eqsat.lengths.expression import Numbers, evaluate, read
from eqsat.lengths.signature import Axes
from eqsat.verify.sides import check_real

MODES = ("reference", "FAST_RUN")


@dataclass(frozen=True)
class OpVerification:
    """The numbers of comparisons of an op with its declaration: of results, of refused lengths, of gradients.

    >>> OpVerification("dot", results=2, refused=2, gradients=2).refused
    2
    """

    op: str
    results: int
    refused: int
    gradients: int


@shows_progress("verify")
def verify_op(op: Any, draws: int = 10, seed: int = 0) -> OpVerification:
    """Try an op with a signature on drawn operands: results of each mode against its NumPy meaning, shapes against the
    signature, lengths that do not fit, which every mode must refuse, and the gradient against differences.

    An op is given itself or by its name.

    Errors   DeclarationError that says what differs, and for which shapes; ArgumentError for what is no declared op

    >>> from eqsat.graph.ops.linalg import dot_op
    >>> verify_op(dot_op, draws=2)
    OpVerification(op='dot', results=2, refused=2, gradients=2)
    """
    op = _declared(op)
    if isinstance(op, Declaration):
        given = ", ".join(f"{name}=..." for name in op.parameters)
        raise DeclarationError(f"{op.name} has parameters", hint=f"verify_op({op.name}.bind({given}))")
    OPS.check([op.name])
    check_real(op.name)
    if op.declaration.shapes is None:
        raise DeclarationError(f"{op} has no signature to draw operands from")
    rng = np.random.default_rng(seed)
    inputs: Any = None
    counts = [0, 0, 0]
    for _ in range(draws):
        values = drawn_operands(op, rng)
        if inputs is None or [v.ndim for v in inputs] != [v.ndim for v in values]:
            inputs = [
                TensorType(v.dtype.name, shape=(None,) * v.ndim)(n)
                for n, v in zip(op.declaration.tensors, values)
            ]
            out = op(*inputs)
            compiled = [function(inputs, out, mode=mode, on_unused_input="ignore") for mode in MODES]
        counts[0] += _compare(op, out, compiled, values)
        counts[1] += _refusals(op, inputs, compiled, values)
        counts[2] += _gradient(op, values, rng)
    return OpVerification(op.name, *counts)


def _declared(op: Any) -> Any:
    """A declared op, or the declaration of one with parameters, of what is given for it."""
    found = OPS.find(op) if isinstance(op, str) else op
    if found is None:
        hint = meant(op, OPS, "verify_op({!r})") or "verify_op('exp')"
        raise ArgumentError(f"verify_op: there is no op {op!r}", needs="an op, or the name of one", hint=hint)
    if isinstance(found, Declaration):
        return found if found.parameters else found.bind()
    if not isinstance(found, DeclaredOp):
        raise ArgumentError(
            f"verify_op: {op!r} is no declared op",
            needs="an op, or the name of one",
            hint="verify_op(v.owner.op) for a variable v that the op gives",
        )
    return found


def drawn_operands(op: Any, rng: Any) -> list[Any]:
    """Values of operands whose lengths fit the signature of an op."""
    signature, count = op.declaration.shapes, len(op.declaration.tensors)
    lengths: dict[str, int] = {}
    rests: dict[str, tuple[int, ...]] = {}
    parameters = {n: v for n, v in op.params.items() if isinstance(v, int)}
    for axes in signature.of(count):
        named = sorted(n for n in axes.names if n not in (*lengths, axes.rest))
        lengths.update({n: int(rng.integers(1, 5)) for n in named})
        if axes.rest is not None:
            ndim = rng.integers(_least_rank(op), 4)
            rests.setdefault(axes.rest, tuple(int(n) for n in rng.integers(1, 4, size=ndim)))
    letters = op.declaration.signature.partition("->")[0].split(",")
    shapes = [_shape(axes, {**lengths, **parameters}, rests) for axes in signature.of(count)]
    return [
        _values(shape, letter, rng) for shape, letter in zip(shapes, (letters * count)[:count], strict=True)
    ]


def _least_rank(op: Any) -> int:
    """The number of axes that an operand needs for the axes that parameters name."""
    named = [op.params.get("axis", -1), *op.params.get("axes", ())]
    return 1 + max(named)


def _shape(axes: Axes, lengths: dict[str, int], rests: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    numbers: Any = Numbers([])
    before, after = (
        tuple(evaluate(read(t, lengths), numbers) for t in texts) for texts in (axes.before, axes.after)
    )
    return (*before, *(rests[axes.rest] if axes.rest else ()), *after)


def _values(shape: tuple[int, ...], letter: str, rng: Any) -> Any:
    if letter == "?":
        return np.asarray(rng.random(shape) < 0.5)
    if letter == "i":
        return np.asarray(rng.integers(0, 5, shape))
    return np.asarray(rng.standard_normal(shape))


def _listed(op: Any, results: Any) -> list[Any]:
    return [np.asarray(r) for r in ([results] if op.declaration.outputs == 1 else results)]


def _compare(op: Any, out: Any, compiled: Sequence[Any], values: Sequence[Any]) -> int:
    node = (out if op.declaration.outputs == 1 else out[0]).owner
    wanted = _listed(
        op, op.compute(*(np.asarray(v, w.type.dtype) for v, w in zip(values, node.inputs, strict=True)))
    )
    shapes = [v.shape for v in values]
    for said, result in zip(bound(op, node.inputs).shapes(shapes), wanted, strict=True):  # type: ignore[union-attr]
        if any(n not in (None, m) for n, m in zip(said, result.shape)) or len(said) != result.ndim:
            _differs(op, shapes, f"its function gives the shape {result.shape}, its signature says {said}")
    for mode, run in zip(MODES, compiled, strict=True):
        for result, want in zip(_listed(op, run(*values)), wanted, strict=True):
            if result.shape != want.shape or not np.allclose(result, want, 1e-6, 1e-9, equal_nan=True):
                _differs(op, shapes, f"mode {mode} gives {result}, its function {want}")
    return 1


def _refusals(op: Any, inputs: Sequence[Any], compiled: Sequence[Any], values: Sequence[Any]) -> int:
    """Every mode refuses operands of which one has a length more than fits, with one sentence."""
    found = bound(op, inputs)
    done = 0
    for equal in found.equal if found is not None else ():
        k, axis = equal.places[-1]
        wrong = [v if i != k else np.concatenate([v, v.take([0], axis)], axis) for i, v in enumerate(values)]
        said = [_said(run, wrong) for run in compiled]
        if None in said or len(set(said)) > 1:
            _differs(op, [v.shape for v in wrong], f"the modes {MODES} say {said} of lengths that do not fit")
        done += 1
    return done


def _said(run: Any, values: Sequence[Any]) -> str | None:
    try:
        run(*values)
    except ShapeError as error:
        return str(error)
    return None


def _gradient(op: Any, values: Sequence[Any], rng: Any) -> int:
    d = op.declaration
    if d.grad is None or not d.connected or d.outputs > 1 or any(v.dtype.name not in INEXACT for v in values):
        return 0
    if op.result_dtypes([TensorType(v.dtype.name, shape=v.shape)() for v in values])[0] not in INEXACT:
        return 0
    inside = _inside(op, values, rng)
    followed = _followed(op, values)
    if inside is None or not any(followed):
        return 0

    def of_followed(*given: Any) -> Any:
        rest = iter(given)
        out = op(*(next(rest) if follows else v for follows, v in zip(followed, inside, strict=True)))
        return real_op(out) + 2 * imag_op(out) if out.type.dtype in COMPLEX else out

    try:
        verify_grad(
            of_followed,
            [v for follows, v in zip(followed, inside, strict=True) if follows],
            n_tests=1,
            rng=rng,
        )
    except VerifyGradError as error:
        said = str(error).partition("\n  needs ")[0]  # what the op needs is said below
        _differs(op, [v.shape for v in values], f"its gradient: {said}")
    return 1


def _inside(op: Any, values: Sequence[Any], rng: Any) -> list[Any] | None:
    """Operands of these shapes of which the op gives finite numbers: any, shares between 0 and 1, or their negatives."""
    for sign in (0.0, 1.0, -1.0):
        drawn = [v if sign == 0.0 else sign * rng.uniform(0.1, 0.9, v.shape) for v in values]
        with np.errstate(all="ignore"):
            if all(np.isfinite(r).all() for r in _listed(op, op.compute(*drawn))):
                return drawn
    return None


def _followed(op: Any, values: Sequence[Any]) -> list[bool]:
    """True for each operand that has a gradient; the declaration gives a text for one without, which says why."""
    inputs = [TensorType(v.dtype.name, shape=v.shape)() for v in values]
    out = op(*inputs)
    return [g is None or not is_null(g) for g in declared_grads(out.owner, op.declaration, [out])]


def _differs(op: Any, shapes: Sequence[Any], text: str) -> None:
    raise DeclarationError(
        f"{op.name} of {' and '.join(map(str, shapes))}: {text}", needs=str(op.declaration.shapes)
    )
