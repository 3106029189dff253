"""Makes ``import pytensor`` find eqsat, with the modules and names that programs for PyTensor 2 and 3 use.

``install()`` puts modules called pytensor, pytensor.tensor and so on into ``sys.modules``; ``uninstall()`` takes them
out. Names that mean the same are passed through; the few that differ are in ``eqsat.frontends.pytensor.pytensor_names``. A name
that has no counterpart raises AttributeError when it is used.

>>> install()
>>> import pytensor, pytensor.tensor as pt
>>> x = pt.vector("x", shape=(2,))
>>> pytensor.function([x], pt.sqr(x).sum())([3.0, 4.0])
array(25.)
>>> uninstall()
"""

from __future__ import annotations

from eqsat.frontends.module_alias import Library

__all__ = ["install", "uninstall"]

OWN = "pytensor:"
TENSOR = (f"{OWN}tensor", f"{OWN}ops", "eqsat.tensor", "eqsat.tensor.basic")
LINALG = (f"{OWN}linalg", f"{OWN}ops", "eqsat.tensor.linalg", "eqsat.tensor")
RANDOM = (f"{OWN}random", "eqsat.tensor.random")
GRAPH = (f"{OWN}graph", "eqsat.graph", "eqsat.graph.basic", "eqsat.graph.walk", "eqsat.graph.tools", "eqsat")
COMPILE = (f"{OWN}compile", "eqsat", "eqsat.debug", "eqsat.pipeline.modes")
SCAN = (f"{OWN}scan", "eqsat.scan", "eqsat.scan.utils")

# Sources: the modules of PyTensor whose names are looked up there.
GROUPS: dict[tuple[str, ...], str] = {
    (f"{OWN}pytensor", "eqsat", "eqsat.gradient", "eqsat.printing"): "pytensor",
    TENSOR: """tensor tensor.basic tensor.type tensor.var tensor.variable tensor.sharedvar tensor.math tensor.elemwise
        tensor.shape tensor.subtensor tensor.extra_ops tensor.sort tensor.blas tensor.pad tensor.reshape tensor.einsum
        tensor.functional tensor.blockwise tensor.type_other tensor.utils tensor.exceptions
        tensor.interpolate tensor.inplace""",
    (f"{OWN}special", *TENSOR): "tensor.special",
    ("eqsat.tensor.xlogx", *TENSOR): "tensor.xlogx",
    LINALG: """tensor.linalg tensor.nlinalg tensor.slinalg tensor.linalg.constructors tensor.linalg.inverse
        tensor.linalg.products tensor.linalg.summary tensor.linalg.decomposition tensor.linalg.decomposition.cholesky
        tensor.linalg.decomposition.eigen tensor.linalg.decomposition.lu tensor.linalg.decomposition.qr
        tensor.linalg.decomposition.schur tensor.linalg.decomposition.svd tensor.linalg.solvers
        tensor.linalg.solvers.core tensor.linalg.solvers.general tensor.linalg.solvers.linear_control
        tensor.linalg.solvers.lstsq tensor.linalg.solvers.psd tensor.linalg.solvers.triangular
        tensor.linalg.solvers.tridiagonal""",
    RANDOM: "tensor.random tensor.random.basic tensor.random.op tensor.random.type tensor.random.utils tensor.random.var tensor.random.variable",
    (f"{OWN}signal", "eqsat.tensor.signal", "eqsat.tensor"): "tensor.signal tensor.signal.conv",
    ("eqsat.tensor.nnet", "eqsat.tensor"): "tensor.nnet tensor.nnet.basic",
    (f"{OWN}scalar", "eqsat.tensor", "eqsat.tensor.basic"): "scalar scalar.basic scalar.math",
    SCAN: "scan scan.basic scan.views scan.utils scan.op scan.checkpoints",
    GRAPH: "graph graph.basic graph.traversal graph.replace graph.fg graph.op graph.type graph.utils graph.null_type graph.features",
    (
        f"{OWN}rewriting",
        "eqsat.frontends.rewrite_graph",
    ): "graph.rewriting graph.rewriting.basic graph.rewriting.utils graph.rewriting.db",
    COMPILE: """compile compile.builders compile.io compile.maker compile.executor compile.mode compile.ops
        compile.sharedvalue compile.debug compile.debug.debugmode compile.debug.monitormode compile.debug.nanguardmode
        compile.debugmode compile.monitormode compile.nanguardmode compile.function compile.function.pfunc
        compile.function.types""",
    (f"{OWN}gradient", "eqsat.gradient"): "gradient",
    (f"{OWN}printing", "eqsat.printing"): "printing",
    (f"{OWN}raise_op",): "raise_op",
    (f"{OWN}ifelse", "eqsat.graph.control.ifelse"): "ifelse",
    (f"{OWN}config",): "configdefaults configparser",
    (f"{OWN}basic",): "basic",
    ("eqsat.graph.updates",): "updates",
    (f"{OWN}utils",): "utils",
    (): "misc",
    ("old:pickles",): "misc.pkl_utils",
}
MODULES: dict[str, tuple[str, ...]] = {
    "pytensor" if name == "pytensor" else f"pytensor.{name}": sources
    for sources, names in GROUPS.items()
    for name in names.split()
}
OVERLAPS = (
    ("pytensor", "scan"),
    ("pytensor.compile", "function"),
    ("pytensor.tensor", "sort"),
    ("pytensor.tensor", "pad"),
    ("pytensor.tensor", "einsum"),
    ("pytensor.tensor", "reshape"),
    ("pytensor.tensor", "shape"),
    ("pytensor.tensor", "var"),
    ("pytensor", "ifelse"),
)
PYTENSOR = Library("pytensor", "3.0.7", __file__, MODULES, OVERLAPS)


def install(force: bool = False) -> None:
    """Let ``import pytensor`` find eqsat in this process.

    Errors   ArgumentError where another pytensor has been imported already, unless ``force``

    >>> from eqsat.frontends.pytensor import install, uninstall
    >>> install()
    >>> import pytensor.tensor as pt
    >>> pt.matrix("x", shape=(None, 3)).type
    <TensorType(float64, (?, 3))>
    >>> uninstall()
    """
    PYTENSOR.install(force)


def uninstall() -> None:
    """Take the modules of ``install`` out again.

    >>> import sys
    >>> from eqsat.frontends.pytensor import install, uninstall
    >>> install(); uninstall()
    >>> "pytensor" in sys.modules
    False
    """
    PYTENSOR.uninstall()
