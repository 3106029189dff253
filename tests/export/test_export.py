"""Exported functions give the bits of the functions in Python, from C that compiles without a warning."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError
from eqsat.export.front import Library

Build = Callable[..., Library]
X = np.random.default_rng(0).normal(size=(7, 5))
V = X[0].copy()


def known(dtype: str, *shape: int | None) -> Any:
    return eqsat.TensorType(dtype, shape=shape)("x")


def double(**options: Any) -> Any:
    x = T.dvector("x")
    return eqsat.function([x], 2 * x, **options)


def elementwise() -> Any:
    x = known("float64", 5)
    return eqsat.function([x], T.exp(x) * T.log1p(x * x)), [V]


def unknown_lengths() -> Any:
    x, y = T.dmatrix("x"), T.dvector("y")
    return eqsat.function([x, y], [x + y, T.sum(x, axis=0), T.max(x)]), [X, V]


def integers() -> Any:
    x, y, z = T.bvector("x"), T.TensorType("uint64", shape=(3,))("y"), T.ivector("z")
    f = eqsat.function([x, y, z], [T.sum(x), y + 1, z // 2, T.cast(z, "int16")])
    return f, [np.array([1, -2, 3], "int8"), np.array([1, 2, 2**63], "uint64"), np.array([-3, 3], "int32")]


def truth() -> Any:
    x, y, z = T.TensorType("bool", shape=(None,))("x"), T.dvector("y"), known("bool")
    return eqsat.function([x, y, z], [~x & z, T.switch(x, y, -y), T.any(y > 0)]), [V > 0, V, np.True_]


def complex_numbers() -> Any:
    x, y = T.zvector("x"), T.cscalar("y")
    return eqsat.function([x, y], [x * y, T.exp(x), abs(x)]), [V + 1j, np.complex64(2 - 1j)]


def words_of_c() -> Any:
    x, y, z, n = T.dscalar("for"), T.dscalar("for"), T.dscalar("learning */ rate"), T.dscalar("int64_t")
    return eqsat.function([x, y, z, n], [x - y * z, x / n]), [1.0, 2.0, 3.0, 4.0]


def no_arguments() -> Any:
    return eqsat.function([], T.constant(np.arange(20.0)) * 3), []


def held_values() -> Any:
    x, w = T.dvector("x"), eqsat.shared(X, "w")
    return eqsat.function([x], T.dot(w, x)), [V]


def loop() -> Any:
    x = T.dvector("x")
    found, _ = eqsat.scan(lambda a, s: T.tanh(s * 0.5 + a), x, T.constant(0.0))
    return eqsat.function([x], found), [V]


def sorted_values() -> Any:
    x = T.dmatrix("x")
    return eqsat.function([x], [T.sort(x, axis=1), T.argsort(x, axis=0)]), [X]


def sorted_integers() -> Any:
    x, y = T.TensorType("uint32", shape=(None,))("x"), T.TensorType("uint64", shape=(None,))("y")
    values = np.array([2**32 - 1, 0, 7, 2**31], "uint32")
    return eqsat.function([x, y], [T.sort(x), T.argsort(y)]), [values, values.astype("uint64") << 32]


def lengths_as_names() -> Any:
    x, y = T.dscalar("x_len0"), T.dvector("x")
    return eqsat.function([x, y], x * y), [2.0, V]


def picked() -> Any:
    x, i = T.dmatrix("x"), T.lvector("i")
    return eqsat.function([x, i], [x[i], x[::-1, 1], T.inc_subtensor(x[i, 0], 1.0)]), [X, np.array([1, 1, 6])]


def factorised() -> Any:
    a, b = known("float64", 5, 5), T.dvector("b")
    f = eqsat.function([a, b], [T.linalg.cholesky(a), T.linalg.solve(a, b), T.linalg.eigh(a)[0]])
    return f, [X.T @ X, V]


def convolved() -> Any:
    x = T.ftensor4("x")
    w = T.constant(np.linspace(-1, 1, 36, dtype="float32").reshape(4, 1, 3, 3))
    return eqsat.function([x], T.nnet.conv2d(x, w, border_mode="half")), [X.astype("float32")[None, None]]


CASES = [
    elementwise,
    unknown_lengths,
    integers,
    truth,
    complex_numbers,
    words_of_c,
    no_arguments,
    held_values,
    loop,
    sorted_values,
    sorted_integers,
    lengths_as_names,
    picked,
    factorised,
    pytest.param(convolved, marks=pytest.mark.sweep),
]


def same_bits(got: Any, wanted: Any) -> None:
    got, wanted = (v if isinstance(v, list) else [v] for v in (got, wanted))
    for a, b in zip(got, wanted, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("case", CASES, ids=lambda case: getattr(case, "__name__", None))
@pytest.mark.sampled(4)
def test_a_library_gives_the_bits_of_the_function(case: Callable[[], Any], built: Build) -> None:
    f, arguments = case()
    library = built(f)
    for _ in range(2):
        same_bits(library.call(*arguments), f(*arguments))


def test_lengths_of_none_one_and_many(built: Build) -> None:
    x = T.dmatrix("x")
    f = eqsat.function([x], [x * 2, T.sum(x, axis=1), T.cumsum(x)])
    library = built(f)
    for shape in [(0, 3), (1, 1), (3, 0), (40, 70), (2, 2)]:
        value = np.random.default_rng(1).normal(size=shape)
        same_bits(library.call(value), f(value))


def test_a_state_follows_the_shared_variables(built: Build) -> None:
    x = T.dvector("x")
    w, count = eqsat.shared(V[:2].copy(), "w"), eqsat.shared(0, "count")
    noise = T.random.RandomStream(seed=3).normal(0, 1, size=(2,))
    loss = T.sum(T.sin(w + noise)) + T.max(x)
    f = eqsat.function([x], loss, updates=[(w, w - 0.1 * T.grad(loss, w)), (count, count + 1)])
    library = built(f)
    first, second = library.init(), library.init()
    losses = [float(f(V)) for _ in range(3)]
    assert [float(library.call(first, V)) for _ in range(3)] == losses
    assert first["w"].tobytes() == w.get_value().tobytes()
    assert (int(first["count"]), int(second["count"])) == (3, 0)
    assert float(library.call(second, V)) == losses[0]
    with pytest.raises(TypeError, match="is copied by a package alone"):
        copy.deepcopy(second)
    first["w"], second["count"] = [7, 8], 5
    assert first["w"].tolist() == [7.0, 8.0] and int(second["count"]) == 5 and "w" in list(first)
    assert len(first) == 3
    with pytest.raises(TypeError, match="count is float64, not int64"):
        first["count"] = np.array(1.5)
    with pytest.raises(ValueError, match="count has the shape"):
        first["count"] = [1, 2]


def test_a_state_may_change_its_lengths(built: Build) -> None:
    x = T.dvector("x")
    seen = eqsat.shared(np.zeros(0), "seen")
    f = eqsat.function([x], seen.shape[0], updates=[(seen, T.concatenate([seen, x]))])
    library = built(f)
    state = library.init()
    for _ in range(3):
        assert library.call(state, V) == f(V)
    assert state["seen"].tobytes() == seen.get_value().tobytes()
    state["seen"] = np.arange(90.0)
    assert library.call(state, V) == 90 and state["seen"].tolist() == [*range(90), *V]
    state["seen"] = []
    assert library.call(state, V) == 0 and state["seen"].tolist() == V.tolist()


def test_arguments_by_their_names(built: Build) -> None:
    x, y, w = T.dvector("x"), T.dvector("y"), eqsat.shared(1.0, "w")
    library = built(eqsat.function([x, y], x - 2 * y, updates=[(w, w + 1)]))
    state, a, b = library.init(), np.arange(3.0), np.ones(3)
    for found in (library.call(state, a, y=b), library.call(y=b, x=a, state=state)):
        same_bits(found, a - 2 * b)
    for given, named, said in [
        ((state, a), {"z": b}, r"takes \(state, x, y\), and no 'z'"),
        ((state, a), {"x": b}, "'x' is given twice"),
        ((state,), {"x": a}, "y missing"),
    ]:
        with pytest.raises(TypeError, match=said):
            library.call(*given, **named)


def test_variables_that_swap_their_values(built: Build) -> None:
    a, b = eqsat.shared(np.arange(4.0), "a"), eqsat.shared(-np.arange(4.0), "b")
    library = built(eqsat.function([], [], updates=[(a, b), (b, a)]))
    state = library.init()
    library.call(state)
    assert state["a"].tolist() == (-np.arange(4.0)).tolist()
    assert state["b"].tolist() == np.arange(4.0).tolist()


def test_errors_are_numbers_with_a_message(built: Build) -> None:
    x = T.dmatrix("x")
    count = eqsat.shared(0.0, "count")
    library = built(eqsat.function([x], T.linalg.cholesky(x), updates=[(count, count + T.sum(x))]))
    state = library.init()
    with pytest.raises(ValueError, match=r"^cholesky: x is 7 by 5, not square at run time; needs"):
        library.call(state, X)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        library.call(state, -np.eye(3))
    assert float(state["count"]) == 0.0
    same_bits(library.call(state, 4 * np.eye(3)), 2 * np.eye(3))
    assert float(state["count"]) == 12.0
    assert library._message(0) == b"" and library._message(99) == b"no such error"


def test_routines_that_are_missing_are_said(tmp_path: Path, built: Build, monkeypatch: Any) -> None:
    x = T.dmatrix("x")
    monkeypatch.setattr(Library, "_use_scipy", lambda self, routines: None)
    library = built(eqsat.function([x], T.linalg.cholesky(x)))
    with pytest.raises(RuntimeError, match="lib_use"):
        library.call(np.eye(3))


def test_arrays_of_other_types_are_refused(built: Build) -> None:
    x = known("float32", 2, None)
    library = built(eqsat.function([x], x + 1))
    assert library.call([[1, 2], [3, 4]]).tolist() == [[2, 3], [4, 5]]
    with pytest.raises(TypeError, match="x is float64, not float32"):
        library.call(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"x has the shape \(3, 3\), not \(2, \?\)"):
        library.call(np.ones((3, 3), "float32"))
    with pytest.raises(TypeError, match="takes 1 arrays"):
        library.call()


@eqsat.as_op(itypes=[T.dvector], otypes=[T.dvector])
def backwards(a: Any) -> Any:
    return a[::-1].copy()


def refused(f: Any, folder: Path, name: str = "lib") -> str:
    with pytest.raises(ArgumentError) as error:
        f.export(folder, name)
    assert not list(folder.iterdir())
    return str(error.value)


def test_ops_in_python_are_named(tmp_path: Path) -> None:
    x = T.dvector("x")
    said = refused(eqsat.function([x], backwards(x) * 2, name="turned"), tmp_path)
    assert said.startswith("export: turned: backwards runs in Python")
    assert "test_export.py:" in said and "needs" in said and "try" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"mode": "numpy"}, 'mode="FAST_RUN"'),
        ({"profile": True}, "is timed"),
        ({"target": "cuda"}, "is compiled for 'cuda'"),
    ],
)
def test_functions_without_c_of_their_own(options: Any, said: str, tmp_path: Path) -> None:
    with eqsat.config.change_flags(cuda_device="emulated"):
        assert said in refused(double(**options), tmp_path)


def test_names_that_c_does_not_have(tmp_path: Path) -> None:
    for name in ("2nd", "a-b", "while", "a b", "exp", "index", "import", "eq_plan"):
        assert "is no name of C" in refused(double(), tmp_path, name)


def test_a_misspelt_processor_is_refused_and_one_of_another_kind_is_not(tmp_path: Path) -> None:
    f = double()
    with pytest.raises(ArgumentError, match=r"^export: there is no processor 'x86-64-v9'") as raised:
        f.export(tmp_path, target="x86-64-v9")
    assert "target='x86-64-v3'" in str(raised.value)
    with pytest.raises(ArgumentError, match="is no name of a processor"):
        f.export(tmp_path, target="native -o /tmp/x")
    assert not list(tmp_path.iterdir())
    for target in ("armv8.2-a+sve", "z14", "x86-64-v3", "native", None):
        f.export(tmp_path, target=target)


def test_names_of_two_libraries_do_not_meet(tmp_path: Path) -> None:
    for name in ("one", "two"):
        double().export(tmp_path, name)
        text = (tmp_path / f"{name}_kernels.c").read_text()
        assert "eq_" not in text and f"{name}_segment_0" in text
