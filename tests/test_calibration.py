"""Calibration: constants are found again from times that a model makes, noise and nonsense are refused, files are kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat import config
from eqsat.cli import main
from eqsat.costs import CostModel, calibration
from eqsat.costs.calibration import (
    AFTER,
    CHAINS,
    FUNCTIONS,
    LONG,
    MIDDLE,
    PLAIN,
    PRODUCTS,
    SHORT,
    Figures,
    fitted,
)
from eqsat.errors import CostError
from eqsat.extract.stored import calibrated_path, current_model, load_model, save_model
from eqsat.functions import store
from eqsat.graph.declare import find_op

USUAL = CostModel()
OVERHEAD = 2e-7


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with config.change_flags(cache_dir=str(tmp_path)):
        yield tmp_path


def times(scale: float = 1.0) -> dict[str, list[float]]:
    """What a machine would take that the usual model describes, or one that is slower by a factor."""
    found: dict[str, float] = {
        "call": OVERHEAD,
        "calls": OVERHEAD + 19 * USUAL.call,
        **{
            name: OVERHEAD + n * 24 * USUAL.byte * part
            for (name, n), part in zip(MIDDLE.items(), (USUAL.near, USUAL.far, 1.0), strict=True)
        },
    }
    for k, length in ((1, SHORT), (2, LONG)):
        found[f"near {k}"] = length * 24 * USUAL.byte * USUAL.nearest
    for name in FUNCTIONS:
        for dtype, width in (("float64", 8), ("float32", 4)):
            cost: Any = find_op(name, ()).declaration.cost
            for n in (SHORT, LONG):
                seconds = USUAL.flops(cost, width) * USUAL.flop + 2 * width * USUAL.byte * USUAL.nearest
                found[f"{name} {dtype} {n}"] = OVERHEAD + n * seconds
    dot, factor = find_op("dot", ()), find_op("cholesky", ())
    for length in (SHORT, LONG):
        moved = length * USUAL.byte * USUAL.nearest
        found[f"plain {length}"] = OVERHEAD + length * PLAIN * USUAL.plain * USUAL.flop + 6 * moved
        for outer, inner in AFTER:
            flops = cost_of(inner).flops + USUAL.after * cost_of(outer).flops
            found[f"{outer} {inner} {length}"] = OVERHEAD + length * flops * USUAL.flop + 16 * moved
    found["group"] = OVERHEAD + USUAL.group
    for m, k, n in PRODUCTS:
        found[f"dot {m} {k} {n}"] = OVERHEAD + USUAL.op_seconds(dot, [(m, k), (k, n)], (m, n), 8)
    for n in (30, 300):
        found[f"cholesky {n}"] = OVERHEAD + USUAL.op_seconds(factor, [(n, n)], (n, n), 8)
    for name, several in CHAINS.items():
        for steps in (1_000, 11_000):
            operation = USUAL.plain * USUAL.waits * USUAL.flop
            found[f"{name} {steps}"] = steps * (USUAL.step + 2 * several * operation)
    return {name: [scale * t, scale * t * 1.1, scale * t] for name, t in found.items()}


def cost_of(name: str) -> Any:
    """The declared cost of an op."""
    return find_op(name, ()).declaration.cost


@pytest.mark.parametrize("scale", [1.0, 5.0])
def test_constants_are_found_again(scale: float) -> None:
    model = fitted(Figures(times(scale)))
    for name in ("flop", "byte", "call", "step"):
        assert getattr(model, name) == pytest.approx(scale * getattr(USUAL, name), rel=0.02), name
    for name in ("blas_flop", "blas_call", "factor_flop"):
        assert getattr(model, name) == pytest.approx(scale * getattr(USUAL, name), rel=0.5), name
    for name in ("group", "waits"):
        factor = scale if name == "group" else 1
        assert getattr(model, name) == pytest.approx(factor * getattr(USUAL, name), rel=0.1), name
    for name in ("nearest", "near", "far", "single", "plain", "after"):
        assert getattr(model, name) == pytest.approx(getattr(USUAL, name), rel=0.02), name
    for name in ("thin", "shallow", "vector", "tiny", "short"):
        assert getattr(model, name) == pytest.approx(getattr(USUAL, name), rel=0.3), name
    declared: Any = find_op("exp", ()).declaration.cost
    assert dict(model.prices)["exp"].flops == pytest.approx(declared.flops, rel=0.05)


def test_unsteady_times_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "programs", lambda: {"call": lambda: None})
    clock = iter([1.0, 5.0, 6.0])
    with pytest.raises(CostError, match=r"the times of call differ more than 3 times"):
        calibration.calibrate(lambda call: next(clock))


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_constants_that_no_machine_has_are_refused(scale: float) -> None:
    with pytest.raises(CostError, match="which no machine has"):
        fitted(Figures(times(scale)))


def test_a_stored_model_is_used_where_the_flag_says_so(folder: Path) -> None:
    x = T.dvector("x")
    slow = CostModel(flop=1e-9).priced({"exp": 77})
    save_model(slow, calibrated_path())
    assert eqsat.optimize(T.exp(x)).cost_after < 1e-5
    with config.change_flags(cost_model="calibrated"):
        assert current_model().flop == 1e-9
        assert eqsat.optimize(T.exp(x)).cost_after == pytest.approx(256 * 77e-9, rel=0.01)
        assert eqsat.optimize(T.exp(x), model=CostModel()).cost_after < 1e-5
        save_model(CostModel(flop=2e-9), calibrated_path())
        assert current_model().flop == 2e-9
    save_model(slow, folder / "other.json")
    with config.change_flags(cost_model=str(folder / "other.json")):
        assert current_model() == load_model(folder / "other.json") != CostModel()


def test_functions_of_different_models_are_kept_apart(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x = T.dvector("x")
    keys: list[Any] = []
    monkeypatch.setattr(store, "load", lambda key: keys.append(key))
    save_model(CostModel(flop=1e-9), calibrated_path())
    out = x * 2
    eqsat.function([x], out)
    with config.change_flags(cost_model="calibrated"):
        eqsat.function([x], out)
    eqsat.function([x], out)
    assert keys[0] == keys[2] != keys[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("{", "holds no cost model"),
        ("[]", "holds no cost model"),
        ('{"constants": {"speed": 1}, "flops": {}}', "there is no constant 'speed'"),
        ('{"constants": {"flop": -1}, "flops": {}}', "flop is -1"),
        ('{"constants": {"flop": "fast"}, "flops": {}}', "flop is 'fast'"),
        ('{"constants": {"flop": NaN}, "flops": {}}', "flop is nan"),
        ('{"constants": {}, "flops": {"exq": 1}}', "there is no op 'exq'"),
        ('{"constants": {}, "flops": {"exp": "a"}}', "exp cannot cost 'a'"),
    ],
)
def test_a_damaged_file_is_refused(folder: Path, text: str | None, said: str) -> None:
    if text is not None:
        calibrated_path().write_text(text)
    with config.change_flags(cost_model="calibrated"), pytest.raises(CostError) as caught:
        eqsat.optimize(T.dvector("x") + 1)
    assert said in str(caught.value)


def test_the_command_prints_and_keeps(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(calibration, "calibrate", lambda: fitted(Figures(times(2.0))))
    assert main(["calibrate", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert not calibrated_path().exists()
    assert "flop" in said and "5e-11  2.5e-11   2.00" in said and "exp flops" in said
    assert main(["calibrate"]) == 0
    assert f"kept in {calibrated_path()}; EQSAT_FLAGS=cost_model=calibrated" in capsys.readouterr().out
    assert json.loads(calibrated_path().read_text())["constants"]["flop"] == pytest.approx(5e-11, rel=0.02)
    assert main(["calibrate", "--output", "/dev/null/x.json"]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.c
def test_every_program_that_is_measured_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "FUNCTIONS", ("exp", "pow"))
    monkeypatch.setattr(calibration, "BASE", ("exp",))
    monkeypatch.setattr(calibration, "MIDDLE", dict.fromkeys(calibration.MIDDLE, 10))
    calls = calibration.programs()
    for call in calls.values():
        call()
    group: Any = calls["group"].__closure__[1].cell_contents  # type: ignore[index]
    assert "eq_rows_near(" in group.c_source
    assert (
        {"call", "far", f"exp float32 {SHORT}", "dot 2 256 256", "loop 1000"}
        <= set(calls)
        <= set(times()) | {f"exp float32 {LONG}"}
    )
