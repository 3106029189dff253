"""A length of a step that is known to be that of another value: neither may be read outside its loop."""

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

n = T.lscalar("n")
first, row, next_ = T.dvectors("first", "row", "next")
total = eqsat.shared(1.5, "total")
STEPS = {
    "a row": lambda *read: row,
    "a state that takes one": lambda *read: ([row], {total: read[1]}),
    "a state that adds one": lambda *read: ([row], {total: total + read[1]}),
    "a state that chooses": lambda *read: ([row], {total: T.switch(read[0] > -0.5, total, read[-1])}),
}
SEQUENCES = {
    "of the state and twice the state": lambda h: [h, {"input": T.concatenate([h, h]), "taps": [0, -3]}],
    "of a part and a join": lambda h: [h[:-1], {"input": T.concatenate([h, h, h]), "taps": [0, -5]}],
    "of the state and a repeated one": lambda h: [h, {"input": T.concatenate([h, h[:1]]), "taps": [0, -2]}],
}


TWICE = next(iter(SEQUENCES))


@pytest.mark.parametrize(
    "of, step, mode",
    [
        *((TWICE, step, "numpy") for step in STEPS),
        *((of, "a row", "numpy") for of in SEQUENCES if of != TWICE),
        pytest.param(TWICE, "a state that chooses", "FAST_RUN", marks=pytest.mark.c),
    ],
)
def test_gradients_of_what_inner_loops_repeat(of: str, step: str, mode: str) -> None:
    def outer(h):
        result = eqsat.scan(STEPS[step], sequences=SEQUENCES[of](h))
        return [next_, result[0]], result[1]

    rows = eqsat.scan(outer, outputs_info=[first, None], n_steps=n)[0][1]
    outputs = [T.grad((2 * rows).sum(), row), T.grad((2 * rows[1:]).sum(), row)]
    f = eqsat.function([n, first, next_, row], outputs, mode=mode, on_unused_input="ignore")
    whole, rest = f(3, [1.0, 2.0], [3.0, 4.0], [5.0, 6.0])
    np.testing.assert_array_equal(whole, [6.0, 6.0])
    np.testing.assert_array_equal(rest, [4.0, 4.0])
