"""A form of a graph that is unstable, with its line and the reason."""

from __future__ import annotations

from typing import Any

from eqsat.base.values import dataclass

LONG = 70  # characters of an expression


@dataclass(frozen=True)
class Form:
    """A form that is unstable: what it computes, the line of the program that made it, and in words what goes wrong.

    ``why`` is empty for a form of which a rule knows that it is unstable, and that is left all the same.
    """

    text: str
    made_at: str | None
    why: str = ""

    def __str__(self) -> str:
        place = f" at {self.made_at}" if self.made_at else ""
        return f"{self.text}{place}" + (f": {self.why}" if self.why else "")


def form_of(variable: Any, why: str = "") -> Form:
    """A variable as a form."""
    from eqsat.printing.line import pp

    return Form(pp(variable, LONG), getattr(variable, "made_at", None), why)
