"""The arguments of which NumPy's functions make arrays: a number of Python among them has NumPy's dtype and takes no other's.

``np.append(x, 1)`` makes an array of 1, ``np.sum(x, 1)`` does not. NumPy knows: it asks the arguments of the first kind whether they
have functions of their own. It is asked here with arguments that have, and answer which of them were asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from eqsat.graph.core import Variable

Named = dict[int | str, Any]
# they ask, and yet compute in the dtype of what stands beside the number
_SPARED = (
    "linspace",
    "logspace",
    "geomspace",
    "quantile",
    "percentile",
    "nanquantile",
    "nanpercentile",
    "union1d",
)


class _Asked:
    """An argument, or a list of arguments, that answers with the classes of those that NumPy asks."""

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        return types

    def __getitem__(self, k: int) -> Any:
        if k:
            raise IndexError
        return self


def with_arrays(
    function: Any, arguments: Sequence[Any], options: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a function of NumPy, with NumPy's numbers for those of Python of which it makes arrays.

    >>> with_arrays(np.append, [[1.0], 2], {"axis": 0})
    ([[np.float64(1.0)], np.int64(2)], {'axis': 0})
    """
    given: Named = dict([*enumerate(arguments), *options.items()])
    for k in _asked(function, len(arguments), given):
        given[k] = _as_array(given[k])
    return [given[k] for k in range(len(arguments))], {name: given[name] for name in options}


def _asked(function: Any, places: int, given: Named) -> list[int | str]:
    """The places and names of arguments with numbers in them that NumPy asks for a function of their own."""
    kinds = {k: type("Asked", (_Asked,), {}) for k, v in given.items() if any(map(_is_number, _leaves(v)))}
    asks = hasattr(function, "_implementation") and function.__name__ not in _SPARED
    if not kinds or not asks:
        return []
    stands: Named = {
        k: kinds[k]() if k in kinds else _Asked() if any(isinstance(x, Variable) for x in _leaves(v)) else v
        for k, v in given.items()
    }
    types = _answer(function, [stands.pop(k) for k in range(places)], stands)
    return [k for k, kind in kinds.items() if kind in types]


def _answer(function: Callable[..., Any], arguments: list[Any], options: Any) -> Any:
    """The classes that are asked; none where NumPy asks nobody and computes with what it cannot take."""
    try:
        types = function(*arguments, **options)
    except (TypeError, ValueError):
        return ()
    return types if isinstance(types, (tuple, list, set, frozenset)) else ()


def _is_number(value: Any) -> bool:
    return type(value) in (int, float, complex)


def _leaves(value: Any) -> Iterator[Any]:
    """The elements of nested lists."""
    if isinstance(value, (list, tuple)):
        for v in value:
            yield from _leaves(v)
    else:
        yield value


def _as_array(value: Any) -> Any:
    """An argument with numbers of NumPy; one that no dtype holds stays."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(_as_array, value)) if type(value) in (list, tuple) else value
    if not _is_number(value):
        return value
    number = np.asarray(value)[()]
    return number if isinstance(number, np.generic) else value
