"""Streams of random numbers as Theano's, whose draws know the state that they come from."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.tensor.random import spellings
from eqsat.tensor.shared import TensorSharedVariable
from eqsat.tensor.variable import TensorVariable


class State:
    """The value of a draw's state, with the methods of ``numpy.random.RandomState`` that programs call on it."""

    def __init__(self, value: Any) -> None:
        self.value = np.asarray(value)

    def seed(self, seed: int) -> None:
        """Start again from a seed."""
        self.value = spellings.RandomStream(int(seed))._start(0)

    def get_state(self) -> Any:
        """The state, as ``set_state`` takes it."""
        return self.value.copy()

    def set_state(self, state: Any) -> None:
        """Go back to a state of ``get_state``."""
        self.value = np.asarray(state)


class DrawState:
    """``draw.rng``: reads and sets the state of one draw."""

    def __init__(self, variable: TensorSharedVariable) -> None:
        self.variable = variable

    def get_value(self, borrow: bool = False) -> State:
        """The state; with or without ``borrow`` changes to it count once it is given to ``set_value``."""
        return State(self.variable.get_value())

    def set_value(self, value: Any, borrow: bool = False) -> None:
        """Set the state, to a value of ``get_value`` or to an array."""
        self.variable.set_value(getattr(value, "value", value))


class Draw(TensorVariable):
    """A random tensor with ``rng``, its state, and ``update``, the pair of the state and its next value."""

    __slots__ = ("rng", "update")
    rng: DrawState
    update: tuple[Any, Any]


def _named(method: str) -> Any:
    def draw(self: Any, *args: Any, **options: Any) -> Any:
        result = getattr(spellings.RandomStreams, method)(self, *args, **options)
        return self._known(result) if type(result) is TensorVariable else result

    draw.__name__ = method
    draw.__doc__ = getattr(spellings.RandomStreams, method).__doc__
    return draw


class RandomStreams(spellings.RandomStreams):
    """The stream of older programs; each draw has ``rng``, and ``rstate`` is what seeds later draws.

    >>> stream = RandomStreams(7)
    >>> u = stream.uniform((2,))
    >>> before = u.rng.get_value().get_state()
    >>> first = u.eval()
    >>> u.rng.get_value().get_state().tolist() == before.tolist()
    False
    """

    def _known(self, result: Any) -> Any:
        """The draw as a variable that knows its state; it takes the place of the result in the graph."""
        if not self.stream.states:
            return result
        state = self.stream.states[-1]
        draw = Draw(result.type, result.owner, result.index, result.name)
        result.owner.outputs[result.index] = draw
        draw.rng = DrawState(state)
        draw.update = (state, state.default_update)
        return draw

    @property
    def rstate(self) -> int:
        """The seed of draws that are made from now on."""
        return self.stream._seed

    @rstate.setter
    def rstate(self, value: int) -> None:
        self.stream._seed = int(value)

    uniform, normal, binomial = _named("uniform"), _named("normal"), _named("binomial")
    multinomial, random_integers = _named("multinomial"), _named("random_integers")
    choice, permutation = _named("choice"), _named("permutation")


MRG_RandomStreams = RandomStreams
