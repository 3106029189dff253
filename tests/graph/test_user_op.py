"""Ops and types of the user: all that they may give, in every mode."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from reference import evaluate

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, DeclarationError, DTypeError, ShapeError
from eqsat.graph.declare import OPS, elemwise, forget_op
from eqsat.graph.run import perform
from eqsat.graph.user_op import call_infer_shape, generic
from eqsat.graph.walk import toposort

x = T.dvector("x")
CALLS: list[str] = []


@eqsat.as_op([T.dvector], [T.dvector], infer_shape=lambda fgraph, node, shapes: shapes)
def noted(a: Any) -> Any:
    """Doubles, and notes that it ran."""
    CALLS.append("noted")
    return a * 2


@eqsat.wrap_py(itypes=T.dvector, otypes=[T.dvector, T.lscalar])
def halves(a: Any) -> Any:
    """Half of a vector and its length."""
    return a / 2, np.int64(len(a))


class Old(eqsat.Op):
    """An op with infer_shape of two arguments: repeats a vector."""

    __props__ = ("times",)
    itypes = (T.dvector,)
    otypes = (T.dvector,)

    def __init__(self, times: int) -> None:
        self.times = times

    def perform(self, node: eqsat.Apply, inputs: Any, output_storage: Any) -> None:
        CALLS.append("old")
        output_storage[0][0] = np.tile(inputs[0], self.times)

    def infer_shape(self, node: eqsat.Apply, shapes: Any) -> Any:
        return [(shapes[0][0] * self.times,)]


def test_an_op_made_of_a_function(mode: str) -> None:
    half, count = halves(noted(x))
    f = eqsat.function([x], [half + 1, count], mode=mode)
    got = f([1.0, 2.0])
    assert got[0].tolist() == [2, 3] and got[1] == 2
    assert str(noted) == "noted" and noted([1, 2]).owner.inputs[0].data.tolist() == [1, 2]


def test_ops_of_functions_are_equal_and_pickle_by_name() -> None:
    assert pickle.loads(pickle.dumps(noted)) is noted
    make = lambda: eqsat.as_op([T.dvector], [T.dvector])(np.sort)
    assert make() == make() and pickle.loads(pickle.dumps(make())) == make()
    local = eqsat.as_op([T.dvector], [T.dvector])(lambda a: a)
    with pytest.raises(ArgumentError, match="decorate a function at the top of a module"):
        pickle.dumps(local)


@pytest.mark.parametrize("mode", ["numpy", "FAST_RUN"])
def test_a_length_does_not_run_the_op(mode: str) -> None:
    y = noted(Old(3)(T.exp(x)))
    f = eqsat.function([x], [y.shape[0] + 1, T.zeros_like(y)], mode=mode)
    CALLS.clear()
    assert f([1.0, 2.0])[0] == 7 and f([1.0])[1].tolist() == [0, 0, 0] and CALLS == []
    with pytest.raises(ArgumentError, match="infer_shape gives 0 shapes for 1 results"):
        call_infer_shape(
            eqsat.as_op([T.dvector], [T.dvector], lambda node, s: [])(lambda a: a).make_node(x), []
        )


def test_an_argument_that_is_no_array_may_stay_unread(mode: str) -> None:
    part = generic("part")
    f = eqsat.function([part, x], x.shape[0] * 2, mode=mode, on_unused_input="ignore")
    assert f(slice(1, 2), [1.0, 2.0, 3.0]) == 6


def test_a_constant_that_is_no_array_may_be_an_output(mode: str) -> None:
    f = eqsat.function([x], [generic.make_constant("held"), x * 2], mode=mode)
    held, doubled = f([1.0, 2.0])
    assert held == "held" and doubled.tolist() == [2.0, 4.0]


def test_equal_applications_are_shared_and_constants_folded(seed_mode: str) -> None:
    f = eqsat.function([x], [Old(2)(x), Old(2)(x) + 1, Old(2)(T.constant([1.0]))], mode=seed_mode)
    CALLS.clear()
    assert f([3.0])[2].tolist() == [1, 1] and len(CALLS) == (3 if seed_mode == "reference" else 1)


def test_an_op_that_fails_on_constants_fails_when_called() -> None:
    @eqsat.as_op([T.dvector], [T.dvector])
    def failing(a: Any) -> Any:
        raise ValueError("no")

    f = eqsat.function([], failing([1.0]), mode="numpy")
    with pytest.raises(ValueError, match="no"):
        f()


def test_a_wrong_result_is_named_in_every_mode(mode: str) -> None:
    def op(result: Any) -> Any:
        return eqsat.as_op([T.dvector], [T.lvector])(lambda a: result)

    y = op(np.array([0.5]))(x)
    y.owner.op.name = "mine"
    with pytest.raises(DTypeError, match=r"mine: result 0: expected i64\[\?\], got f64\[1\]") as error:
        eqsat.function([x], y * 2, mode=mode)([1.0])
    assert "made at test_user_op.py" in str(error.value)
    with pytest.raises(ArgumentError, match=r"needs  2 results"):
        eqsat.function([x], eqsat.as_op([T.dvector], [T.dvector, T.dvector])(lambda a: a)(x), mode=mode)(
            [1.0]
        )
    assert eqsat.function([x], op([3])(x), mode=mode)([1.0]).tolist() == [3], "lists become arrays"


class Window(eqsat.Op):
    """A view of its operand."""

    __props__ = ()
    itypes = (T.dvector,)
    otypes = (T.dvector,)
    view_map = {0: [0]}

    def perform(self, node: eqsat.Apply, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0][::-1]


class Fill(eqsat.Op):
    """Writes zeros over its operand and gives it."""

    __props__ = ()
    itypes = (T.dvector,)
    otypes = (T.dvector,)
    destroy_map = {0: [0]}

    def perform(self, node: eqsat.Apply, inputs: Any, output_storage: Any) -> None:
        inputs[0][:] = 0
        output_storage[0][0] = inputs[0]


def test_views_and_overwriting_do_not_meet(mode: str) -> None:
    e = noted(x)
    window = Window()(e)
    f = eqsat.function(
        [x], [Fill()(window), window + 0, Fill()(e), Window()(x), Fill()(noted(x + 1))], mode=mode
    )
    given = np.array([1.0, 2.0])
    got = f(given)
    assert [g.tolist() for g in got] == [[0, 0], [4, 2], [0, 0], [2, 1], [0, 0]]
    got[3][:] = 9
    assert given.tolist() == [1, 2]


def test_what_nobody_else_sees_is_overwritten_in_place() -> None:
    seen = []

    class Look(Fill):
        """Fill that notes whose memory it is given."""

        def perform(self, node: eqsat.Apply, inputs: Any, output_storage: Any) -> None:
            seen.append(inputs[0])
            super().perform(node, inputs, output_storage)

    kept: list[Any] = []
    keep = eqsat.as_op([T.dvector], [T.dvector])(lambda a: kept.append(a + 1) or kept[-1])
    eqsat.function([x], Look()(keep(x)), mode="reference")([1.0])
    assert seen[0] is kept[0]
    y = keep(x)
    eqsat.function([x], [Look()(y), y], mode="reference")([1.0])
    assert seen[1] is not kept[1]


def test_any_python_object(seed_mode: str) -> None:
    a = eqsat.generic("a")
    count = eqsat.as_op([eqsat.generic], [T.lscalar])(len)
    f = eqsat.function([a], [count(a) + 1, a], mode=seed_mode)
    thing = {"k": 1}
    n, same = f(thing)
    assert n == 2 and same is thing
    assert eqsat.generic == pickle.loads(pickle.dumps(eqsat.generic)) and repr(a.type) == "<Generic>"
    assert count("four").eval() == 4


def test_values_of_types_are_compared() -> None:
    kind = T.dvector
    assert kind.values_eq(np.array([1.0, np.nan]), np.array([1.0, np.nan]))
    assert not kind.values_eq(np.zeros(2), np.zeros(2, "float32")) and not kind.values_eq(
        np.zeros(2), np.zeros(3)
    )
    assert kind.values_eq_approx(np.ones(2), np.ones(2) + 1e-9) and not kind.values_eq_approx(
        np.ones(1), 2 * np.ones(1)
    )
    assert T.lvector.values_eq_approx(np.arange(2), np.arange(2)) and eqsat.generic.values_eq([1], [1])
    assert (
        eqsat.generic.values_eq_approx(1, 1)
        and kind.is_valid_value(np.ones(2))
        and not kind.is_valid_value(1)
    )
    constant = kind.make_constant([1, 2])
    assert constant.type.shape == (2,) and kind.is_super(constant.type)


def test_tags_hold_anything() -> None:
    x.tag.role = "input"
    assert x.tag.role == "input" and repr(x.tag) == "scratchpad(role='input')"
    with pytest.raises(AttributeError, match=r"nothing is noted under 'other': the tag has \['role'\]"):
        x.tag.other  # noqa: B018
    y = T.exp(x)
    y.tag.update(x.tag)
    y.owner.tag.seen = True
    assert y.tag.role == "input" and y.owner.tag.seen and x[0].tag is not y.tag


def test_what_an_op_may_leave_out() -> None:
    op = Old(2)
    node = op.make_node(x)
    for call in (
        lambda: op.grad([x], [x]),
        lambda: op.L_op([x], node.outputs, [x]),
        lambda: op.R_op([x], [x]),
    ):
        with pytest.raises(NotImplementedError, match="Old has no "):
            call()
    with pytest.raises(ArgumentError, match="as_op: otypes holds 'dvector'"):
        eqsat.as_op([T.dvector], ["dvector"])
    storage: list[list[Any]] = [[None]]
    perform(node, [np.ones(1)], storage)
    assert storage[0][0].tolist() == [1, 1]


# ----------------------------------------------------------------------------------------------------------- C


class Scaled(eqsat.Op):
    """Two results of two operands, with C text of its own."""

    __props__ = ("by",)
    c_elementwise = True

    def __init__(self, by: float) -> None:
        self.by = by

    def make_node(self, *inputs: Any) -> eqsat.Apply:
        a, b = map(T.as_tensor_variable, inputs)
        return eqsat.Apply(self, [a, b], [a.type(), a.type()])

    def perform(self, node: eqsat.Apply, inputs: Any, output_storage: Any) -> None:
        CALLS.append("scaled")
        output_storage[0][0], output_storage[1][0] = inputs[0] * self.by + inputs[1], inputs[0] * 3

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        if node.inputs[0].type.dtype != "float64":
            raise NotImplementedError
        (a, b), (y, z) = inputs, outputs
        return f"""for (int64_t i = 0; i < {sub["n"]}; i++) {{
    if ({a}[i] < 0) {{ {sub["fail"]} }}
    {y}[i] = {a}[i]*{self.by} + {b}[i]; {z}[i] = 3*{a}[i];
}}"""


@pytest.mark.c
def test_an_op_with_c_text_runs_in_c() -> None:
    a, b = T.dmatrices("a", "b")
    y, z = Scaled(2.5)(T.exp(a), b.T)
    outputs = [T.tanh(y), z, z + 1, Scaled(2.5)(T.abs(a) - 5, b.T)[0]]
    f = eqsat.function([a, b], outputs[:3])
    p, q = np.arange(6.0).reshape(2, 3) / 6, np.arange(6.0).reshape(3, 2)
    CALLS.clear()
    for u, v in ((p, q), (p[::-1], q[:, ::-1]), (np.zeros((0, 3)), np.zeros((3, 0)))):
        want = evaluate(outputs[:3], {a: u, b: v})
        CALLS.clear()
        for got, value in zip(f(u, v), want, strict=True):
            np.testing.assert_allclose(got, value)
    assert CALLS == [] and f.c_source is not None and "*2.5 + " in f.c_source
    with pytest.raises(
        ShapeError, match=r"Scaled: axis 0 has the lengths 2 in exp\(a\) and 3 in b at run time"
    ):
        f(p, p)
    with pytest.raises(ArgumentError, match="Scaled: its C code failed"):
        eqsat.function([a, b], outputs[3])(p, q)


def test_an_op_without_fitting_c_text_runs_in_python() -> None:
    a, b = T.fvectors("a", "b")
    f = eqsat.function([a, b], Scaled(2)(a, b))
    CALLS.clear()
    assert f([1.0], [1.0])[0].tolist() == [3] and CALLS == ["scaled"]
    mixed = Scaled(2)(T.drow(), T.dmatrix())[0]
    f = eqsat.function(list(mixed.owner.inputs), mixed)
    assert f(np.ones((1, 2)), np.ones((1, 2))).tolist() == [[3, 3]] and CALLS == ["scaled"] * 2
    assert [str(n.op) for n in toposort([mixed])] == ["Scaled"]


class Twice(eqsat.Op):
    """An op whose gradients are not one for each operand."""

    __props__ = ("given",)

    def __init__(self, given: Any) -> None:
        self.given = given

    def make_node(self, x: Any) -> Any:
        return eqsat.Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, storage: Any) -> None:
        storage[0][0] = 2 * inputs[0]

    def grad(self, inputs: Any, gradients: Any) -> Any:
        return {"none": [], "two": [*gradients, *gradients], "alone": gradients[0]}[self.given]


@pytest.mark.parametrize(
    ("given", "said"), [("none", "0 gradients"), ("two", "2 gradients"), ("alone", ".*")]
)
def test_gradients_are_one_for_each_operand(given: str, said: str) -> None:
    x = T.dvector("x")
    with pytest.raises(DeclarationError, match=f"grad gives {said} for 1 operands") as caught:
        T.grad(Twice(given)(x).sum(), x)
    assert "a list with one for each operand" in str(caught.value)


def test_a_pickle_of_an_op_that_is_not_declared_names_it() -> None:
    elemwise(c="({x} + 2)", signature="f->f", name="unheard_of")(lambda x: x + 2)
    x = T.dvector("x")
    kept = pickle.dumps(OPS["unheard_of"].bind()(x))
    forget_op("unheard_of")
    with pytest.raises(DeclarationError, match="unheard_of is no op of this process") as told:
        pickle.loads(kept)
    assert "import the module that declares it" in str(told.value)
