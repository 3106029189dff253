"""Cost models as files: the constants that ``eqsat calibrate`` has measured, and which model is used where none is given."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from eqsat.configuration import config
from eqsat.errors import CostError
from eqsat.extract.cost import CostModel
from eqsat.graph.declare import OPS, Cost

HINT = "eqsat calibrate, or config.cost_model = 'default'"
CONSTANTS = [f.name for f in fields(CostModel) if f.name not in ("prices", "memory", "default_length")]


def calibrated_path() -> Path:
    """Where the constants of this machine are kept."""
    return Path(config.cache_dir) / "cost_model.json"


def current_model() -> CostModel:
    """The model that ``config.cost_model`` names.

    Errors   CostError for a file that is not there or holds no model
    """
    name = config.cost_model
    if name == "default":
        return CostModel()
    path = calibrated_path() if name == "calibrated" else Path(name)
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:
        raise CostError(
            f"config.cost_model is {name!r}, but {path} cannot be read: {error}", hint=HINT
        ) from None
    return _loaded(str(path), changed)


@lru_cache(maxsize=8)
def _loaded(path: str, changed: int) -> CostModel:
    return load_model(path)


def load_model(path: str | os.PathLike[str]) -> CostModel:
    """The model of a file.

    Errors   CostError for a file that cannot be read or holds no model
    """
    try:
        held = json.loads(Path(path).read_text(encoding="utf-8"))
        constants, weights = dict(held["constants"]), dict(held["flops"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CostError(f"{path} holds no cost model: {error!r}", hint=HINT) from None
    if unknown := set(constants) - set(CONSTANTS):
        first = sorted(unknown)[0]
        raise CostError(
            f"{path} holds no cost model: there is no constant {first!r}", among=(first, CONSTANTS), hint=HINT
        )
    return CostModel(**constants).priced({name: _price(name, flops) for name, flops in weights.items()})


def _price(name: str, flops: Any) -> Any:
    """The declared cost of an elementwise op with other flops."""
    declaration = OPS.find(name)
    if declaration is None or not isinstance(declaration.cost, Cost) or isinstance(flops, str):
        return flops  # refused by ``priced``
    return replace(declaration.cost, flops=flops)


def save_model(model: CostModel, path: str | os.PathLike[str]) -> None:
    """Write the constants of a model, and the flops of the ops that it prices itself; in one piece or not at all.

    Errors   CostError for a folder that cannot be written to
    """
    held = {
        "constants": {name: getattr(model, name) for name in CONSTANTS},
        "flops": {name: getattr(price, "flops", price) for name, price in model.prices},
    }
    path = Path(path)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(held, file, indent=1)
        os.replace(temporary, path)
    except OSError as error:
        raise CostError(
            f"the cost model cannot be written to {path}: {error}", hint="--output FILE"
        ) from None
