"""Every declared op that works on arrays, with its gradient, on the emulated device: the values of the reference mode in both orders of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
from eqsat.base.configuration import config
from eqsat.cgen.cuda.device import open_device
from eqsat.cgen.target import Tools
from tests.cuda.host_steps import cases, steps_of

pytestmark = [pytest.mark.c, pytest.mark.cuda, pytest.mark.sweep]


TOGETHER = 6  # ops in one function, each with inputs of its own
CASES = list(cases())
GROUPS = [CASES[start : start + TOGETHER] for start in range(0, len(CASES), TOGETHER)]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group[0][0])
def test_values_of_the_reference(group: list[Any]) -> None:
    inputs, outputs, values = ([v for case in group for v in case[k]] for k in (1, 2, 3))
    names = [name for name, _, results, _ in group for _ in results]
    made, _ = steps_of(inputs, outputs)
    assert made.cuda_source is not None
    wanted = eqsat.function(inputs, outputs, mode="reference", on_unused_input="ignore")(*values)
    found = made(*values)
    again = backwards(made, values)
    for name, f, a, w in zip(names, found, again, wanted, strict=True):
        assert f.dtype == w.dtype and f.shape == w.shape, name
        np.testing.assert_array_equal(f, a, err_msg=name)
        np.testing.assert_allclose(f, w, rtol=1e-8, atol=1e-9, err_msg=name)


def backwards(made: Any, values: Any) -> Any:
    """The results with blocks and threads in the other order."""
    from eqsat.cgen import find_compiler

    compiler = find_compiler()
    assert compiler is not None
    with config.change_flags(cuda_device="emulated"):
        device = open_device(Tools(compiler, config.cache_dir, False))
        device.library.eq_emulate(1, 1)
        try:
            return made(*values)
        finally:
            device.library.eq_emulate(0, 1)
