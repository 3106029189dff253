"""A name that does not exist gets the names that are close to it, wherever it is looked up; and what looks like a function is one."""

from __future__ import annotations

import copy
import importlib
import inspect
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
from eqsat.base.names import MissingNameError
from eqsat.cli import main

x = T.dvector("x")
A = T.dmatrix("A")

PUBLIC = {  # module: a misspelt name, and the one that is meant
    "eqsat": ("functon", "function"),
    "eqsat.compat": ("thaeno", "theano"),
    "eqsat.costs": ("flps", "flops"),
    "eqsat.debug": ("NanGuardMod", "NanGuardMode"),
    "eqsat.extract": ("extractor", "extractors"),
    "eqsat.gradient": ("hesian", "hessian"),
    "eqsat.graph": ("clone_replac", "clone_replace"),
    "eqsat.pipeline.modes": ("get_mod", "get_mode"),
    "eqsat.printing": ("dprnt", "dprint"),
    "eqsat.rules": ("default_rule", "default_rules"),
    "eqsat.rules.conditions": ("nonezero", "nonzero"),
    "eqsat.scan": ("unti", "until"),
    "eqsat.tensor": ("sofmax", "softmax"),
    "eqsat.tensor.linalg": ("svdd", "svd"),
    "eqsat.tensor.nnet": ("sigmod", "sigmoid"),
    "eqsat.tensor.random": ("RandomStraem", "RandomStream"),
    "eqsat.tensor.signal": ("pol", "pool"),
    "eqsat.verify": ("swep", "sweep"),
}


@pytest.mark.parametrize("module", PUBLIC)
def test_modules_suggest(module: str) -> None:
    wrong, right = PUBLIC[module]
    with pytest.raises(AttributeError, match=f"has no attribute '{wrong}'; did you mean .*{right}"):
        getattr(importlib.import_module(module), wrong)


@pytest.mark.parametrize("module", PUBLIC)
def test_names_that_wait_are_listed(module: str) -> None:
    held = importlib.import_module(module)
    assert set(getattr(held, "__all__", ())) <= set(dir(held))


THINGS: list[tuple[Callable[[], Any], str, str]] = [
    (lambda: A, "summ", "sum"),
    (lambda: T.constant(1.0), "reshap", "reshape"),
    (lambda: eqsat.shared(1.0), "get_valu", "get_value"),
    (lambda: T.random.RandomStream(), "nrmal", "normal"),
    (lambda: eqsat.optimize(x), "explan", "explain"),
    (lambda: eqsat.function([x], x), "c_sorce", "c_source"),
    (lambda: eqsat.rules.default_rules(), "tagd", "tagged"),
]


@pytest.mark.parametrize(("make", "wrong", "right"), THINGS)
def test_objects_suggest(make: Callable[[], Any], wrong: str, right: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute '{wrong}'; did you mean .*{right}"):
        getattr(make(), wrong)


LOOKUPS: list[tuple[Callable[[], Any], str]] = [
    (lambda: eqsat.optimize(x, rules="defualt"), "default"),
    (lambda: eqsat.optimize(x, rules="defualt,loose"), "default"),
    (lambda: eqsat.optimize(x, rules="-log-expp"), "log-exp"),
    (lambda: eqsat.optimize(x, rules=["lose"]), "loose"),
    (lambda: eqsat.rules.default_rules()["log-ex"], "log-exp"),
    (lambda: eqsat.rules.default_rules().tiers("exct"), "exact"),
    (lambda: eqsat.rule("r", lambda u: T.exp(u), lambda u: u, tier="roundss"), "rounds"),
    (lambda: eqsat.metavars("u", dtype="flot"), "float"),
    (lambda: eqsat.function([x], x, mode="fast_rum"), "mode='FAST_RUN'"),
    (lambda: eqsat.function([x], x, mode="debugmod"), "mode='DebugMode'"),
    (lambda: eqsat.function([x], x, on_unused_input="wran"), "warn"),
    (lambda: eqsat.function([x], 2 * x)(xx=[1.0]), "x"),
    (lambda: (2 * T.dvector("weights")).eval({"weihgts": [1.0]}), "weights"),
    (lambda: eqsat.config.flotX, "floatX"),
    (lambda: setattr(eqsat.config, "egraph_second", 1), "egraph_seconds"),
    (lambda: eqsat.optimize(x, extractor="gredy"), "greedy"),
    (lambda: eqsat.compare(x, ruels=("exact", "default")), "rules"),
    (lambda: eqsat.costs.CostModel().priced({"expp": 1}), "exp"),
    (lambda: T.vector("v", dtype="flot32"), "float32"),
    (lambda: x.astype("Float_64"), "float64"),
    (lambda: T.pad(x, 1, "edg"), "edge"),
    (lambda: eqsat.profile_rules(T.log(T.exp(x)))["log-ex"], "log-exp"),
    (lambda: eqsat.optimize(T.exp(x), shape_hints={"xs": 3}), "x"),
]


@pytest.mark.parametrize(("call", "right"), LOOKUPS, ids=[f"{k}-{w}" for k, (_, w) in enumerate(LOOKUPS)])
def test_lookups_suggest(call: Callable[[], Any], right: str) -> None:
    with pytest.raises((eqsat.errors.EqsatError, AttributeError)) as error:
        call()
    last = str(error.value).splitlines()[-1].split()
    assert last[0] == "try" and right in " ".join(last[1:]).replace(" or ", ", ").split(", ")


@pytest.mark.parametrize(
    ("words", "right"),
    [
        (["rlues"], "rules"),
        (["rules", "lst"], "list"),
        (["rules", "list", "--teir", "exact"], "--tier"),
        (["rules", "list", "--tier", "exct"], "exact"),
        (["extract", "--extracter=best", "f"], "--extractor"),
    ],
)
def test_commands_suggest(words: list[str], right: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(words)
    assert capsys.readouterr().err.rstrip().endswith(f"did you mean {right}?")


def test_no_name_is_suggested_where_none_is_close() -> None:
    with pytest.raises(AttributeError) as error:
        T.qqqqqq  # noqa: B018
    assert str(error.value) == "module 'eqsat.tensor' has no attribute 'qqqqqq'"


def test_the_error_can_be_pickled_and_variables_copied() -> None:
    with pytest.raises(MissingNameError) as error:
        A.summ  # noqa: B018
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
    assert copy.copy(A).type == A.type and not hasattr(A, "get_value")


def test_the_error_of_a_property_is_told_and_not_that_it_is_missing() -> None:
    class Odd(type(A)):  # type: ignore[misc]
        @property
        def doubled(self) -> Any:
            return [].double  # type: ignore[attr-defined]

    with pytest.raises(AttributeError, match="'list' object has no attribute 'double'"):
        Odd(A.type).doubled  # noqa: B018


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0 and capsys.readouterr().out == f"eqsat {eqsat.__version__}\n"


def test_scan_looks_like_the_function() -> None:
    assert inspect.signature(eqsat.scan) == inspect.signature(eqsat.scan.scan)
    text = pydoc.plain(pydoc.render_doc(eqsat.scan))
    assert "Outputs of a function called step by step" in text.splitlines()[3]
    assert "eqsat.scan(fn, sequences=None, outputs_info=None" in text and "truncate_gradient" in text


@pytest.mark.sweep
def test_type_checkers_take_scan_as_a_function_and_see_wrong_names(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(
        "import eqsat\nimport eqsat.tensor as T\nfrom eqsat import scan\n"
        'x = T.dvector("x")\n'
        "eqsat.scan(lambda a: a + 1, x)[0]\n"
        "eqsat.scan.scan(lambda a: (a, eqsat.scan.until(a > 2)), x, n_steps=3)\n"
        "scan(lambda a: a + 1, sequences=x)\n"
        "eqsat.scan.map(lambda a: a + 1, x)\n"
        "eqsat.scan(lambda a: a + 1, x, steps=3)\n"
        "eqsat.functon\n"
    )
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", str(tmp_path), str(program)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(eqsat.__file__).parents[1])
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert {line.split(":")[1] for line in errors} == {"9", "10"}, done.stdout + done.stderr


def test_scan_is_still_called_and_a_module() -> None:
    from eqsat.scan import scan, until

    y = eqsat.scan(lambda a: a + 1, x)[0]
    assert np.array_equal(y.eval({x: [1.0]}), [2.0]) and eqsat.scan.scan is scan and eqsat.scan.until is until
