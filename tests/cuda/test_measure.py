"""Constants of a GPU are found again from the times that it would take, nonsense is refused, and the command says what is missing."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.cgen import find_compiler as find_c_compiler
from eqsat.cgen.cuda import measure
from eqsat.cgen.cuda.compile import find_compiler
from eqsat.cgen.cuda.costs import RECORDED, constants
from eqsat.cgen.cuda.driver import Driver, present
from eqsat.cgen.cuda.measure import FAR, THREADS, far, fitted, near
from eqsat.cli import calibrate, main
from eqsat.costs import CostModel
from eqsat.errors import DeviceError
from eqsat.extract.stored import calibrated_path, current_model, save_model

pytestmark = pytest.mark.cuda
GPU = RECORDED["sm_90"]
BLOCKS = 8 * GPU.multiprocessors


def seconds(model: Any) -> dict[str, float]:
    """What each kernel takes by a model."""
    start, flops = model["call"], 8.0 * (1 << 14) * THREADS * BLOCKS
    return {
        "nothing": start,
        "copy": 2 * FAR * model["byte"],
        "doubles": start + flops * model["flop"],
        "singles": start + flops * model["flop"] * model["single"],
        "nearest": start + 400.0 * near(GPU) * BLOCKS * model["byte"] * model["nearest"],
        "far": start + 40.0 * far(GPU) * model["byte"] * model["far"],
        "places": start + 200.0 * THREADS * BLOCKS * model["place"],
    }


def test_constants_are_found_again() -> None:
    usual = dict(constants(GPU))
    wanted = usual | {"byte": 3e-13, "flop": 1e-13, "single": 0.25, "call": 4e-6, "place": 1e-10, "far": 0.5}
    found = fitted(GPU, BLOCKS, seconds(wanted))
    for name in ("byte", "flop", "single", "call", "place", "far", "nearest"):
        assert found[name] == pytest.approx(wanted[name], rel=1e-6), name
    assert found["outer"] == usual["outer"] and CostModel(**found)
    assert found["waits"] * found["flop"] == pytest.approx(usual["waits"] * usual["flop"])


def test_times_that_no_gpu_has_are_refused() -> None:
    with pytest.raises(DeviceError, match=r"byte was measured as .* and the attributes of the GPU say"):
        fitted(GPU, BLOCKS, seconds(dict(constants(GPU)) | {"byte": 1e-9}))


@pytest.mark.c
@pytest.mark.skipif(find_compiler() is None, reason="neither NVRTC nor nvcc")
def test_every_kernel_is_launched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, source = str(tmp_path / "libstand_in.so"), str(Path(__file__).with_name("stand_in.c"))
    words = ["-O1", "-w", "-shared", "-fPIC", "-fvisibility=hidden", source, "-o", path]
    subprocess.run([str(find_c_compiler()), *words], check=True)
    made, library = Driver(path), ctypes.CDLL(path)
    monkeypatch.setattr(measure, "driver", lambda: made)
    clock = iter(seconds(constants(GPU)).values())

    def timed(run: Any) -> float:
        run()
        return next(clock)

    with measure.Bench() as bench:
        assert set(measure.times(bench, GPU, timed)) == set(seconds(constants(GPU)))
    assert ctypes.c_int64.in_dll(library, "seen").value == 200 + 5  # launches


@pytest.mark.skipif(present() is not None, reason="there is a GPU")
def test_the_command_says_that_there_is_no_gpu(capsys: Any) -> None:
    assert main(["calibrate", "--target", "cuda"]) == 2
    assert "no CUDA device" in capsys.readouterr().err


def test_the_command_keeps_constants_for_the_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    slow = dict(constants(GPU)) | {"byte": 1e-12}
    monkeypatch.setattr(measure, "measured", lambda: slow)
    with config.change_flags(cache_dir=str(tmp_path), cuda_device="emulated"):
        assert main(["calibrate", "--target", "cuda"]) == 0
        said = capsys.readouterr().out
        assert "byte" in said and str(calibrated_path("cuda")) in said and not calibrated_path().exists()
        save_model(CostModel(byte=5e-11), calibrated_path())
        with config.change_flags(cost_model="calibrated"):
            assert current_model("cuda", constants(GPU)).byte == 1e-12
            assert current_model("c").byte == 5e-11
            x = T.vector("x")
            models = [eqsat.optimize(x + 1, target=t).model.byte for t in ("c", "cuda")]
        with config.change_flags(cost_model=str(calibrated_path())):
            assert current_model("cuda", constants(GPU)).byte == constants(GPU)["byte"]
    assert models == [5e-11, 1e-12]
    assert calibrate.comparison(CostModel(**slow), CostModel(**constants(GPU))).count("\n") == 1
