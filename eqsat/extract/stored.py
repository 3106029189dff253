"""Cost models as files: the constants that ``eqsat calibrate`` has measured, and which model is used where none is given."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
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


def calibrated_path(target: str = "c") -> Path:
    """The file with the constants of this machine for a target."""
    return Path(config.cache_dir) / _name(target)


def _name(target: str) -> str:
    return f"cost_model{'' if target == 'c' else f'_{target}'}.json"


def current_model(target: str = "c", constants: Mapping[str, Any] | None = None) -> CostModel:
    """The model that ``config.cost_model`` names, with the constants of a target unless it was measured for it.

    Errors   CostError for a file that is not there, holds no model, or is the calibrated one and not of this user alone
    """
    name = config.cost_model
    if name == "default":
        return CostModel(**(constants or {}))
    found, of = _calibrated(target) if name == "calibrated" else _loaded(name)
    return found if of == target else replace(found, **(constants or {}))


def _calibrated(target: str) -> tuple[CostModel, str]:
    """The calibrated model of a target, else that of the processor."""
    path, names = calibrated_path(), dict.fromkeys((_name(target), _name("c")))
    try:
        with private_folder(config.cache_dir, make=False) as folder:
            found = [(name, content) for name in names if (content := folder.read_plain(name)) is not None]
    except (FolderError, OSError) as error:
        raise _unreadable(path, f"its folder {words_of(error)}") from None
    if not found:
        raise _unreadable(path, "there is no such file")
    return _model_of(str(path.with_name(found[0][0])), found[0][1])


def load_model(path: str | os.PathLike[str]) -> CostModel:
    """The model of a file.

    Errors   CostError for a file that cannot be read or holds no model
    """
    return _loaded(path)[0]


def _loaded(path: str | os.PathLike[str]) -> tuple[CostModel, str]:
    try:
        return _model_of(str(path), Path(path).read_bytes())
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Any, reason: object) -> CostError:
    return CostError(f"the cost model {path} cannot be read: {reason}", hint=HINT)


@lru_cache(maxsize=8)
def _model_of(path: str, content: bytes) -> tuple[CostModel, str]:
    """The model that the content of a file describes, and the target that it is for."""
    import json

    try:
        held = json.loads(content)
        constants, weights = dict(held["constants"]), dict(held["flops"])
        target = str(held.get("target", "c"))
    except (ValueError, KeyError, TypeError) as error:
        raise CostError(f"{path} holds no cost model: {error!r}", hint=HINT) from None
    if unknown := set(constants) - set(CONSTANTS):
        raise CostError(f"{path} holds no cost model: there is no constant {sorted(unknown)[0]!r}", hint=HINT)
    made = CostModel(**constants).priced({name: _price(name, flops) for name, flops in weights.items()})
    return made, target


def _price(name: str, flops: Any) -> Any:
    """The declared cost of an elementwise op with other flops."""
    declaration = OPS.find(name)
    if declaration is None or not isinstance(declaration.cost, Cost) or isinstance(flops, str):
        return flops  # refused by ``priced``
    return replace(declaration.cost, flops=flops)


def save_model(model: CostModel, path: str | os.PathLike[str], target: str = "c") -> None:
    """Write the constants of a model for a target, and the flops of the ops that it prices itself; in one piece or not at all.

    Errors   CostError for a folder that cannot be written to
    """
    import json

    held = {
        "target": target,
        "constants": {name: getattr(model, name) for name in CONSTANTS},
        "flops": {name: getattr(price, "flops", price) for name, price in model.prices},
    }
    path, text = Path(path), json.dumps(held, indent=1)
    try:
        if path == calibrated_path(target):
            with private_folder(config.cache_dir) as folder:
                folder.write_plain(path.name, text.encode())
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
