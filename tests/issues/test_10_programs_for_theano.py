"""What programs and test files for Theano found missing in the alias: modes, names, mixed-in test classes, functions of SymPy."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from eqsat.compat import theano as alias


@pytest.fixture(autouse=True)
def theano() -> Iterator[Any]:
    """The module ``theano`` as older programs import it."""
    alias.install()
    import theano

    yield theano
    alias.uninstall()


UNKNOWN = ("scanOp_pushout_output", "local_elemwise_fusion", "no such pass")


def modes(theano: Any) -> list[Any]:
    compile = theano.compile
    return [
        compile.get_default_mode(),
        compile.get_mode("FAST_RUN"),
        compile.get_mode("FAST_COMPILE"),
        compile.Mode(linker="py", optimizer="fast_run"),
        compile.mode.Mode("c|py"),
        theano.Mode(),
    ]


def test_names_of_old_passes_are_ignored_wherever_a_mode_is_given(theano: Any) -> None:
    T = theano.tensor
    v = T.dvector("v")
    for mode in modes(theano):
        for m in (
            mode.excluding(*UNKNOWN),
            mode.including("fusion", *UNKNOWN),
            mode.excluding("inplace", UNKNOWN[0]),
        ):
            f = theano.function([v], T.exp(v), mode=m)
            assert f([0.0]).tolist() == [1.0] and m.name.startswith(mode.name)
    m = theano.compile.mode.get_default_mode().excluding(*UNKNOWN)
    assert theano.scan(lambda r: r * 2, v, mode=m)[0].eval({v: [1.0]}).tolist() == [2.0]
    theano.gradient.verify_grad(lambda x: x**2, [np.ones(2)], rng=np.random.default_rng(1), mode=m)
    assert v.sum().eval({v: [1.0, 2.0]}, mode=m) == 3.0


def test_names_of_rules_still_count(theano: Any) -> None:
    v = theano.tensor.dvector("v")
    kept = theano.compile.get_default_mode().excluding(UNKNOWN[0], "log-exp")
    f = theano.function([v], theano.tensor.log(theano.tensor.exp(v)), mode=kept)
    assert [n.op.name for n in f.maker.fgraph.toposort()] == ["exp", "log"]
    assert "loose" in theano.compile.get_default_mode().including("loose", UNKNOWN[1]).rules


def test_modes_are_classes_that_may_be_copied_and_changed(theano: Any) -> None:
    debug = theano.compile.debugmode.DebugMode
    assert isinstance(theano.compile.get_mode("DebugMode"), debug)
    assert not isinstance(theano.compile.get_default_mode(), debug)
    with theano.change_flags(mode="DebugMode"):
        assert isinstance(theano.compile.get_default_mode(), debug)
    assert isinstance(debug(check_c_code=False, stability_patience=3).excluding(*UNKNOWN), debug)
    for mode in [*modes(theano), debug(), theano.compile.nanguardmode.NanGuardMode(inf_is_error=False)]:
        other = copy.copy(mode)
        other.check_isfinite = False
        assert not other.check_isfinite and not hasattr(mode, "check_isfinite")
        again = pickle.loads(pickle.dumps(other.excluding("inplace")))
        assert type(again) is type(mode) and again.check_isfinite is False
        x = theano.tensor.dscalar("x")
        assert theano.function([x], x * 2, mode=other)(1.0) == 2.0


def test_a_monitor_may_leave_out_passes(theano: Any) -> None:
    seen: list[str] = []
    mode = theano.compile.MonitorMode(
        pre_func=lambda i, node, step: None, post_func=lambda i, node, step: seen.append(str(node.op))
    )
    assert isinstance(mode, theano.compile.MonitorMode)
    x = theano.tensor.dscalar("x")
    theano.function([x], theano.tensor.exp(x), mode=mode.excluding("local_elemwise_fusion", "inplace"))(0.0)
    assert seen == ["exp"]


def test_a_mode_has_an_optimizer_for_graphs(theano: Any) -> None:
    x = theano.tensor.dscalar("x")
    graph = theano.gof.FunctionGraph([x], [theano.tensor.log(theano.tensor.exp(x)) * 1])
    theano.compile.get_default_mode().excluding("fusion").optimizer.optimize(graph)
    assert graph.toposort() == [] and graph.outputs == graph.inputs
    assert theano.printing.debugprint(graph, file="str") == "x [id A]"


def test_test_classes_that_mix_in_are_run(theano: Any) -> None:
    mixin = theano.tests.unittest_tools.TestOptimizationMixin

    class TestMine(mixin):  # type: ignore[misc, valid-type]
        pass

    class TestMore(TestMine):
        pass

    class Hidden:
        __test__ = False

    class TestHidden(mixin, Hidden):  # type: ignore[misc, valid-type]
        pass

    class TestOff(mixin):  # type: ignore[misc, valid-type]
        __test__ = False

    found = [c.__test__ for c in (mixin, TestMine, TestMore, TestHidden, TestOff)]
    assert found == [False, True, True, False, False]


@pytest.mark.parametrize(
    ("dtypes", "wanted"),
    [
        (["float32", "int64"], "float64"),
        (["int8"], "int8"),
        (["int8", "uint8"], "int16"),
        (["bool", "float32"], "float32"),
    ],
)
def test_upcast(theano: Any, dtypes: Any, wanted: str) -> None:
    assert theano.scalar.upcast(*dtypes) == theano.scalar.basic.upcast(*dtypes) == wanted


def test_scalar_types(theano: Any) -> None:
    scalar = theano.scalar
    assert scalar.Scalar("int64") == scalar.int64 == scalar.get_scalar_type("int64")
    assert isinstance(theano.tensor.dscalar("x"), scalar.ScalarVariable)
    assert scalar.Scalar("float32") in scalar.float_types and scalar.bool.dtype == "bool"


def test_names_of_theano_tensor_opt(theano: Any) -> None:
    T, opt = theano.tensor, theano.tensor.opt
    x = T.dvector("x")
    f = theano.function([x], T.exp(opt.Assert("text")(x, x.sum() > 0)) + opt.assert_op(x, 1))
    assert any(isinstance(n.op, opt.Assert) for n in f.maker.fgraph.toposort())
    with pytest.raises(AssertionError, match="text"):
        f([-1.0])
    assert opt.MakeVector("int64")(1, 2).eval().tolist() == opt.make_vector(1, 2).eval().tolist() == [1, 2]
    assert opt.MakeVector("float32")().dtype == "float32" and int(opt.Shape_i(0)(x).eval({x: [1.0]})) == 1


def test_rows_are_added_and_set_by_name(theano: Any) -> None:
    S = theano.tensor.subtensor
    m, y = theano.tensor.dmatrix("m"), theano.tensor.dmatrix("y")
    values = {m: np.zeros((3, 2)), y: np.ones((2, 2))}
    for op, wanted in (
        (S.advanced_inc_subtensor1, [0, 0, 2]),
        (S.AdvancedIncSubtensor1(set_instead_of_inc=True), [0, 0, 1]),
        (S.AdvancedIncSubtensor(), [0, 0, 2]),
    ):
        assert op(m, y, [2, 2]).eval(values)[:, 0].tolist() == wanted
    assert S.advanced_subtensor1(m, [2, 0]).eval(values).shape == (2, 2)


def test_outputs_and_inputs_of_a_function_know_their_variables(theano: Any) -> None:
    x, w = theano.tensor.dvector("x"), theano.shared(np.ones(2), "w")
    f = theano.function([x], [x.sum(), x * w], updates=[(w, w + 1)])
    assert [o.variable.ndim for o in f.outputs] == [0, 1] and [i.type for i in f.input_storage] == [x.type]
    other = f.copy(delete_updates=True)
    assert [o.variable.ndim for o in other.outputs] == [0, 1]
    assert other([1.0, 2.0])[1].tolist() == [1.0, 2.0]
    assert [o.variable.ndim for o in f.copy(swap={w: theano.shared(np.zeros(2))}).outputs] == [0, 1]


def test_functions_made_from_sympy_run(theano: Any) -> None:
    sympy = pytest.importorskip("sympy")
    module = pytest.importorskip("sympy.printing.theanocode")
    from importlib import reload

    reload(module)  # it may have been imported without theano
    a, b, c = sympy.symbols("a b c")
    with pytest.warns(Warning):
        f = module.theano_function([a, b, c], [a + b + c, a * b * c * 2, sympy.Max(a, b)], cache={})
    assert [float(v) for v in f(1.0, 2.0, 3.0)] == [6.0, 12.0, 2.0]
    with pytest.warns(Warning):
        g = module.theano_function([a], [sympy.sin(a) ** 2], cache={}, scalar=True, dtypes={a: "float64"})
    assert abs(g(0.5) - np.sin(0.5) ** 2) < 1e-15 and np.ndim(g(0.5)) == 0


def test_gradients_that_are_not_defined_do_not_compile(theano: Any) -> None:
    a = theano.tensor.dvector("a")
    for make in (theano.gradient.grad_not_implemented, theano.gradient.grad_undefined):
        with pytest.raises(TypeError, match="is not defined"):
            theano.function([a], make(theano.tensor.add, 0, a), on_unused_input="ignore")


def test_an_axis_may_be_an_array_of_one_integer(theano: Any) -> None:
    T = theano.tensor
    m, values = T.dmatrix("m"), np.arange(6.0).reshape(2, 3)
    for axis in (np.array(1), np.array(-1, "int8"), T.constant(1), np.int64(1)):
        for f in (T.sum, T.max, T.mean, T.argmax, T.var):
            np.testing.assert_allclose(f(m, axis=axis).eval({m: values}), f(m, axis=1).eval({m: values}))
    for bad in (np.array(1.0), np.array([1, 0]), np.array(True)):
        with pytest.raises(ValueError):
            T.sum(m, axis=bad).eval({m: values[:, :0]}) if np.ndim(bad) else T.sum(m, axis=bad)


def test_settings_of_theano_are_there(theano: Any) -> None:
    for name in ("cycle_detection", "deterministic", "optdb", "compile", "check_input"):
        getattr(theano.config, name)
    assert str(theano.scalar.all_types[0]) == "bool" and "float64" in map(str, theano.scalar.all_types)


def test_shapes_given_by_variables(theano: Any) -> None:
    T = theano.tensor
    a, b, n = T.dmatrix("a"), T.dmatrix("b"), T.iscalar("n")
    same = theano.function([a, b], T.specify_shape(a, b.shape) * 2)
    assert same(np.ones((2, 3)), np.zeros((2, 3))).shape == (2, 3)
    with pytest.raises(AssertionError, match="specify_shape"):
        same(np.ones((2, 3)), np.zeros((3, 2)))
    part = T.specify_shape(a, (n, 3))
    assert part.type.shape == (None, 3) and part.eval({a: np.ones((2, 3)), n: 2}).shape == (2, 3)
    with pytest.raises((ValueError, IndexError)):
        T.specify_shape(a, T.dvector().shape)


def test_more_names(theano: Any) -> None:
    T = theano.tensor
    assert T.floor_div(T.constant(7), 2).eval() == 3 and T.slicetype("s").name == "s"
    x = T.dtensor4("x")
    pooled = theano.tensor.signal.pool.Pool(ignore_border=True)(x, (2, 2))
    assert pooled.eval({x: np.arange(16.0).reshape(1, 1, 4, 4)}).ravel().tolist() == [5, 7, 13, 15]
