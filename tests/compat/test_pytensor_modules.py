"""install() and uninstall() for PyTensor's names, every module of the alias, and what it refuses."""

import importlib
import subprocess
import sys

import numpy as np
import pytest

import eqsat
from eqsat.errors import ModeError, UnusedInputError
from eqsat.frontends import pytensor as alias
from eqsat.frontends.pytensor.pytensor_names import PARTS


@pytest.mark.parametrize("name", list(alias.MODULES))
def test_each_module_can_be_imported_and_listed(name):
    module = importlib.import_module(name)
    assert module.__name__ == name
    for word in dir(module):
        if not word.startswith("_"):
            getattr(module, word, None)


@pytest.mark.parametrize("part", list(PARTS))
def test_each_part_of_the_names_belongs_to_a_module(part):
    assert any(f"pytensor:{part}" in sources for sources in alias.MODULES.values())


@pytest.mark.parametrize(
    "statement",
    [
        "import pytensor.tensor as pt; pt.special.softmax, pt.linalg.solve, pt.nlinalg.det, pt.slinalg.cholesky",
        "from pytensor import function, shared, config, In, Out, Mode, scan, map, grad, ifelse, dprint, Rop, Lop",
        "from pytensor.tensor import TensorVariable, TensorConstant, TensorType, matrix, as_tensor_variable",
        "from pytensor.tensor.type import dvector, fmatrix, lscalar, TensorType, tensor, scalar",
        "from pytensor.tensor.basic import MakeVector, Alloc, constant, get_underlying_scalar_constant_value",
        "from pytensor.tensor.math import exp, sum, dot, Sum, Max, gammaln, logsumexp, sigmoid",
        "from pytensor.tensor.elemwise import Elemwise, DimShuffle, CAReduce",
        "from pytensor.tensor.shape import Reshape, Shape_i, specify_shape, shape_tuple",
        "from pytensor.tensor.subtensor import Subtensor, AdvancedIncSubtensor, set_subtensor, inc_subtensor",
        "from pytensor.tensor.extra_ops import cumsum, repeat, broadcast_to, CumOp, linspace",
        "from pytensor.tensor.special import softmax, log_softmax, betaln, factorial",
        "from pytensor.tensor.sharedvar import TensorSharedVariable",
        "from pytensor.tensor.variable import TensorConstant, TensorVariable, _tensor_py_operators",
        "from pytensor.tensor.random.utils import RandomStream",
        "from pytensor.tensor.random.op import RandomVariable",
        "from pytensor.tensor.random.basic import normal, gamma, categorical",
        "from pytensor.tensor.random.type import RandomGeneratorType, RandomType",
        "from pytensor.tensor.linalg.decomposition.cholesky import cholesky",
        "from pytensor.tensor.linalg.solvers.triangular import solve_triangular",
        "from pytensor.tensor.signal.conv import convolve1d",
        "from pytensor.tensor.xlogx import xlogx, xlogy0",
        "from pytensor.graph import Apply, Op, Variable, Constant, FunctionGraph, Type, rewrite_graph",
        "from pytensor.graph.basic import Apply, Constant, Variable, ancestors, graph_inputs, equal_computations",
        "from pytensor.graph.traversal import ancestors, explicit_graph_inputs, io_toposort, walk, toposort",
        "from pytensor.graph.replace import clone_replace, graph_replace, vectorize_graph",
        "from pytensor.graph.op import Op; from pytensor.graph.type import Type; from pytensor.graph.fg import FunctionGraph",
        "from pytensor.graph.utils import MissingInputError, MethodNotDefined",
        "from pytensor.graph.rewriting.utils import rewrite_graph",
        "from pytensor.graph.rewriting.db import RewriteDatabaseQuery",
        "from pytensor.compile.builders import OpFromGraph",
        "from pytensor.compile.mode import Mode, get_default_mode, get_mode",
        "from pytensor.compile.io import In, Out; from pytensor.compile.sharedvalue import SharedVariable, shared",
        "from pytensor.compile.function import function; from pytensor.compile.function.pfunc import pfunc",
        "from pytensor.compile.ops import as_op, wrap_py; from pytensor.compile.maker import function",
        "from pytensor.compile.debug.nanguardmode import NanGuardMode",
        "from pytensor.gradient import grad, jacobian, hessian, DisconnectedType, verify_grad, grad_not_implemented",
        "from pytensor.scan import scan, until; from pytensor.scan.utils import until",
        "from pytensor.scan.basic import scan; from pytensor.scan.views import map, reduce, foldl, foldr",
        "from pytensor.ifelse import ifelse, IfElse; from pytensor.raise_op import Assert, CheckAndRaise, assert_op",
        "from pytensor.printing import Print, debugprint, pprint, pydotprint, pp",
        "from pytensor.configdefaults import config; from pytensor.basic import as_symbolic",
        "from pytensor.updates import OrderedUpdates",
    ],
)
def test_import_statements_of_programs(statement):
    exec(statement, {})


def test_what_is_missing_says_so_and_what_is_near(pytensor):
    with pytest.raises(
        AttributeError, match=r"pytensor\.tensor has no 'matirx' in eqsat; did you mean matrix"
    ):
        pytensor.tensor.matirx  # noqa: B018
    with pytest.raises(ImportError, match="no_such_thing"):
        exec("from pytensor.tensor import no_such_thing", {})
    with pytest.raises(ModuleNotFoundError, match=r"pytensor\.sparse has no counterpart in eqsat"):
        exec("import pytensor.sparse", {})
    with pytest.raises(ModuleNotFoundError, match=r"did you mean pytensor\.tensor\.special\?"):
        exec("import pytensor.tensor.specials", {})
    with pytest.raises(AttributeError, match=r"pytensor\.config has no 'no_such_flag'"):
        pytensor.config.no_such_flag  # noqa: B018
    with pytest.raises(AttributeError, match=r"random has no 'skewnormal' in eqsat"):
        pytensor.tensor.random.skewnormal  # noqa: B018


def test_uninstall_takes_every_module_out():
    alias.uninstall()
    assert not any(name == "pytensor" or name.startswith("pytensor.") for name in sys.modules)
    alias.install()
    alias.install()
    assert sys.modules["pytensor.tensor.random"].__name__ == "pytensor.tensor.random"
    assert sum(type(finder).__name__ == "_Missing" for finder in sys.meta_path) == 2


def test_another_pytensor_is_not_replaced_unless_forced():
    code = (
        "import sys, types; sys.modules['pytensor'] = types.ModuleType('pytensor')\n"
        "from eqsat.compat import pytensor as alias\n"
        "from eqsat.errors import ArgumentError\n"
        "try: alias.install()\n"
        "except ArgumentError as error: print(error.hint)\n"
        "alias.install(force=True); import pytensor; print(pytensor.function)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("install() before the first import of pytensor\n<function function")


def test_importing_the_alias_is_light():
    code = (
        "import eqsat.compat.pytensor as a, sys; a.install(); import pytensor.tensor as pt\n"
        "pt.random.normal, pt.gammainc; print('scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_flags_are_those_of_eqsat_and_others_have_no_effect(pytensor):
    assert pytensor.config.gcc__cxxflags is None
    with pytensor.config.change_flags(floatX="float32", cxx="", compute_test_value="raise"):
        assert pytensor.tensor.vector().dtype == "float32" == eqsat.config.floatX
        assert (pytensor.config.cxx, pytensor.config.compute_test_value) == ("", "raise")
    assert pytensor.config.compute_test_value == "off"
    assert pytensor.config.cycle_detection == "regular"
    x = pytensor.tensor.dscalar("x")
    with pytest.raises(UnusedInputError):
        pytensor.function([x], [])
    with pytensor.config.change_flags(on_unused_input="ignore"):
        assert pytensor.function([x], [])(1.0) == []
    with pytensor.config.change_flags(mode="NUMBA"):
        assert eqsat.config.mode == "FAST_RUN"
    pytensor.config.cxx = "g++"


@pytest.mark.parametrize("mode", ["NUMBA", "JAX", "CVM", "fast_run", "FAST_COMPILE", None])
def test_back_ends_are_modes_that_compile(pytensor, mode):
    x = pytensor.tensor.dscalar("x")
    f = pytensor.function([x], x * 2, mode=mode, trust_input=True)
    assert f(3.0) == 6.0
    assert f.mode.compiled


def test_an_unknown_mode_and_one_of_linker_and_query(pytensor):
    from pytensor.compile.mode import Mode
    from pytensor.graph.rewriting.db import RewriteDatabaseQuery

    with pytest.raises(ModeError):
        pytensor.function([], pytensor.shared(1.0), mode="NO_SUCH_MODE")
    query = RewriteDatabaseQuery(include=["fast_run"], exclude=["fusion"]).including("inplace")
    x = pytensor.tensor.dvector("x")
    f = pytensor.function([x], pytensor.tensor.exp(x), mode=Mode(linker="py", optimizer=query))
    np.testing.assert_allclose(f([0.0]), [1.0])
