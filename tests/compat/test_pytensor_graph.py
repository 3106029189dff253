"""Walks, replacements, ops and derivatives under PyTensor's names."""

import numpy as np
import pytest

from eqsat.errors import ArgumentError


@pytest.fixture
def pt(pytensor):
    return pytensor.tensor


def test_walks(pytensor, pt):
    from pytensor.graph import traversal as walks

    x, y, w = pt.dvector("x"), pt.dvector("y"), pytensor.shared(np.ones(2), "w")
    y0 = pt.as_tensor([1.0, 2.0])
    inner = pt.exp(x)
    out = inner * w + y0
    assert x in set(walks.ancestors([out], blockers=None))
    assert x not in set(walks.ancestors(out, blockers=[inner]))
    assert list(walks.explicit_graph_inputs([out])) == [x]
    assert set(walks.graph_inputs([out])) >= {x, w}
    assert inner in walks.truncated_graph_inputs([out], [inner])
    assert walks.variable_depends_on(out, [x])
    assert not walks.variable_depends_on(out, y)
    assert [str(n.op) for n in walks.io_toposort(inputs=[x], outputs=[out])] == ["exp", "mul", "add"]
    assert next(walks.apply_ancestors([out])) is inner.owner
    assert walks.apply_depends_on(out.owner, inner.owner)
    assert walks.get_var_by_name([out], "x") == (x,)
    order = list(walks.walk([out], lambda v: v.owner.inputs if v.owner else None))
    assert order[0] is out
    assert x in order
    assert walks.toposort([out])[-1] is out.owner


def test_replacements(pytensor, pt):
    from pytensor.graph.basic import equal_computations
    from pytensor.graph.replace import clone_replace, graph_replace, vectorize_graph

    x, y = pt.dvectors("xy")
    out = (x**2).sum()
    assert clone_replace(out, {x: y + 1}).eval({y: [1.0, 2.0]}) == 13
    assert graph_replace([out], {x: y})[0].eval({y: [3.0]}) == 9
    m = pt.dmatrix("m")
    np.testing.assert_array_equal(vectorize_graph(out, {x: m}).eval({m: [[1.0, 2.0], [0.0, 1.0]]}), [5, 1])
    assert equal_computations([out], [(y**2).sum()], [x], [y], strict_dtype=True)
    stacked = pt.vectorize(lambda v: (v[0], v[-1]), signature="(n)->(),()")(m)
    assert [v.eval({m: [[1.0, 2.0], [3.0, 4.0]]}).tolist() for v in stacked] == [[1, 3], [2, 4]]


def test_an_op_with_later_names_of_its_derivatives(pytensor, pt):
    from pytensor.graph.basic import Apply
    from pytensor.graph.op import Op

    class Cube(Op):
        __props__ = ()

        def make_node(self, x):
            x = pt.as_tensor_variable(x)
            return Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] ** 3

        def infer_shape(self, fgraph, node, input_shapes):
            return input_shapes

        def pullback(self, inputs, outputs, cotangents):
            return [3 * inputs[0] ** 2 * cotangents[0]]

        def pushforward(self, inputs, outputs, tangents):
            return [3 * inputs[0] ** 2 * tangents[0]]

    x = pt.dvector("x")
    y = Cube()(x)
    assert isinstance(y.owner.op, Op)
    assert isinstance(pt.exp(x).owner.op, Op)
    assert not isinstance(pt.exp(x).owner.op, Cube)
    assert issubclass(Cube, Op)
    np.testing.assert_array_equal(pytensor.grad(y.sum(), x).eval({x: [1.0, 2.0]}), [3, 12])
    pytensor.gradient.verify_grad(Cube(), [np.array([0.5, 1.5])], rng=np.random.default_rng(1))


def test_an_op_with_older_names(pytensor, pt):
    from pytensor.graph.op import Op

    class Twice(Op):
        itypes = otypes = [pt.dvector]

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] * 2

        def L_op(self, inputs, outputs, output_grads):
            return [output_grads[0] * 2]

        def R_op(self, inputs, eval_points):
            return [eval_points[0] * 2]

    x = pt.dvector("x")
    np.testing.assert_array_equal(pytensor.grad(Twice()(x).sum(), x).eval({x: [1.0]}), [2])
    np.testing.assert_array_equal(pytensor.gradient.Rop(Twice()(x), x, x + 1).eval({x: [1.0]}), [4])


@pytest.mark.parametrize("inline", [True, False])
def test_graphs_as_ops(pytensor, pt, inline):
    from pytensor.compile.builders import OpFromGraph

    x, y = pt.dvectors("xy")
    own = OpFromGraph(
        [x, y], [x * y], inline=inline, pullback=lambda ins, outs, dys: [ins[1] * dys[0] * 10, dys[0]]
    )
    assert isinstance(own(x, y).owner.op, OpFromGraph)
    found = pytensor.grad(own(x, y).sum(), [x, y])
    values = pytensor.function([x, y], found, on_unused_input="ignore")([1.0, 2.0], [3.0, 4.0])
    np.testing.assert_array_equal(values, [[30, 40], [1, 1]])
    plain = OpFromGraph([x, y], [x * y, x + y], inline=inline, lop_overrides=None, strict=True, name="both")
    np.testing.assert_array_equal(pytensor.grad(plain(x, y)[0].sum(), x).eval({x: [1.0], y: [5.0]}), [5])


def test_choices(pytensor, pt):
    from pytensor.ifelse import IfElse, ifelse

    c, x, y = pt.iscalar("c"), pt.dvector("x"), pt.dvector("y")
    z = ifelse(c, x * 2, y)
    assert isinstance(z.owner.op, IfElse)
    both = IfElse(2, as_view=True)(c, x, y, y, x)
    f = pytensor.function([c, x, y], [z, *both])
    assert [v.tolist() for v in f(1, [1.0], [5.0])] == [[2], [1], [5]]
    assert [v.tolist() for v in f(0, [1.0], [5.0])] == [[5], [5], [1]]
    for build in (lambda: IfElse(0), lambda: IfElse(1)(c, x)):
        with pytest.raises(ValueError, match="IfElse"):
            build()


def test_checks(pytensor, pt):
    from pytensor.raise_op import Assert, CheckAndRaise, assert_op

    class TooSmall(Exception):
        pass

    x = pt.dvector("x")
    y = CheckAndRaise(TooSmall, "a number is too small")(pt.log(x), pt.all(x > 0), x.sum() > 1)
    f = pytensor.function([x], [y, pytensor.grad(y.sum(), x)])
    np.testing.assert_allclose(f([1.0, 2.0]), [[0, np.log(2)], [1, 0.5]])
    with pytest.raises(TooSmall, match="a number is too small"):
        f([0.1, 0.2])
    for made in (Assert("no negatives")(x, pt.all(x >= 0)), assert_op(x, pt.all(x >= 0))):
        with pytest.raises(AssertionError):
            pytensor.function([x], made)([-1.0])
    with pytest.raises(ArgumentError, match="no class of exceptions"):
        CheckAndRaise("text")


def test_derivatives(pytensor, pt):
    from pytensor.gradient import hessian, jacobian, pullback, pushforward

    x, v, W = pt.dvector("x"), pt.dvector("v"), pt.dmatrix("W")
    y = pt.dot(W, x) ** 2
    at = {x: np.array([1.0, 2.0]), W: np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 1.0]])}
    J = 2 * (at[W] @ at[x])[:, None] * at[W]
    np.testing.assert_allclose(jacobian(y, x, vectorize=True).eval(at), J)
    np.testing.assert_allclose(pushforward(y, x, tangents=v).eval({**at, v: [1.0, -1.0]}), J @ [1, -1])
    np.testing.assert_allclose(pullback(y, x, cotangents=v).eval({**at, v: [1.0, 0.0, 2.0]}), J.T @ [1, 0, 2])
    np.testing.assert_allclose(hessian((x**3).sum(), x).eval({x: [1.0, 2.0]}), np.diag([6, 12]))
    linear = pushforward(pt.dot(x, W), W, W)  # reads only one of the two that f reads
    f = pytensor.function([x, W, v], [linear, v])
    assert f([1.0], [[2.0]], [0.0])[0] == 2


def test_graphs_as_text(pytensor, pt, capsys):
    x = pt.dvector("x")
    text = pytensor.dprint(pt.exp(x) + 1, file="str", id_type="", print_type=True)
    assert "exp" in text
    assert "[id" not in text
    f = pytensor.function([x], pt.exp(x))
    f.dprint()
    (x + 1).dprint()
    assert capsys.readouterr().out.count("exp") == 1
    assert pytensor.printing.pprint(pt.exp(x) * 2) == "(exp(x) * 2.0)"


def test_rewriting_gives_the_cheapest_form(pytensor, pt):
    from pytensor.graph.rewriting.utils import rewrite_graph

    x = pt.dvector("x")
    assert rewrite_graph(pt.log(pt.exp(x)), include=("canonicalize", "specialize"), clone=True) is x
