"""Every form of kernel gives the reference's values on the emulated device, and the same bits whichever thread comes first."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
from eqsat.base.configuration import config
from eqsat.graph.dtypes import COMPLEX
from eqsat.graph.walk import graph_inputs
from tests.cuda.forms import FORMS
from tests.cuda.orders import in_both_orders

pytestmark = [pytest.mark.c, pytest.mark.cuda]
LENGTHS = {
    "images": (2, 3, 9, 8),
    "filters": (4, 3, 3, 2),
    "i": (40,),
    "a": (5, 40, 40),
    "short": (70, 3),
    "few": (8,),
    "u": (40,),
    "v": (40,),
    "s": (),
}


@pytest.mark.sweep
def test_forms_agree_with_the_reference_in_both_orders_of_threads() -> None:
    made = {name: list(form()) for name, form in FORMS.items()}
    outputs = [v for found in made.values() for v in found]
    inputs = [v for v in graph_inputs(outputs) if v.name in {*LENGTHS, "x", "y", "d", "z"}]
    dice = np.random.default_rng(5)
    values = []
    for v in inputs:
        drawn = dice.normal(size=LENGTHS.get(v.name, (40, 40))) * 0.15  # loops are no chaos
        drawn = drawn * (1 + 0.5j) if v.dtype in COMPLEX else drawn
        values.append(dice.integers(0, 40, 40) if v.name == "i" else drawn.astype(v.dtype))
    with config.change_flags(cuda_device="emulated"):
        f = eqsat.function(inputs, outputs, mode="FAST_COMPILE", target="cuda", no_default_updates=True)
    assert f.cuda_source is not None
    wanted = eqsat.function(inputs, outputs, mode="reference", no_default_updates=True)(*values)
    names = [name for name, found in made.items() for _ in found]
    for name, have, want in zip(names, in_both_orders(f, values), wanted, strict=True):
        near = (
            {"rtol": 2e-5, "atol": 2e-5}
            if want.dtype in ("float32", "complex64")
            else {"rtol": 1e-11, "atol": 1e-12}
        )
        np.testing.assert_allclose(have, want, **near, err_msg=name)
