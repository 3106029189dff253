"""The operators of torch's OpInfo database through eqsat: values, and gradients by AOTAutograd, for some of their samples in float32.

    make conformance SUITE=torch TESTS=conformance CONFORMANCE_PYTHON=python with torch and expecttest

An op that eqsat cannot say is refused here and never run by torch, so that no difference is hidden. An operator is skipped where torch
itself does not trace it, or gives something else in a second run, as draws do and memory that is not written.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from functorch.compile import aot_function, make_boxed_func
from torch.testing._internal.common_methods_invocations import op_db

import eqsat
from eqsat.bridges.torch.backend import CompiledGraph
from eqsat.bridges.torch.graphs import decompositions

OURS = Path(eqsat.__file__).resolve().parent
SAMPLES = 3  # of each operator, from the first to the last
tree = torch.utils._pytree
OPERATORS = {
    o.full_name if hasattr(o, "full_name") else f"{o.name}.{o.variant_test_name}".rstrip("."): o
    for o in op_db
}


def samples(operator: Any, gradients: bool) -> list[Any]:
    """Some of the samples of an operator."""
    if torch.float32 not in operator.dtypes or (gradients and not operator.supports_autograd):
        pytest.skip("no float32" if not gradients else "no gradient")
    torch.manual_seed(0)
    found = list(operator.sample_inputs("cpu", torch.float32, requires_grad=gradients))
    return found[:: max(len(found) // SAMPLES, 1)][:SAMPLES]


class Case:
    """A sample as a function of its tensors."""

    def __init__(self, operator: Any, sample: Any) -> None:
        self.operator, self.sample = operator, sample
        self.leaves, self.form = tree.tree_flatten((sample.input, sample.args, sample.kwargs))
        self.places = [k for k, v in enumerate(self.leaves) if isinstance(v, torch.Tensor)]

    def __call__(self, *tensors: Any) -> list[Any]:
        leaves = list(self.leaves)
        for k, x in zip(self.places, tensors, strict=True):
            leaves[k] = x
        first, rest, named = tree.tree_unflatten(leaves, self.form)
        found = self.sample.output_process_fn_grad(self.operator.op(first, *rest, **named))
        return [x for x in tree.tree_leaves(found) if isinstance(x, torch.Tensor)]

    def results(self, function: Callable[..., Any], gradients: bool) -> list[Any]:
        """The results of the function, and the gradients of the sum of its squares."""
        held = [self.leaves[k] for k in self.places]
        given = [x.detach().clone().requires_grad_(gradients and x.requires_grad) for x in held]
        made = list(function(*given))
        smooth = [torch.view_as_real(x) if x.is_complex() else x for x in made if x.requires_grad]
        found = [x.detach() for x in made]
        if gradients and smooth:
            wanted = [x for x in given if x.requires_grad]
            slopes = torch.autograd.grad([x.pow(2).sum() for x in smooth], wanted, allow_unused=True)
            found += [x for x in slopes if x is not None]
        return found


def graph(module: Any, examples: Any) -> Any:
    """A graph of torch, compiled by eqsat's reference mode."""
    return make_boxed_func(CompiledGraph(module, opaque=False, mode="reference"))


def same(found: list[Any], wanted: list[Any], tolerance: float = 1e-3) -> None:
    """Shapes, dtypes and values agree; a value is compared in the measure of the largest one."""
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        finite = b[torch.isfinite(b)]
        largest = float(finite.abs().max()) if finite.numel() else 1.0
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance * max(largest, 0.1), equal_nan=True)


def stable(case: Case, gradients: bool) -> Iterator[list[Any]]:
    """The results of torch; skipped where a second run, with memory that torch fills, has others."""
    first = case.results(case, gradients)
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        second = case.results(case, gradients)
    finally:
        torch.use_deterministic_algorithms(False)
    try:
        same(first, second)
    except AssertionError:
        pytest.skip("another result in each run")
    yield first


def check(name: str, gradients: bool) -> None:
    """All samples of an operator agree with torch."""
    for sample in samples(OPERATORS[name], gradients):
        case = Case(OPERATORS[name], sample)
        try:
            (wanted,) = stable(case, gradients)
            ours = aot_function(case, fw_compiler=graph, bw_compiler=graph, decompositions=decompositions())
            found = case.results(ours, gradients)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            if any(OURS in Path(frame.filename).parents for frame in frames):
                raise
            pytest.skip(f"torch does not trace it: {type(error).__name__}")
        same(found, wanted)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPERATORS)
def test_values(name: str) -> None:
    check(name, gradients=False)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPERATORS)
def test_gradients(name: str) -> None:
    check(name, gradients=True)
