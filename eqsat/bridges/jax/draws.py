"""Random bits with keys, the same as those of JAX; keys are vectors of words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

import eqsat.tensor as T
from eqsat.bridges.jax.fourier import TABLE
from eqsat.bridges.jax.reading import traced
from eqsat.bridges.translate import Refused

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA


@TABLE.on("threefry2x32")
def threefry(t: Any, op: Any, node: Any, first: Any, second: Any, x: Any, y: Any) -> Any:
    """Twenty rounds of Threefry of two words: Salmon, Moraes, Dror & Shaw 2011, Parallel random numbers."""
    keys = [first, second, T.xor(T.xor(first, second), np.uint32(PARITY))]
    x, y = x + keys[0], y + keys[1]
    for block in range(5):
        for places in ROTATIONS[block % 2]:
            x = x + y
            y = T.xor(_rotated(y, places), x)
        x = x + keys[(block + 1) % 3]
        y = y + keys[(block + 2) % 3] + np.uint32(block + 1)
    return [x, y]


def _rotated(x: Any, places: int) -> Any:
    return T.or_(T.left_shift(x, np.uint32(places)), T.right_shift(x, np.uint32(32 - places)))


def _generator(variable: Any) -> Any:
    """The functions of the generator to which the keys of a variable belong."""
    return variable.aval.dtype._impl


def _over(function: Callable[..., Any], rank: int) -> Callable[..., Any]:
    """A function of one key for arrays of keys."""
    for _ in range(rank):
        function = jax.vmap(function)
    return function


def _of_words(t: Any, node: Any, function: Callable[..., Any], operands: Sequence[Any]) -> list[Any]:
    avals = [jax.ShapeDtypeStruct(x.type.shape, x.dtype) for x in operands]
    return traced(t, function, avals, operands)


@TABLE.on("random_seed", keys=True)
def seed(t: Any, op: Any, node: Any, seeds: Any) -> Any:
    return _of_words(t, node, _over(op.params["impl"].seed, seeds.ndim), [seeds])


@TABLE.on("random_bits", keys=True)
def bits(t: Any, op: Any, node: Any, keys: Any) -> Any:
    width, shape = op.params["bit_width"], op.params["shape"]
    generator = _generator(node.inputs[0])
    return _of_words(t, node, _over(lambda k: generator.random_bits(k, width, shape), keys.ndim - 1), [keys])


@TABLE.on("random_split", keys=True)
def split_key(t: Any, op: Any, node: Any, keys: Any) -> Any:
    generator, shape = _generator(node.inputs[0]), op.params["shape"]
    return _of_words(t, node, _over(lambda k: generator.split(k, shape), keys.ndim - 1), [keys])


@TABLE.on("random_fold_in", keys=True)
def fold_in(t: Any, op: Any, node: Any, keys: Any, numbers: Any) -> Any:
    """Keys and numbers broadcast."""
    generator, shape = _generator(node.inputs[0]), [int(n) for n in node.outputs[0].aval.shape]
    keys = T.broadcast_to(keys, [*shape, keys.type.shape[-1]])
    numbers = T.broadcast_to(numbers, shape) if shape else numbers
    return _of_words(t, node, _over(generator.fold_in, len(shape)), [keys, numbers])


@TABLE.on("rng_bit_generator", "rng_uniform")
def bits_of_the_machine(t: Any, op: Any, node: Any, *operands: Any) -> Any:
    raise Refused("its bits are those of XLA on the machine, which no document says")


TABLE.on("random_wrap", "random_unwrap", "random_clone", keys=True)(lambda t, op, node, words: words)
