"""Section A of the specification: what variables, applications, ops, types and constants are."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import function
from eqsat.errors import ArgumentError, DTypeError, RankError, ShapeError
from eqsat.graph.walk import ancestors, free_inputs, toposort

seed = pytest.mark.seed


class Parts(eqsat.Op):
    """Two results: the fraction and the whole part."""

    __props__ = ()

    def make_node(self, *inputs: Any) -> eqsat.Apply:
        x = T.as_tensor_variable(inputs[0])
        return eqsat.Apply(self, [x], [x.type(), x.type()])

    def perform(self, node: eqsat.Apply, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0], output_storage[1][0] = np.modf(inputs[0])


def same(f: Any, args: Any, want: Any) -> None:
    """A call gives what NumPy gives: values, dtype and shape."""
    got = f(*args)
    np.testing.assert_allclose(got, want)
    assert got.dtype == np.asarray(want).dtype and got.shape == np.asarray(want).shape


# -------------------------------------------------------------------------------------------------- variables


@seed("A001")
def test_variables_are_variables_and_results() -> None:
    x = T.ivector()
    y = -x
    assert isinstance(x, T.Variable) and isinstance(y, T.Variable)
    assert T.Result is T.Variable is eqsat.Variable is eqsat.Result


@seed("A002")
def test_a_variable_has_a_type() -> None:
    x = T.ivector()
    assert x.type == T.ivector and (-x).type == T.ivector


@seed("A003")
def test_a_result_has_an_owner() -> None:
    x = T.ivector()
    y = -x
    assert x.owner is None and isinstance(y.owner, T.Apply) and y in y.owner.outputs


@seed("A004")
def test_a_variable_knows_its_place() -> None:
    from eqsat.graph.ops.max_and_argmax import max_and_argmax_op

    x = T.dvector("x")
    assert x.index is None
    for pair in (max_and_argmax_op.bind(axes=(0,)).make_node(x).outputs, Parts()(x)):
        assert len(pair) == 2
        for v in pair:
            assert v.owner.outputs[v.index] is v


@seed("A005")
def test_a_name_is_shown_and_can_change() -> None:
    x = T.dmatrix("x")
    assert x.name == "x" and str(x) == "x"
    x.name = "weights"
    assert str(x) == "weights" and "weights" in eqsat.dprint(T.exp(x), file="str")
    with pytest.raises(ArgumentError, match="weights"):
        iter(x)
    f = function([x], x + 1, mode="reference")
    with pytest.raises(RankError, match="input weights"):
        f(np.zeros(3))


@seed("A006")
def test_a_graph_made_by_hand_is_the_graph_made_by_operators(seed_mode: str) -> None:
    from eqsat.tensor import Apply, TensorType, Variable, add, mul

    matrix = TensorType(dtype="float64", broadcastable=(False, False))
    x = Variable(type=matrix, name="x")
    y = Variable(type=matrix, name="y")
    z = Variable(type=matrix, name="z")
    product = Variable(type=matrix)
    assert product.owner is None
    times = Apply(op=mul, inputs=[y, z], outputs=[product])
    assert product.owner is times and product.index == 0
    total = Variable(type=matrix)
    plus = Apply(op=add, inputs=[x, product], outputs=[total])
    assert total.owner is plus and plus.inputs[1].owner is times
    a, b, c = T.dmatrices("a", "b", "c")
    data = np.random.default_rng(0).normal(size=(3, 2, 2))
    short = function([a, b, c], a + b * c, mode=seed_mode)(*data)
    same(function([x, y, z], total, mode=seed_mode), data, short)
    np.testing.assert_array_equal(short, data[0] + data[1] * data[2])


# ----------------------------------------------------------------------------------------------- applications


@seed("A007")
@seed("A008")
@seed("A009")
@seed("A010")
def test_an_application_holds_op_inputs_and_outputs() -> None:
    x, y = T.dvectors("x", "y")
    z = x + y
    node = z.owner
    assert isinstance(node, T.Apply)
    assert node.op == T.add
    assert type(node.inputs) is list and node.inputs == [x, y]
    assert type(node.outputs) is list and node.outputs[0] is z


@seed("A011")
def test_making_an_application_sets_owner_and_index() -> None:
    x, first, second = T.dvector("x"), T.dvector(), T.dvector()
    node = T.Apply(Parts(), [x], [first, second])
    assert first.owner is node and second.owner is node and (first.index, second.index) == (0, 1)


@seed("A012")
def test_apply_has_the_paths_it_had() -> None:
    import eqsat.graph
    import eqsat.graph.basic

    assert eqsat.graph.Apply is eqsat.graph.basic.Apply is T.Apply is eqsat.Apply


@seed("A013")
def test_the_tensor_module_has_the_names_of_graphs() -> None:
    from eqsat.tensor import Apply, TensorType, Variable, add, mul

    assert (T.dscalar() + T.dscalar()).owner.op == add and isinstance(T.dscalar, TensorType)
    assert isinstance(mul(T.dscalar(), 2).owner, Apply) and issubclass(T.TensorVariable, Variable)


@seed("A014")
def test_an_op_is_applied_many_times() -> None:
    x = T.dvector("x")
    first, second = T.exp(x), T.exp(x)
    assert isinstance(T.exp, T.Op) and first.owner is not second.owner and first.owner.op is second.owner.op


@seed("A015")
def test_make_node_gives_an_application_or_says_what_does_not_fit() -> None:
    x, y = T.dvectors("x", "y")
    node = T.add.make_node(x, y)
    assert isinstance(node, T.Apply) and node.inputs == [x, y] and node.outputs[0].owner is node
    assert T.add.make_node(x, y).outputs[0] is not node.outputs[0]
    with pytest.raises(DTypeError, match="add: a constant cannot hold"):
        T.add.make_node(x, "text")
    with pytest.raises(ArgumentError, match=r"add: g is not a tensor but any Python object|add: g is not"):
        T.add.make_node(x, eqsat.generic("g"))
    with pytest.raises(DTypeError, match="and is not defined for f64"):
        T.and_.make_node(x, y)


@seed("A016")
def test_calling_an_op_builds_a_graph() -> None:
    f, g = T.exp, T.add
    x = T.dscalar("x")
    a = f(x)
    b = g(f(4.0), 5)
    assert a.owner.op is f and b.owner.op is g and b.owner.inputs[0].owner.op is f
    assert [v.owner.op for v in Parts()(x)] == [Parts(), Parts()]
    named = Parts()(x, name="fraction")[0]
    assert named.name == "fraction" and type(T.exp(x)) is T.TensorVariable


@seed("A017")
def test_one_op_in_two_applications() -> None:
    x, y = T.dvectors("x", "y")
    a, b = (x + y).owner, (y + x).owner
    assert a.op == b.op and a is not b


@seed("A018")
def test_the_name_of_an_op_says_what_it_is() -> None:
    op = (T.dmatrix("x") * 2.0).owner.op
    assert op.name == "mul" and str(op) == "mul" and op == T.mul and op.declaration.kind == "elemwise"


# ------------------------------------------------------------------------------------------------------ types


@seed("A019")
@seed("A020")
def test_a_type_constrains_and_makes_variables() -> None:
    assert isinstance(T.irow, T.Type) and not hasattr(T.irow, "data")
    v = T.irow()
    assert isinstance(v, T.Variable) and v.type == T.irow


@seed("A021")
def test_a_row_of_integers_takes_nothing_else(seed_mode: str) -> None:
    good = np.arange(4, dtype="int32").reshape(1, 4)
    assert T.irow.filter(good) is good
    wrong: list[tuple[Any, type[Exception], str]] = [
        (good.astype("int64"), DTypeError, r"expected i32\[1, \?\], got i64\[1, 4\]"),
        (good[0], RankError, "2 dimensions needed, 1 given"),
        (np.zeros((2, 4), "int32"), ShapeError, "axis 0 has length 2, not 1"),
    ]
    r = T.irow("r")
    f = function([r], r + r, mode=seed_mode)
    same(f, [good], good + good)
    for value, error, text in wrong:
        with pytest.raises(error, match=text):
            T.irow.filter(value)
        with pytest.raises(error, match=text):
            f(value)


@seed("A022")
def test_a_matrix_of_doubles_takes_any_shape() -> None:
    good = np.ones((3, 4))
    assert T.dmatrix.filter(good) is good
    single = np.ones((3, 4), "float32")
    with pytest.raises(DTypeError, match=r"got f32\[3, 4\]"):
        T.dmatrix.filter(single, strict=True)
    with pytest.raises(DTypeError, match=r"expected f32\[\?, \?\], got f64\[3, 4\]: the conversion"):
        T.fmatrix.filter(good)
    assert T.fmatrix.filter(good, allow_downcast=True).dtype == "float32"
    assert T.dmatrix.filter(single).dtype == "float64", "a conversion that changes no value"
    with pytest.raises(RankError, match="2 dimensions needed, 3 given"):
        T.dmatrix.filter(np.ones((1, 3, 4)))


@seed("A023")
def test_types_differ_although_both_take_arrays() -> None:
    assert T.irow != T.dmatrix
    a, b = np.zeros((1, 2), "int32"), np.zeros((1, 2))
    assert type(T.irow.filter(a)) is type(T.dmatrix.filter(b)) is np.ndarray


class Double(eqsat.Type):
    """Python floats."""

    __props__ = ()

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        if not isinstance(value, float) and (strict or not isinstance(value, int)):
            raise TypeError(f"not a float: {value!r}")
        return float(value)

    def __repr__(self) -> str:
        return "double"


class Multiply(eqsat.Op):
    """Product of two Python floats."""

    __props__ = ()
    itypes = (Double(), Double())
    otypes = (Double(),)

    def perform(self, node: eqsat.Apply, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] * inputs[1]


@seed("A024")
def test_a_type_of_python_floats(seed_mode: str) -> None:
    double, x, y = Double(), Double()("x"), Double()("y")
    assert double == Double() and hash(double) == hash(Double()) and x.type.is_super(y.type)
    f = function([x, y], [Multiply()(Multiply()(x, y), 2.0), x], mode=seed_mode)
    assert f(3.0, 4) == [24.0, 3.0] and all(type(v) is float for v in f(3.0, 4))
    with pytest.raises(ArgumentError, match="input y: not a float: 'text'"):
        f(3.0, "text")
    with pytest.raises(ArgumentError, match="Multiply: operand 1: not a float: 'text'"):
        Multiply()(x, "text")
    with pytest.raises(DTypeError, match=r"Multiply: operand 0 is f64\[\], not double"):
        Multiply()(T.dscalar(), 1.0)


class Listing(eqsat.Type):
    """Python lists."""

    __props__ = ()

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        if not isinstance(value, list):
            raise TypeError(f"not a list: {value!r}")
        return value

    def __repr__(self) -> str:
        return "list"


@eqsat.as_op([Listing(), T.dscalar], [Listing(), T.lscalar])
def appended(values: Any, item: Any) -> Any:
    """A longer list, and its length."""
    return [*values, float(item)], np.int64(len(values) + 1)


@seed("B103")
def test_a_type_of_python_lists(seed_mode: str) -> None:
    values, x = Listing()("values"), T.dscalar("x")
    longer, count = appended(values, x * 2)
    f = function([values, x], [longer, count + 1], mode=seed_mode)
    given = ["a"]
    result, number = f(given, 1.5)
    assert result == ["a", 3.0] and given == ["a"] and number == 3 and number.dtype == "int64"
    with pytest.raises(ArgumentError, match="input values"):
        f((1, 2), 1.5)


@seed("A025")
def test_a_type_shows_dtype_and_shape() -> None:
    assert repr(T.irow().type) == str(T.irow) == "<TensorType(int32, (1, ?))>"


@seed("A026")
@pytest.mark.c
def test_types_decide_what_c_is_written() -> None:
    row, matrix, doubles = T.irow("r"), T.imatrix("m"), T.dmatrix("d")

    def kernel(inputs: Any, output: Any) -> str:
        source = function(inputs, output).c_source
        assert source is not None
        return source.partition("void eq_k0(")[2].partition("\nstatic")[0]

    text = kernel([row, matrix], row + matrix)
    assert "int32_t *restrict" in text and "double" not in text and text.count("for (") == 2
    text = kernel([doubles], doubles * doubles)
    assert "double *restrict" in text and "int32_t" not in text
    v = T.ivector("v")
    assert kernel([row], row * row).count("for (") == kernel([v], v * v).count("for ("), (
        "an axis of length 1 needs no loop"
    )


@seed("A027")
def test_a_sum_over_an_axis_of_length_1_is_a_reshape() -> None:
    r = T.drow("r")
    for mode in ("numpy", "FAST_RUN"):
        f = function([r], r.sum(axis=0), mode=mode)
        kinds = [node.op.declaration.kind for node in toposort(f.outputs_optimised)]  # type: ignore[attr-defined]
        assert "reduce" not in kinds
        same(f, [np.arange(3.0)[None]], np.arange(3.0))


# -------------------------------------------------------------------------------------------------- constants


@seed("A028")
@seed("A029")
def test_a_number_in_an_expression_is_a_constant() -> None:
    one = (T.dscalar("x") + 1).owner.inputs[1]
    assert isinstance(one, T.Constant) and issubclass(T.Constant, T.Variable) and one.data == 1
    value = np.array([[1.0, 2.0]])
    np.testing.assert_array_equal(T.constant(value).data, value)


@seed("A030")
def test_a_constant_keeps_its_value(seed_mode: str) -> None:
    source = np.array([1.0, 2.0])
    c, x = T.constant(source), T.dvector("x")
    f = function([x], x * c, mode=seed_mode)
    source[0] = 99.0
    same(f, [np.ones(2)], np.array([1.0, 2.0]))
    same(function([x], x * c, mode=seed_mode), [np.ones(2)], np.array([1.0, 2.0]))
    with pytest.raises(ArgumentError, match="the value of a constant cannot change"):
        c.data = np.zeros(2)


class AddInPlace(eqsat.Op):
    """Adds 1 to its operand where it lies."""

    __props__ = ()
    destroy_map = {0: [0]}

    def make_node(self, *inputs: Any) -> eqsat.Apply:
        x = T.as_tensor_variable(inputs[0])
        return eqsat.Apply(self, [x], [x.type()])

    def perform(self, node: eqsat.Apply, inputs: Any, output_storage: Any) -> None:
        inputs[0] += 1
        output_storage[0][0] = inputs[0]

    def do_constant_folding(self, fgraph: Any, node: eqsat.Apply) -> bool:
        return False


@seed("A031")
def test_an_op_that_overwrites_does_not_reach_constants_or_inputs(seed_mode: str) -> None:
    x, c, w = T.dvector("x"), T.constant([1.0, 2.0]), eqsat.shared(np.zeros(2), "w")
    double = x * 2
    once = AddInPlace()(double)
    outputs = [AddInPlace()(c), AddInPlace()(x), AddInPlace()(w), once, double, AddInPlace()(T.exp(x)), x.T]
    outputs.append(AddInPlace()(T.exp(x)[::2]))
    f = function([x], outputs, mode=seed_mode)
    for _ in range(2):
        given = np.array([3.0, 4.0])
        got = f(given)
        want = [[2, 3], [4, 5], [1, 1], [7, 9], [6, 8], np.exp(given) + 1, [3, 4], np.exp(given)[:1] + 1]
        for g, v in zip(got, want, strict=True):
            np.testing.assert_allclose(g, v)
        assert given.tolist() == [3, 4] and c.data.tolist() == [1, 2] and w.get_value().tolist() == [0, 0]


@seed("A032")
@seed("A033")
def test_a_constant_is_no_input(seed_mode: str) -> None:
    x, c = T.dvector("x"), T.constant([1.0, 2.0], "c")
    same(function([x], x + c, mode=seed_mode), [np.ones(2)], np.array([2.0, 3.0]))
    with pytest.raises(TypeError, match="the constant c cannot be an input"):
        function([c], c, mode=seed_mode)


@seed("A034")
def test_constants_are_folded() -> None:
    for mode in ("numpy", "FAST_RUN"):
        f = function([], T.constant(2.0) * 3.0, mode=mode)
        assert toposort(f.outputs_optimised) == [] and f() == 6.0


@seed("A035")
@pytest.mark.c
def test_a_constant_stands_in_the_c_source() -> None:
    x = T.dvector("x")
    f = function([x], x * 2.625)
    assert f.c_source is not None and "2.625" in f.c_source
    body = f.c_source.partition("void eq_k0(")[2]
    assert "2.625" in body and " K[" not in body and "eq_c0" not in f.c_source, "no buffer holds it"
    assert body.count("= p[") == 2, "the kernel is given x and the result, nothing else"
    same(f, [np.array([1.0, 2.0])], np.array([2.625, 5.25]))


@seed("A036")
def test_numbers_are_wrapped() -> None:
    y = T.dscalar("x") + 1
    x, one = y.owner.inputs
    assert x.type == T.dscalar and y.type == T.dscalar
    while one.owner is not None:
        one = one.owner.inputs[0]
    assert isinstance(one, T.Constant)


# ------------------------------------------------------------------------------------------------------- graphs


@seed("A037")
def test_a_graph_ends_at_variables_without_an_owner_and_has_no_cycle() -> None:
    x, y = T.dvectors("x", "y")
    z = T.exp(x * y) + x.sum()
    leaves = [v for v in ancestors([z]) if v.owner is None]
    assert set(free_inputs([z])) == {x, y} <= set(leaves)
    for node in toposort([z]):
        assert all(v.owner is node for v in node.outputs)
    with pytest.raises(ArgumentError, match="exp: x would be computed from itself"):
        T.Apply(T.exp, [z], [x])
    with pytest.raises(ArgumentError, match="exp: y would be computed from itself"):
        T.Apply(T.exp, [y], [y])
    assert x.owner is None and y.owner is None
    fresh = T.dvector("v")
    T.exp(fresh)
    assert T.Apply(T.exp, [x], [fresh]).outputs == [fresh], "a variable in use may get an owner"


@seed("A038")
def test_walks_meet_each_node_once() -> None:
    x = T.dvector("x")
    fraction, whole = Parts()(x)
    z = fraction * whole + whole
    nodes = toposort([z, fraction])
    assert len(nodes) == len(set(nodes)) == 3 and nodes[0].op == Parts()
    found = list(ancestors([z, z]))
    assert len(found) == len(set(found)) == 5


@seed("A039")
@seed("A040")
def test_the_transcript_of_the_documentation() -> None:
    x = T.dmatrix("x")
    y = x * 2.0
    assert y.owner.op.name == "mul"
    assert type(y.owner) is T.Apply and len(y.owner.inputs) == 2
    assert y.owner.inputs[0] is x and y.owner.inputs[1] is not x
    assert isinstance(y.owner.inputs[1], T.TensorVariable)
    broadcast = y.owner.inputs[1].owner
    assert type(broadcast) is T.Apply and broadcast.op.name == "dimshuffle"
    assert broadcast.op.params["pattern"] == ("x", "x") and str(broadcast.op) == "dimshuffle{(x, x)}"
    (two,) = broadcast.inputs
    assert isinstance(two, T.TensorConstant) and two.data == 2.0


@seed("A041")
def test_equal_types_hash_equally() -> None:
    a, b = T.dmatrix("x").type, T.dmatrix("y").type
    assert a == b and hash(a) == hash(b) and pickle.loads(pickle.dumps(a)) == a and copy.copy(a) == a
