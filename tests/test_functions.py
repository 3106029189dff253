"""Calls of compiled functions: what they take, what they give, what they store, and who shares memory with whom."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import In, function, shared
from eqsat.errors import ArgumentError, DTypeError, EqsatWarning, UnusedInputError
from eqsat.functions.evaluate import evaluate
from eqsat.graph.core import Constant
from eqsat.tensor.shared import TensorSharedVariable

ONE_TO_THREE = np.array([1.0, 2.0, 3.0])


def assert_apart(*arrays: Any) -> None:
    """Refuse arrays of which two share memory."""
    for a, b in itertools.combinations(arrays, 2):
        assert not np.shares_memory(a, b), (a, b)


def assert_plain(result: Any, dtype: str, shape: tuple[int, ...]) -> None:
    """Refuse a result that is no ordinary array of a dtype and a shape."""
    assert type(result) is np.ndarray and result.dtype == dtype and result.dtype.isnative
    assert result.shape == shape and result.flags.writeable and result.flags.aligned


# ------------------------------------------------------------------------------------------------------ outputs


@pytest.mark.seed("K001")
def test_lists_of_integers_are_taken_and_arrays_come_back(mode: str) -> None:
    a = T.vector("a", dtype="float64")
    f = function([a], a + a**10, mode=mode)
    assert f([0, 1, 2]).tolist() == [0.0, 2.0, 1026.0]


@pytest.mark.seed("K002")
def test_outputs_keep_their_order_shape_and_container(mode: str) -> None:
    x = T.dvector("x")
    several = function([x], [x.sum(), x * 2, T.outer(x, x)], mode=mode)(ONE_TO_THREE)
    assert isinstance(several, list) and [r.shape for r in several] == [(), (3,), (3, 3)]
    as_tuple = function([x], (x + 1, x), mode=mode)(ONE_TO_THREE)
    assert isinstance(as_tuple, list) and as_tuple[1].tolist() == [1, 2, 3]
    one = function([x], [x + 1], mode=mode)(ONE_TO_THREE)
    assert isinstance(one, list) and len(one) == 1
    assert_plain(function([x], x + 1, mode=mode)(ONE_TO_THREE), "float64", (3,))


@pytest.mark.seed("K002")
def test_no_outputs(mode: str) -> None:
    x = T.dvector("x")
    assert function([x], [], mode=mode, on_unused_input="ignore")(ONE_TO_THREE) == []
    assert function([x], None, mode=mode, on_unused_input="ignore")(ONE_TO_THREE) is None
    assert function([], mode=mode)() is None


@pytest.mark.seed("K002")
def test_constants_inputs_and_repeated_outputs_are_copies(mode: str) -> None:
    x, c = T.dvector("x"), T.constant(np.array([5.0, 6.0]))
    doubled = x + x
    f = function([x], [x, x, c, c, 7, doubled, doubled, x[::-1], x.dimshuffle("x", 0)], mode=mode)
    data = ONE_TO_THREE.copy()
    first, again = f(data), f(data)
    assert_apart(data, c.data, *first, *again)
    for result in first:
        result[...] = -1
    for result, expected in zip(f(data), again, strict=True):
        np.testing.assert_array_equal(result, expected)
    assert data.tolist() == [1, 2, 3] and c.data.tolist() == [5, 6]
    assert again[4].dtype == "int8" and int(again[4]) == 7


def test_results_of_rank_0_are_arrays_that_convert_to_numbers(mode: str) -> None:
    x = T.dvector("x")
    total, count, flag = function([x], [x.sum(), x.shape[0], T.any(x > 2)], mode=mode)(ONE_TO_THREE)
    assert_plain(total, "float64", ())
    assert_plain(count, "int64", ())
    assert_plain(flag, "bool", ())
    assert float(total) == 6.0 and int(count) == 3 and bool(flag) is True
    assert f"{float(total):.1f}" == "6.0" and range(10)[count] == 3


def test_no_inputs(mode: str) -> None:
    f = function([], [T.constant(2.0) * 3, T.arange(3)], mode=mode)
    six, numbers = f()
    assert float(six) == 6.0 and numbers.tolist() == [0, 1, 2]
    assert_apart(six, numbers, *f())


@pytest.mark.seed("K004")
def test_the_graph_given_is_not_changed(mode: str) -> None:
    x, y, w = T.dvector("x"), T.dvector("y"), shared(ONE_TO_THREE, "w")
    outputs = [T.log(1 + T.exp(x * y / y)), T.exp(x + y) + T.exp(y + x) * w]
    before = eqsat.dprint([*outputs, w], print_type=True, file="str")
    f = function([x], outputs, updates=[(w, w * 2)], givens={y: w}, mode=mode)
    f(ONE_TO_THREE)
    f.report, f.outputs_optimised  # noqa: B018  both may be made late
    assert eqsat.dprint([*outputs, w], print_type=True, file="str") == before


@pytest.mark.seed("K011")
def test_dprint_of_a_function_prints_the_graph_that_runs() -> None:
    x = T.dvector("x")
    f = function([x], T.log(1 + T.exp(x)), mode="numpy")
    assert str(eqsat.dprint(f, file="str")).splitlines() == ["softplus [id A] 0", " └─ x [id B]"]
    g = function([x], T.log(1 + T.exp(x)), mode="reference")
    assert str(eqsat.dprint(g, file="str")).splitlines()[0].startswith("log [id A]")


def test_a_function_says_what_it_is() -> None:
    x, y = T.dvectors("x", "y")
    f = function([x, y], x + y, mode="reference", name="add")
    assert (str(f), repr(f)) == ("add", "<eqsat.Function add(x, y) reference>")
    assert f.inputs == [x, y] and f.report is None and f.c_source is None
    assert str(function([x], x, mode="reference")) == "function"


# -------------------------------------------------------------------------------------------------------- inputs


def test_arguments_by_position_keyword_and_default(mode: str) -> None:
    x, rate, shift = T.dvector("x"), T.dscalar("rate"), T.dscalar("shift")
    f = function([x, In(rate, value=2), In(shift, name="by", value=0.5)], x * rate + shift, mode=mode)
    assert f([1.0]).tolist() == [2.5]
    assert f([1.0], 3).tolist() == [3.5]
    assert f([1.0], by=1).tolist() == [3.0]
    assert f(by=1, rate=3, x=[2.0]).tolist() == [7.0]
    assert f([1.0], 3.0, 4.0).tolist() == [7.0]
    assert f([1.0]).tolist() == [2.5], "defaults do not change"


def test_a_default_is_a_copy(mode: str) -> None:
    x = T.dvector("x")
    mine = np.array([1.0, 2.0])
    f = function([In(x, value=mine)], [x, x * 2], mode=mode)
    mine[:] = 9
    assert f()[1].tolist() == [2.0, 4.0]
    f()[0][:] = 7
    assert f()[0].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("how", [{}, {"borrow": True}, {"mutable": True}])
def test_borrowed_inputs_do_not_alias_results(mode: str, how: dict[str, Any]) -> None:
    x = T.dvector("x")
    f = function([In(x, **how)], [x, x + 1], mode=mode)
    data = ONE_TO_THREE.copy()
    same, more = f(data)
    assert_apart(same, more, data)
    assert same.tolist() == [1, 2, 3] and more.tolist() == [2, 3, 4]
    if not how.get("mutable"):
        assert data.tolist() == [1, 2, 3]


def test_inputs_without_names_work_by_position(mode: str) -> None:
    x, y = T.dvector(), T.dvector()
    assert function([x, y], x - y, mode=mode)([3.0], [1.0]).tolist() == [2.0]


def test_the_same_name_twice_cannot_be_a_keyword() -> None:
    x, y = T.dvector("x"), T.dvector("x")
    f = function([x, y], x - y, mode="reference")
    assert f([3.0], [1.0]).tolist() == [2.0]
    with pytest.raises(ArgumentError, match="the name 'x' belongs to 2 inputs"):
        f([3.0], x=[1.0])


def layouts() -> dict[str, Any]:
    """The same 3 x 4 numbers in memory in every way that NumPy knows."""
    base = np.arange(12.0).reshape(3, 4)
    wide, buffer = np.zeros((6, 8)), np.zeros(12 * 8 + 1, "uint8")
    wide[::2, ::2] = base
    bytes_off = buffer[1:].view("float64").reshape(3, 4)
    bytes_off[...] = base
    locked = base.copy()
    locked.flags.writeable = False
    return {
        "C": base.copy(),
        "Fortran": np.asfortranarray(base),
        "strided": wide[::2, ::2],
        "negative": base[::-1, ::-1].copy()[::-1, ::-1],
        "misaligned": bytes_off,
        "big-endian": base.astype(">f8"),
        "read-only": locked,
        "broadcast": np.broadcast_to(base[:, :1], (3, 4)),
        "list": base.tolist(),
        "tuple": tuple(map(tuple, base.tolist())),
        "subclass": base.view(np.matrix),
    }


@pytest.mark.parametrize("name", sorted(layouts()))
def test_every_memory_layout_is_taken_and_left_alone(mode: str, name: str) -> None:
    x, y = T.dmatrix("x"), T.dmatrix("y")
    value = layouts()[name]
    expected = np.array(value, "float64")
    f = function([x, y], [T.exp(x) + y.T, x.sum(axis=0), T.dot(x, y), x], mode=mode)
    other = np.asfortranarray(expected.T)
    results = f(value, other)
    wanted = [np.exp(expected) + other.T, expected.sum(axis=0), expected @ other, expected]
    for result, want in zip(results, wanted, strict=True):
        assert_plain(result, "float64", want.shape)
        np.testing.assert_allclose(result, want, rtol=1e-13)
    assert_apart(other, *results, *([value] if isinstance(value, np.ndarray) else []))
    np.testing.assert_array_equal(np.array(value, "float64"), expected)


def test_a_memory_map_is_read_in_place(mode: str, tmp_path: Path) -> None:
    np.save(tmp_path / "numbers.npy", np.arange(6.0))
    mapped = np.load(tmp_path / "numbers.npy", mmap_mode="r")
    x = T.dvector("x")
    doubled, same = function([x], [x * 2, x], mode=mode)(mapped)
    assert_plain(doubled, "float64", (6,))
    assert_plain(same, "float64", (6,))
    assert doubled.tolist() == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1)])
def test_empty_and_tiny_arrays(mode: str, shape: tuple[int, int]) -> None:
    x = T.dmatrix("x")
    f = function([x], [x + 1, x.sum(), x.sum(axis=0), T.prod(x, axis=1), T.dot(x, x.T)], mode=mode)
    data = np.ones(shape)
    wanted = [data + 1, data.sum(), data.sum(axis=0), data.prod(axis=1), data @ data.T]
    for result, want in zip(f(data), wanted, strict=True):
        np.testing.assert_array_equal(result, want)
        assert result.shape == np.shape(want)


@pytest.mark.parametrize("value", [2, 2.0, True, np.float32(2), np.array(2.0), np.int8(2)])
def test_numbers_for_a_0d_input(mode: str, value: Any) -> None:
    s = T.dscalar("s")
    assert float(function([s], s * 3, mode=mode)(value)) == 3.0 * float(value)


def test_widening_is_allowed_and_narrowing_is_asked_for(mode: str) -> None:
    x = T.fvector("x")
    f = function([x], x * 2, mode=mode)
    assert f(np.array([1, 2], "int16")).dtype == "float32"
    assert f([1, 2]).tolist() == [2.0, 4.0]
    assert f([0.5, 0.25]).tolist() == [1.0, 0.5]
    with pytest.raises(DTypeError):
        f(np.array([0.1]))
    loose = function([x], x * 2, mode=mode, allow_input_downcast=True)
    np.testing.assert_array_equal(loose(np.array([0.1])), np.array([0.1], "float32") * 2)
    strict = function([In(x, strict=True)], x * 2, mode=mode)
    with pytest.raises(DTypeError, match=r"expected f32\[\?\] exactly"):
        strict([1.0])
    own = function([In(x, allow_downcast=True)], x * 2, mode=mode)
    assert own(np.array([1.0])).tolist() == [2.0]


def test_an_unused_input() -> None:
    x, y = T.dvectors("x", "y")
    with pytest.raises(UnusedInputError, match="no output depends on the input y"):
        function([x, y], x, mode="reference")
    with pytest.warns(EqsatWarning, match="no output depends on the input y") as told:
        f = function([x, y], x, mode="reference", on_unused_input="warn")
    assert told[0].filename == __file__
    assert f([1.0], [2.0]).tolist() == [1.0]
    assert function([x, y], x, mode="reference", on_unused_input="ignore")([1.0], [2.0]).tolist() == [1.0]


def test_an_input_that_is_computed_cuts_the_graph(mode: str) -> None:
    x = T.dvector("x")
    middle = T.exp(x)
    f = function([middle], T.log(middle) + middle, mode=mode)
    np.testing.assert_allclose(f([1.0, np.e]), [1.0, 1 + np.e])
    spec = In(middle, name="e")
    function([spec], middle * 2, mode=mode)
    assert spec.variable is middle, "what the user gave is not changed"


# ------------------------------------------------------------------------------------------------------- updates


@pytest.mark.seed("H014")
def test_an_update_is_stored_after_the_call(mode: str) -> None:
    s = shared(np.array(0), "s")
    f = function([], s, updates=[(s, s + 1)], mode=mode)
    assert [int(f()) for _ in range(3)] == [0, 1, 2]
    assert int(s.get_value()) == 3


def test_two_shared_variables_swap(mode: str) -> None:
    a, b = shared(np.array([1.0, 2.0]), "a"), shared(np.array([3.0, 4.0]), "b")
    f = function([], [], updates=[(a, b), (b, a)], mode=mode)
    f()
    assert (a.get_value().tolist(), b.get_value().tolist()) == ([3, 4], [1, 2])
    assert_apart(a.get_value(borrow=True), b.get_value(borrow=True))
    f()
    assert (a.get_value().tolist(), b.get_value().tolist()) == ([1, 2], [3, 4])


def test_updates_read_the_old_values(mode: str) -> None:
    a, b, c = (shared(np.array([float(k)]), name) for k, name in enumerate("abc", start=1))
    updates = [(a, a + b), (b, a * b), (c, a + b + c)]
    f = function([], [a, b, a + c], updates=updates, mode=mode)
    assert [r.tolist() for r in f()] == [[1], [2], [4]]
    assert [v.get_value().tolist() for v in (a, b, c)] == [[3], [2], [6]]
    assert [r.tolist() for r in f()] == [[3], [2], [9]]
    assert [v.get_value().tolist() for v in (a, b, c)] == [[5], [6], [11]]


def test_updates_never_alias(mode: str) -> None:
    x, c = T.dvector("x"), T.constant(np.array([7.0, 8.0]))
    a, b, d, e, g = (shared(np.array([float(k), 0.0]), name) for k, name in enumerate("abdeg"))
    new = x * 2
    f = function([x], [new, a, x, c], updates={a: new, b: new, d: x, e: c, g: a}, mode=mode)
    data = np.array([1.0, 2.0])
    results = f(data)
    inside = [v.get_value(borrow=True) for v in (a, b, d, e, g)]
    assert_apart(data, c.data, *results, *inside)
    assert [r.tolist() for r in results] == [[2, 4], [0, 0], [1, 2], [7, 8]]
    assert [r.tolist() for r in inside] == [[2, 4], [2, 4], [1, 2], [7, 8], [0, 0]]


def test_an_update_that_is_a_view_of_another_shared_variable(mode: str) -> None:
    a, b = shared(np.arange(6.0).reshape(2, 3), "a"), shared(np.zeros((3, 2)), "b")
    row = shared(np.zeros(3), "row")
    f = function([], a.T, updates=[(b, a.T), (row, a[1])], mode=mode)
    result = f()
    inside = [v.get_value(borrow=True) for v in (a, b, row)]
    assert_apart(result, *inside)
    assert all(v.flags.c_contiguous and v.flags.writeable for v in inside)
    assert row.get_value().tolist() == [3, 4, 5] and b.get_value().tolist() == result.tolist()


def test_an_update_to_a_number_and_to_another_length(mode: str) -> None:
    count, data = shared(np.array(5.0), "count"), shared(np.array([1.0, 2.0, 3.0]), "data")
    f = function([], data.sum(), updates=[(count, 0), (data, data[1:])], mode=mode)
    assert [float(f()), float(f()), float(f())] == [6.0, 5.0, 3.0]
    assert count.get_value().dtype == "float64" and float(count.get_value()) == 0.0
    assert data.get_value().shape == (0,)


def test_a_failed_call_stores_nothing(mode: str) -> None:
    a, x = shared(np.zeros(3), "a"), T.dvector("x")
    f = function([x], [], updates=[(a, a + x)], mode=mode)
    with pytest.raises(ValueError):
        f(np.ones(4))
    with pytest.raises(ValueError):
        f(np.ones((3, 3)))
    assert a.get_value().tolist() == [0, 0, 0]


# -------------------------------------------------------------------------------------------------------- givens


def test_givens_replace_inputs_by_slices_of_shared_data(mode: str) -> None:
    data, start, x = shared(np.arange(10.0), "data"), T.lscalar("start"), T.dvector("x")
    f = function([start], [x.sum(), x], givens={x: data[start : start + 3]}, mode=mode)
    total, part = f(2)
    assert float(total) == 9.0 and part.tolist() == [2, 3, 4]
    assert_apart(part, data.get_value(borrow=True))
    assert f(8)[1].tolist() == [8, 9]


def test_givens_replace_by_constants_and_by_inputs(mode: str) -> None:
    x, y, s = T.dvector("x"), T.dvector("y"), T.dscalar("s")
    f = function([y], x * s, givens=[(x, y + 1), (s, 2)], mode=mode)
    assert f([1.0, 2.0]).tolist() == [4.0, 6.0]
    g = function([], x * 2, givens={x: np.array([1.0, 2.0])}, mode=mode)
    assert g().tolist() == [2.0, 4.0]


def test_givens_reach_updates_and_swap(mode: str) -> None:
    x, y, w = T.dvector("x"), T.dvector("y"), shared(np.array([1.0]), "w")
    f = function([x, y], x - y, updates=[(w, w + x)], givens={x: y, y: x}, mode=mode)
    assert f([3.0], [1.0]).tolist() == [-2.0] and w.get_value().tolist() == [2.0]


def test_givens_replace_a_computed_value(mode: str) -> None:
    x, z = T.dvector("x"), T.dvector("z")
    middle = T.exp(x)
    f = function([z], T.log(middle) + 1, givens={middle: z}, mode=mode)
    np.testing.assert_allclose(f([1.0, np.e]), [1.0, 2.0])


# --------------------------------------------------------------------------------------------- shared variables


@pytest.mark.seed("B090")
def test_shared_takes_type_and_name_of_a_value() -> None:
    s = shared(np.random.default_rng(0).normal(size=(3, 4)), "s")
    assert isinstance(s, TensorSharedVariable) and (s.dtype, s.ndim, s.name) == ("float64", 2, "s")


@pytest.mark.seed("B091")
def test_a_new_value_is_seen_without_compiling_again(mode: str) -> None:
    s = shared([1.0, 2.0], "s")
    f = function([], s.sum(), mode=mode)
    assert float(f()) == 3.0
    s.set_value([5.0])
    assert float(f()) == 5.0
    s.set_value(np.arange(6.0)[::-2])
    assert float(f()) == 9.0
    s.value = np.zeros(0)
    assert float(f()) == 0.0 and s.value.shape == (0,)
    s.set_value([1, 2])
    s.zero()
    assert float(f()) == 0.0


@pytest.mark.seed("B092")
def test_shared_copies_unless_it_borrows(mode: str) -> None:
    mine = np.array([1.0, 2.0])
    copied, borrowed = shared(mine, "copied"), shared(mine, "borrowed", borrow=True)
    f = function([], [copied * 1.5, borrowed * 1.5], mode=mode)
    mine[0] = 11.0
    assert [r.tolist() for r in f()] == [[1.5, 3.0], [16.5, 3.0]]
    assert copied.get_value(borrow=True) is copied.get_value(borrow=True)
    assert_apart(copied.get_value(), copied.get_value(borrow=True))
    copied.set_value(mine, borrow=True)
    mine[1] = 12.0
    assert f()[0].tolist() == [16.5, 18.0]


@pytest.mark.seed("B093")
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "int16", "int32", "int64", "uint8", "uint64", "float32", "float64"]
)
def test_shared_infers_dtype_and_rank(dtype: str) -> None:
    for ndim in range(5):
        s = shared(np.ones((2,) * ndim, dtype))
        assert (s.dtype, s.ndim, s.broadcastable) == (dtype, ndim, (False,) * ndim)


def test_a_shared_value_that_was_written_to_is_the_new_state(mode: str) -> None:
    s = shared(np.zeros(2), "s")
    f = function([], s + 1, mode=mode)
    s.get_value(borrow=True)[0] = 5.0
    assert f().tolist() == [6.0, 1.0]


@pytest.mark.seed("B094")
def test_arrays_and_numbers_in_expressions_become_constants() -> None:
    x = T.dvector("x")
    added = x + np.ones(3)
    assert isinstance(added.owner.inputs[1], Constant)
    assert isinstance(eqsat.graph.constant.as_tensor(2.5), Constant)


@pytest.mark.seed("B095")
def test_constants_are_copies(mode: str) -> None:
    x, mine = T.dvector("x"), np.array([1.0, 2.0])
    y = x + mine
    mine[0] = 100.0
    f = function([x], y, mode=mode)
    assert f([0.0, 0.0]).tolist() == [1.0, 2.0]
    mine[1] = 200.0
    assert f([0.0, 0.0]).tolist() == [1.0, 2.0]


# --------------------------------------------------------------------------------------------------- eval, threads


@pytest.mark.seed("K015")
def test_eval_takes_variables_and_names_and_keeps_its_function(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, w = T.dscalar("x"), shared(np.array(10.0), "w")
    y = x * 2 + w
    assert float(y.eval({x: 2.0}, mode=mode)) == 14.0
    assert float(y.eval({"x": 3.0}, mode=mode)) == 16.0
    w.set_value(np.array(0.0))
    monkeypatch.setattr("eqsat.functions.function.function", lambda *a, **k: pytest.fail("compiled again"))
    assert float(y.eval({x: 4}, mode=mode)) == 8.0
    assert float(evaluate(y, {x: 5.0}, mode)) == 10.0


def test_eval_without_inputs(mode: str) -> None:
    assert T.arange(3).eval(mode=mode).tolist() == [0, 1, 2]


def call_from_threads(f: Any, arguments: Sequence[Any], wanted: Sequence[Any]) -> list[BaseException]:
    """Errors of threads that call one function with arguments of their own, all at once."""
    errors: list[BaseException] = []
    gate = threading.Barrier(len(arguments))

    def work(argument: Any, want: Any) -> None:
        try:
            gate.wait()
            for _ in range(50):
                np.testing.assert_allclose(f(argument), want)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(arguments, wanted, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return errors


def test_one_function_in_four_threads(mode: str) -> None:
    x = T.dmatrix("x")
    f = function([x], T.exp(T.dot(x, x.T)).sum(axis=1), mode=mode)
    arguments = [np.full((k + 2, 3), 0.1 * k) for k in range(4)]
    assert call_from_threads(f, arguments, [np.exp(a @ a.T).sum(axis=1) for a in arguments]) == []


def test_functions_are_made_in_four_threads(mode: str) -> None:
    x = T.dvector("x")
    errors: list[BaseException] = []

    def work(k: int) -> None:
        try:
            f = function([x], T.log(T.exp(x * k)) + k, mode=mode)
            np.testing.assert_allclose(f(ONE_TO_THREE), ONE_TO_THREE * k + k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert errors == []


def test_results_live_longer_than_their_function(mode: str) -> None:
    x = T.dvector("x")
    f = function([x], [x + 1, x[1:]], mode=mode)
    results = [f(np.arange(3.0) + k) for k in range(3)]
    del f
    assert [r[0].tolist() for r in results] == [[1, 2, 3], [2, 3, 4], [3, 4, 5]]
    assert [r[1].tolist() for r in results] == [[1, 2], [2, 3], [3, 4]]
