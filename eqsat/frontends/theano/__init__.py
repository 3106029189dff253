"""Makes ``import theano`` find eqsat, with the modules and names that programs for Theano 1.0 use.

``install()`` puts modules called theano, theano.tensor and so on into ``sys.modules``; ``uninstall()`` takes them out.
Names that mean the same are passed through; the few that differ are in ``eqsat.frontends.theano.theano_names``. A name that has no
counterpart raises AttributeError when it is used.

>>> install()
>>> import theano, theano.tensor as TT
>>> x = TT.dscalar("x")
>>> theano.function([x], TT.sqr(x), mode="FAST_COMPILE")(3.0)
array(9.)
>>> uninstall()
"""

from __future__ import annotations

from eqsat.frontends.module_alias import Library

__all__ = ["install", "uninstall"]


# Module of Theano: where its names are looked up, in this order; "old:" stands for eqsat.frontends.theano.theano_names.
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
    "theano.tensor.opt": ("old:ops", "eqsat.tensor"),
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
    "theano.compile.mode": ("old:compile", "eqsat.pipeline.modes"),
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
    "theano.gradient": ("old:ops", "eqsat.gradient"),
    "theano.ifelse": ("eqsat.graph.control.ifelse",),
    "theano.configdefaults": ("old:config",),
    "theano.printing": (
        "old:printing",
        "eqsat.printing",
    ),
    "theano.updates": ("eqsat.graph.updates",),
    "theano.misc": (),
    "theano.misc.pkl_utils": ("old:pickles",),
    "theano.scalar": ("old:scalar", "eqsat.tensor.basic"),
    "theano.scalar.basic": ("old:scalar", "eqsat.tensor.basic"),
    "theano.tests": (),
    "theano.tests.unittest_tools": ("old:unittest",),
}
OVERLAPS = (
    ("theano.scan_module", "scan"),
    ("theano.tensor", "sort"),
    ("theano.tensor", "var"),
    ("theano.compile", "pfunc"),
)
STARS = {"theano": "theano", "compile": "theano.compile", "numpy": "numpy", "np": "numpy"}
THEANO = Library("theano", "1.0.5", __file__, MODULES, OVERLAPS, {"theano.tensor": STARS})


def install(force: bool = False) -> None:
    """Let ``import theano`` find eqsat in this process.

    Errors   ArgumentError where another theano has been imported already, unless ``force``

    >>> from eqsat.frontends.theano import install, uninstall
    >>> install()
    >>> import theano
    >>> theano.tensor.dscalar('x').type
    <TensorType(float64, ())>
    >>> uninstall()
    """
    THEANO.install(force)


def uninstall() -> None:
    """Take the modules of ``install`` out again.

    >>> import sys
    >>> from eqsat.frontends.theano import install, uninstall
    >>> install(); uninstall()
    >>> "theano" in sys.modules
    False
    """
    THEANO.uninstall()
