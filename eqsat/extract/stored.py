"""Cost models as files: the constants that ``eqsat calibrate`` has measured, and which model is used where none is given."""

from __future__ import annotations

import os
import tempfile
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from eqsat.base.configuration import config
from eqsat.base.private_folder import FolderError, private_folder, words_of
from eqsat.errors import CostError
from eqsat.extract.cost import CostModel
from eqsat.graph.declare import OPS, Cost

HINT = "eqsat calibrate, or config.cost_model = 'default'"
CONSTANTS = [f.name for f in fields(CostModel) if f.name not in ("prices", "memory", "default_length")]


_NAME = "cost_model.json"


def calibrated_path() -> Path:
    """The file with the constants of this machine."""
    return Path(config.cache_dir) / _NAME


def current_model() -> CostModel:
    """The model that ``config.cost_model`` names.

    Errors   CostError for a file that is not there, holds no model, or is the calibrated one and not of this user alone
    """
    name = config.cost_model
    if name == "default":
        return CostModel()
    if name != "calibrated":
        return load_model(name)
    path = calibrated_path()
    try:
        with private_folder(config.cache_dir, make=False) as folder:
            content = folder.read_plain(_NAME)
    except (FolderError, OSError) as error:
        raise _unreadable(path, f"its folder {words_of(error)}") from None
    if content is None:
        raise _unreadable(path, "there is no such file")
    return _model_of(str(path), content)


def load_model(path: str | os.PathLike[str]) -> CostModel:
    """The model of a file.

    Errors   CostError for a file that cannot be read or holds no model
    """
    try:
        return _model_of(str(path), Path(path).read_bytes())
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Any, reason: object) -> CostError:
    return CostError(f"the cost model {path} cannot be read: {reason}", hint=HINT)


@lru_cache(maxsize=8)
def _model_of(path: str, content: bytes) -> CostModel:
    """The model that the content of a file describes."""
    import json

    try:
        held = json.loads(content)
        constants, weights = dict(held["constants"]), dict(held["flops"])
    except (ValueError, KeyError, TypeError) as error:
        raise CostError(f"{path} holds no cost model: {error!r}", hint=HINT) from None
    if unknown := set(constants) - set(CONSTANTS):
        raise CostError(f"{path} holds no cost model: there is no constant {sorted(unknown)[0]!r}", hint=HINT)
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
    import json

    held = {
        "constants": {name: getattr(model, name) for name in CONSTANTS},
        "flops": {name: getattr(price, "flops", price) for name, price in model.prices},
    }
    path, text = Path(path), json.dumps(held, indent=1)
    try:
        if path == calibrated_path():
            with private_folder(config.cache_dir) as folder:
                folder.write_plain(_NAME, text.encode())
        else:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _replace(path, text)
    except (FolderError, OSError) as error:
        raise CostError(
            f"the cost model cannot be written to {path}: {error}", hint="--output FILE"
        ) from None


def _replace(path: Path, text: str) -> None:
    """Write a file where the user wants it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
