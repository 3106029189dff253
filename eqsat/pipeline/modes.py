"""The modes in which a function can be made: whether its graph is rewritten, and what runs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from eqsat.base.configuration import config
from eqsat.base.hooks import hook
from eqsat.base.names import late_names, meant
from eqsat.base.values import dataclass
from eqsat.errors import ModeError
from eqsat.graph.core import Variable
from eqsat.scan.opt import find as find_rewrite

if TYPE_CHECKING:
    from eqsat.pipeline.settings import Settings

__all__ = ["Mode", "get_mode", "mode_names"]

late_names(__name__)

# Names by which older programs leave out or add passes that have no counterpart here.
OLD_PASSES = frozenset(
    [
        "canonicalize",
        "specialize",
        "stabilize",
        "uncanonicalize",
        "fast_run",
        "fast_compile",
        "merge",
        "merge1",
        "merge2",
        "inplace",
        "inplace_opt",
        "inplace_elemwise_optimizer",
        "gpu",
        "gpuarray",
        "local_ultra_fast_sigmoid",
        "conv_gemm",
        "conv_meta",
        "ShapeOpt",
        "scanOp_save_mem",
        "blas",
        "BlasOpt",
        "elemwise_fusion",
        "add_destroy_handler",
    ]
)


@dataclass(frozen=True)
class Mode:
    """``rewrite``: saturate and extract; ``compiled``: emit C, else run op by op in NumPy.

    ``rules`` chooses the rules where the function does not (text as for ``eqsat.optimize``); ``fuse`` lets kernels
    hold several ops; ``without`` names rewrites of loops that are left out (``eqsat.scan.opt``); ``target`` what is compiled for, None for ``config.target``.

    >>> import eqsat
    >>> eqsat.modes.get_mode("FAST_RUN").excluding("log-exp", "fusion")
    Mode FAST_RUN excluding log-exp, fusion
    """

    name: str = field(compare=False)
    rewrite: bool
    compiled: bool
    doc: str = field(compare=False)
    rules: str | None = None
    fuse: bool = True
    without: frozenset[str] = frozenset()
    target: str | None = None

    def excluding(self, *words: str) -> Mode:
        """This mode without some rules, given by name, tag or tier; ``"fusion"`` keeps every op a kernel of its own.

        Rewrites of loops have the names of ``eqsat.scan.opt.REWRITES``. Names of passes of older programs that have no counterpart are ignored.

        Errors   RuleError, once a function is made, for a word that is none of these
        """
        return self._with("excluding", "-", words)

    def including(self, *words: str) -> Mode:
        """This mode with some rules more, given by name, tag or tier, such as ``"loose"``."""
        return self._with("including", "", words)

    def _with(self, verb: str, sign: str, words: Sequence[str]) -> Mode:
        known = [w for w in words if w not in OLD_PASSES]
        loops = {w: found for w in known if (found := find_rewrite(w)) is not None}
        parts = [sign + (loops[w].word if w in loops else w) for w in known if w != "fusion"]
        parts = [p for p in parts if p[len(sign) :] not in {r.word for r in loops.values() if not r.by_rules}]
        rules = ",".join([self.rules or "default", *parts]) if parts else self.rules
        fuse = sign == "" if "fusion" in known else self.fuse
        switched = {r.word for r in loops.values() if not r.by_rules}
        without = self.without | switched if sign else self.without - switched
        name = f"{self.name} {verb} {', '.join(words)}"
        return replace(self, name=name, rules=rules, fuse=fuse, without=without)

    def runner(self, inputs: Sequence[Variable], outputs: Sequence[Variable], settings: Settings) -> Any:
        """An Executable of the mode's own, or None for the common pipeline."""
        return None

    def __repr__(self) -> str:
        return f"Mode {self.name}"


MODES = {
    mode.name: mode
    for mode in (
        Mode("reference", False, False, "the graph as written, op by op in NumPy"),
        Mode("FAST_COMPILE", False, True, "the graph as written, in C"),
        Mode("FAST_RUN", True, True, "the rewritten graph, fused, in C"),
        Mode("numpy", True, False, "the rewritten graph, op by op in NumPy"),
    )
}


# classes of eqsat.debug that look at every value, and have a hook each
CHECKING = ("DebugMode", "NanGuardMode")
SPELLINGS = {
    "DEBUG_MODE": "DebugMode",
    "DEBUGMODE": "DebugMode",
    "py": "reference",
    "FAST_RUN_NOGC": "FAST_RUN",
}


def mode_names() -> list[str]:
    """The names of modes, and the spellings of them that older programs have.

    >>> import eqsat
    >>> eqsat.modes.mode_names()[:2]
    ['reference', 'FAST_COMPILE']
    """
    return [*MODES, *CHECKING, *SPELLINGS]


def get_mode(mode: Any = None) -> Mode:
    """Mode of a name, a Mode, or None for ``config.mode``.

    Errors   ModeError for an unknown name

    >>> import eqsat
    >>> eqsat.modes.get_mode("FAST_RUN"), eqsat.modes.get_mode("reference").compiled
    (Mode FAST_RUN, False)
    """
    if isinstance(mode, Mode):
        return mode
    name = config.mode if mode is None else mode
    name = SPELLINGS.get(name, name) if isinstance(name, str) else name
    if name in CHECKING:
        checking: Mode = hook(name)()
        return checking
    if not isinstance(name, str) or name not in MODES:
        known = [*MODES, *CHECKING]
        raise ModeError(
            f"there is no mode {name!r}",
            needs="one of " + ", ".join(known),
            hint=meant(name, known, "mode={!r}") or "mode='FAST_RUN'",
            mode=name,
        )
    return MODES[name]
