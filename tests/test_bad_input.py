"""What a user reads after a mistake: the whole text, for each of many mistakes."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import In, Op, config, function, shared
from eqsat import errors as e
from eqsat.graph.core import Apply, Type, Variable
from eqsat.graph.tensor_type import TensorType
from eqsat.pipeline.modes import CHECKING, MODES

u, v = T.dvector("u"), T.dvector("v")
m, n = T.dmatrix("m"), T.dmatrix("n")
f, row, t3 = T.fmatrix("f"), T.drow("row"), T.dtensor3("t3")
s, k, flags = T.dscalar("s"), T.lscalar("k"), T.vector("flags", dtype="bool")
whole, places = T.lvector("whole"), T.lvector("places")
three, four = T.tensor("float64", (3,), "three"), T.tensor("float64", (4,), "four")
w = shared(np.zeros(3), "w")
zeros = np.zeros
number: Any = 3


def made(inputs: Any, output: Any = None, **options: Any) -> Any:
    """A function that needs neither rewriting nor a compiler."""
    return function(inputs, output, **{"mode": "reference", "name": "f", **options})


class Halves(Op):
    """A user's op whose result has another dtype than it promised."""

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, inputs, [TensorType("int64", (False,))()])

    def perform(self, node: Apply, inputs: Any, output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = inputs[0] / 2


class Idle(Op):
    """A user's op that promises a tensor and does nothing."""

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, inputs, [TensorType("float64", (False,))()])

    def perform(self, node: Apply, inputs: Any, output_storage: list[list[Any]]) -> None:
        pass


class Case(NamedTuple):
    """A mistake and what it raises."""

    name: str
    call: Callable[[], Any]
    error: type[Exception]
    text: str


class RunTime(NamedTuple):
    """A function, arguments that it refuses while it runs, and what it raises in every mode."""

    name: str
    inputs: list[Any]
    output: Any
    arguments: tuple[Any, ...]
    error: type[Exception]
    text: str


def text_of(error: BaseException) -> str:
    """The text of an error, with N for the lines of this file."""
    return re.sub(r"test_bad_input\.py:\d+", "test_bad_input.py:N", str(error))


CALLS = [
    Case(
        "dtype_that_no_tensor_holds",
        lambda: made([u], 2 * u)(zeros(3, complex)),
        e.DTypeError,
        """f: input u: expected f64[?], got c128[3]: complex numbers are not real
  u    f64[?]   made at test_bad_input.py:N
  try  value.real, value.imag or abs(value)""",
    ),
    Case(
        "dtype_that_would_be_narrowed",
        lambda: made([f], 2 * f)(zeros((2, 2))),
        e.DTypeError,
        """f: input f: expected f32[?, ?], got f64[2, 2]: the conversion could change values
  f    f32[?, ?]   made at test_bad_input.py:N
  try  value.astype('float32'), or function(..., allow_input_downcast=True)""",
    ),
    Case(
        "fraction_for_an_integer",
        lambda: made([k], 2 * k)(1.5),
        e.DTypeError,
        """f: input k: expected i64[], got f64[]: the conversion could change values
  k    i64[]   made at test_bad_input.py:N
  try  value.astype('int64'), or function(..., allow_input_downcast=True)""",
    ),
    Case(
        "rank_too_high",
        lambda: made([u], 2 * u)(zeros((3, 4))),
        e.RankError,
        """f: input u: expected f64[?], got f64[3, 4]: 1 dimensions needed, 2 given
  u    f64[?]   made at test_bad_input.py:N""",
    ),
    Case(
        "number_for_a_vector",
        lambda: made([u], 2 * u)(1.0),
        e.RankError,
        """f: input u: expected f64[?], got f64[]: 1 dimensions needed, 0 given
  u    f64[?]   made at test_bad_input.py:N""",
    ),
    Case(
        "length_of_the_type",
        lambda: made([row], 2 * row)(zeros((2, 3))),
        e.ShapeError,
        """f: input row: expected f64[1, ?], got f64[2, 3]: axis 0 has length 2, not 1
  row  f64[1, ?]   made at test_bad_input.py:N""",
    ),
    Case(
        "text_for_an_array",
        lambda: made([u], 2 * u)("abc"),
        e.DTypeError,
        """f: input u: expected f64[?], got str 'abc'
  u    f64[?]   made at test_bad_input.py:N""",
    ),
    Case(
        "nothing_for_an_array",
        lambda: made([u], 2 * u)(None),
        e.DTypeError,
        """f: input u: expected f64[?], got NoneType None
  u    f64[?]   made at test_bad_input.py:N""",
    ),
    Case(
        "ragged_list",
        lambda: made([m], 2 * m)([[1.0], [1.0, 2.0]]),
        e.ArgumentError,
        """f: input m: no array can be made of [[1.0], [1.0, 2.0]]
  m    f64[?, ?]   made at test_bad_input.py:N""",
    ),
    Case(
        "variable_for_an_array",
        lambda: made([u], 2 * u)(u),
        e.ArgumentError,
        """f: input u: expected a value of type f64[?], got the variable u
  u    f64[?]   made at test_bad_input.py:N
  try  pass a NumPy array, or use givens= to replace a variable by another""",
    ),
    Case(
        "input_without_a_name",
        lambda: made([T.dvector()], None, on_unused_input="ignore")(1.0),
        e.RankError,
        """f: input 0: expected f64[?], got f64[]: 1 dimensions needed, 0 given
  input 0  f64[?]   made at test_bad_input.py:N""",
    ),
    Case(
        "argument_missing",
        lambda: made([u, m], u + m)(zeros(3)),
        e.ArgumentError,
        """f: missing input m
  m    f64[?, ?]   made at test_bad_input.py:N""",
    ),
    Case(
        "arguments_missing",
        lambda: made([u, v, s], (u + v) * s)(s=1.0),
        e.ArgumentError,
        """f: missing inputs u, v
  u    f64[?]   made at test_bad_input.py:N
  v    f64[?]   made at test_bad_input.py:N""",
    ),
    Case(
        "argument_too_many",
        lambda: made([u], 2 * u)(zeros(3), zeros(3)),
        e.ArgumentError,
        "f takes 1 argument, 2 were given",
    ),
    Case(
        "argument_for_no_input",
        lambda: made([], T.constant(1.0))(3),
        e.ArgumentError,
        "f takes 0 arguments, 1 were given",
    ),
    Case(
        "keyword_unknown",
        lambda: made([u], 2 * u)(z=zeros(3)),
        e.ArgumentError,
        """f has no input named 'z'
  needs  one of u""",
    ),
    Case(
        "keyword_without_inputs",
        lambda: made([], T.constant(1.0))(z=3),
        e.ArgumentError,
        "f has no input named 'z'",
    ),
    Case(
        "argument_twice",
        lambda: made([u], 2 * u)(zeros(3), u=zeros(3)),
        e.ArgumentError,
        "f: the input 'u' is given twice",
    ),
    Case(
        "name_of_two_inputs",
        lambda: made([T.dvector("a"), T.dvector("a")], None, on_unused_input="ignore")(a=zeros(3)),
        e.ArgumentError,
        """f: the name 'a' belongs to 2 inputs
  try  give them by position""",
    ),
    Case(
        "strict_input",
        lambda: made([In(u, strict=True)], 2 * u)([1.0]),
        e.DTypeError,
        """f: input u: expected f64[?] exactly, got list [1.0]
  u    f64[?]   made at test_bad_input.py:N""",
    ),
    Case(
        "default_of_another_type",
        lambda: In(s, value="much"),
        e.DTypeError,
        """In: the default of s: expected f64[], got str 'much'
  s    f64[]   made at test_bad_input.py:N""",
    ),
    Case(
        "default_of_another_rank",
        lambda: In(u, value=0.5),
        e.RankError,
        """In: the default of u: expected f64[?], got f64[]: 1 dimensions needed, 0 given
  u    f64[?]   made at test_bad_input.py:N""",
    ),
]

FUNCTIONS = [
    Case(
        "inputs_no_list",
        lambda: made(u, u),
        e.ArgumentError,
        """function: the inputs are not a list but u
  try  function([x], y)""",
    ),
    Case(
        "input_no_variable",
        lambda: made([3], u),
        e.ArgumentError,
        """function: the input 3 is not a variable
  needs  a variable or In(variable)""",
    ),
    Case("in_of_no_variable", lambda: In(number), e.ArgumentError, "In: 3 is not a variable"),
    Case(
        "input_constant",
        lambda: made([T.constant(2.0)], u),
        e.ArgumentError,
        """function: the constant 2.0 cannot be an input
  constant  f32[]   made at test_bad_input.py:N""",
    ),
    Case(
        "input_shared",
        lambda: made([w], 2 * w),
        e.ArgumentError,
        """function: the shared variable w cannot be an input
  try  givens={w: x}, or w.set_value(...) before the call""",
    ),
    Case("input_twice", lambda: made([u, u], u), e.ArgumentError, "function: the input u is listed twice"),
    Case(
        "input_unused",
        lambda: made([u, m], 2 * u),
        e.UnusedInputError,
        """function: no output depends on the input m
  m    f64[?, ?]   made at test_bad_input.py:N
  try  function(..., on_unused_input='ignore')""",
    ),
    Case(
        "input_not_given",
        lambda: made([u], u + v),
        e.MissingInputError,
        """function: the graph needs v, which is not among the inputs
  v    f64[?]   made at test_bad_input.py:N
  try  function([..., v], outputs), or givens={v: value}""",
    ),
    Case(
        "unused_policy",
        lambda: made([u], u, on_unused_input="maybe"),
        e.ArgumentError,
        """function: on_unused_input does not take 'maybe'
  needs  one of raise, warn, ignore""",
    ),
    Case(
        "output_no_value",
        lambda: made([u], "abc"),
        e.ArgumentError,
        """function: 'abc' is neither a variable nor a number
  needs  a variable, a list of variables, a dict of them or None""",
    ),
    Case(
        "output_a_set",
        lambda: made([u], {u}),
        e.ArgumentError,
        """function: {u} is neither a variable nor a number
  needs  a variable, a list of variables, a dict of them or None""",
    ),
    Case(
        "update_of_no_shared",
        lambda: made([u], [], updates=[(u, 2 * u)]),
        e.ArgumentError,
        """function: u is updated but is not shared
  try  w = eqsat.shared(value, 'w')""",
    ),
    Case(
        "update_dtype",
        lambda: made([], [], updates=[(w, T.cast(w, "float32"))]),
        e.DTypeError,
        """function: the update of w is float32, not float64
  w      f64[?]   made at test_bad_input.py:N
  value  f32[?]   made at test_bad_input.py:N
  try    value.astype('float64')""",
    ),
    Case(
        "update_rank",
        lambda: made([], [], updates=[(w, w.sum())]),
        e.RankError,
        """function: the update of w has 0 dimensions, not 1
  w      f64[?]   made at test_bad_input.py:N
  value  f64[]   made at test_bad_input.py:N""",
    ),
    Case(
        "update_length",
        lambda: made([], [], updates=[(shared(zeros(3), "fixed", shape=(3,)), four)]),
        e.ShapeError,
        """function: axis 0 of the update of fixed has length 4, not 3
  fixed  f64[3]   made at test_bad_input.py:N
  value  f64[4]   made at test_bad_input.py:N""",
    ),
    Case(
        "update_twice",
        lambda: made([], [], updates=[(w, w + 1), (w, w + 2)]),
        e.ArgumentError,
        "function: w is updated twice",
    ),
    Case(
        "updates_no_pairs",
        lambda: made([], [], updates=[w]),
        e.ArgumentError,
        """function: updates holds w
  needs  a dict or a list of pairs""",
    ),
    Case(
        "givens_rank",
        lambda: made([u], u.sum(), givens={u: T.dscalar("other")}),
        e.RankError,
        """function: the replacement of u has 0 dimensions, not 1
  u      f64[?]   made at test_bad_input.py:N
  value  f64[]   made at test_bad_input.py:N""",
    ),
    Case(
        "givens_dtype",
        lambda: made([whole], u.sum(), givens={u: whole}),
        e.DTypeError,
        """function: the replacement of u is int64, not float64
  u      f64[?]   made at test_bad_input.py:N
  value  i64[?]   made at test_bad_input.py:N
  try    value.astype('float64')""",
    ),
    Case(
        "givens_of_no_variable",
        lambda: made([u], u, givens={"u": v}),
        e.ArgumentError,
        "function: givens replaces 'u', which is not a variable",
    ),
    Case(
        "mode_unknown",
        lambda: function([u], u, mode="FAST"),
        e.ModeError,
        f"""there is no mode 'FAST'
  needs  one of {", ".join([*MODES, *CHECKING])}
  try    mode='FAST_RUN'""",
    ),
    Case(
        "rules_unknown",
        lambda: made([u], 2 * u, mode="numpy", rules="no-such-rule"),
        e.RuleError,
        """there is no rule named 'no-such-rule'
  needs  a rule, tier or tag of `eqsat rules list`; modes take the names of eqsat.scan.opt.REWRITES too""",
    ),
    Case(
        "rules_misspelt",
        lambda: made([u], 2 * u, mode="numpy", rules="-log-expp"),
        e.RuleError,
        """there is no rule named 'log-expp'
  needs  a rule, tier or tag of `eqsat rules list`; modes take the names of eqsat.scan.opt.REWRITES too
  try    log-exp""",
    ),
    Case(
        "eval_name_unknown",
        lambda: (2 * u).eval({"q": 1}),
        e.ArgumentError,
        """eval: the graph has no input named 'q'
  needs  one of u""",
    ),
    Case(
        "eval_name_of_two",
        lambda: (T.dscalar("a") + T.dscalar("a")).eval({"a": 1}),
        e.ArgumentError,
        """eval: 2 inputs have the name 'a'
  try  eval({x: value})""",
    ),
    Case(
        "eval_without_value",
        lambda: (2 * u).eval(),
        e.MissingInputError,
        """eval: no value is given for u
  u    f64[?]   made at test_bad_input.py:N
  try  eval({u: value})""",
    ),
    Case(
        "dprint_of_text",
        lambda: eqsat.dprint("u"),
        e.ArgumentError,
        """'u' is not a variable
  needs  a variable, a list of variables or a compiled function""",
    ),
]

FLAG_NAMES = ", ".join(sorted(eqsat.base.configuration.FLAGS))
FLAGS = [
    Case(
        "flag_read",
        lambda: config.float,
        eqsat.base.configuration.UnknownFlagError,
        f"""config has no flag 'float'
  needs  one of {FLAG_NAMES}
  try    floatX""",
    ),
    Case(
        "flag_set",
        lambda: setattr(config, "floatx", "float32"),
        eqsat.base.configuration.UnknownFlagError,
        f"""config has no flag 'floatx'
  needs  one of {FLAG_NAMES}
  try    floatX""",
    ),
    Case(
        "flag_value",
        lambda: setattr(config, "floatX", "float16"),
        e.ConfigError,
        """config.floatX does not take 'float16'
  needs  one of float32, float64
  try    float64 or float32""",
    ),
    Case(
        "flag_number",
        lambda: setattr(config, "egraph_seconds", -1),
        e.ConfigError,
        """config.egraph_seconds does not take -1
  needs  seconds of work that saturation may take per function: matches and iterations, counted""",
    ),
    Case(
        "flag_in_the_environment",
        lambda: type(config)({"EQSAT_FLAGS": "floatY=1"}),
        eqsat.base.configuration.UnknownFlagError,
        f"""the variable EQSAT_FLAGS: config has no flag 'floatY'
  needs  one of {FLAG_NAMES}
  try    floatX""",
    ),
]

GRAPHS = [
    Case(
        "dtype_unknown",
        lambda: T.vector("a", dtype="float99"),
        e.DTypeError,
        """unknown dtype 'float99'
  needs  one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, complex64, complex128
  try    float64 or float32""",
    ),
    Case(
        "name_no_text",
        lambda: T.dvector(3),
        e.ArgumentError,
        """the name of a variable is text, not 3
  try  x = T.vector('x')""",
    ),
    Case(
        "complex_number",
        lambda: u < 1j,
        e.DTypeError,
        """lt is not defined for f64, c64
  u      f64[?]   made at test_bad_input.py:N
  y      c64[]   made at test_bad_input.py:N
  needs  real numbers
  try    T.real(x), T.imag(x) or T.abs(x)""",
    ),
    Case(
        "text_operand",
        lambda: u + "a",
        e.ArgumentError,
        """add: an operand is 'a', of the class str
  u      f64[?]   made at test_bad_input.py:N
  needs  tensors, numbers, arrays or lists of them""",
    ),
    Case(
        "none_operand",
        lambda: u * None,
        e.ArgumentError,
        """mul: an operand is None, of the class NoneType
  u      f64[?]   made at test_bad_input.py:N
  needs  tensors, numbers, arrays or lists of them""",
    ),
    Case(
        "lengths_differ",
        lambda: three + four,
        e.ShapeError,
        """add: axis 0 has the lengths 3 and 4
  three  f64[3]   made at test_bad_input.py:N
  four   f64[4]   made at test_bad_input.py:N
  needs  equal lengths, or length 1 in the type of one operand""",
    ),
    Case(
        "inner_lengths_differ",
        lambda: T.dot(T.tensor("float32", (32, 64), "a"), T.tensor("float32", (10, 64), "b")),
        e.ShapeError,
        """dot(a, b): k is 64 in a but 10 in b
  a      f32[32, 64]   made at test_bad_input.py:N
  b      f32[10, 64]   made at test_bad_input.py:N
  needs  (m,k),(k,n)->(m,n)
  try    dot(a, b.T)""",
    ),
    Case(
        "matmul_of_a_number",
        lambda: T.matmul(t3, 2.0),
        e.RankError,
        """matmul: 2.0 is a number
  y      f32[]   made at test_bad_input.py:N
  needs  at least 1 dimension
  try    x * y""",
    ),
    Case(
        "cost_of_rank_1",
        lambda: T.grad(2 * u, u),
        e.RankError,
        """grad: the cost 2 * u has 1 dimensions, not 0
  cost  f64[?]   made at test_bad_input.py:N
  try   T.grad(cost.sum(), wrt)""",
    ),
    Case(
        "cost_integer",
        lambda: T.grad(k * 2, k),
        e.DTypeError,
        """grad: the cost k * 2 is int64, which has no gradient
  cost   i64[]   made at test_bad_input.py:N
  needs  a floating dtype""",
    ),
    Case(
        "gradient_of_nothing",
        lambda: T.grad(u.sum(), m),
        e.DisconnectedInputError,
        """grad: the cost does not depend on m
  cost  f64[]   made at test_bad_input.py:N
  m     f64[?, ?]   made at test_bad_input.py:N
  try   T.grad(..., disconnected_inputs='ignore')""",
    ),
    Case(
        "gradient_of_text",
        lambda: T.grad(u.sum(), "u"),
        e.ArgumentError,
        """grad: 'u' is not a variable
  needs  a variable or a list of them""",
    ),
    Case(
        "gradient_policy",
        lambda: T.grad(u.sum(), u, disconnected_inputs="maybe"),
        e.ArgumentError,
        """grad: disconnected_inputs does not take 'maybe'
  needs  one of raise, warn, ignore""",
    ),
    Case(
        "axis_outside",
        lambda: m.sum(axis=2),
        e.AxisError,
        """sum: m has no axis 2
  m      f64[?, ?]   made at test_bad_input.py:N
  needs  -2 to 1""",
    ),
    Case(
        "axis_twice",
        lambda: m.sum(axis=(0, -2)),
        e.AxisError,
        """sum: the axes [0, -2] name one axis twice
  m    f64[?, ?]   made at test_bad_input.py:N""",
    ),
    Case(
        "axis_text",
        lambda: m.sum(axis="rows"),
        e.AxisError,
        """sum: an axis is an integer, not 'rows'
  m    f64[?, ?]   made at test_bad_input.py:N""",
    ),
    Case(
        "too_many_indices",
        lambda: u[0, 1],
        e.BoundsError,
        """u has 1 dimensions, the index names 2
  u      f64[?]   made at test_bad_input.py:N
  needs  at most 1""",
    ),
    Case(
        "fraction_index",
        lambda: u[1.5],
        e.DTypeError,
        """1.5 is not an index of u
  u      f64[?]   made at test_bad_input.py:N
  needs  an integer, a slice, None, Ellipsis, an integer array or a bool mask of rank 1 or more""",
    ),
    Case(
        "index_outside",
        lambda: three[5],
        e.BoundsError,
        """index 5 is outside axis 0 of three, which has length 3
  three  f64[3]   made at test_bad_input.py:N""",
    ),
    Case(
        "assignment",
        lambda: operator.setitem(u, 0, 1),
        e.ArgumentError,
        """u cannot be assigned to: a graph has no memory
  try  y = T.set_subtensor(x[...], value) or T.inc_subtensor(x[...], value)""",
    ),
    Case(
        "iteration",
        lambda: list(u),
        e.ArgumentError,
        """u cannot be iterated over: its length is not known
  u    f64[?]   made at test_bad_input.py:N
  try  T.specify_shape(x, (3,)) where the length is always 3""",
    ),
    Case(
        "truth",
        lambda: bool(u > 0),
        e.ArgumentError,
        """u > 0 has no truth value before it is computed
  u > 0  bool[?]   made at test_bad_input.py:N
  try    T.switch(condition, x, y), eqsat.ifelse to run one of them, or `x is not None`""",
    ),
    Case(
        "length",
        lambda: len(u),
        e.ArgumentError,
        """u has no len() before it is computed
  u    f64[?]   made at test_bad_input.py:N
  try  x.shape[0], a variable, or x.type.shape[0], which is None where the length is not known""",
    ),
    Case(
        "reshape_to_a_variable",
        lambda: u.reshape(places),
        e.ArgumentError,
        """reshape: the number of dimensions is not known from a symbolic shape
  places  i64[?]   made at test_bad_input.py:N
  try     x.reshape(shape, ndim=2)""",
    ),
    Case(
        "dropped_axis",
        lambda: m.dimshuffle(1),
        e.ShapeError,
        """dimshuffle: axis 0 is dropped but its length is unknown
  m      f64[?, ?]   made at test_bad_input.py:N
  needs  length 1 in the type of a dropped axis
  try    x.sum(0) or T.addbroadcast(x, 0)""",
    ),
    Case(
        "pattern_axis",
        lambda: m.dimshuffle(0, 2),
        e.AxisError,
        """dimshuffle: 2 is not an axis of m
  m      f64[?, ?]   made at test_bad_input.py:N
  needs  0 to 1, or 'x' for a new axis""",
    ),
    Case(
        "bits_of_floats",
        lambda: u & u,
        e.DTypeError,
        """and is not defined for f64, f64
  u      f64[?]   made at test_bad_input.py:N
  u      f64[?]   made at test_bad_input.py:N
  needs  integers or bool
  try    x.astype('int64')""",
    ),
    Case(
        "difference_of_bools",
        lambda: flags - flags,
        e.DTypeError,
        """sub is not defined for bool, bool
  flags  bool[?]   made at test_bad_input.py:N
  flags  bool[?]   made at test_bad_input.py:N
  needs  numbers, not bool
  try    sub(x.astype('int8'), ...)""",
    ),
    Case("nothing_joined", lambda: T.concatenate([]), e.ArgumentError, "concatenate: no tensors are given"),
    Case(
        "ranks_joined",
        lambda: T.concatenate([u, m]),
        e.RankError,
        """concatenate: the tensors have 1, 2 dimensions
  u      f64[?]   made at test_bad_input.py:N
  m      f64[?, ?]   made at test_bad_input.py:N
  needs  one rank of at least 1 for all
  try    T.stack(tensors) for scalars""",
    ),
    Case(
        "part_of_nothing",
        lambda: T.set_subtensor(u, 1),
        e.ArgumentError,
        """set_subtensor: the first argument is not a part of a tensor
  part  f64[?]   made at test_bad_input.py:N
  try   T.set_subtensor(x[1:], y)""",
    ),
    Case(
        "part_dtype",
        lambda: T.set_subtensor(whole[0], 1.5),
        e.DTypeError,
        """set_subtensor: float32 does not fit into int64
  part  i64[]   made at test_bad_input.py:N
  y     f32[]   made at test_bad_input.py:N
  try   y.astype('int64')""",
    ),
    Case(
        "shared_dtype",
        lambda: w.set_value(zeros(3, complex)),
        e.DTypeError,
        """w: expected f64[?], got c128[3]: complex numbers are not real
  w    f64[?]   made at test_bad_input.py:N
  try  value.real, value.imag or abs(value)""",
    ),
    Case(
        "shared_rank",
        lambda: w.set_value(zeros((3, 3))),
        e.RankError,
        """w: expected f64[?], got f64[3, 3]: 1 dimensions needed, 2 given
  w    f64[?]   made at test_bad_input.py:N""",
    ),
    Case(
        "shared_of_a_variable",
        lambda: shared(u),
        e.ArgumentError,
        """shared: u is a variable, not a value
  try  shared(x.eval(...))""",
    ),
    Case(
        "shared_of_text",
        lambda: shared("abc"),
        e.DTypeError,
        """shared: no tensor holds <U3
  try  shared(np.asarray(value, 'float64'))""",
    ),
    Case(
        "constant_of_text",
        lambda: T.constant("abc"),
        e.DTypeError,
        """a constant cannot hold <U3: 'abc'
  needs  numbers or bool""",
    ),
    Case(
        "constant_is_fixed",
        lambda: setattr(T.constant(2.0), "data", 3.0),
        e.ArgumentError,
        """the value of a constant cannot change
  try  eqsat.shared(value)""",
    ),
    Case("op_without_make_node", lambda: Op()(u), NotImplementedError, "Op has no make_node"),
    Case(
        "type_without_filter",
        lambda: function([Variable(Type(), None, None, "a")], [], mode="reference", on_unused_input="ignore")(
            1
        ),
        NotImplementedError,
        "Type has no filter(value, strict=False, allow_downcast=None), "
        "which gives the value as the type stores it, or raises TypeError",
    ),
    Case(
        "user_op_result",
        lambda: made([u], Halves()(u))(zeros(3)),
        e.DTypeError,
        """Halves: result 0: expected i64[?], got f64[3]: the conversion could change values
  u    f64[?]   made at test_bad_input.py:N
  in   Halves(u)   written at test_bad_input.py:N""",
    ),
    Case(
        "user_op_without_result",
        lambda: made([u], Idle()(u))(zeros(3)),
        e.DTypeError,
        """Idle: result 0: expected f64[?], got NoneType None
  u    f64[?]   made at test_bad_input.py:N
  in   Idle(u)   written at test_bad_input.py:N""",
    ),
]

RUN_TIME = [
    RunTime(
        "lengths",
        [u, v],
        u + v,
        (zeros(3), zeros(4)),
        e.ShapeError,
        """add: axis 0 has the lengths 3 in u and 4 in v at run time
  u      f64[?]   made at test_bad_input.py:N
  v      f64[?]   made at test_bad_input.py:N
  in     u + v   written at test_bad_input.py:N
  needs  equal lengths; length 1 broadcasts only where the type says so
  try    T.row, T.col, T.addbroadcast(x, axis) or TensorType(dtype, shape=(1, None))""",
    ),
    RunTime(
        "length_1_does_not_stretch",
        [u, v],
        u * v,
        (zeros(3), zeros(1)),
        e.ShapeError,
        """mul: axis 0 has the lengths 3 in u and 1 in v at run time
  u      f64[?]   made at test_bad_input.py:N
  v      f64[?]   made at test_bad_input.py:N
  in     u * v   written at test_bad_input.py:N
  needs  equal lengths; length 1 broadcasts only where the type says so
  try    T.row, T.col, T.addbroadcast(x, axis) or TensorType(dtype, shape=(1, None))""",
    ),
    RunTime(
        "matrix_product",
        [m, n],
        T.dot(m, n),
        (zeros((2, 3)), zeros((2, 3))),
        e.ShapeError,
        """dot(m, n): k is 3 in m but 2 in n at run time
  m      f64[?, ?]   made at test_bad_input.py:N
  n      f64[?, ?]   made at test_bad_input.py:N
  in     dot(m, n)   written at test_bad_input.py:N
  needs  (m,k),(k,n)->(m,n)""",
    ),
    RunTime(
        "matrix_vector_product",
        [m, u],
        T.dot(m, u),
        (zeros((2, 3)), zeros(2)),
        e.ShapeError,
        """dot(m, u): k is 3 in m but 2 in u at run time
  m      f64[?, ?]   made at test_bad_input.py:N
  u      f64[?, 1]   made at test_bad_input.py:N
  in     dot(m, u)   written at test_bad_input.py:N
  needs  (m,k),(k,n)->(m,n)""",
    ),
    RunTime(
        "fixed_index",
        [u],
        u[5],
        (zeros(3),),
        e.BoundsError,
        """index 5 is outside axis 0, which has length 3
  u    f64[?]   made at test_bad_input.py:N
  in   u[5]   written at test_bad_input.py:N""",
    ),
    RunTime(
        "given_index",
        [u, k],
        u[k],
        (zeros(3), 7),
        e.BoundsError,
        """index 7 is outside axis 0, which has length 3
  u    f64[?]   made at test_bad_input.py:N
  k    i64[]   made at test_bad_input.py:N
  in   u[k]   written at test_bad_input.py:N""",
    ),
    RunTime(
        "fixed_indices",
        [u],
        u[np.array([0, 7])],
        (zeros(3),),
        e.BoundsError,
        """index 7 is outside axis 0, which has length 3
  u          f64[?]   made at test_bad_input.py:N
  operand 1  i64[2]   made at test_bad_input.py:N
  in         u[[0, 7]]   written at test_bad_input.py:N""",
    ),
    RunTime(
        "given_indices",
        [u, places],
        u[places],
        (zeros(3), np.array([0, -9])),
        e.BoundsError,
        """index -9 is outside axis 0, which has length 3
  u       f64[?]   made at test_bad_input.py:N
  places  i64[?]   made at test_bad_input.py:N
  in      u[places]   written at test_bad_input.py:N""",
    ),
    RunTime(
        "reshape",
        [u],
        u.reshape((2, 2)),
        (zeros(3),),
        e.ShapeError,
        """reshape: 3 elements do not fit the new shape
  u      f64[?]   made at test_bad_input.py:N
  shape  i64[2]   made at test_bad_input.py:N
  in     reshape(u, [2, 2])   written at test_bad_input.py:N""",
    ),
    RunTime(
        "largest_of_nothing",
        [u],
        u.max(),
        (zeros(0),),
        e.ShapeError,
        """max: an axis of length 0 has no max
  u    f64[?]   made at test_bad_input.py:N
  in   max(u)   written at test_bad_input.py:N""",
    ),
    RunTime(
        "place_in_nothing",
        [m],
        T.argmax(m, axis=1),
        (zeros((2, 0)),),
        e.ShapeError,
        """argmax: an axis of length 0 has no argmax
  m    f64[?, ?]   made at test_bad_input.py:N
  in   argmax(m, axis=1)   written at test_bad_input.py:N""",
    ),
    RunTime(
        "step_0_of_arange",
        [k],
        T.arange(0, 5, k),
        (0,),
        e.ShapeError,
        """arange: the step is 0
  start  i64[]   made at test_bad_input.py:N
  stop   i64[]   made at test_bad_input.py:N
  k      i64[]   made at test_bad_input.py:N
  in     arange(0, 5, k)   written at test_bad_input.py:N""",
    ),
    RunTime(
        "step_0_of_a_slice",
        [u, k],
        u[::k],
        (zeros(3), 0),
        e.ShapeError,
        """the step of a slice is 0
  u    f64[?]   made at test_bad_input.py:N
  k    i64[]   made at test_bad_input.py:N
  in   u[::k]   written at test_bad_input.py:N""",
    ),
    RunTime(
        "negative_length",
        [k],
        T.zeros((k,)),
        (-1,),
        e.ShapeError,
        """alloc: the length -1 is negative
  0    f64[1]   made at test_bad_input.py:N
  k    i64[]   made at test_bad_input.py:N
  in   alloc(0, k)   written at test_bad_input.py:N""",
    ),
    RunTime(
        "joined_lengths",
        [m, n],
        T.concatenate([m, n], axis=0),
        (zeros((2, 3)), zeros((2, 4))),
        e.ShapeError,
        """concatenate: axis 1 has the lengths 3 and 4
  m    f64[?, ?]   made at test_bad_input.py:N
  n    f64[?, ?]   made at test_bad_input.py:N
  in   concatenate(m, n, axis=0)   written at test_bad_input.py:N""",
    ),
    RunTime(
        "part_of_another_length",
        [u, v],
        T.set_subtensor(u[1:], v),
        (zeros(4), zeros(4)),
        e.ShapeError,
        """set_subtensor: axis 0 of the value has length 4, the part has 3
  u    f64[?]   made at test_bad_input.py:N
  v    f64[?]   made at test_bad_input.py:N
  in   set_subtensor(u[1:], v)   written at test_bad_input.py:N""",
    ),
    RunTime(
        "axis_not_1",
        [m],
        T.addbroadcast(m, 0) * 2,
        (zeros((2, 3)),),
        e.PromisedShapeError,
        """specify_shape: axis 0 has length 2, not 1
  m    f64[?, ?]   made at test_bad_input.py:N
  in   specify_shape(m)   written at test_bad_input.py:N""",
    ),
    RunTime(
        "length_not_as_specified",
        [u],
        T.specify_shape(u, (3,)) * 2,
        (zeros(4),),
        e.PromisedShapeError,
        """specify_shape: axis 0 has length 4, not 3
  u    f64[?]   made at test_bad_input.py:N
  in   specify_shape(u)   written at test_bad_input.py:N""",
    ),
    RunTime(
        "argument_rank",
        [u],
        u * 2,
        (zeros((3, 3)),),
        e.RankError,
        """f: input u: expected f64[?], got f64[3, 3]: 1 dimensions needed, 2 given
  u    f64[?]   made at test_bad_input.py:N""",
    ),
    RunTime(
        "argument_dtype",
        [f],
        f * 2,
        (zeros((3, 3)),),
        e.DTypeError,
        """f: input f: expected f32[?, ?], got f64[3, 3]: the conversion could change values
  f    f32[?, ?]   made at test_bad_input.py:N
  try  value.astype('float32'), or function(..., allow_input_downcast=True)""",
    ),
]


@pytest.mark.seed("K003")
@pytest.mark.parametrize("case", [*CALLS, *FUNCTIONS, *FLAGS, *GRAPHS], ids=lambda case: case.name)
def test_the_whole_text(case: Case) -> None:
    with pytest.raises(case.error) as raised:
        case.call()
    assert type(raised.value) is case.error
    assert text_of(raised.value) == case.text


@pytest.mark.parametrize("case", RUN_TIME, ids=lambda case: case.name)
@pytest.mark.sampled(20)
def test_every_mode_says_the_same(case: RunTime, mode: str) -> None:
    run = function(case.inputs, case.output, mode=mode, name="f")
    with pytest.raises(case.error) as raised:
        run(*case.arguments)
    assert type(raised.value) is case.error
    assert text_of(raised.value) == case.text
    assert raised.value.__cause__ is None, "one text, not two"


def test_inside_a_kernel_the_inputs_are_named(mode: str) -> None:
    run = function([u, v], T.exp(u) * 2 + T.log(v), mode=mode)
    with pytest.raises(
        e.ShapeError, match=r"^add: axis 0 has the lengths 3 in .*u.* and 4 in .*v.* at run time"
    ) as raised:
        run(zeros(3), zeros(4))
    text = text_of(raised.value)
    assert text.count("test_bad_input.py:N") == 3
    assert re.search(
        r"^  in +exp\(u\) \* 2 \+ log\(v\)   written at test_bad_input.py:N$", text, re.MULTILINE
    )


def test_parts_and_blocks_of_rows_are_named_as_written(mode: str) -> None:
    run = function([u, v], T.sum((u[1:] - v) ** 2), mode=mode)
    with pytest.raises(e.ShapeError, match=r"axis 0 has the lengths 2 in u\[1:\] and 4 in v") as raised:
        run(zeros(3), zeros(4))
    assert [name for name, _ in raised.value.operands] == ["u[1:]", "v", "in"]
    run = function([m, n], T.dot(T.exp(m), n), mode=mode)
    with pytest.raises(e.ShapeError, match=r"^dot\(exp\(m\), n\): k is 3 in exp\(m\) but 2 in n at run time"):
        run(zeros((2, 3)), zeros((2, 3)))
    run = function([m, u], T.dot(m, u) + u, mode=mode)
    with pytest.raises(e.ShapeError, match=r"^add: axis 0 has the lengths 2 in .*m.* and 3 in u") as raised:
        run(zeros((2, 3)), zeros(3))
    assert re.search(
        r"^  in +dot\(m, u\) \+ u   written at test_bad_input.py:N$", text_of(raised.value), re.MULTILINE
    )


def test_the_facts_are_fields_too() -> None:
    with pytest.raises(e.RankError) as raised:
        made([u], u * 2)(zeros((3, 3)))
    assert raised.value.message == "f: input u: expected f64[?], got f64[3, 3]: 1 dimensions needed, 2 given"
    assert raised.value.operands == (("u", u),)
