"""Terms of programs for egglog."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError

MATH = """
; the usual example
(datatype Math (Num i64) (Var String) (Add Math Math) (Mul Math Math) (Neg Math))
(rewrite (Add a b) (Add b a))
(let expr1 (Mul (Num 2) (Add (Var "x") (Num 3))))
(let expr2 (Add (Num 6) (Mul (Num 2) (Var "x"))))
(run 10)
(check (= expr1 expr2))
(extract expr1)
(extract (Neg expr2))
"""


def test_terms_share_inputs_and_what_was_defined_before() -> None:
    found = eqsat.from_egglog(MATH)
    assert list(found) == ["expr1", "expr2", "extract"]
    (x,) = (v for v in eqsat.graph.walk.graph_inputs(list(found.values())) if v.name == "x")
    assert [float(v.eval({x: 5.0})) for v in found.values()] == [16.0, 16.0, -16.0]
    assert bool(eqsat.equal(found["expr1"], found["expr2"], "default,loose"))


def test_functions_of_tensors_are_ops_and_inputs_have_types(tmp_path: Any) -> None:
    A = T.dmatrix("A")
    file = tmp_path / "program.egg"
    file.write_text(
        '(let B (MatMul (Input "A") (Transpose (Input "A"))))\n(let s (sum (o_log1p (Pow B (Const (rational 1 2))))))'
    )
    found = eqsat.from_egglog(file, {"A": A})
    given = np.arange(4.0).reshape(2, 2)
    want = np.log1p((given @ given.T) ** 0.5).sum()
    np.testing.assert_allclose(found["s"].eval({A: given}), want, rtol=1e-12)
    assert found["B"].type.ndim == 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(run 3)", "defines no term"),
        ("(let a (Add b (Num 1)))", "line 1: nothing defines b"),
        ("(sort T)\n(let a (Frobnicate (Num 1) (Num 2)))", "line 2: Frobnicate is no op"),
        ("(let a (Add (Num 1)", "not closed"),
        ('(let a (MatMul (Var "x") (Var "y")))', "line 1: "),
        ("/no/such/file.egg", "cannot be read"),
    ],
)
def test_what_is_no_term_is_refused_by_line(text: str, why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        eqsat.from_egglog(text)


def test_deep_terms_are_read() -> None:
    found = eqsat.from_egglog("(let a " + "(Exp " * 20_000 + '(Var "x")' + ")" * 20_001)
    assert found["a"].owner.op.name == "exp"
