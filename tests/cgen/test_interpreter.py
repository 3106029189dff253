"""The loop program of the golden graphs, run by a target of the tests, gives the values of NumPy: no C hides in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cgen.lower.steps import segment_of
from eqsat.functions.planning import plan_graph
from eqsat.graph.declare import OPS
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import graph_inputs
from eqsat.pipeline.preparation import prepare
from eqsat.pipeline.settings import Settings
from tests.cgen.conftest import reference
from tests.cgen.interpreter import Recorder, Stopped, run
from tests.cgen.test_golden import GRAPHS
from tests.graph.test_every_op import CASES

LIBRARIES = {  # the first function that NumPy is not asked for
    **dict.fromkeys(("convolution", "convolution_and_pool", "convolution_backwards"), "conv_room"),
    "solved": "factor",
}
LENGTHS: dict[str, tuple[int, ...]] = {
    "m": (3, 3),
    "k": (3, 3),
    "a": (2, 3, 3),
    "r": (1, 3),
    "z": (2, 3),
    "image": (1, 2, 5, 5),
    "weights": (3, 2, 3, 3),
}

OTHER_LENGTHS: dict[str, dict[str, tuple[int, ...]]] = {
    "reshaped": {"m": (3, 4)},
    "written_part": {"x": (2,)},
    "constants": {"x": (2,)},
    "growing_rows": {"x": (0,)},
    "loop_of_short_rows": {"x": (2,)},
}


def value_of(name: str, variable: Any, draw: np.random.Generator) -> np.ndarray:
    """A value for an input of a golden graph."""
    kind = variable.type
    lengths = {**LENGTHS, **OTHER_LENGTHS.get(name, {})}
    shape = lengths.get(variable.name, tuple(n or 3 for n in kind.shape))
    if kind.dtype == "int64":
        return draw.integers(1, 3, shape)
    value = draw.uniform(0.1, 0.9, shape)
    return np.asarray(value > 0.5 if kind.dtype == "bool" else value).astype(kind.dtype)


@pytest.mark.parametrize("name", GRAPHS)
def test_the_program_gives_the_values_of_numpy(name: str) -> None:
    outputs = GRAPHS[name]()
    written = prepare(outputs, Settings.of("FAST_COMPILE"))
    inputs = [v for v in graph_inputs(written) if not hasattr(v, "data")]
    values = [value_of(name, v, np.random.default_rng(k)) for k, v in enumerate(inputs)]
    plan = plan_graph(inputs, written, fused=True)
    if name in LIBRARIES:
        with pytest.raises(NotImplementedError, match=LIBRARIES[name]):
            run(plan, values)
        return
    wanted = eqsat.function(inputs, list(outputs), mode="reference", on_unused_input="ignore")(*values)
    for have, want in zip(run(plan, values), wanted, strict=True):
        assert have.dtype == want.dtype and have.shape == want.shape
        np.testing.assert_allclose(have, want, rtol=1e-5 if have.dtype == "float32" else 1e-12)


LEFT_TO_LIBRARIES = {
    *(
        "factor",
        "triangle",
        "inv",
        "pinv",
        "cholesky",
        "lu",
        "qr",
        "svd",
        "svdvals",
        "eigh",
        "eigvalsh",
        "eig",
    ),
    *("det", "slogdet", "lu_factors", "expm", "conv_room", "search"),
}


def test_every_declared_op_gives_the_values_of_its_body() -> None:
    missed = set()
    for name, cases in CASES.items():
        if OPS[name].kind == "block" and not OPS[name].builder and OPS[name].kernels is None:
            continue  # it runs in Python, and no program has it
        for build, shapes in cases:
            inputs = [TensorType("float64", shape=[1 if n == 1 else None for n in s])() for s in shapes]
            values = [np.random.default_rng(3).uniform(0.2, 0.9, s) for s in shapes]
            found = build(*inputs)
            outputs = prepare(found if isinstance(found, list) else [found], Settings.of("FAST_COMPILE"))
            try:
                results = run(plan_graph(inputs, outputs, fused=True), values)
            except NotImplementedError as function:
                missed.add(str(function))
                continue
            for have, want in zip(results, reference(inputs, outputs, values), strict=True):
                assert have.dtype == np.asarray(want).dtype, name
                np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-12, err_msg=name)
    assert missed == LEFT_TO_LIBRARIES


def test_checks_stop_the_call() -> None:
    x, y = T.dvectors("x", "y")
    plan = plan_graph([x, y], prepare([x + y], Settings.of("FAST_COMPILE")), fused=True)
    with pytest.raises(Stopped) as stopped:
        run(plan, [np.ones(2), np.ones(3)])
    assert stopped.value.args[1:] == (2, 3)


def test_statements_hold_no_text() -> None:
    for name, build in GRAPHS.items():
        outputs = prepare(build(), Settings.of("FAST_COMPILE"))
        inputs = [v for v in graph_inputs(outputs) if not hasattr(v, "data")]
        statements = segment_of(plan_graph(inputs, outputs, fused=True), Recorder()).parts
        assert "Text(" not in repr(statements) and not any(isinstance(s, str) for s in statements), name
