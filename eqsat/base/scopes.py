"""Name scopes: words such as ``block3/attention`` that say which part of a program a variable belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from eqsat.errors import ArgumentError

_SCOPE: ContextVar[str] = ContextVar("scope", default="")


def current_scope() -> str:
    """The scope of what is made now; empty outside of all."""
    return _SCOPE.get()


@contextmanager
def name_scope(name: str) -> Iterator[str]:
    """Give all variables made inside the ``with`` block a scope, by which pages group them; nested ones join with ``/``.

    The scope goes with a variable through copies, files and rewriting, and gradients of a variable with a scope belong to it.
    Nothing that is computed depends on it. The block is given the whole scope.

    Errors   ArgumentError for a name that is no text, or is empty

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> with eqsat.name_scope("block3"), eqsat.name_scope("attention"):
    ...     y = T.exp(x)
    >>> y.scope, x.scope
    ('block3/attention', '')
    """
    if not isinstance(name, str) or not name.strip("/"):
        raise ArgumentError(
            f"the name of a scope is text, not {name!r}", hint="with eqsat.name_scope('block3'):"
        )
    outer = _SCOPE.get()
    with whole_scope("/".join(filter(None, [outer, name.strip("/")]))) as scope:
        yield scope


@contextmanager
def whole_scope(scope: str) -> Iterator[str]:
    """Replace the scope of what is made inside the ``with`` block; an empty one leaves it as it is.

    >>> with name_scope("a"), whole_scope("b/c"):
    ...     current_scope()
    'b/c'
    """
    token = _SCOPE.set(scope or _SCOPE.get())
    try:
        yield _SCOPE.get()
    finally:
        _SCOPE.reset(token)
