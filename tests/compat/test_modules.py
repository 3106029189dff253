"""install() and uninstall(), every module of the alias, and what it refuses."""

import importlib
import subprocess
import sys

import numpy as np
import pytest

import eqsat
from eqsat.errors import ArgumentError, ModeError
from eqsat.frontends import theano as alias
from eqsat.frontends.theano.theano_names import PARTS

MODULES = list(alias.MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_each_module_can_be_imported_and_listed(name):
    module = importlib.import_module(name)
    assert module.__name__ == name
    for word in dir(module):
        if not word.startswith("_"):
            getattr(module, word, None)


@pytest.mark.parametrize("part", list(PARTS))
def test_each_part_of_the_names_belongs_to_a_module(part):
    assert any(f"old:{part}" in sources for sources in alias.MODULES.values())


@pytest.mark.parametrize(
    "statement",
    [
        "from theano import function, shared, config, In, Param, Mode, printing, gof, scalar",
        "from theano.tensor import dmatrix, Elemwise, DimShuffle, nnet, basic, inc_subtensor",
        "from theano.tensor.nnet import conv, sigmoid, softmax, conv2d, relu, binary_crossentropy",
        "from theano.tensor.signal import downsample, pool",
        "from theano.tensor.shared_randomstreams import RandomStreams",
        "from theano.compile.pfunc import pfunc; from theano.configdefaults import local_bitwidth",
        "from theano.sandbox.rng_mrg import MRG_RandomStreams",
        "from theano.compile.io import In, Out",
        "from theano.compile.sharedvalue import SharedVariable",
        "from theano.compile import function, pfunc, DebugMode, NanGuardMode, MonitorMode",
        "from theano.gof import Apply, Op, Variable, Constant, FunctionGraph, MissingInputError",
        "from theano.gof.graph import inputs, ancestors, clone, io_toposort",
        "from theano.ifelse import ifelse",
        "from theano.gradient import grad_clip, disconnected_grad, DisconnectedType, grad_undefined",
        "from theano.printing import pydotprint, debugprint, Print, pp, pprint",
        "from theano.misc.pkl_utils import dump, load",
        "from theano.tests import unittest_tools",
        "import theano.tensor.inplace as inplace; inplace.exp_inplace",
        "from theano.tensor.sort import sort, argsort",
    ],
)
def test_import_statements_of_programs(statement):
    exec(statement, {})


def test_a_star_import_brings_what_tensor_brought():
    names = {}
    exec("from theano.tensor import *", names)
    assert {"dmatrix", "grad", "nnet", "theano", "np", "compile", "var", "sort", "Rop"} <= set(names)
    x = names["dmatrix"]("x")
    assert names["theano"].function([x], names["var"](x))([[1.0, 3.0]]) == 1
    names = {}
    exec("from theano import *", names)
    assert {"function", "tensor", "shared"} <= set(names)


def test_unknown_names_raise_when_they_are_used(theano):
    with pytest.raises(AttributeError, match=r"theano\.tensor has no 'no_such_thing' in eqsat"):
        theano.tensor.no_such_thing  # noqa: B018
    with pytest.raises(ImportError):
        exec("from theano.tensor import no_such_thing", {})
    with pytest.raises(AttributeError, match=r"has no 'dmatrxi' in eqsat; did you mean .*dmatrix"):
        theano.tensor.dmatrxi  # noqa: B018
    with pytest.raises(ModuleNotFoundError, match=r"theano\.sparse has no counterpart in eqsat"):
        exec("import theano.sparse", {})
    with pytest.raises(AttributeError, match="no 'no_such_flag'"):
        theano.config.no_such_flag  # noqa: B018
    with pytest.raises(ModeError):
        theano.function([], theano.shared(1.0), mode="NO_SUCH_MODE")


def test_uninstall_takes_every_module_out():
    alias.uninstall()
    assert not any(name == "theano" or name.startswith("theano.") for name in sys.modules)
    alias.install()
    assert sys.modules["theano.tensor.nnet"].__name__ == "theano.tensor.nnet"


def test_another_theano_is_not_replaced_unless_forced():
    code = (
        "import sys, types; sys.modules['theano'] = types.ModuleType('theano')\n"
        "from eqsat.compat import theano as alias\n"
        "from eqsat.errors import ArgumentError\n"
        "try: alias.install()\n"
        "except ArgumentError as error: print(error.hint)\n"
        "alias.install(force=True); import theano; print(theano.function)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("install() before the first import of theano\n<function function")


def test_importing_the_alias_is_light():
    code = "import eqsat.compat.theano as a, sys; a.install(); import theano; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_flags_are_those_of_eqsat_and_others_have_no_effect(theano):
    theano.config.warn.sum_div_dimshuffle_bug = False
    theano.config.compute_test_value = "warn"
    theano.config.optimizer = "None"
    assert (theano.config.compute_test_value, theano.config.device) == ("warn", "cpu")
    assert theano.config.blas.ldflags is None
    with theano.config.change_flags(floatX="float32", exception_verbosity="high"):
        assert theano.tensor.vector().dtype == "float32" == eqsat.config.floatX
    assert theano.tensor.vector().dtype == "float64"
    theano.config.compute_test_value = "off"
    theano.config.mode = "FAST_RUN"
    assert eqsat.config.mode == "FAST_RUN"


def test_op_classes_recognise_nodes_and_make_functions(theano):
    T = theano.tensor
    x, y = T.dmatrix("x"), T.dmatrix("y")
    assert isinstance(T.dot(x, y).owner.op, T.Dot)
    assert isinstance((x + y).owner.op, T.Elemwise)
    assert not isinstance((x + y).owner.op, T.Dot)
    assert isinstance(x[1:].owner.op, T.Subtensor)
    assert not isinstance(x, T.Subtensor)
    made = [
        T.elemwise.Sum(axis=0)(x),
        T.DimShuffle((False, False), (1, "x", 0))(x),
        T.elemwise.CAReduce(theano.scalar.add, axis=1)(x),
        T.elemwise.Elemwise(theano.scalar.mul)(x, x),
        T.extra_ops.CumOp(axis=1, mode="mul")(x),
        T.MaxAndArgmax(axis=0)(x)[0],
        T.Reshape(1)(x, (4,)),
        T.largest(x, y),
        T.extra_ops.RepeatOp(1)(x, 2),
    ]
    a, b = np.array([[1.0, 2.0], [3.0, 5.0]]), np.full((2, 2), 2.5)
    expected = [
        *(a.sum(0), a.T[:, None, :], a.sum(1), a * a, a.cumprod(1), a.max(0)),
        *(a.reshape(4), np.maximum(a, b), a.repeat(2, 1)),
    ]
    for result, wanted in zip(theano.function([x, y], made)(a, b), expected, strict=True):
        np.testing.assert_array_equal(result, wanted)
    with pytest.raises(ArgumentError, match="TopKOp of Theano makes nothing"):
        PARTS["ops"]["TopKOp"]()


def test_small_names(theano):
    T = theano.tensor
    x = T.dmatrix("x")
    assert T.get_vector_length(x.shape) == 2
    with pytest.raises(ArgumentError, match="the length of v is not known"):
        T.get_vector_length(T.dvector("v"))
    assert T.extract_constant(T.constant(3)) == 3
    assert T.extract_constant(x) is x
    assert T.default(None, 4) == 4
    assert T.default(x, 4) is x
    assert T.basic._convert_to_int8(x).dtype == "int8"
    assert T.horizontal_stack(x, x).eval({x: np.ones((1, 2))}).shape == (1, 4)
    assert T.vertical_stack(x, x).eval({x: np.ones((1, 2))}).shape == (2, 2)
    assert T.smallest(x, 0).eval({x: [[-1.0, 1.0]]}).tolist() == [[-1.0, 0.0]]
    assert "float64" in T.float_dtypes
    assert theano.scalar.float64() is not None
