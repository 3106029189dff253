"""The dtype that Python floats take in expressions; ``T.basic`` also finds every name of ``eqsat.tensor``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eqsat.base.configuration import config
from eqsat.errors import ArgumentError

__all__ = ["autocast_float_as"]


@contextmanager
def autocast_float_as(*dtypes: str) -> Iterator[None]:
    """Choose the dtypes that Python floats in expressions may take, for the length of a ``with`` block.

    With both, a float takes float32 where that is exact, else float64, which is the rule without this; with
    one, every float takes that one. It sets ``config.autocast_float``.

    Errors   ArgumentError for other dtypes than float32 and float64, or none

    >>> import eqsat.tensor as T
    >>> with T.basic.autocast_float_as("float32"):
    ...     print((T.fvector() * 0.1).dtype)
    float32
    """
    if not dtypes or not set(dtypes) <= {"float32", "float64"}:
        raise ArgumentError(
            f"autocast_float_as does not take {dtypes!r}",
            needs="one or both of 'float32' and 'float64'",
            hint="with T.basic.autocast_float_as('float32'): ...",
        )
    with config.change_flags(autocast_float=dtypes[0] if len(set(dtypes)) == 1 else "smallest"):
        yield


def __getattr__(name: str) -> Any:
    if name == "autocast_float":
        return str(config.autocast_float)
    if name.startswith("__"):
        raise AttributeError(name)
    import eqsat.tensor as tensor

    return getattr(tensor, name)
