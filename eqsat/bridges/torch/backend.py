"""``torch.compile(model, backend="eqsat")``: graphs of forward and backward passes, as AOTAutograd gives them, compiled by eqsat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from typing import Any

import torch
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.backends.registry import register_backend
from torch.utils._python_dispatch import _disable_current_modes

from eqsat.bridges.torch.graphs import decompositions, translated, translation
from eqsat.bridges.torch.reading import READER, placeholders, plain, results, theirs, value_of, writable
from eqsat.errors import ArgumentError
from eqsat.functions.function import function
from eqsat.graph.core import Variable, one_line
from eqsat.graph.user_op import generic

NAME = "eqsat"


def on_host(values: Sequence[Any]) -> None:
    """Refuse tensors of other devices."""
    for x in values:
        if isinstance(x, torch.Tensor) and x.device.type != "cpu":
            raise ArgumentError(
                f"a tensor of the graph is on {x.device}",
                needs="tensors on cpu",
                hint="model.to('cpu'), or another backend of torch.compile",
            )


class CompiledGraph:
    """A graph of FX as a compiled function of tensors; ``compiled`` is the function of eqsat, ``translation`` what was met."""

    def __init__(self, module: Any, opaque: bool = True, **options: Any) -> None:
        with _disable_current_modes():  # tensors that the graph holds have elements
            self._translate(module, opaque)
        outputs = [self.made[k] for k in self.places]
        self.compiled = function(self.inputs, outputs, on_unused_input="ignore", **options)

    def _translate(self, module: Any, opaque: bool) -> None:
        given = placeholders(module.graph)
        on_host([value_of(v) for v in given])
        self.translation = translation(opaque)
        self.kinds = [READER.type_of(v) for v in given]
        with one_line(READER.library):
            self.inputs = [(kind or generic)(v.name) for kind, v in zip(self.kinds, given, strict=True)]
        self.made = translated(self.translation, module, self.inputs)
        self.translation.tell()
        self.wanted = results(module.graph, {})
        self.places = [k for k, v in enumerate(self.made) if isinstance(v, Variable)]

    def __call__(self, *tensors: Any) -> list[Any]:
        found = self.compiled(*(plain(x, kind) for x, kind in zip(tensors, self.kinds, strict=True)))
        results = list(self.made)
        for k, value in zip(self.places, found, strict=True):
            results[k] = theirs(writable(value), value_of(self.wanted[k]))
        return results


def eqsat_backend(
    module: Any, examples: Sequence[Any], mode: Any = None, options: dict[str, Any] | None = None
) -> Any:
    """The backend of ``torch.compile``; ``mode`` and ``options`` are keywords of ``eqsat.function``.

    The option ``opaque=False`` refuses an op that would run through torch.

    Errors   ArgumentError for tensors on other devices; EqsatWarning names the ops that run through torch

    >>> import torch, eqsat.bridges.torch  # doctest: +SKIP
    >>> fast = torch.compile(model, backend="eqsat")  # doctest: +SKIP
    """
    settings = {**({} if mode is None else {"mode": mode}), **(options or {})}

    def compiled(graph: Any, inputs: Sequence[Any]) -> Callable[..., Any]:
        return make_boxed_func(CompiledGraph(graph, **settings))  # type: ignore[no-any-return]

    whole = aot_autograd(fw_compiler=compiled, bw_compiler=compiled, decompositions=decompositions())
    return whole(module, examples)


def register() -> None:
    """Name the backend to torch where no entry point of an installed eqsat does."""
    if NAME not in entry_points(group="torch_dynamo_backends").names:
        register_backend(eqsat_backend, name=NAME)
