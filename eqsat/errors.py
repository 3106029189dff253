"""Errors of users: the first line in the user's names, then the facts, the need and the way out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from traceback import extract_tb
from typing import Any

import numpy as np

from eqsat.base.names import meant

_HERE = f"{Path(__file__).parent}/"


class EqsatError(Exception):
    """Base of every error that a user's mistake raises; ``facts`` holds what the text says, as fields.

    >>> print(EqsatError("there is no mode 'fast'", among=("fast", ["FAST_RUN", "numpy"])))
    there is no mode 'fast'
      needs  one of FAST_RUN, numpy
      try    FAST_RUN

    ``among`` is a name that was looked up and the names that exist. These are said as the need, unless another is given,
    and those that are close to it as the hint.
    """

    def __init__(
        self,
        message: str,
        *,
        operands: Sequence[tuple[str, Any]] = (),
        needs: str | None = None,
        hint: str | None = None,
        among: tuple[object, Iterable[object]] | None = None,
        **facts: Any,
    ) -> None:
        self.message = message
        self.operands = tuple(operands)
        known = [str(one) for one in among[1]] if among else []
        self.needs = needs or ("one of " + ", ".join(known) if known else None)
        self.hint = (meant(among[0], known) if among else None) or hint
        self.facts = facts
        super().__init__(self._text())

    def _text(self) -> str:
        lines = [self.message]
        width = max([len(name) for name, _ in self.operands] + [5 if self.needs else 3])
        for name, operand in self.operands:
            lines.append(f"  {name:<{width}}  {describe(operand)}")
        if self.needs:
            lines.append(f"  {'needs':<{width}}  {self.needs}")
        if self.hint:
            lines.append(f"  {'try':<{width}}  {self.hint}")
        return "\n".join(lines)


def describe(operand: Any) -> str:
    """Type of a variable and the line that made it; other things by their own text."""
    kind = getattr(operand, "type", None)
    if kind is None or not hasattr(kind, "short"):
        return str(operand)
    place = getattr(operand, "made_at", None)
    return f"{kind.short()}   made at {place}" if place else str(kind.short())


def raised_text(error: BaseException) -> str:
    """An error in code of a user, in one line: its class and first line, and the last file and line outside of eqsat."""
    text = str(error).partition("\n")[0]
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if isinstance(error, SyntaxError):
        return said  # its text names the place
    frames = extract_tb(error.__traceback__)
    own = [f for f in frames if not f.filename.startswith((_HERE, "<frozen"))]
    last = (own or frames)[-1:]
    return said + "".join(f" ({f.filename}:{f.lineno})" for f in last)


class ShapeError(EqsatError, ValueError):
    """Lengths that do not fit: at build time where they are known, else when the function is called."""


class DTypeError(EqsatError, TypeError):
    """An element type that an op or an input does not take."""


class RankError(EqsatError, ValueError, TypeError):
    """A number of dimensions that an op or an input does not take."""


class ArgumentError(EqsatError, TypeError, ValueError):
    """Arguments of a call that are missing, extra, repeated or of the wrong kind."""


class AxisError(EqsatError, ValueError, IndexError):
    """An axis that the tensor does not have."""


class BoundsError(EqsatError, IndexError):
    """An index outside its axis."""


class LinAlgError(EqsatError, np.linalg.LinAlgError):
    """A matrix for which a result is not defined: singular, not positive definite, or without convergence."""


class GradientError(EqsatError, ValueError, TypeError):
    """A gradient that is not defined."""


class DisconnectedInputError(GradientError):
    """A gradient with respect to a variable that the cost does not depend on."""


class NullTypeGradError(GradientError, NotImplementedError):
    """A derivative through an op that has none."""


class VerifyGradError(GradientError):
    """A gradient that is not that of finite differences."""


class BatchError(EqsatError, NotImplementedError):
    """An op that cannot be computed for a batch of values."""


class AssertError(EqsatError, AssertionError):
    """A condition of a ``T.Assert`` that does not hold when the function runs."""


class PromisedShapeError(ShapeError, AssertError):
    """A length that is not the one which ``T.specify_shape`` wrote into the type, found when the function runs."""


class TracingError(EqsatError, TypeError):
    """A function under ``jit`` that needs a value which only its calls have, or writes where its trace cannot."""


class UnusedInputError(EqsatError, ValueError):
    """A function input that no output needs."""


class MissingInputError(EqsatError, ValueError):
    """A variable that the graph needs and the function is not given."""


class ConfigError(EqsatError, ValueError):
    """An unknown flag or a value that a flag does not take."""


class ModeError(EqsatError, ValueError):
    """An unknown mode of compilation."""


class DebugModeError(EqsatError, AssertionError):
    """A value that differs between the reference and the optimised or compiled graph: a defect of eqsat or of an op."""


class NanGuardError(EqsatError, AssertionError):
    """A value that NanGuardMode does not let pass: NaN, infinite or too big."""


class RuleError(EqsatError, ValueError):
    """A rewrite rule that cannot be used as it is written."""


class CostError(EqsatError, ValueError):
    """A cost model, a price or a hint of a length that makes no sense."""


class ExtractorError(EqsatError, AssertionError):
    """An answer of an extractor that is none: incomplete, of wrong e-nodes, cyclic, or with a bound above its cost."""


class DeclarationError(EqsatError, ValueError):
    """A declaration of an op that contradicts itself."""


class DeviceError(EqsatError, RuntimeError):
    """A device that is not there, or on which a kernel failed."""


class EqsatWarning(UserWarning):
    """Said once: a budget that ran out, a missing compiler, a fallback."""


class WorkerError(EqsatError, RuntimeError):
    """A job whose worker was lost again and again, or whose own error could not be sent back."""


class EGraphFileError(EqsatError, ValueError):
    """A file of an e-graph that does not say what it must, or from which nothing can be extracted."""


__all__ = [
    name
    for name, thing in globals().items()
    if getattr(thing, "__module__", "") == __name__ and name[0] != "_" and isinstance(thing, type)
]
