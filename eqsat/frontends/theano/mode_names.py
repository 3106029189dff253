"""Modes as older programs make, change and ask for them; names of passes that do not exist here are left out."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import fields
from functools import lru_cache
from typing import Any

import numpy as np

import eqsat
from eqsat.base.configuration import config
from eqsat.base.values import dataclass
from eqsat.debug import DebugMode, MonitorMode, NanGuardMode
from eqsat.errors import RuleError
from eqsat.graph.fgraph import FunctionGraph
from eqsat.pipeline.modes import MODES, Mode, get_mode

# Back ends and linkers that programs name as modes; here there is one that compiles.
BACK_ENDS = frozenset({"C", "CVM", "CVM_NOGC", "C_VM", "VM", "JAX", "MLX", "NUMBA", "PYTORCH"})


@lru_cache(maxsize=1024)
def _exists(word: str) -> bool:
    """True for a word by which a mode chooses rules; names of passes of other libraries are none."""
    from eqsat.rules.rule import select_rules

    rules = Mode("", True, True, "").excluding(word).rules
    try:
        select_rules(rules)
    except RuleError:
        return False
    return True


@dataclass(frozen=True)
class Optimizer:
    """``mode.optimizer``: rewrites a FunctionGraph as functions of the mode do."""

    mode: Mode

    def optimize(self, fgraph: FunctionGraph) -> None:
        """Let the outputs of a graph be computed in the cheapest way."""
        if self.mode.rewrite:
            found = eqsat.optimize(list(fgraph.outputs), rules=self.mode.rules)
            for k, new in enumerate(found.optimized):
                fgraph.change_input("output", k, new)

    __call__ = rewrite = apply = optimize


class Older:
    """A mode of older programs: its attributes may be set, also after a copy, and it knows its optimizer and linker."""

    __setattr__ = object.__setattr__
    linker = "cvm"

    def __init__(self, *args: Any, **options: Any) -> None:
        own = {f.name for f in fields(self)}  # type: ignore[arg-type]
        super().__init__(*args, **{name: value for name, value in options.items() if name in own})
        vars(self).update((name, value) for name, value in options.items() if name not in own)

    @property
    def optimizer(self) -> Optimizer:
        """The rewriter of graphs."""
        return Optimizer(self)  # type: ignore[arg-type]

    def _with(self, verb: str, sign: str, words: Sequence[str]) -> Any:
        made, known = copy(self), [word for word in words if _exists(word)]
        if known:
            plain = Mode(*(getattr(self, f.name) for f in fields(Mode)))
            vars(made).update(vars(plain._with(verb, sign, known)))
        return made


class OldMode(Older, Mode):
    """``theano.compile.Mode``: a mode for a linker and an optimizer.

    "py" runs in NumPy; without an optimizer the graph stays as written.
    """

    def __init__(self, linker: Any = None, optimizer: Any = "default", **_: Any) -> None:
        rewrite = optimizer not in (None, "None", "fast_compile", "merge")
        names = {
            (True, True): "FAST_RUN",
            (True, False): "numpy",
            (False, True): "FAST_COMPILE",
            (False, False): "reference",
        }
        vars(self).update(vars(MODES[names[rewrite, linker not in ("py", "vm_nogc_py")]]))


class OldDebugMode(Older, DebugMode):
    """``DebugMode``; the options of Theano's are kept and have no effect."""

    def __init__(self, *_: Any, **options: Any) -> None:
        super().__init__(**{name: v for name, v in options.items() if name not in ("optimizer", "linker")})


class OldNanGuardMode(Older, NanGuardMode):
    """``NanGuardMode`` with the arguments of Theano."""

    def __init__(
        self,
        nan_is_error: bool = True,
        inf_is_error: bool = True,
        big_is_error: bool = True,
        optimizer: Any = "default",
        linker: Any = None,
    ) -> None:
        super().__init__(nan_is_error=nan_is_error, inf_is_error=inf_is_error, big_is_error=big_is_error)


class Step:
    """One op at run time as MonitorMode shows it: ``inputs`` and ``outputs`` hold a list of one value each."""

    def __init__(self, node: Any, inputs: Any, outputs: Any) -> None:
        self.node = node
        self.inputs = [[value] for value in inputs]
        self.outputs = [[value] for value in outputs]


class OldMonitorMode(Older, MonitorMode):
    """``MonitorMode``: both functions get the place, the node and a step with its values, after the op has run."""

    def __init__(
        self, pre_func: Any = None, post_func: Any = None, optimizer: Any = "default", linker: Any = None
    ) -> None:
        self.pre, self.post = pre_func, post_func
        super().__init__(post_func=self.report)

    def report(self, place: int, node: Any, operands: Any, results: Any) -> None:
        """Call both functions."""
        step = Step(node, operands, results)
        for call in (self.pre, self.post):
            if call is not None:
                call(place, node, step)


KINDS = {DebugMode: OldDebugMode, NanGuardMode: OldNanGuardMode}


def older(mode: Mode) -> Any:
    """A mode of eqsat as older programs use it."""
    if isinstance(mode, Older) or type(mode) not in (Mode, *KINDS):
        return mode
    made = KINDS.get(type(mode), OldMode)()
    vars(made).update(vars(mode))
    return made


def old_get_mode(mode: Any = None) -> Any:
    """The mode of a name, a mode, or None for that of the configuration."""
    return older(get_mode(mode))


def as_mode(mode: Any) -> Any:
    """A mode of eqsat for what older programs give; rules that do not exist are left out of what it excludes."""
    mode = config.mode if mode is None else mode
    if isinstance(mode, str):
        word = mode.upper()
        known = "FAST_RUN" if word in BACK_ENDS else word if word in MODES else mode
        mode = get_mode(known if mode not in ("Mode", "auto") else "FAST_RUN")
    if not isinstance(mode, Mode):
        mode = getattr(mode, "mode", mode)
    return older(mode) if isinstance(mode, Mode) else mode


def detect_nan(place: Any, node: Any, step: Any) -> None:
    """Print the op, operands and results where a result holds NaN; for MonitorMode."""
    for (value,) in step.outputs:
        if isinstance(value, np.ndarray) and value.dtype.kind in "fc" and np.isnan(value).any():
            print("*** NaN detected ***")
            eqsat.dprint(node.outputs[0])
            print(f"Inputs : {[v for (v,) in step.inputs]}\nOutputs: {[v for (v,) in step.outputs]}")
            return
