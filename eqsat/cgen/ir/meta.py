"""Facts that Python needs to call a translation unit: plain values, which ``record`` writes beside the text."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from eqsat import errors
from eqsat.base.values import dataclass
from eqsat.graph.tensor_type import TensorType

# Places of the values of a call: "i3" an input, "v7" a value between segments.


@dataclass(frozen=True)
class Stage:
    """One stage of a call: segment ``number`` in C, or op ``number`` in Python, reading and writing places."""

    kind: str
    number: int
    reads: tuple[str, ...]
    writes: tuple[str, ...]


@dataclass(frozen=True)
class ErrorText:
    """An error that a call reports by number: class of eqsat.errors, message with ``{0}`` ..., need and way out."""

    error: str
    message: str
    needs: str | None = None
    hint: str | None = None


@dataclass
class Meta:
    """Inputs, outputs, errors and stages of a translation unit; ``opaque`` counts the ops that run in Python."""

    inputs: list[TensorType | None] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    errors: list[ErrorText] = field(default_factory=list)
    operands: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    constants: list[Any] = field(default_factory=list)
    blas: list[tuple[str, str]] = field(default_factory=list)
    segments: int = 0
    opaque: int = 0
    steps: int = 0
    openmp: bool = False
    places: str = ""  # of the constants, of a target that has several kinds of memory: a letter each
    given: str = ""  # those of the inputs, where arrays on a device may be given
    stays: list[int] = field(default_factory=list)  # outputs that stay on the device

    def error(self, code: int, step: int, values: tuple[int, ...]) -> Exception:
        """The exception for what a call reported."""
        if code < 0:
            return MemoryError("no memory for the arrays of a compiled function")
        text = self.errors[code]
        if text.error == "MemoryError":
            return MemoryError(text.message)
        kind: Any = getattr(errors, text.error)
        operands = self.operands.get(step, [])
        return kind(  # type: ignore[no-any-return]
            text.message.format(*values, o=[name for name, _ in operands]),
            operands=operands,
            needs=text.needs,
            hint=text.hint,
        )
