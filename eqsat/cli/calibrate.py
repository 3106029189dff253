"""Measure the constants of the cost model on this machine.

The table shows what was measured beside the defaults: seconds per flop, byte and call, ratios, and flops of functions. The
result is kept in the cache folder of eqsat, and used where config.cost_model is "calibrated", as with
EQSAT_FLAGS=cost_model=calibrated.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from eqsat.base.progress import Progress
from eqsat.base.text_tables import table
from eqsat.extract.cost import CostModel
from eqsat.extract.stored import CONSTANTS, calibrated_path, save_model
from eqsat.graph.declare import OPS


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat calibrate``."""
    parser.add_argument(
        "--target", default="c", choices=("c", "cuda"), help="what is measured; cuda is the GPU that is here"
    )
    parser.add_argument("--output", help="the file to write; by default in the cache folder of eqsat")
    parser.add_argument("--dry-run", action="store_true", help="measure and print, keep nothing")


def run(asked: argparse.Namespace) -> int:
    """Measure, print and keep."""
    start = time.perf_counter()
    model, usual = measured(asked.target)
    print(comparison(model, usual))
    print(f"measured in {time.perf_counter() - start:.0f} s")
    if asked.dry_run:
        return 0
    path = asked.output or calibrated_path(asked.target)
    save_model(model, path, asked.target)
    name = path if asked.output else "calibrated"
    print(f"kept in {path}; EQSAT_FLAGS=cost_model={name} or config.cost_model = {str(name)!r} uses it")
    return 0


def measured(target: str) -> tuple[CostModel, CostModel]:
    """The model of this machine for a target, and the one that functions have without it.

    Errors   CostError for times that are too unsteady; DeviceError where there is no GPU
    """
    if target == "c":
        from eqsat.costs.calibration import calibrate

        with Progress("calibrate"):
            return calibrate(), CostModel()
    from eqsat.cgen.cuda import costs, measure

    found: dict[str, Any] = dict(measure.measured())
    usual: dict[str, Any] = dict(costs.costs())
    return CostModel(**found), CostModel(**usual)


def comparison(model: CostModel, usual: CostModel | None = None) -> str:
    """A table of the constants and of the flops of functions, with the defaults beside."""
    usual = usual or CostModel()
    rows = [row(name, getattr(model, name), getattr(usual, name)) for name in CONSTANTS]
    rows = [r for r in rows if r[1] != r[2]]
    declared: dict[str, Any] = {name: OPS[name].cost for name, _ in model.prices}
    rows += [row(f"{name} flops", price.flops, declared[name].flops) for name, price in model.prices]
    return table(("constant", "measured", "default", "ratio"), rows, right=(1, 2, 3))


def row(name: str, found: float, known: float) -> tuple[str, str, str, str]:
    """One line of the table."""
    return name, f"{found:.3g}", f"{known:.3g}", f"{found / known:.2f}" if known else ""
