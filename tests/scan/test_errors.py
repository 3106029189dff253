"""What scan says about mistakes: the whole text for each of many, when the graph is built and in every mode."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import errors as e
from eqsat.scan import Scan, ScanArgs, ScanInfo, scan, until

u, v, m, s = T.dvector("u"), T.dvector("v"), T.dmatrix("m"), T.dscalar("s")
n, k = T.lscalar("n"), T.lvector("k")
three, four = T.tensor("float64", (3,), "three"), T.tensor("float64", (4,), "four")
two = T.tensor("float64", (2, 3), "two")
w, count = eqsat.shared(np.zeros(3), "w"), eqsat.shared(np.int64(0), "count")
anything = eqsat.generic("anything")
zeros = np.zeros


def last(*values: Any) -> Any:
    return values[-1]


def node(inputs: Any) -> Any:
    """An application of a scan op with one state, a vector."""
    args = ScanArgs.create_empty(n)
    x = T.dvector("x")
    args.sit_sot_in_slices, args.outer_in_sit_sot, args.inner_in_sit_sot = [(-1,)], [u], [x]
    args.inner_out_sit_sot = [x * 2]
    return args.make_node().op.make_node(*inputs)


def state(before: Any, after: Any, **counts: Any) -> Any:
    return Scan([before], [after], ScanInfo(**counts))


class Opaque(eqsat.Op):
    """A user's op without a gradient."""

    def make_node(self, *inputs: Any) -> Any:
        return eqsat.graph.core.Apply(self, list(inputs), [inputs[0].type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] * 2


class Case(NamedTuple):
    """A mistake and what it raises."""

    name: str
    call: Callable[[], Any]
    error: type[Exception]
    text: str


class RunTime(NamedTuple):
    """A scan, arguments that it refuses while it runs, and what it raises in every mode."""

    name: str
    inputs: list[Any]
    output: Any
    arguments: tuple[Any, ...]
    error: type[Exception]
    text: str


def text_of(error: BaseException) -> str:
    """The text of an error, with N for the lines of this file."""
    return re.sub(r"test_errors\.py:\d+", "test_errors.py:N", str(error))


CALLS = [
    Case(
        "fn_not_callable",
        lambda: scan(m, u),
        e.ArgumentError,
        """scan: fn is m
  needs  a function of one step, which takes rows, states and non-sequences""",
    ),
    Case(
        "too_many_parameters",
        lambda: scan(lambda a, b, c: a, u, s),
        e.ArgumentError,
        """scan: fn is called with 2 variables, its parameters are (a, b, c)
  u[t]    f64[]   made at test_errors.py:N
  s[t-1]  f64[]   made at test_errors.py:N
  needs   a parameter for each tap of each sequence, each tap of each state, each non-sequence, in this order
  try     outputs_info=[...] with the initial value of c, if it is the value at the step before""",
    ),
    Case(
        "too_few_parameters",
        lambda: scan(lambda a: a, {"input": u, "taps": [-1, 0]}, [None]),
        e.ArgumentError,
        """scan: fn is called with 2 variables, its parameters are (a)
  u[t-1]  f64[]   made at test_errors.py:N
  u[t]    f64[]   made at test_errors.py:N
  needs   a parameter for each tap of each sequence, each tap of each state, each non-sequence, in this order""",
    ),
    Case(
        "sequence_no_tensor",
        lambda: scan(last, [u, None]),
        e.ArgumentError,
        """scan: sequence 1 is None
  needs  a tensor, or dict(input=x, taps=[-1, 0])""",
    ),
    Case(
        "sequence_of_any_object",
        lambda: scan(last, anything),
        e.ArgumentError,
        """scan: sequence 0 is anything
  anything  any Python object   made at test_errors.py:N
  needs     a tensor, or dict(input=x, taps=[-1, 0])""",
    ),
    Case(
        "sequence_scalar",
        lambda: scan(last, [u, s]),
        e.RankError,
        """scan: sequence 1 is a scalar
  s      f64[]   made at test_errors.py:N
  needs  an axis along which the steps go
  try    non_sequences=[s]""",
    ),
    Case(
        "sequence_without_input",
        lambda: scan(last, {"taps": [0]}),
        e.ArgumentError,
        """scan: sequence 0 has no input
  try  dict(input=x, taps=[-1, 0])""",
    ),
    Case(
        "sequence_unknown_entry",
        lambda: scan(last, {"input": u, "lags": [0]}),
        e.ArgumentError,
        """scan: sequence 0 has the entry 'lags'
  needs  one of input, taps""",
    ),
    Case(
        "sequence_taps_no_integers",
        lambda: scan(last, {"input": u, "taps": "a"}),
        e.ArgumentError,
        """scan: the taps of sequence 0 are 'a'
  needs  a list of integers, such as [-2, -1]""",
    ),
    Case(
        "sequence_tap_twice",
        lambda: scan(last, {"input": u, "taps": [0, 0]}),
        e.ArgumentError,
        """scan: the taps of sequence 0 are [0, 0], one of them twice
  try  [0]""",
    ),
    Case(
        "sequence_shorter_than_taps",
        lambda: scan(last, {"input": two, "taps": [-3, 0]}),
        e.ShapeError,
        """scan: a sequence of length 2 is too short for the taps [-3, 0]
  two    f64[2, 3]   made at test_errors.py:N
  needs  3 rows before the first step, and one for each step""",
    ),
    Case(
        "sequence_shorter_than_n_steps",
        lambda: scan(last, [u, three], n_steps=4),
        e.ShapeError,
        """scan: a sequence lasts 3 steps, n_steps is 4
  three  f64[3]   made at test_errors.py:N
  try    n_steps=3""",
    ),
    Case(
        "sequence_with_taps_shorter_than_n_steps",
        lambda: scan(last, {"input": four, "taps": [-1, 1]}, n_steps=3),
        e.ShapeError,
        """scan: a sequence lasts 2 steps, n_steps is 3
  four  f64[4]   made at test_errors.py:N
  try   n_steps=2""",
    ),
    Case(
        "rows_of_different_lengths",
        lambda: scan(lambda a, b: a + b, two, four),
        e.ShapeError,
        """add: axis 0 has the lengths 3 and 4
  two[t]     f64[3]   made at test_errors.py:N
  four[t-1]  f64[4]   made at test_errors.py:N
  needs      equal lengths, or length 1 in the type of one operand""",
    ),
    Case(
        "output_unknown_entry",
        lambda: scan(last, u, {"start": s}),
        e.ArgumentError,
        """scan: output 0 has the entry 'start'
  needs  one of initial, taps, return_steps, inplace""",
    ),
    Case(
        "output_return_steps",
        lambda: scan(last, u, {"initial": s, "return_steps": 2}),
        e.ArgumentError,
        """scan: output 0 has the entry 'return_steps', which is no more
  try  outputs[-2:], and no more steps are kept""",
    ),
    Case(
        "output_taps_without_initial",
        lambda: scan(last, u, {"taps": [-2, -1]}),
        e.ArgumentError,
        """scan: output 0 has the taps [-2, -1] but no initial value
  try  dict(initial=x, taps=[-2, -1]), where x holds 2 values, stacked""",
    ),
    Case(
        "output_initial_none",
        lambda: scan(last, u, {"initial": None, "taps": [-1]}),
        e.ArgumentError,
        """scan: output 0 has the taps [-1] but no initial value
  try  dict(initial=x, taps=[-1])""",
    ),
    Case(
        "output_positive_tap",
        lambda: scan(last, u, {"initial": u, "taps": [-1, 0]}),
        e.ArgumentError,
        """scan: the taps of output 0 are [-1, 0]
  needs  negative ones, of which -1 is the value of the step before""",
    ),
    Case(
        "output_initial_no_tensor",
        lambda: scan(last, u, ["a"]),
        e.ArgumentError,
        """scan: the initial value of output 0 is 'a'
  needs  a tensor, dict(initial=x, taps=[-1]) or None""",
    ),
    Case(
        "output_taps_of_a_scalar",
        lambda: scan(last, u, {"initial": s, "taps": [-2]}),
        e.RankError,
        """scan: the initial value of output 0 with the taps [-2] is a scalar
  s      f64[]   made at test_errors.py:N
  needs  the values at 2 times before the first step, stacked
  try    T.stack([...]), or dict(initial=s, taps=[-1])""",
    ),
    Case(
        "output_too_few_initial_values",
        lambda: scan(last, u, {"initial": two, "taps": [-3, -1]}),
        e.ShapeError,
        """scan: output 0 has 2 initial values, the taps [-3, -1] need 3
  two    f64[2, 3]   made at test_errors.py:N
  needs  the values at 3 times before the first step, stacked""",
    ),
    Case(
        "non_sequence_no_tensor",
        lambda: scan(last, u, non_sequences=["abc"]),
        e.ArgumentError,
        """scan: non-sequence 0 is 'abc'
  needs  a tensor, a number or an array""",
    ),
    Case(
        "no_number_of_steps",
        lambda: scan(last, None, s),
        e.ArgumentError,
        """scan: neither sequences nor n_steps is given
  needs  one of them; with until, n_steps is the most steps that there may be
  try    scan(fn, ..., n_steps=10)""",
    ),
    Case(
        "n_steps_negative",
        lambda: scan(last, None, s, n_steps=-2),
        e.ArgumentError,
        """scan: n_steps is -2
  needs  0 or more
  try    go_backwards=True""",
    ),
    Case(
        "n_steps_fraction",
        lambda: scan(last, None, s, n_steps=2.5),
        e.DTypeError,
        """scan: n_steps is f32[]
  2.5    f32[]   made at test_errors.py:N
  needs  an integer, or a scalar of an integer dtype""",
    ),
    Case(
        "n_steps_floating",
        lambda: scan(last, None, s, n_steps=s),
        e.DTypeError,
        """scan: n_steps is f64[]
  s      f64[]   made at test_errors.py:N
  needs  an integer, or a scalar of an integer dtype
  try    s.astype('int64')""",
    ),
    Case(
        "n_steps_vector",
        lambda: scan(last, None, s, n_steps=k),
        e.RankError,
        """scan: n_steps is i64[?]
  k      i64[?]   made at test_errors.py:N
  needs  an integer, or a scalar of an integer dtype""",
    ),
    Case(
        "n_steps_text",
        lambda: scan(last, None, s, n_steps="3"),
        e.ArgumentError,
        """scan: n_steps is '3'
  needs  an integer, or a scalar of an integer dtype""",
    ),
    Case(
        "truncate_gradient_zero",
        lambda: scan(last, u, truncate_gradient=0),
        e.ArgumentError,
        """scan: truncate_gradient is 0
  needs  the number of last steps through which gradients flow, or -1 for all""",
    ),
    Case(
        "truncate_gradient_variable",
        lambda: scan(last, u, truncate_gradient=n),
        e.ArgumentError,
        """scan: truncate_gradient is n
  needs  the number of last steps through which gradients flow, or -1 for all""",
    ),
    Case(
        "go_backwards_text",
        lambda: scan(last, u, go_backwards="yes"),
        e.ArgumentError,
        """scan: go_backwards is 'yes'
  needs  True or False""",
    ),
    Case(
        "mode_unknown",
        lambda: scan(last, u, mode="fast"),
        e.ModeError,
        """there is no mode 'fast'
  needs  one of reference, FAST_COMPILE, FAST_RUN, numpy, DebugMode, NanGuardMode
  try    mode='FAST_RUN'""",
    ),
    Case(
        "too_few_outputs",
        lambda: scan(lambda a, b: b + a, u, [s, None]),
        e.ArgumentError,
        """scan: fn returns 1 output, outputs_info has 2 items
  output 0  f64[]   made at test_errors.py:N
  needs     an item for each output, None for one that is no state""",
    ),
    Case(
        "too_many_outputs",
        lambda: scan(lambda a, b: (a, b), u, s),
        e.ArgumentError,
        """scan: fn returns 2 outputs, outputs_info has 1 item
  output 0  f64[]   made at test_errors.py:N
  output 1  f64[]   made at test_errors.py:N
  needs     an item for each output, None for one that is no state""",
    ),
    Case(
        "no_outputs",
        lambda: scan(lambda a, b: None, u, s),
        e.ArgumentError,
        """scan: fn returns 0 outputs, outputs_info has 1 item
  needs  an item for each output, None for one that is no state""",
    ),
    Case(
        "output_no_tensor",
        lambda: scan(lambda a: "x", u),
        e.ArgumentError,
        """scan: output 0 of fn is 'x'
  needs  tensors, a dict {shared: new} and until(condition), each optional""",
    ),
    Case(
        "output_list_in_a_list",
        lambda: scan(lambda a: ([a, [a]],), u),
        e.ArgumentError,
        """scan: output 1 of fn is a list
  needs  tensors, a dict {shared: new} and until(condition), each optional""",
    ),
    Case(
        "state_rank",
        lambda: scan(lambda row, h: h + row, m, s),
        e.RankError,
        """scan: the values of output 0 begin as f64[], a step gives f64[?]
  initial value  f64[]   made at test_errors.py:N
  output 0       f64[?]   made at test_errors.py:N
  needs          1 dimension""",
    ),
    Case(
        "state_rank_of_stacked",
        lambda: scan(lambda a, b: m[0] + b, None, {"initial": u, "taps": [-2, -1]}, n_steps=2),
        e.RankError,
        """scan: the values of output 0 begin as f64[], a step gives f64[?]
  initial value  f64[?]   made at test_errors.py:N
  output 0       f64[?]   made at test_errors.py:N
  needs          1 dimension, after the axis along which initial values are stacked""",
    ),
    Case(
        "state_dtype",
        lambda: scan(lambda a, b: b * 0.5, u, k),
        e.DTypeError,
        """scan: the values of output 0 begin as i64[?], a step gives f64[?]
  initial value  i64[?]   made at test_errors.py:N
  output 0       f64[?]   made at test_errors.py:N
  needs          one dtype
  try            initial.astype('float64')""",
    ),
    Case(
        "state_shape",
        lambda: scan(lambda h: two[:, 0], None, three, n_steps=2),
        e.ShapeError,
        """scan: the values of output 0 begin as f64[3], a step gives f64[2]: axis 0 has lengths 3 and 2
  initial value  f64[3]   made at test_errors.py:N
  output 0       f64[2]   made at test_errors.py:N
  needs          one length""",
    ),
    Case(
        "state_shape_of_stacked",
        lambda: scan(lambda a, b: four, None, {"initial": two, "taps": [-2, -1]}, n_steps=2),
        e.ShapeError,
        """scan: the values of output 0 begin as f64[3], a step gives f64[4]: axis 0 has lengths 3 and 4
  initial value  f64[2, 3]   made at test_errors.py:N
  output 0       f64[4]   made at test_errors.py:N
  needs          one length""",
    ),
    Case(
        "until_of_a_vector",
        lambda: scan(lambda a: (a, until(k > 0)), u),
        e.RankError,
        """scan: the condition of until is bool[?]
  condition  bool[?]   made at test_errors.py:N
  needs      a scalar
  try        until(condition.any()), or condition.all()""",
    ),
    Case(
        "until_no_tensor",
        lambda: scan(lambda a: (a, until("yes")), u),
        e.ArgumentError,
        """scan: the condition of until is 'yes'
  needs  a scalar""",
    ),
    Case(
        "until_twice",
        lambda: scan(lambda a: (a, until(a > 1), until(a < 0)), u),
        e.ArgumentError,
        """scan: fn returns until twice
  try  until(one | other)""",
    ),
    Case(
        "until_without_n_steps",
        lambda: scan(lambda h: (h * 2, until(h > 9)), outputs_info=s),
        e.ArgumentError,
        """scan: neither sequences nor n_steps is given
  needs  one of them; with until, n_steps is the most steps that there may be
  try    scan(fn, ..., n_steps=10)""",
    ),
    Case(
        "update_not_shared",
        lambda: scan(lambda a: {v: a}, u),
        e.ArgumentError,
        """scan: fn updates v, which is not shared
  v    f64[?]   made at test_errors.py:N
  try  w = eqsat.shared(value, 'w'), or a state: an item of outputs_info and an output of fn""",
    ),
    Case(
        "update_no_variable",
        lambda: scan(lambda a: {"w": a}, u),
        e.ArgumentError,
        """scan: fn updates 'w', which is not shared
  try  w = eqsat.shared(value, 'w'), or a state: an item of outputs_info and an output of fn""",
    ),
    Case(
        "update_no_tensor",
        lambda: scan(lambda a: {w: "b"}, u),
        e.ArgumentError,
        """scan: the update of w is 'b'
  w      f64[?]   made at test_errors.py:N
  needs  a tensor or a number""",
    ),
    Case(
        "update_dtype",
        lambda: scan(lambda a: {count: a}, u),
        e.DTypeError,
        """scan: count is i64[], its update f64[]
  count   i64[]   made at test_errors.py:N
  update  f64[]   made at test_errors.py:N
  needs   one dtype
  try     new.astype('int64')""",
    ),
    Case(
        "update_rank",
        lambda: scan(lambda a: {w: a}, u),
        e.RankError,
        """scan: w is f64[?], its update f64[]
  w       f64[?]   made at test_errors.py:N
  update  f64[]   made at test_errors.py:N
  needs   one number of dimensions""",
    ),
    Case(
        "update_twice",
        lambda: scan(lambda a: [(w, w + a), (w, w - a)], u),
        e.ArgumentError,
        """scan: fn updates w twice
  w    f64[?]   made at test_errors.py:N""",
    ),
    Case(
        "strict_shared",
        lambda: scan(lambda a, b: a * b + T.exp(w).sum(), u, non_sequences=s, strict=True),
        e.MissingInputError,
        """scan: fn uses w, which strict=True asks to be listed
  w    f64[?]   made at test_errors.py:N
  try  non_sequences=[w]""",
    ),
    Case(
        "gradient_of_n_steps",
        lambda: T.grad(scan(lambda h: h * 2, None, s, n_steps=n)[0][-1], n),
        e.DisconnectedInputError,
        """grad: the cost does not depend on n
  cost  f64[]   made at test_errors.py:N
  n     i64[]   made at test_errors.py:N
  try   T.grad(..., disconnected_inputs='ignore')""",
    ),
    Case(
        "gradient_of_integers",
        lambda: T.grad(scan(lambda h: h * 2, None, n, n_steps=3)[0][-1], n),
        e.DTypeError,
        """grad: the cost scan(n[t] = n[t-1] * 2)[-1] is int64, which has no gradient
  cost   i64[]   made at test_errors.py:N
  needs  a floating dtype""",
    ),
    Case(
        "gradient_of_what_is_not_used",
        lambda: T.grad(scan(lambda a, b: a * 2, [u, v])[0].sum(), v),
        e.DisconnectedInputError,
        """grad: the cost does not depend on v
  cost  f64[]   made at test_errors.py:N
  v     f64[?]   made at test_errors.py:N
  try   T.grad(..., disconnected_inputs='ignore')""",
    ),
    Case(
        "gradient_through_a_users_op",
        lambda: T.grad(scan(lambda row: Opaque()(row), m)[0].sum(), m),
        e.NullTypeGradError,
        """grad: Opaque has no gradient
  m[t]  f64[?]   made at test_errors.py:N
  try   give the op a grad method, or list its output in consider_constant""",
    ),
    Case("op_operands_missing", lambda: node([n]), e.ArgumentError, """scan takes 2 operands, got 1"""),
    Case(
        "op_n_steps_negative",
        lambda: node([-1, u]),
        e.ArgumentError,
        """scan: the number of steps is -1
  try  go_backwards=True""",
    ),
    Case(
        "op_operand_rank",
        lambda: node([n, m]),
        e.RankError,
        """scan: m is f64[?, ?], a step takes f64[?]
  m    f64[?, ?]   made at test_errors.py:N""",
    ),
    Case(
        "op_operand_dtype",
        lambda: node([n, k]),
        e.DTypeError,
        """scan: k is i64[?], a step takes f64[?]
  k    i64[?]   made at test_errors.py:N""",
    ),
    Case(
        "op_operand_class",
        lambda: Scan([anything], [u], ScanInfo(n_non_seqs=1, n_nit_sot=1)).make_node(2, u),
        e.DTypeError,
        """scan: u is f64[?], a step takes any Python object
  u    f64[?]   made at test_errors.py:N""",
    ),
    Case(
        "op_rows",
        lambda: scan(last, m)[0].owner.op.make_node(3, two),
        e.ShapeError,
        """scan: two has 2 rows for 3 steps
  two  f64[2, 3]   made at test_errors.py:N""",
    ),
    Case(
        "op_state_rank",
        lambda: state(u, m, sit_sot_in_slices=((-1,),)),
        e.RankError,
        """scan: a state is f64[?] before a step and f64[?, ?] after it
  before  f64[?]   made at test_errors.py:N
  after   f64[?, ?]   made at test_errors.py:N
  try     give the initial value the type that a step computes""",
    ),
    Case(
        "op_state_dtype",
        lambda: state(u, k, n_shared_outs=1),
        e.DTypeError,
        """scan: a state is f64[?] before a step and i64[?] after it
  before  f64[?]   made at test_errors.py:N
  after   i64[?]   made at test_errors.py:N
  try     give the initial value the type that a step computes""",
    ),
    Case(
        "op_state_shape",
        lambda: state(three, u, n_shared_outs=1),
        e.ShapeError,
        """scan: a state is f64[3] before a step and f64[?] after it
  before  f64[3]   made at test_errors.py:N
  after   f64[?]   made at test_errors.py:N
  try     give the initial value the type that a step computes""",
    ),
]

RUN_TIME = [
    RunTime(
        "n_steps_negative",
        [u, n],
        scan(lambda h: h * 2, None, u, n_steps=n)[0],
        (zeros(1), -1),
        e.ShapeError,
        """scan: the number of steps is -1
  n      i64[]   made at test_errors.py:N
  u      f64[?]   made at test_errors.py:N
  in     scan(u[t] = u[t-1] * 2)   written at test_errors.py:N
  needs  0 or more; taps take their span from the length of a sequence""",
    ),
    RunTime(
        "sequence_too_short",
        [u, v, n],
        scan(lambda a, b: a + b, [u, v], n_steps=n)[0],
        (zeros(3), zeros(2), 3),
        e.ShapeError,
        """scan: sequence 1 has length 2, it needs 3
  n    i64[]   made at test_errors.py:N
  u    f64[?]   made at test_errors.py:N
  v    f64[?]   made at test_errors.py:N
  in   scan(out[t] = u[t] + v[t])   written at test_errors.py:N""",
    ),
    RunTime(
        "sequence_shorter_than_taps",
        [u],
        scan(lambda a, b: a + b, {"input": u, "taps": [-2, 0]})[0],
        (zeros(1),),
        e.ShapeError,
        """scan: the number of steps is -1
  u.shape[0] - 2  i64[]   made at test_errors.py:N
  u               f64[?]   made at test_errors.py:N
  u[2:]           f64[?]   made at test_errors.py:N
  in              scan(out[t] = u[t-2] + u[t])   written at test_errors.py:N
  needs           0 or more; taps take their span from the length of a sequence""",
    ),
    RunTime(
        "sequence_with_taps_too_short",
        [u, n],
        scan(lambda a, b: a + b, {"input": u, "taps": [-2, 0]}, n_steps=n)[0],
        (zeros(3), 2),
        e.ShapeError,
        """scan: sequence 1 has length 1, it needs 2
  n      i64[]   made at test_errors.py:N
  u      f64[?]   made at test_errors.py:N
  u[2:]  f64[?]   made at test_errors.py:N
  in     scan(out[t] = u[t-2] + u[t])   written at test_errors.py:N""",
    ),
    RunTime(
        "backwards_too_short",
        [u, n],
        scan(lambda a: a, u, n_steps=n, go_backwards=True)[0],
        (zeros(1), 2),
        e.ShapeError,
        """scan: sequence 0 has length 1, it needs 2
  n        i64[]   made at test_errors.py:N
  u[::-1]  f64[?]   made at test_errors.py:N
  in       scan(u_2[t] = u[t])   written at test_errors.py:N""",
    ),
    RunTime(
        "too_few_initial_values",
        [m, n],
        scan(lambda h: h, None, {"initial": m, "taps": [-3]}, n_steps=n)[0],
        (zeros((2, 2)), 1),
        e.ShapeError,
        """scan: the initial value of a state has length 2, it needs 3
  n      i64[]   made at test_errors.py:N
  m[:3]  f64[?, ?]   made at test_errors.py:N
  in     scan(m[t] = m[t-3])   written at test_errors.py:N""",
    ),
    RunTime(
        "state_grows",
        [u, n],
        scan(lambda h: T.concatenate([h, h]), None, u, n_steps=n)[0],
        (zeros(1), 2),
        e.ShapeError,
        """scan: a state has the shape (1,) before step 0 and (2,) after it
  n      i64[]   made at test_errors.py:N
  u      f64[?]   made at test_errors.py:N
  in     scan(u[t] = concatenate(u[t-1], u[t-1]))   written at test_errors.py:N
  needs  one shape at all times""",
    ),
    RunTime(
        "state_of_two_taps_grows",
        [m, n],
        scan(lambda a, b: T.concatenate([a, b]), None, {"initial": m, "taps": [-2, -1]}, n_steps=n)[0],
        (zeros((2, 2)), 1),
        e.ShapeError,
        """scan: a state has the shape (2,) before step 0 and (4,) after it
  n      i64[]   made at test_errors.py:N
  m[:2]  f64[?, ?]   made at test_errors.py:N
  in     scan(m[t] = concatenate(m[t-2], m[t-1]))   written at test_errors.py:N
  needs  one shape at all times""",
    ),
    RunTime(
        "output_grows",
        [k],
        scan(lambda a: T.arange(a), k)[0],
        (np.array([2, 3]),),
        e.ShapeError,
        """scan: an output has the shape (2,) before step 1 and (3,) after it
  k.shape[0]  i64[]   made at test_errors.py:N
  k           i64[?]   made at test_errors.py:N
  in          scan(out[t] = arange(0, k[t], 1))   written at test_errors.py:N
  needs       one shape at all times""",
    ),
    RunTime(
        "last_of_nothing",
        [m],
        eqsat.reduce(lambda row, h: T.tanh(row + h), m, T.zeros((3,)))[0],
        (zeros((0, 3)),),
        e.BoundsError,
        """index -1 is outside axis 0, which has length 0
  scan(h[t] = tanh(m[t] + h[t-1]))  f64[?, 3]   made at test_errors.py:N
  in                                scan(h[t] = tanh(m[t] + h[t-1]))[-1]   written at test_errors.py:N""",
    ),
]

INSIDE = [
    RunTime(
        "rows_of_different_lengths",
        [m, u],
        scan(lambda row, h: row * h, m, u)[0],
        (zeros((2, 3)), zeros(2)),
        e.ShapeError,
        "mul: axis 0 has the lengths 3 in m[t] and 2 in u[t-1] at run time",
    ),
    RunTime(
        "product_in_a_step",
        [m, u],
        scan(lambda h, a: T.dot(a, h), None, u, m, n_steps=2)[0],
        (zeros((2, 3)), zeros(2)),
        e.ShapeError,
        "dot(m, u[t-1]): k is 3 in m but 2 in u[t-1] at run time",
    ),
    RunTime(
        "index_in_a_step",
        [k, u],
        scan(lambda i: u[i], k)[0],
        (np.array([0, 7]), zeros(3)),
        e.BoundsError,
        "index 7 is outside axis 0, which has length 3",
    ),
]


@pytest.mark.parametrize("case", CALLS, ids=lambda case: case.name)
def test_the_whole_text(case: Case) -> None:
    with pytest.raises(case.error) as raised:
        case.call()
    assert type(raised.value) is case.error
    assert text_of(raised.value) == case.text


@pytest.mark.parametrize("case", RUN_TIME, ids=lambda case: case.name)
def test_every_mode_says_the_same(case: RunTime, mode: str) -> None:
    run = eqsat.function(case.inputs, case.output, mode=mode, name="f")
    with pytest.raises(case.error) as raised:
        run(*case.arguments)
    assert type(raised.value) is case.error
    if mode in ("reference", "FAST_COMPILE"):
        assert text_of(raised.value) == case.text
    else:  # what a check compares may have been rewritten
        assert str(raised.value).splitlines()[0] == case.text.splitlines()[0]
    assert raised.value.__cause__ is None, "one text, not two"


def test_the_last_sum_of_nothing(mode: str) -> None:
    """An error, or the initial value where rewriting has made a sum of the loop (docs/scan.md)."""
    out = eqsat.reduce(lambda row, h: row + h, m, v)[0]
    run = eqsat.function([m, v], out, mode=mode)
    try:
        got = run(zeros((0, 3)), np.arange(3.0))
    except e.BoundsError as raised:
        assert str(raised).startswith("index -1 is outside axis 0, which has length 0")
    else:
        assert mode not in ("reference", "FAST_COMPILE"), "these compute what is written"
        np.testing.assert_array_equal(got, np.arange(3.0))


@pytest.mark.parametrize("case", INSIDE, ids=lambda case: case.name)
def test_every_mode_says_what_a_step_met(case: RunTime, mode: str) -> None:
    """Rewriting may move what fails out of the loop, and then its operands have other names."""
    run = eqsat.function(case.inputs, case.output, mode=mode, name="f")
    with pytest.raises(case.error) as raised:
        run(*case.arguments)
    assert str(raised.value).splitlines()[0] == case.text
    assert "made at test_errors.py" in str(raised.value) and raised.value.__cause__ is None
