"""Primitives that hold jaxprs: calls, branches, loops, custom derivatives."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

import eqsat.tensor as T
from eqsat.bridges.jax.draws import TABLE  # with the entries of all files before
from eqsat.bridges.jax.reading import translated
from eqsat.bridges.translate import Refused, fitted
from eqsat.graph.control.ifelse import ifelse
from eqsat.graph.tensor_type import TensorType
from eqsat.scan import Scan, ScanInfo

MOST_STEPS = 2**62


@TABLE.on(
    "jit",
    "pjit",
    "call",
    "closed_call",
    "core_call",
    "remat2",
    "checkpoint",
    "custom_jvp_call",
    "custom_vjp_call",
    "custom_vjp_call_jaxpr",
    "custom_lin",
    "composite",
    "run_state",
    keys=True,
)
def inlined(t: Any, op: Any, node: Any, *operands: Any) -> Any:
    """The body in place of the call; derivatives are in the jaxpr of the gradient already."""
    for key in ("jaxpr", "call_jaxpr", "fun_jaxpr"):
        if key in op.params:
            return translated(t, op.params[key], operands)
    raise Refused("it holds no jaxpr")


@TABLE.on("custom_vmap_call", keys=True)
def batched_call(t: Any, op: Any, node: Any, *operands: Any) -> Any:
    return translated(t, op.params["call"], operands)


@TABLE.on("custom_linear_solve", keys=True)
def linear_solve(t: Any, op: Any, node: Any, *operands: Any) -> Any:
    """The solution, by the function that is given for it."""
    counts = op.params["const_lengths"]
    before = counts.matvec + counts.vecmat
    b = operands[sum(counts) :]
    return translated(t, op.params["jaxprs"].solve, [*operands[before : before + counts.solve], *b])


@TABLE.on("cond", keys=True)
def branches(t: Any, op: Any, node: Any, which: Any, *operands: Any) -> Any:
    """The branch of a number, of which the first and the last stand for all beyond."""
    made = [
        [
            fitted(m, t.reader.type_of(v))
            for m, v in zip(translated(t, b, operands), node.outputs, strict=True)
        ]
        for b in op.params["branches"]
    ]
    found = made[-1]
    for k in range(len(made) - 2, -1, -1):
        found = ifelse(T.le(which, np.asarray(k, which.dtype)), made[k], found) if found else found
    return found


def _states(t: Any, closed: Any, inner: list[Any], kinds: list[Any]) -> list[Any]:
    """The results of a body of a loop, with the types of the states before it."""
    return [fitted(m, k) for m, k in zip(translated(t, closed, inner), kinds, strict=True)]


def _goes_on(t: Any, condition: Any, operands: list[Any]) -> Any:
    """The condition of a loop; that of a batch holds while it does for one of it."""
    found = translated(t, condition, operands)[0]
    return T.any(found) if found.ndim else found


def _before(condition: Any, rank: int) -> Any:
    """The condition of each of a batch, whose axes are the first ones of a state."""
    return condition.dimshuffle(*range(condition.ndim), *["x"] * (rank - condition.ndim))


@TABLE.on("while", keys=True)
def while_loop(t: Any, op: Any, node: Any, *operands: Any) -> Any:
    """A loop that ends behind the step after which the condition fails, where it holds at first.

    Of a batch, states stay as they are where the condition has failed.
    """
    p = op.params
    a, b = p["cond_nconsts"], p["body_nconsts"]
    of_condition, of_body, first = operands[:a], operands[a : a + b], operands[a + b :]
    kinds = [t.reader.type_of(v) for v in node.outputs]
    if any(not isinstance(k, TensorType) for k in kinds):
        raise Refused("a state that is no tensor")
    states, held = [k() for k in kinds], [[v.type() for v in c] for c in (of_condition, of_body)]
    made = _states(t, p["body_jaxpr"], [*held[1], *states], kinds)
    if p["cond_jaxpr"].out_avals[0].shape:
        going = translated(t, p["cond_jaxpr"], [*held[0], *states])[0]
        made = [T.switch(_before(going, m.ndim), m, s) for m, s in zip(made, states, strict=True)]
    stop = T.invert(_goes_on(t, p["cond_jaxpr"], [*held[0], *made]))
    info = ScanInfo(sit_sot_in_slices=((-1,),) * len(states), n_non_seqs=a + b, as_while=True)
    loop = Scan([*states, *held[0], *held[1]], [*made, stop], info)
    found: Any = loop.make_node(MOST_STEPS, *first, *of_condition, *of_body).outputs
    start = _goes_on(t, p["cond_jaxpr"], [*of_condition, *first])
    return ifelse(start, [o[-1] for o in found], list(first))


@TABLE.on("scan", keys=True)
def scan(t: Any, op: Any, node: Any, *operands: Any) -> Any:
    """The last states and the rows of results; backwards, rows come and go from the end."""
    p, closed = op.params, op.params["jaxpr"]
    n, count = counts(p)
    consts, carry, rows = operands[:n], operands[n : n + count], operands[n + count :]
    kinds = [t.reader.type_of(v) for v in node.outputs]
    if not p["length"]:
        return [*carry, *(T.zeros(k.shape, dtype=k.dtype) for k in kinds[count:])]
    inner = [t.reader.type_of(v)() for v in closed.jaxpr.invars]
    held, states, parts = inner[:n], inner[n : n + count], inner[n + count :]
    row_kinds = [TensorType(k.dtype, shape=k.shape[1:]) for k in kinds[count:]]
    made = _states(t, closed, inner, [*kinds[:count], *row_kinds])
    turn = (lambda v: v[::-1]) if p["reverse"] else (lambda v: v)
    info = ScanInfo(
        n_seqs=len(parts), sit_sot_in_slices=((-1,),) * count, n_nit_sot=len(row_kinds), n_non_seqs=n
    )
    loop = Scan([*parts, *states, *held], made, info)
    found: Any = loop.make_node(int(p["length"]), *map(turn, rows), *carry, *consts).outputs
    return [*(o[-1] for o in found[:count]), *map(turn, found[count:])]


def counts(params: Any) -> tuple[int, int]:
    """The numbers of constants and of states among the operands of a scan, which versions say in two ways."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    consts, carry = tuple(params["ft_in"])[:2]
    return tuple(len(jax.tree_util.tree_leaves(x, is_leaf=lambda v: v is None)) for x in (consts, carry))  # type: ignore[return-value]


@TABLE.on("platform_index")
def platform(t: Any, op: Any, node: Any) -> Any:
    """The branch for a CPU."""
    which = [k for k, names in enumerate(op.params["platforms"]) if names is None or "cpu" in names]
    return T.constant(np.asarray(which[0], "int32"))
