"""Functions that make input variables: by rank, by rank and dtype, and several at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eqsat.errors import ArgumentError
from eqsat.graph.dtypes import check_dtype
from eqsat.graph.tensor_type import TensorType

RANKS: dict[str, tuple[int | None, ...]] = {
    "scalar": (),
    "vector": (None,),
    "row": (1, None),
    "col": (None, 1),
    "matrix": (None, None),
    "tensor3": (None,) * 3,
    "tensor4": (None,) * 4,
    "tensor5": (None,) * 5,
    "tensor6": (None,) * 6,
    "tensor7": (None,) * 7,
}
LETTERS = {"b": "int8", "w": "int16", "i": "int32", "l": "int64", "f": "float32", "d": "float64"}
LETTERS |= {"c": "complex64", "z": "complex128"}
PLURALS = {name: name + "s" for name in RANKS} | {"matrix": "matrices"}


def tensor(
    dtype: Any = None, shape: Any = None, name: str | None = None, *, broadcastable: Any = None
) -> Any:
    """Variable of a dtype (floatX unless given) and a shape of lengths and None.

    ``broadcastable`` is the shape by bools, True for a length of 1.

    Errors   DTypeError for an unknown dtype; ArgumentError for a shape that is given twice

    >>> import eqsat.tensor as T
    >>> T.tensor("int32", (None, 3), "x").type
    <TensorType(int32, (?, 3))>
    """
    if shape is not None and broadcastable is not None:
        raise ArgumentError("tensor: both shape= and broadcastable= are given", needs="one of them")
    return TensorType(check_dtype(dtype or "floatX"), broadcastable, shape)(name)


def _by_rank(rank: str, lengths: tuple[int | None, ...]) -> Callable[..., Any]:
    def make(name: str | None = None, dtype: Any = None, shape: Any = None) -> Any:
        return TensorType(check_dtype(dtype or "floatX"), shape=lengths)(name, shape)

    make.__name__ = make.__qualname__ = rank
    text = "[" + ", ".join("?" if n is None else str(n) for n in lengths) + "]"
    make.__doc__ = (
        f"New variable of shape {text}, or of ``shape``, which knows more lengths; the dtype is floatX unless given."
        f'\n\n>>> import eqsat.tensor as T\n>>> T.{rank}("x", dtype="int32").type.shape\n{lengths}'
    )
    return make


def several(single: Callable[..., Any], plural: str) -> Callable[..., Any]:
    """The plural of a constructor: a count, several names, or one text with a name per letter."""

    def make(*names: Any, dtype: Any = None, shape: Any = None) -> list[Any]:
        given = {"dtype": dtype, "shape": shape}
        options = {key: value for key, value in given.items() if value is not None}
        if len(names) == 1 and isinstance(names[0], (list, tuple)):
            names = tuple(names[0])
        if len(names) == 1 and isinstance(names[0], int):
            return [single(**options) for _ in range(names[0])]
        if len(names) == 1 and isinstance(names[0], str):
            names = tuple(names[0].split()) if " " in names[0] else tuple(names[0])
        if not names or not all(isinstance(n, str) for n in names):
            raise ArgumentError(f"{plural} takes a count or names", hint=f"x, y = T.{plural}('x', 'y')")
        return [single(name, **options) for name in names]

    make.__name__ = make.__qualname__ = plural
    make.__doc__ = f"Several variables at once: ``{plural}(2)``, ``{plural}('x', 'y')``, ``{plural}(['x', 'y'])`` or ``{plural}('xy')``."
    return make


def constructors() -> dict[str, Any]:
    """Every constructor by name: ``vector``, ``dvector`` (a type), ``vectors``, ``dvectors``."""
    made: dict[str, Any] = {}
    for rank, shape in RANKS.items():
        made[rank] = _by_rank(rank, shape)
        made[PLURALS[rank]] = several(made[rank], PLURALS[rank])
        for letter, dtype in LETTERS.items():
            typed = TensorType(dtype, shape=shape)
            made[letter + rank] = typed
            made[letter + PLURALS[rank]] = several(typed, letter + PLURALS[rank])
    return made
