"""Variables, applications, ops and types: the fields they have and the mistakes they refuse."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import eqsat.tensor as T
from eqsat.errors import ArgumentError
from eqsat.graph.c_templates import check_template
from eqsat.graph.core import Apply, Constant, Op, Type, Variable, one_line, user_line
from eqsat.graph.declare import OPS, DeclaredOp, elemwise
from eqsat.graph.tensor_type import TensorType


def test_an_application_is_the_owner_of_its_outputs() -> None:
    x, y = T.dscalars("x", "y")
    z = x + y
    node = z.owner
    assert isinstance(node, Apply) and node.op == T.add and node.inputs == [x, y] and node.outputs == [z]
    assert (z.index, x.owner, x.index, node.out) == (0, None, None, z)
    assert (x + y).owner is not node and (x + y).owner.op is node.op


def test_variables_and_applications_can_be_made_by_hand() -> None:
    x, z = Variable(T.dscalar, None, None, "x"), T.dscalar()
    node = Apply(T.exp, [x], [z])
    assert z.owner is node and z.index == 0 and repr(node) == "exp(x)"


def test_apply_refuses_what_is_not_a_variable_and_what_has_an_owner() -> None:
    x = T.dscalar("x")
    with pytest.raises(ArgumentError) as error:
        Apply(T.exp, [3.0], [x])  # type: ignore[list-item]
    assert str(error.value) == "input 3.0 of Apply is not a Variable"
    with pytest.raises(ArgumentError) as error:
        Apply(T.exp, [x], ["x"])  # type: ignore[list-item]
    assert str(error.value) == "output 'x' of Apply is not a Variable"
    y = T.exp(x)
    with pytest.raises(ArgumentError) as error:
        Apply(T.exp, [x], [y])
    assert str(error.value) == "exp(x) is already an output of exp"


def test_a_name_is_text() -> None:
    with pytest.raises(ArgumentError) as error:
        T.dvector(3)  # type: ignore[arg-type]
    assert str(error.value) == "the name of a variable is text, not 3\n  try  x = T.vector('x')"


def test_texts_of_variables() -> None:
    x = T.fmatrix()
    assert (str(x), repr(T.fvector("v")), str(x + x)) == ("<f32[?, ?]>", "v", "<f32[?, ?]> + <f32[?, ?]>")
    x.name = "renamed"
    assert str(x) == "renamed"


def test_clone_has_the_type_and_no_owner() -> None:
    x = T.dvector("x")
    y = (x + 1).clone("y")
    assert (y.type, y.owner, y.name) == (x.type, None, "y")
    assert x.clone().name == "x"
    c = T.constant(2.0)
    assert c.clone() is c


def test_a_constant_never_changes() -> None:
    c = T.constant([1.0, 2.0])
    assert isinstance(c, Constant)
    with pytest.raises(ArgumentError) as error:
        c.data = [3.0]
    assert str(error.value) == "the value of a constant cannot change\n  try  eqsat.shared(value)"
    with pytest.raises(ValueError, match="read-only"):
        c.data[0] = 5.0
    assert str(Constant(T.dscalar, 2.0)) == "2.0" and str(Constant(T.dscalar, 2.0, "two")) == "two"


def test_variables_name_the_line_that_made_them() -> None:
    x = T.dscalar(); y = T.exp(x) + 1; line = user_line()  # noqa: E702  # fmt: skip
    assert line is not None and line.startswith("test_core.py:")
    assert x.made_at == y.made_at == y.owner.inputs[1].made_at == line


def test_one_line_holds_inside_its_block_only() -> None:
    with one_line("train.py:7"):
        assert T.dscalar().made_at == "train.py:7"
    assert T.dscalar().made_at.startswith("test_core.py:")


# -------------------------------------------------------------------------------------------------- ops and types


class Scale(Op):
    """Multiplies by a number kept in the op."""

    __props__ = ("by",)

    def __init__(self, by: float) -> None:
        self.by = by


class Plain(Op):
    """An op without properties is equal to itself only."""


class Pair(Op):
    """Two outputs."""

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, inputs, [T.dscalar(), T.dscalar()])


def test_ops_are_equal_where_class_and_properties_are() -> None:
    assert Scale(2) == Scale(2) and hash(Scale(2)) == hash(Scale(2))
    assert Scale(2) != Scale(3) and Scale(2) != Plain()
    plain = Plain()
    assert plain == plain and plain != Plain() and len({plain, Plain()}) == 2
    assert (str(plain), repr(Scale(1))) == ("Plain", "Scale")


def test_calling_an_op_gives_its_output_or_the_list_of_them() -> None:
    first, second = Pair()(T.dscalar())
    assert (first.index, second.index) == (0, 1)
    with pytest.raises(ValueError, match="too many values"):
        first.owner.out  # noqa: B018


def test_methods_that_an_op_does_not_have_say_so() -> None:
    op, node = Plain(), Pair()(T.dscalar())[0].owner
    for call in (lambda: op.make_node(), lambda: op.perform(node, [], []), lambda: op.grad([], [])):
        with pytest.raises(NotImplementedError, match="Plain has no "):
            call()
    with pytest.raises(NotImplementedError):
        Type().filter(1)


def test_a_type_of_the_user() -> None:
    class Text(Type):
        """Python text."""

        def __str__(self) -> str:
            return "text"

    kind = Text()
    v = kind("v")
    assert v.type is kind and v.name == "v" and kind.is_super(kind) and not kind.is_super(Text())
    with pytest.raises(ArgumentError) as error:
        T.exp(v)
    assert str(error.value) == f"exp: v is not a tensor but text\n  v    text   made at {v.made_at}"


# -------------------------------------------------------------------------------------------------- declared ops


def test_declared_ops_are_one_object_per_parameters_and_are_pickled_by_name() -> None:
    d = OPS["sum"]
    op = d.bind(axes=(0, 1))
    assert op is d.bind(axes=(0, 1)) and op != d.bind(axes=(0,)) and isinstance(op, DeclaredOp)
    assert str(op) == "sum{(0, 1)}" and pickle.loads(pickle.dumps(op)) is op
    twin = DeclaredOp(d, ((0, 1),))
    assert twin == op and hash(twin) == hash(op)
    with pytest.raises(ArgumentError) as error:
        d.bind(axis=0)
    assert str(error.value) == "sum takes the parameters ['axes'], not ['axis']"


def test_a_wrong_number_of_operands_is_refused() -> None:
    with pytest.raises(ArgumentError) as error:
        T.exp(T.dscalar(), T.dscalar())
    assert str(error.value) == "exp takes 1 tensors, got 2"


def test_declarations_that_contradict_themselves_are_refused() -> None:
    from eqsat.errors import DeclarationError

    def three(x: Any, y: Any) -> Any:
        """Two operands."""

    with pytest.raises(DeclarationError, match=r"three: the signature 't->t' does not fit \('x', 'y'\)"):
        elemwise(c="{x}")(three)
    with pytest.raises(DeclarationError, match=r"three: the C text names \['z'\], the op has \['x', 'y'\]"):
        elemwise(c="{x} + {z}", signature="t,t->t")(three)
    check_template("three", "{x}{y}{f}{T}{U}", ["x", "y"])
    with pytest.raises(DeclarationError, match="an op named 'exp' exists already"):

        @elemwise(c="{x}")
        def exp(x: Any) -> Any:
            """A second exponential."""


def test_plans_of_an_op_do_not_grow_without_end() -> None:
    for n in range(2, 1100):
        v = TensorType("float64", shape=(n,))()
        assert T.neg(v).type == v.type
    assert len(T.neg.plans) <= 1000
