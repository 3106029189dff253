"""A keyword or a value that does not exist gets those that are close to it, wherever a user calls eqsat."""

from __future__ import annotations

import inspect
import os
import pickle
import pydoc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import Config
from eqsat.cli import main
from eqsat.errors import ArgumentError, ConfigError

x = T.dvector("x")
A = T.dmatrix("A")
w = eqsat.shared(np.ones(2), "w")
anything: Any = eqsat
tensor: Any = T

KEYWORDS: list[tuple[Callable[..., Any], tuple[Any, ...], str, str]] = [
    (eqsat.function, ([x], x), "rule", "rules"),
    (eqsat.function, ([x], x), "update", "updates"),
    (eqsat.function, ([x], x), "mod", "mode"),
    (eqsat.optimize, (x,), "rule", "rules"),
    (eqsat.grad, (x.sum(),), "wtr", "wrt"),
    (T.grad, (x.sum(), x), "known_grad", "known_grads"),
    (eqsat.gradient.jacobian, (x, x), "disconected_inputs", "disconnected_inputs"),
    (eqsat.shared, (1.0,), "nme", "name"),
    (eqsat.scan, (lambda a: a,), "sequence", "sequences"),
    (eqsat.scan.map, (lambda a: a,), "sequence", "sequences"),
    (eqsat.ifelse, (x.sum() > 0, x, x), "nmae", "name"),
    (eqsat.rule, ("r", x, x), "teir", "tier"),
    (eqsat.metavars, ("u",), "ndims", "ndim"),
    (eqsat.dprint, (x,), "print_tipe", "print_type"),
    (eqsat.compare, (x, x), "modle", "model"),
    (eqsat.verify.verify, (None,), "pionts", "points"),
    (eqsat.costs.CostModel, (), "flp", "flop"),
    (eqsat.debug.NanGuardMode, (), "nan_is_eror", "nan_is_error"),
    (eqsat.In, (x,), "borow", "borrow"),
    (eqsat.Out, (x,), "borow", "borrow"),
    (eqsat.OpFromGraph, ([x], [x]), "inlin", "inline"),
    (T.sum, (x,), "axes", "axis"),
    (T.softmax, (x,), "axes", "axis"),
    (T.argmax, (x,), "axs", "axis"),
    (T.clip, (x,), "hihg", "high"),
    (T.zeros, (3,), "dtyp", "dtype"),
    (T.tensor, ("float64",), "shap", "shape"),
    (T.dvector, ("x",), "shap", "shape"),
    (T.linalg.svd, (A,), "full_matrix", "full_matrices"),
    (T.nnet.conv2d, (A, A), "bordermode", "border_mode"),
    (T.nnet.relu, (x,), "alhpa", "alpha"),
    (tensor.signal.pool.pool_2d, (A,), "ignore_boder", "ignore_border"),
    (T.random.RandomStream, (), "sede", "seed"),
    (T.random.RandomStream().normal, (), "siz", "size"),
    (x.sum, (), "axes", "axis"),
    (A.max, (), "keepdim", "keepdims"),
    (x.eval, (), "inputs_to_value", "inputs_to_values"),
    (w.set_value, (1,), "borow", "borrow"),
    (eqsat.optimize(x).explain, (), "second", "seconds"),
    (eqsat.config.change_flags, (), "cahce", "cache"),
]


@pytest.mark.parametrize(
    ("call", "given", "wrong", "right"), KEYWORDS, ids=[f"{k}-{row[2]}" for k, row in enumerate(KEYWORDS)]
)
def test_keywords(call: Callable[..., Any], given: tuple[Any, ...], wrong: str, right: str) -> None:
    with pytest.raises((ArgumentError, ConfigError)) as error, call(*given, **{wrong: 1}):
        pass  # change_flags waits for the block
    last = str(error.value).splitlines()[-1].split(maxsplit=1)
    assert last[0] == "try" and right in last[1].replace(" or ", ", ").split(", "), str(error.value)


def test_the_whole_text() -> None:
    with pytest.raises(TypeError) as error:
        tensor.sum(x, axes=0)
    assert str(error.value) == (
        "sum() got an unexpected keyword argument 'axes'\n"
        "  needs  one of x, axis, dtype, keepdims, acc_dtype, initial\n"
        "  try    axis"
    )


def test_other_mistakes_are_told_as_before() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        tensor.sum(axis=0)

    with pytest.raises(eqsat.errors.AxisError, match="an axis is an integer"):
        eqsat.scan(fn=lambda a: tensor.sum(a, axis="one"), sequences=x)
    with pytest.raises(ArgumentError, match="floor_of") as error:
        eqsat.scan(fn=lambda a: tensor.sum(a, floor_of=1), sequences=x)
    assert "one of x, axis" in str(error.value)


def test_operands_may_be_given_by_name() -> None:
    assert str(T.clip(x, low=0, high=1)) == "clip(x, 0, 1)" and str(T.exp(x=x)) == "exp(x)"


def test_help_signatures_pickles_and_identity_are_those_of_the_function() -> None:
    assert list(inspect.signature(T.sum).parameters)[:2] == ["x", "axis"]
    assert next(iter(inspect.signature(eqsat.In).parameters)) == "variable"
    told = "".join(pydoc.plain(pydoc.render_doc(T.sum)).split())  # 3.13 writes a line for each parameter
    assert "sum(x:'Any',axis:" in told and T.sum.__doc__
    assert T.grad is eqsat.grad is eqsat.gradient.grad
    for one in (T.sum, T.softmax, eqsat.function, eqsat.grad, eqsat.optimize, T.nnet.relu):
        assert pickle.loads(pickle.dumps(one)) is one


VALUES: list[tuple[Callable[[], Any], str]] = [
    (lambda: eqsat.config.change_flags(cache="ture").__enter__(), "True"),
    (lambda: eqsat.config.change_flags(floatX="flaot32").__enter__(), "float32"),
    (lambda: eqsat.config.change_flags(autocast_float="smalest").__enter__(), "smallest"),
    (lambda: T.searchsorted(x, x, side="lef"), "left"),
    (lambda: T.nlinalg.norm(A, ord="frob"), "fro"),
    (lambda: T.linalg.qr(A, mode="redced"), "reduced"),
    (lambda: eqsat.function([x], x, mode="FAST_RUM"), "mode='FAST_RUN'"),
    (lambda: eqsat.function([x], x, on_unused_input="ingore"), "ignore"),
    (lambda: eqsat.jit(len, on_unused_input="ingore"), "ignore"),
    (lambda: eqsat.jit(len, mode="FAST_RUM"), "mode='FAST_RUN'"),
    (lambda: eqsat.jit(len, target="cud"), "target='cuda'"),
    (lambda: eqsat.jit(len, rules="exat"), "exact"),
    (lambda: eqsat.value_and_grad(len, mode="FAST_RUM"), "mode='FAST_RUN'"),
    (lambda: eqsat.optimize(x, without=["save-memmory"]), "save-memory"),
    (lambda: eqsat.function([x], x).export("nowhere", target="natve"), "target='native'"),
]


@pytest.mark.parametrize(("call", "right"), VALUES, ids=[right for _, right in VALUES])
def test_values(call: Callable[[], Any], right: str) -> None:
    with pytest.raises(eqsat.errors.EqsatError) as error:
        call()
    assert str(error.value).splitlines()[-1].split() == ["try", *right.split()], str(error.value)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("cache=maybe", "config.cache does not take 'maybe'", "needs  one of True, False"),
        ("cache=flase", "config.cache does not take 'flase'", "try    False"),
        ("cach=True", "config has no flag 'cach'", "try    cache or cc"),
        ("floatX=flot64", "config.floatX does not take 'flot64'", "try    float64"),
        ("openmp=0,flotX=float32", "config has no flag 'flotX'", "try    floatX"),
        ("floatX", "floatX has no value", "try    floatX=value"),
        ("flaotX", "config has no flag 'flaotX'", "try    floatX"),
    ],
)
def test_the_environment(text: str, first: str, last: str) -> None:
    with pytest.raises(ConfigError) as error:
        Config({"EQSAT_FLAGS": text})
    lines = str(error.value).splitlines()
    assert lines[0] == f"the variable EQSAT_FLAGS: {first}"
    assert lines[-1].split() == last.split()


@pytest.mark.parametrize(
    ("words", "right"), [(["rules", "verify", "--pionts", "3"], "--points"), (["calibrat"], "calibrate")]
)
def test_the_command_line(words: list[str], right: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(words)
    assert capsys.readouterr().err.rstrip().endswith(f"did you mean {right}?")


@pytest.mark.sweep
def test_type_checkers_still_see_the_signatures(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(
        'import eqsat\nimport eqsat.tensor as T\nx = T.dvector("x")\n'
        "eqsat.function([x], x, rule=1)\nT.softmax(x, axes=0)\neqsat.function([x], x, rules='default')\n"
    )
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", str(tmp_path), str(program)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=Path(eqsat.__file__).parents[1],
        env=os.environ,
        check=False,
    )
    assert {line.split(":")[1] for line in done.stdout.splitlines() if "error" in line} == {"4", "5"}, (
        done.stdout
    )
