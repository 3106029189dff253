"""An op with a new signature, in one declaration: all that follows from it without another word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, DeclarationError, EqsatError, RankError, ShapeError
from eqsat.graph.declare import OPS, Cost, elemwise, forget_op, structural
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import toposort
from eqsat.verify import verify_op
from tests.reference import evaluate

MODES = ["reference", "FAST_COMPILE", "FAST_RUN"]


def declare(name: str = "weigh", **fields: Any) -> Any:
    facts: dict[str, Any] = {
        "signature": "(n,k),(k)->(n)",
        "dtypes": "f,f->f",
        "linear": "x, y",
        "grad": lambda op, inputs, out, dy: [T.outer(dy, inputs[1]), T.dot(inputs[0].T, dy)],
        "facts": ("nonneg if nonneg x, nonneg y",),
        "cost": lambda op, ins, out: Cost(flops=2 * ins[0][0] * ins[0][1]),
    }

    @structural("block", name=name, **{**facts, **fields})
    def weigh(x: Any, y: Any) -> Any:
        """Rows of a matrix, summed with a weight for each column."""
        return x @ y

    return weigh


@pytest.fixture
def weigh() -> Iterator[Any]:
    yield declare()
    forget_op("weigh")


def names(outputs: list[Any]) -> list[str]:
    return [str(node.op) for node in toposort(outputs)]


def written(report: Any) -> list[str]:
    return names(list(report.optimized))


def test_types_follow(weigh: Any) -> None:
    out = weigh(TensorType("float32", shape=(4, None))(), TensorType("int8", shape=(3,))())
    assert out.type == TensorType("float32", shape=(4,))
    assert [v.type.dtype for v in out.owner.inputs] == ["float32", "float32"]
    with pytest.raises(RankError, match=r"weigh: x has 1 dimensions, the signature says \(n,k\)"):
        weigh(T.dvector("x"), T.dvector("y"))


def test_one_message_when_the_graph_is_made(weigh: Any) -> None:
    x, w = TensorType("float64", shape=(2, 3))("x"), TensorType("float64", shape=(2,))("w")
    with pytest.raises(ShapeError) as error:
        weigh(x, w)
    assert str(error.value) == (
        f"weigh(x, w): k is 3 in x but 2 in w\n  x      f64[2, 3]   made at {x.made_at}\n"
        f"  w      f64[2]   made at {w.made_at}\n  needs  (n,k),(k)->(n)\n  try    weigh(x.T, w)"
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("written_in_c", [False, True])
def test_one_message_in_all_modes(mode: str, written_in_c: bool) -> None:
    text = "for (int64_t i = 0; i < {n}; i++) {{ double t = 0; for (int64_t j = 0; j < {k}; j++) t += {x} * {y}; {out} = t; }}"

    def c(w: Any, op: Any, ins: Any, out: Any) -> None:
        x, y = ins
        w.emit(text.format(n=x.n[0], k=x.n[1], x=x.at(["i", "j"]), y=y.at(["j"]), out=out.at(["i"])))

    weigh = declare("weigh_here", c=c if written_in_c else None)
    try:
        x, w = T.dmatrix("x"), T.dvector("w")
        weighed = weigh(x, w)
        f = eqsat.function([x, w], T.exp(weighed), mode=mode)
        np.testing.assert_allclose(f([[1.0, 2.0]], [3.0, -1.0]), [np.e])
        with pytest.raises(ShapeError) as error:
            f(np.ones((2, 3)), np.ones(4))
        assert str(error.value) == (
            f"weigh_here(x, w): k is 3 in x but 4 in w at run time\n  x      f64[?, ?]   made at {x.made_at}\n"
            f"  w      f64[?]   made at {w.made_at}\n"
            f"  in     weigh_here(x, w)   written at {weighed.made_at}\n  needs  (n,k),(k)->(n)"
        )
    finally:
        forget_op("weigh_here")


def test_it_moves_out_of_a_loop(weigh: Any) -> None:
    m, v, s = T.dmatrix("m"), T.dvector("v"), T.dvector("s")
    whole = eqsat.scan(lambda t, before: before + t * weigh(m, v).sum(), s, np.zeros(()))[0]
    report = eqsat.optimize(whole)
    assert written(report).count("weigh") == 1
    f = eqsat.function([m, v, s], whole)
    np.testing.assert_allclose(f([[1.0, 2.0]], [3.0, 4.0], [1.0, 2.0]), [11.0, 33.0])


def test_no_work_is_done_for_its_length(weigh: Any) -> None:
    m, v = T.dmatrix("m"), T.dvector("v")
    assert "weigh" not in names([T.exp(weigh(m, v)).shape[0]])
    report = eqsat.optimize(T.zeros_like(weigh(T.exp(m), v)))
    assert not {"weigh", "exp"} & set(written(report))


def test_its_gradient_is_checked(weigh: Any) -> None:
    eqsat.gradient.verify_grad(weigh, [np.arange(6.0).reshape(2, 3), np.arange(3.0)])


def test_its_facts_are_known(weigh: Any) -> None:
    m, v = T.dmatrix("m"), T.dvector("v")
    assert "abs" not in written(eqsat.optimize(T.abs(weigh(T.sqr(m), T.exp(v)))))
    assert "abs" in written(eqsat.optimize(T.abs(weigh(m, v))))


def test_equal_calls_are_one(weigh: Any) -> None:
    m, v = T.dmatrix("m"), T.dvector("v")
    report = eqsat.optimize([weigh(m, v) + 1, T.exp(weigh(m, 1 * v))])
    assert written(report).count("weigh") == 1


def test_it_is_documented(weigh: Any) -> None:
    assert weigh.__doc__ == (
        "Rows of a matrix, summed with a weight for each column.\n\nShapes   x: (n,k), y: (k) -> (n)"
    )


def test_lengths_stand_before_examples() -> None:
    def halved(x: Any) -> Any:
        """Half of a vector.

        >>> 1
        1
        """
        return x / 2

    op = structural("block", signature="(n)->(n)", dtypes="f->f")(halved)
    try:
        assert op.__doc__ == "Half of a vector.\n\nShapes   x: (n) -> (n)\n\n>>> 1\n1"
    finally:
        forget_op("halved")


def test_what_an_op_needs_is_said_once_of_a_wrong_gradient() -> None:
    op = structural(
        "block", signature="(n)->(n)", dtypes="f->f", name="halved", grad=lambda op, inputs, out, dy: [dy]
    )(lambda x: x / 2)
    try:
        with pytest.raises(DeclarationError) as caught:
            verify_op(op)
        assert str(caught.value).count("needs") == 1 and "its gradient: verify_grad: " in str(caught.value)
    finally:
        forget_op("halved")


def test_it_is_verified(weigh: Any) -> None:
    counts = verify_op(weigh, draws=3)
    assert (counts.results, counts.refused, counts.gradients) == (3, 3, 3)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"signature": "(n,k),(k)->(k)"}, "its function gives the shape"),
        ({"grad": lambda op, inputs, out, dy: [T.outer(dy, inputs[1]), T.dot(inputs[0].T, dy) * 2]}, "its gradient"),
        ({"c": lambda w, op, ins, out: w.emit(f"for (int64_t i = 0; i < {out.n[0]}; i++) {out.at(['i'])} = 0;")}, "mode FAST_RUN gives"),
    ],
)  # fmt: skip
def test_what_is_declared_wrongly_is_found(fields: Any, text: str) -> None:
    try:
        with pytest.raises(DeclarationError, match=text):
            verify_op(declare("wrong", **fields), draws=5)
    finally:
        forget_op("wrong")


SIGNATURES: list[tuple[str, Any, list[Any]]] = [
    ("(...,n)->(...)", lambda x: x.sum(-1), [(2, 3)]),
    ("(m),(n)->(m+n-1)", np.convolve, [(4,), (2,)]),
    ("(...,m,n)->(...,n,m)", lambda x: np.swapaxes(x, -1, -2), [(2, 3, 4)]),
    ("(n,x...)->(x...,n)", lambda x: np.moveaxis(x, 0, -1), [(3, 2)]),
    ("x,x->x", lambda x, y: x - y, [(2, 3), (2, 3)]),
    ("(n)->(n,min(n,2))", lambda x: np.repeat(x[:, None], min(len(x), 2), 1), [(3,)]),
]


@pytest.mark.parametrize(("signature", "meaning", "shapes"), SIGNATURES, ids=[s for s, _, _ in SIGNATURES])
def test_other_signatures(signature: str, meaning: Any, shapes: list[Any]) -> None:
    count = len(shapes)
    plain = (lambda x: meaning(x)) if count == 1 else (lambda x, y: meaning(x, y))
    op = structural("block", name="other", signature=signature)(plain)
    try:
        assert verify_op(op, draws=4).results == 4
        inputs = [TensorType("float64", shape=(None,) * len(s))() for s in shapes]
        out = op(*inputs)
        values = [np.ones(s) for s in shapes]
        lengths = evaluate([out.shape], dict(zip(inputs, values, strict=True)))[0]
        assert tuple(lengths) == meaning(*values).shape
        assert "other" not in written(eqsat.optimize(list(out.shape.owner.inputs)))
    finally:
        forget_op("other")


def test_a_function_with_a_signature_is_such_an_op() -> None:
    for factor in (2, 3):  # a cell of a notebook that runs again
        made = eqsat.as_op(signature="(n,k),(k)->(n)", dtypes="f,f->f")(_times(factor))
    try:
        assert verify_op(made, draws=2).results == 2
        np.testing.assert_allclose(made([[1.0, 2.0]], [1.0, 1.0]).eval(), [9.0])
        with pytest.raises(EqsatError, match="times has no gradient"):
            eqsat.grad(made(T.dmatrix(), v := T.dvector()).sum(), v)
    finally:
        forget_op("times")


def _times(factor: int) -> Any:
    def times(x: Any, y: Any) -> Any:
        """Products, several times."""
        return factor * (x @ y)

    return times


def test_what_is_no_declaration_is_refused() -> None:
    with pytest.raises(DeclarationError, match="an op cannot be named '<lambda>'"):
        eqsat.as_op(signature="x->x")(lambda x: x)
    with pytest.raises(DeclarationError, match="is no signature of shapes"):
        eqsat.as_op(signature="x")(_times(1))
    with pytest.raises(ArgumentError, match="dtypes need a signature"):
        eqsat.as_op([T.dvector], [T.dvector], dtypes="f->f")
    with pytest.raises(ArgumentError, match="a signature says what itypes"):
        eqsat.as_op([T.dvector], [T.dvector], signature="x->x")


def test_elementwise_ops_are_verified_as_others_are() -> None:
    halve = elemwise(c="({x} / 2)", signature="f->f", grad=lambda x, dy: dy / 2, name="halve")(
        lambda x: x / 2
    )
    wrong = elemwise(c="({x} / 2)", signature="f->f", grad=lambda x, out, dy: dy, name="wrong")(
        lambda x: x / 2
    )
    try:
        assert verify_op(halve, draws=3).gradients == 3
        assert verify_op(OPS["halve"], draws=3).results == 3
        with pytest.raises(DeclarationError, match="its gradient"):
            verify_op(wrong, draws=3)
    finally:
        forget_op("halve")
        forget_op("wrong")


def test_an_op_is_verified_by_its_name_and_nothing_else_is_one() -> None:
    assert verify_op("dot", draws=2) == verify_op(OPS["dot"], draws=2)
    for given, said in (
        ("ad", "there is no op 'ad'"),
        (3, "3 is no declared op"),
        (T.softmax, "is no declared op"),
    ):
        with pytest.raises(ArgumentError, match=said) as error:
            verify_op(given)
        assert error.value.hint
