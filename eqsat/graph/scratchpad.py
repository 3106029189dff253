"""The ``tag`` of variables and applications: a place where anybody may note anything."""

from __future__ import annotations

from typing import Any


class Scratchpad:
    """Attributes of any name; nothing in it changes what a graph means.

    >>> import eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> x.tag.role = "weights"
    >>> x.tag
    scratchpad(role='weights')
    """

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"nothing is noted under {name!r}: the tag has {sorted(vars(self))}")

    def update(self, other: Scratchpad) -> None:
        """Take over all notes of another scratchpad."""
        vars(self).update(vars(other))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"scratchpad({inside})"


class Tagged:
    """An object with a ``tag``, which is made when it is first asked for."""

    __slots__ = ("_tag",)
    _tag: Scratchpad

    @property
    def tag(self) -> Scratchpad:
        """Notes on this object: ``x.tag.anything = value``."""
        try:
            return self._tag
        except AttributeError:
            self._tag = Scratchpad()
            return self._tag

    @tag.setter
    def tag(self, value: Any) -> None:
        self._tag = value

    def notes(self) -> Any:
        """The tag, or None where nothing was ever noted."""
        return getattr(self, "_tag", None)
