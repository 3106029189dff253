"""Makes ``import theano`` find eqsat, with the modules and names that programs for Theano 1.0 use.

``install()`` puts modules called theano, theano.tensor and so on into ``sys.modules``; ``uninstall()`` takes them out.
Names that mean the same are passed through; the few that differ are in ``eqsat.compat.old_names``. A name that has no
counterpart raises AttributeError when it is used.

>>> install()
>>> import theano, theano.tensor as TT
>>> x = TT.dscalar("x")
>>> theano.function([x], TT.sqr(x), mode="FAST_COMPILE")(3.0)
array(9.)
>>> uninstall()
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from eqsat.errors import ArgumentError

__all__ = ["install", "uninstall"]

NOWHERE = "eqsat.compat.nothing"

# Module of Theano: where its names are looked up, in this order; "old:" stands for eqsat.compat.old_names.
MODULES: dict[str, tuple[str, ...]] = {
    "theano": ("old:theano", "eqsat", "eqsat.gradient", "eqsat.printing"),
    "theano.tensor": ("old:tensor", "eqsat.tensor", "eqsat.gradient"),
    "theano.tensor.basic": ("old:tensor", "eqsat.tensor", "eqsat.tensor.basic"),
    "theano.tensor.type": ("old:tensor", "eqsat.tensor"),
    "theano.tensor.var": ("old:tensor", "eqsat.tensor"),
    "theano.tensor.elemwise": ("old:ops", "eqsat.tensor"),
    "theano.tensor.blas": ("old:ops", "eqsat.tensor"),
    "theano.tensor.subtensor": ("old:ops", "eqsat.tensor"),
    "theano.tensor.sharedvar": ("eqsat.tensor.shared", "eqsat.tensor"),
    "theano.tensor.extra_ops": (
        "old:tensor",
        "eqsat.tensor",
    ),
    "theano.tensor.sort": (
        "old:ops",
        "eqsat.tensor",
    ),
    "theano.tensor.xlogx": ("eqsat.tensor",),
    "theano.tensor.inplace": ("old:inplace",),
    "theano.tensor.opt": ("eqsat.tensor",),
    "theano.tensor.utils": ("old:tensor", "eqsat.tensor"),
    "theano.tensor.slinalg": ("old:ops", "eqsat.tensor.linalg", "eqsat.tensor"),
    "theano.tensor.nlinalg": ("old:tensor", "eqsat.tensor.linalg", "eqsat.tensor"),
    "theano.tensor.nnet": ("eqsat.tensor.nnet", "eqsat.tensor"),
    "theano.tensor.nnet.nnet": ("eqsat.tensor.nnet", "eqsat.tensor"),
    "theano.tensor.nnet.sigm": ("eqsat.tensor.nnet", "eqsat.tensor"),
    "theano.tensor.nnet.bn": ("eqsat.tensor.nnet",),
    "theano.tensor.nnet.conv": ("eqsat.tensor.nnet",),
    "theano.tensor.nnet.abstract_conv": ("eqsat.tensor.nnet",),
    "theano.tensor.nnet.neighbours": ("eqsat.tensor.nnet",),
    "theano.tensor.signal": ("eqsat.tensor.signal",),
    "theano.tensor.signal.downsample": ("eqsat.tensor.signal.pool", "eqsat.tensor.signal"),
    "theano.tensor.signal.pool": ("old:ops", "eqsat.tensor.signal.pool", "eqsat.tensor.signal"),
    "theano.tensor.signal.conv": ("eqsat.tensor.signal.conv", "eqsat.tensor.signal"),
    "theano.tensor.shared_randomstreams": (
        "old:random",
        "eqsat.tensor.random",
    ),
    "theano.tensor.raw_random": (
        "old:random",
        "eqsat.tensor.random",
    ),
    "theano.scan_module": ("old:scan", "eqsat.scan"),
    "theano.scan_module.scan": ("old:scan", "eqsat.scan"),
    "theano.scan_module.scan_views": ("old:scan",),
    "theano.scan_module.scan_utils": ("eqsat.scan", "eqsat.graph", "old:theano"),
    "theano.scan_module.scan_op": ("eqsat.scan",),
    "theano.sandbox": (),
    "theano.sandbox.rng_mrg": (
        "old:random",
        "eqsat.tensor.random",
    ),
    "theano.sandbox.cuda": ("old:cuda",),
    "theano.sandbox.linalg": ("eqsat.tensor.linalg", "eqsat.tensor"),
    "theano.sandbox.linalg.ops": ("eqsat.tensor.linalg", "eqsat.tensor"),
    "theano.sandbox.neighbours": ("eqsat.tensor.nnet",),
    "theano.gpuarray": ("old:cuda",),
    "theano.gof": ("old:graph", "eqsat.graph", "eqsat.graph.basic", "eqsat"),
    "theano.gof.graph": ("old:graph", "eqsat.graph", "eqsat.graph.basic"),
    "theano.gof.op": ("old:graph", "eqsat.graph", "eqsat.graph.basic", "eqsat"),
    "theano.gof.type": ("old:graph", "eqsat.graph", "eqsat"),
    "theano.gof.fg": ("old:graph", "eqsat.graph"),
    "theano.gof.null_type": ("old:nulls",),
    "theano.gof.toolbox": ("old:graph", "eqsat.graph"),
    "theano.gof.utils": ("old:graph", "eqsat.graph.scratchpad", "eqsat.graph"),
    "theano.compile": ("old:compile", "eqsat", "eqsat.debug"),
    "theano.compile.io": ("old:compile", "eqsat"),
    "theano.compile.mode": ("old:compile", "eqsat.modes"),
    "theano.compile.ops": ("old:compile", "eqsat"),
    "theano.compile.pfunc": ("old:compile", "eqsat"),
    "theano.compile.builders": ("eqsat",),
    "theano.compile.function_module": ("old:compile", "eqsat"),
    "theano.compile.sharedvalue": ("old:compile", "eqsat.tensor.shared"),
    "theano.compile.debugmode": (
        "old:compile",
        "eqsat.debug",
    ),
    "theano.compile.nanguardmode": (
        "old:compile",
        "eqsat.debug",
    ),
    "theano.compile.monitormode": ("old:compile", "eqsat.debug"),
    "theano.compat": ("old:compat",),
    "theano.configparser": ("old:config",),
    "theano.gradient": ("eqsat.gradient",),
    "theano.ifelse": ("eqsat.ifelse",),
    "theano.configdefaults": ("old:config",),
    "theano.printing": (
        "old:printing",
        "eqsat.printing",
    ),
    "theano.updates": ("eqsat.updates",),
    "theano.misc": (),
    "theano.misc.pkl_utils": ("old:pickles",),
    "theano.scalar": ("old:scalar", "eqsat.tensor.basic"),
    "theano.scalar.basic": ("old:scalar", "eqsat.tensor.basic"),
    "theano.tests": (),
    "theano.tests.unittest_tools": ("old:unittest",),
}
STARS = {"theano": "theano", "compile": "theano.compile", "numpy": "numpy", "np": "numpy"}
HIDDEN = ("annotations", "Any", "TYPE_CHECKING")
OVERLAPS = (
    ("theano.scan_module", "scan"),
    ("theano.tensor", "sort"),
    ("theano.tensor", "var"),
    ("theano.compile", "pfunc"),
)
_OLD = "old:"
SPECIAL = {"__path__": [], "__version__": "1.0.5"}


class Alias(ModuleType):
    """A module whose names are looked up in others when they are asked for."""

    def __init__(self, name: str, sources: tuple[str, ...]) -> None:
        super().__init__(name, f"Names of {name} in eqsat.")
        self.__dict__.update(SPECIAL)
        self.__dict__["_sources"] = sources

    def __getattr__(self, name: str) -> Any:
        for source in self.__dict__["_sources"] if name != "__all__" else ():
            found = _lookup(source, name)
            if found is not NOWHERE:
                self.__dict__[name] = found
                return found
        if name == "__all__":
            return self._public()
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"{self.__name__} has no {name!r} in eqsat")

    def _public(self) -> list[str]:
        """The names that ``from module import *`` takes; those of tensor include what Theano's module imports."""
        also = STARS if self.__name__.startswith("theano.tensor") else {}
        self.__dict__.update({name: sys.modules[where] for name, where in also.items()})
        return [name for name in {*dir(self), *also} if not name.startswith("_") and name not in HIDDEN]

    def __dir__(self) -> list[str]:
        names = {name for name in sys.modules if name.startswith(f"{self.__name__}.")}
        found = {name.removeprefix(f"{self.__name__}.").partition(".")[0] for name in names}
        for source in self.__dict__["_sources"]:
            found |= set(_names(source))
        return sorted(found)


def _names(source: str) -> Mapping[str, Any]:
    """The names of a source; of a module all, of a part of old_names those it holds."""
    if source.startswith(_OLD):
        from eqsat.compat.old_names import PARTS

        return PARTS[source.removeprefix(_OLD)]
    try:
        return vars(importlib.import_module(source))
    except ImportError:
        return {}


def _lookup(source: str, name: str) -> Any:
    found = _names(source).get(name, NOWHERE)
    if found is NOWHERE and not source.startswith(_OLD) and not name.startswith("__"):
        try:
            return getattr(importlib.import_module(source), name, NOWHERE)
        except ImportError:
            return NOWHERE
    return found


def install(force: bool = False) -> None:
    """Let ``import theano`` find eqsat in this process.

    Errors   ArgumentError where another theano has been imported already, unless ``force``

    >>> from eqsat.compat.theano import install, uninstall
    >>> install()
    >>> import theano
    >>> theano.tensor.dscalar('x').type
    <TensorType(float64, ())>
    >>> uninstall()
    """
    there = sys.modules.get("theano")
    if there is not None and not isinstance(there, Alias) and not force:
        raise ArgumentError(
            "another theano is imported already", hint="install() before the first import of theano"
        )
    made = {name: Alias(name, sources) for name, sources in MODULES.items()}
    for name, module in made.items():
        above, _, last = name.rpartition(".")
        if above:
            setattr(made[above], last, module)
        sys.modules[name] = module
    _overlaps(made)


def _overlaps(made: Mapping[str, Alias]) -> None:
    """Names that are a module and, as attributes of the package, the function in it."""
    for above, name in OVERLAPS:
        made[above].__dict__[name] = getattr(made[f"{above}.{name}"], name)


def uninstall() -> None:
    """Take the modules of ``install`` out again.

    >>> import sys
    >>> from eqsat.compat.theano import install, uninstall
    >>> install(); uninstall()
    >>> "theano" in sys.modules
    False
    """
    for name in [name for name, module in sys.modules.items() if isinstance(module, Alias)]:
        del sys.modules[name]
