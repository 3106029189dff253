"""Modes as older programs make them: from linkers and optimizers, with passes left out that do not exist here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import eqsat
from eqsat.configuration import config
from eqsat.debug import DebugMode, MonitorMode, NanGuardMode
from eqsat.modes import MODES, Mode, get_mode

# Back ends and linkers that programs name as modes; here there is one that compiles.
BACK_ENDS = frozenset({"C", "CVM", "CVM_NOGC", "C_VM", "VM", "JAX", "MLX", "NUMBA", "PYTORCH"})


def as_mode(mode: Any) -> Any:
    """A mode of eqsat for what older programs give; rules that do not exist are left out of what it excludes."""
    mode = config.mode if mode is None else mode
    if isinstance(mode, str):
        word = mode.upper()
        known = "FAST_RUN" if word in BACK_ENDS else word if word in MODES else mode
        mode = get_mode(known if mode not in ("Mode", "auto") else "FAST_RUN")
    if not isinstance(mode, Mode):
        mode = getattr(mode, "mode", mode)
    return replace(mode, rules=_known(mode.rules)) if isinstance(mode, Mode) and mode.rules else mode


def _known(rules: str) -> str:
    """The parts of a choice of rules that name rules of eqsat."""
    from eqsat.errors import RuleError
    from eqsat.rules.rule import select_rules

    kept = []
    for part in rules.split(","):
        try:
            select_rules(f"default,{part}")
        except RuleError:
            continue
        kept.append(part)
    return ",".join(kept)


def old_mode(linker: Any = None, optimizer: Any = "default") -> Mode:
    """A mode for a linker and an optimizer: "py" runs in NumPy, no optimizer leaves the graph as written."""
    rewrite = optimizer not in (None, "None", "fast_compile", "merge")
    names = {
        (True, True): "FAST_RUN",
        (True, False): "numpy",
        (False, True): "FAST_COMPILE",
        (False, False): "reference",
    }
    return MODES[names[rewrite, linker not in ("py", "vm_nogc_py")]]


class Step:
    """One op at run time as MonitorMode shows it: ``inputs`` and ``outputs`` hold a list of one value each."""

    def __init__(self, node: Any, inputs: Any, outputs: Any) -> None:
        self.node = node
        self.inputs = [[value] for value in inputs]
        self.outputs = [[value] for value in outputs]


@dataclass(frozen=True)
class OldMonitorMode(MonitorMode):
    """MonitorMode with functions of (place, node, step); ``pre_func`` is called after the op as well."""

    pre: Any = None
    post: Any = None


def monitor_mode(
    pre_func: Any = None, post_func: Any = None, optimizer: Any = "default", linker: Any = None
) -> MonitorMode:
    """``theano.compile.MonitorMode``: both functions get the place, the node and a step with its values."""

    def report(place: int, node: Any, operands: Any, results: Any) -> None:
        step = Step(node, operands, results)
        for call in (pre_func, post_func):
            if call is not None:
                call(place, node, step)

    return OldMonitorMode(post_func=report, pre=pre_func, post=post_func)


def detect_nan(place: Any, node: Any, step: Any) -> None:
    """Print the op, operands and results where a result holds NaN; for MonitorMode."""
    for (value,) in step.outputs:
        if isinstance(value, np.ndarray) and value.dtype.kind in "fc" and np.isnan(value).any():
            print("*** NaN detected ***")
            eqsat.dprint(node.outputs[0])
            print(f"Inputs : {[v for (v,) in step.inputs]}\nOutputs: {[v for (v,) in step.outputs]}")
            return


def nan_guard_mode(
    nan_is_error: bool = True,
    inf_is_error: bool = True,
    big_is_error: bool = True,
    optimizer: Any = "default",
    linker: Any = None,
) -> NanGuardMode:
    """``NanGuardMode`` with the arguments of Theano."""
    return NanGuardMode(nan_is_error=nan_is_error, inf_is_error=inf_is_error, big_is_error=big_is_error)


def debug_mode(**options: Any) -> DebugMode:
    """``DebugMode``; the arguments of Theano's have no counterpart and are ignored."""
    return DebugMode()
