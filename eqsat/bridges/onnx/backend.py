"""eqsat as a backend of ONNX, for ``onnx.backend.test`` and whatever takes one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onnx.backend.base import Backend, BackendRep

from eqsat.bridges.onnx.models import OnnxFunction, from_onnx


class EqsatRep(BackendRep):
    """A compiled model."""

    def __init__(self, function: OnnxFunction) -> None:
        self.function = function

    def run(self, inputs: Any, **settings: Any) -> tuple[Any, ...]:
        """The results for a sequence or a dict of arrays."""
        if isinstance(inputs, dict):
            return tuple(self.function(**inputs))
        many = isinstance(inputs, Sequence) and not hasattr(inputs, "dtype")
        return tuple(self.function(*inputs) if many else self.function(inputs))


class EqsatBackend(Backend):
    """Compiles models by ``eqsat.function`` with ``settings``; an op that eqsat cannot say raises ``Refused``."""

    settings: dict[str, Any] = {}

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **settings: Any) -> EqsatRep:
        """The compiled model."""
        return EqsatRep(from_onnx(model, opaque=False).function(**cls.settings))

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """The CPU alone."""
        return bool(device == "CPU")
