"""theano.function under the alias: inputs with defaults and states, values by name, modes, pickling."""

import io
import pickle

import numpy as np
import pytest

from eqsat.errors import ArgumentError, DTypeError, UnusedInputError
from eqsat.pipeline.modes import Mode


def test_inputs_with_defaults_and_keywords(theano):
    T = theano.tensor
    x, scale = T.dscalar("x"), T.dscalar("scale")
    f = theano.function([x, theano.Param(scale, default=2.0)], x * scale)
    assert (f(3), f(3, 5), f(3, scale=4), f(x=3)) == (6, 15, 12, 6)
    g = theano.function([x, theano.In(scale, value=2.0, name="by")], x * scale)
    assert (g(3), g(3, by=10)) == (6, 30)
    assert g.value["by"] == 2
    g["by"] = 7
    assert g(3) == 21


def test_an_input_with_an_update_keeps_its_value(theano):
    T = theano.tensor
    u, x, s = T.dscalars("u", "x", "s")
    inc = theano.function([u, theano.In(x, value=3), theano.In(s, update=s + x * u, value=10.0)], [])
    assert inc(5) == []
    assert inc[s] == 25
    inc(3, 4)
    assert (inc[s], inc["x"]) == (37, 3)
    inc(3, 4, 7)
    assert inc["s"] == inc.value[2] == inc.container[s].value == 19
    inc(0, s=1)
    assert inc[s] == 1
    inc[s] = 10
    again = pickle.loads(pickle.dumps(inc))
    inc(1)
    again(2)
    assert (inc[s], again["s"], s in inc, len(inc.value)) == (13, 16, True, 3)
    other = theano.function([theano.In(s, value=inc.container["s"])], s * 2)
    assert other() == 26
    with pytest.raises(ArgumentError, match="no input has the key 'nothing'"):
        inc["nothing"]
    with pytest.raises(ArgumentError, match="takes 3 arguments, 4 were given"):
        inc(1, 2, 3, 4)


def test_an_update_of_another_type_is_refused(theano):
    a = theano.tensor.dscalar("a")
    with pytest.raises(DTypeError, match="the update of a has another type"):
        theano.In(a, value=1.0, update=theano.tensor.dvector("b"))


def test_shared_variables_convert_as_they_were_told(theano):
    loose = theano.shared(np.int32(7), "n", allow_downcast=True)
    loose.set_value(8.5)
    assert (loose.get_value(), loose.dtype) == (8, "int32")
    tight = theano.shared(np.zeros(2), strict=True)
    with pytest.raises(DTypeError):
        tight.set_value([1, 2])
    tight.set_value(np.ones(2))
    f = theano.function([], tight * 2, updates=[(tight, tight + loose)])
    assert (f().tolist(), tight.value.tolist()) == ([2, 2], [9, 9])


def test_a_default_update_behind_an_input_is_left_alone(theano):
    a = theano.shared(0)
    a.default_update = a + 1
    b = 2 * a
    theano.function([b], b)(21)
    assert a.get_value() == 0
    theano.function([], b)()
    assert a.get_value() == 1
    del a.default_update
    theano.function([], b)()
    assert a.get_value() == 1


def test_exact_values_are_taken_without_downcast(theano):
    a, b = theano.tensor.fscalar("a"), theano.tensor.fvector("b")
    strict = theano.function([a, b], a + b, allow_input_downcast=False)
    assert strict(0, [0.5]).tolist() == [0.5]
    with pytest.raises(DTypeError):
        strict(0.1, [0])
    with pytest.raises(DTypeError):
        strict(0, [0.1])


def test_what_a_function_is_made_of_is_dumped(theano, tmp_path):
    x = theano.tensor.dscalar("x")
    theano.function_dump(str(tmp_path / "f.pkl"), [x], x + 1, "FAST_COMPILE")
    with open(tmp_path / "f.pkl", "rb") as file:
        assert theano.function(**pickle.load(file))(1.0) == 2


def test_shortcuts_of_inputs(theano):
    T = theano.tensor
    a, b, c = T.dscalars("a", "b", "c")
    f = theano.function([a, ("other", b, 2.0), ((c, c + a), 1.0)], a * b + c)
    assert (f(1), f(1), f(1, other=3)) == (3, 4, 6)


def test_arguments_in_the_order_of_theano(theano):
    T = theano.tensor
    x, w = T.dscalar("x"), theano.shared(1.0, "w")
    f = theano.function([x], x * w, "FAST_COMPILE", [(w, w + 1)], {x: x + 1})
    assert (f(1), f(1), f.mode.name) == (2, 4, "FAST_COMPILE")
    assert f.get_shared() == [w]
    assert theano.function([], None, updates=[(w, w * 10)])() == []
    assert w.get_value() == 30
    assert theano.compile.pfunc([x], x + 1, accept_inplace=True, rebuild_strict=False, profile=False)(1) == 2


def test_unused_inputs(theano):
    T = theano.tensor
    x, y = T.dvector("x"), T.dmatrix("W")
    with pytest.raises(UnusedInputError):
        theano.function([x, y], x)
    direction = T.dmatrix("V")
    product = theano.function([y, direction, x], T.Rop(T.dot(x, y), y, direction))
    assert product(np.ones((2, 2)), [[2.0, 2.0], [3.0, 3.0]], [1.0, 1.0]).tolist() == [5.0, 5.0]
    fixed = theano.function([y], (T.specify_shape(y, (2, 2)) ** 2).shape)
    assert fixed(np.ones((2, 2))).tolist() == [2, 2]


def test_modes_of_older_programs(theano):
    T = theano.tensor
    x = T.dvector("x")
    seen = []
    monitor = theano.compile.MonitorMode(
        pre_func=lambda place, node, step: seen.append(("in", place, step.inputs[0][0].shape)),
        post_func=lambda place, node, step: seen.append(("out", place, step.outputs[0][0].shape)),
    )
    theano.function([x], T.exp(x), mode=monitor.excluding("local_elemwise_fusion", "inplace"))([1.0, 2.0])
    assert seen == [("in", 0, (2,)), ("out", 0, (2,))]
    modes = [
        theano.Mode(linker="py", optimizer=None),
        theano.Mode(linker="cvm", optimizer="fast_run"),
        theano.compile.get_default_mode().excluding("local_useless_thing"),
        theano.compile.mode.get_mode("FAST_RUN").including("some_optimizer"),
        theano.compile.DebugMode(check_c_code=False),
        theano.compile.nanguardmode.NanGuardMode(nan_is_error=True, inf_is_error=False, big_is_error=False),
        "FAST_COMPILE",
    ]
    for mode in modes:
        assert theano.function([x], x + 1, mode=mode)([1.0]).tolist() == [2.0]
    assert isinstance(modes[0], Mode)


def test_monitor_prints_nan(theano, capsys):
    x = theano.tensor.dscalar("x")
    mode = theano.compile.MonitorMode(post_func=theano.compile.monitormode.detect_nan)
    f = theano.function([x], theano.tensor.log(x) * x, mode=mode)
    f(1.0)
    assert capsys.readouterr().out == ""
    f(-1.0)
    assert "*** NaN detected ***\nlog [id A]" in capsys.readouterr().out


def test_parameters_and_functions_are_pickled(theano):
    T = theano.tensor
    w = theano.shared(np.arange(3.0), "w", borrow=True)
    x = T.dvector("x")
    f = theano.function([x], T.dot(x, w), updates={w: w + 1})
    from theano.misc.pkl_utils import dump, load

    file = io.BytesIO()
    dump((w, f), file)
    file.seek(0)
    loaded_w, loaded_f = load(file)
    assert loaded_f([1.0, 1.0, 1.0]) == f([1.0, 1.0, 1.0]) == 3
    assert loaded_w.get_value(borrow=True, return_internal_type=True).tolist() == [1, 2, 3]
    assert loaded_w.name == "w"
    assert loaded_f["w"].tolist() == loaded_w.value.tolist()


def test_copies_of_functions(theano):
    w, v = theano.shared(1.0, "w"), theano.shared(10.0, "v")
    f = theano.function([], w, updates=[(w, w + 1)])
    g = f.copy(share_memory=True, swap={w: v})
    assert (f(), g(), f(), g(), g["v"]) == (1, 10, 2, 11, 12)


def test_graph_of_a_function(theano):
    T = theano.tensor
    x = T.dmatrix("x")
    f = theano.function([x], T.exp(x).sum())
    assert [n.op.name for n in f.maker.fgraph.toposort() if isinstance(n.op, T.Elemwise)] == ["exp"]
    assert theano.gof.graph.inputs([T.exp(x)]) == [x]
    y = T.dmatrix("y")
    assert theano.gof.graph.inputs([theano.clone(T.exp(x) + 1, replace={x: y}, share_inputs=True)])[0] is y


def test_sizes_of_draws(theano):
    from theano.tensor.shared_randomstreams import RandomStreams

    stream, size = RandomStreams(3), theano.tensor.lvector("size")
    draws = [
        stream.uniform(low=[0.0, 10.0], high=[1.0, 20.0]),
        stream.normal(size=size, ndim=2),
        stream.binomial(p=np.full((2, 2), 0.5)),
        stream.uniform(),
    ]
    results = theano.function([size], draws)([3, 4])
    assert [r.shape for r in results] == [(2,), (3, 4), (2, 2), ()]
    assert 0 <= results[0][0] < 1 <= 10 <= results[0][1] < 20


def test_an_application_is_printed(theano):
    x = theano.tensor.dscalar("x")
    text = theano.printing.debugprint(theano.tensor.exp(x).owner, file="str")
    assert text == theano.printing.debugprint(theano.tensor.exp(x), file="str")


def test_random_states(theano):
    from theano.tensor.shared_randomstreams import RandomStreams

    stream = RandomStreams(seed=234)
    u, n = stream.uniform((2, 2)), stream.normal((2, 2))
    f = theano.function([], u)
    assert not (f() == f()).all()
    state = u.rng.get_value(borrow=True)
    state.seed(89234)
    u.rng.set_value(state, borrow=True)
    before = u.rng.get_value().get_state()
    first = f()
    f()
    state = u.rng.get_value()
    state.set_state(before)
    u.rng.set_value(state)
    np.testing.assert_array_equal(f(), first)
    again = theano.function([], n, no_default_updates=True)
    np.testing.assert_array_equal(again(), again())
    other = RandomStreams(7)
    v = other.uniform((2, 2))
    g = theano.function([], v)
    other.rstate = stream.rstate
    for mine, theirs in zip(other.state_updates, stream.state_updates, strict=False):
        mine[0].set_value(theirs[0].get_value())
    np.testing.assert_array_equal(f(), g())
    assert other.rstate == stream.rstate
    assert u.update[0] is stream.state_updates[0][0]
