"""The contents of a scan: the numbers of variables of each kind, and the place of each in the four lists of a scan.

Outer inputs are those of the node, inner inputs those of the graph of one step; so with outputs.

| kind | outer input | inner input at step t | inner output | outer output |
|---|---|---|---|---|
| sequence | X | X[t] | | |
| mit-mot | a buffer of values over time | the buffer at some taps | new values at some taps | the buffer after the last step |
| mit-sot | the values at the first times before 0, stacked | the values at some t - k | the value at t | all values, stacked |
| sit-sot | the value at t = -1 | the value at t - 1 | the value at t | all values, stacked |
| nit-sot | | | the value at t | all values, stacked |
| shared | the value before the first step | the value now | the next value | the value after the last step |
| non-sequence | any variable | the same | | |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from eqsat.base.values import dataclass
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.dtypes import INEXACT
from eqsat.graph.ops.specify import specify, unbroadcast_like
from eqsat.graph.seen import only_shown

Taps = tuple[tuple[int, ...], ...]

ORDER = {  # the kinds in each of the four lists, in order
    "outer_in": ("n_steps", "seqs", "mit_mot", "mit_sot", "sit_sot", "shared", "non_seqs"),
    "inner_in": ("seqs", "mit_mot", "mit_sot", "sit_sot", "shared", "non_seqs"),
    "inner_out": ("mit_mot", "mit_sot", "sit_sot", "nit_sot", "shared", "cond"),
    "outer_out": ("mit_mot", "mit_sot", "sit_sot", "nit_sot", "shared"),
}


class until:
    """The condition, a scalar, at which a scan stops; the step in which it becomes true is the last one.

    >>> import eqsat, eqsat.tensor as T
    >>> from eqsat.scan import until
    >>> powers, _ = eqsat.scan(lambda v: (v * 2, until(v > 5)), outputs_info=T.constant(1.0), n_steps=100)
    >>> powers.eval()
    array([ 2.,  4.,  8., 16.], dtype=float32)
    """

    def __init__(self, condition: Any) -> None:
        self.condition = condition


@dataclass(frozen=True)
class ScanInfo:
    """The numbers of variables of each kind in a scan, and the taps of its states.

    The taps of a mit-mot state count from the same place in reads and writes; the first row of its buffer belongs to
    the smallest of them at step 0.

    >>> import eqsat, eqsat.tensor as T
    >>> from eqsat.scan import ScanInfo
    >>> powers, _ = eqsat.scan(lambda v: v * 2, outputs_info=T.constant(1.0), n_steps=5)
    >>> powers.owner.op.info == ScanInfo(sit_sot_in_slices=((-1,),))
    True
    """

    n_seqs: int = 0
    mit_mot_in_slices: Taps = ()
    mit_mot_out_slices: Taps = ()
    mit_sot_in_slices: Taps = ()
    sit_sot_in_slices: Taps = ()
    n_nit_sot: int = 0
    n_shared_outs: int = 0
    n_non_seqs: int = 0
    as_while: bool = False

    @property
    def n_mit_mot(self) -> int:
        return len(self.mit_mot_in_slices)

    @property
    def n_mit_mot_outs(self) -> int:
        """Inner outputs of all mit-mot states."""
        return sum(map(len, self.mit_mot_out_slices))

    @property
    def n_mit_sot(self) -> int:
        return len(self.mit_sot_in_slices)

    @property
    def n_sit_sot(self) -> int:
        return len(self.sit_sot_in_slices)

    def sizes(self, which: str) -> dict[str, int]:
        """The numbers of entries of each kind in one of the four lists, in order."""
        outer = which.startswith("outer")
        counts = {
            "n_steps": 1,
            "seqs": self.n_seqs,
            "mit_mot": self.n_mit_mot,
            "mit_sot": self.n_mit_sot,
            "sit_sot": self.n_sit_sot,
            "nit_sot": self.n_nit_sot,
            "shared": self.n_shared_outs,
            "non_seqs": self.n_non_seqs,
            "cond": int(self.as_while),
        }
        if not outer and which == "inner_in":
            counts["mit_mot"] = sum(map(len, self.mit_mot_in_slices))
            counts["mit_sot"] = sum(map(len, self.mit_sot_in_slices))
        elif not outer:
            counts["mit_mot"] = self.n_mit_mot_outs
        return {kind: counts[kind] for kind in ORDER[which]}

    def split(self, which: str, items: Sequence[Any]) -> dict[str, list[Any]]:
        """One of the four lists, cut into its kinds."""
        found, start = {}, 0
        for kind, size in self.sizes(which).items():
            found[kind] = list(items[start : start + size])
            start += size
        assert start == len(items), (which, start, len(items))
        return found


def grouped(items: Sequence[Any], taps: Iterable[Sequence[int]]) -> list[list[Any]]:
    """A flat list cut into one list for each state."""
    rest = iter(items)
    return [[next(rest) for _ in t] for t in taps]


def flat(groups: Iterable[Iterable[Any]]) -> list[Any]:
    """The items of all groups."""
    return [v for group in groups for v in group]


def first_offset(*taps: Sequence[int]) -> int:
    """Row of a state's buffer that stands for tap 0 at step 0."""
    return max([0, *(-t for t in flat(taps))])


class ScanArgs:
    """The four lists of a scan by kind; they can be changed, and ``make_node`` builds the scan that they describe.

    ``outer_in_seqs``, ``inner_in_seqs`` and so on are lists; those of mit-mot and mit-sot states that have several
    variables for each state are lists of lists. A nit-sot has no input.

    >>> import eqsat, eqsat.tensor as T
    >>> from eqsat.scan import ScanArgs
    >>> x = T.dvector("x")
    >>> sums, _ = eqsat.scan(lambda a, s: s + a, x, T.constant(0.0))
    >>> args = ScanArgs.from_node(sums.owner)
    >>> args.outer_in_seqs, args.inner_in_seqs, args.inner_out_sit_sot
    ([x], [x[t]], [s + x[t]])
    """

    def __init__(
        self,
        outer_inputs: Sequence[Any],
        outer_outputs: Sequence[Any],
        inner_inputs: Sequence[Any],
        inner_outputs: Sequence[Any],
        info: ScanInfo,
    ) -> None:
        outer = info.split("outer_in", outer_inputs)
        inner = info.split("inner_in", inner_inputs)
        made = info.split("inner_out", inner_outputs)
        (self.n_steps,) = outer["n_steps"]
        self.mit_mot_in_slices = list(info.mit_mot_in_slices)
        self.mit_mot_out_slices = list(info.mit_mot_out_slices)
        self.mit_sot_in_slices = list(info.mit_sot_in_slices)
        self.sit_sot_in_slices = list(info.sit_sot_in_slices)
        self.outer_in_seqs: list[Any] = outer["seqs"]
        self.outer_in_mit_mot: list[Any] = outer["mit_mot"]
        self.outer_in_mit_sot: list[Any] = outer["mit_sot"]
        self.outer_in_sit_sot: list[Any] = outer["sit_sot"]
        self.outer_in_shared: list[Any] = outer["shared"]
        self.outer_in_nit_sot: list[Any] = []
        self.outer_in_non_seqs: list[Any] = outer["non_seqs"]
        self.inner_in_seqs: list[Any] = inner["seqs"]
        self.inner_in_mit_mot = grouped(inner["mit_mot"], info.mit_mot_in_slices)
        self.inner_in_mit_sot = grouped(inner["mit_sot"], info.mit_sot_in_slices)
        self.inner_in_sit_sot: list[Any] = inner["sit_sot"]
        self.inner_in_shared: list[Any] = inner["shared"]
        self.inner_in_non_seqs: list[Any] = inner["non_seqs"]
        self.inner_out_mit_mot = grouped(made["mit_mot"], info.mit_mot_out_slices)
        self.inner_out_mit_sot: list[Any] = made["mit_sot"]
        self.inner_out_sit_sot: list[Any] = made["sit_sot"]
        self.inner_out_nit_sot: list[Any] = made["nit_sot"]
        self.inner_out_shared: list[Any] = made["shared"]
        self.cond: list[Any] = made["cond"]
        self.take_outputs(outer_outputs, info)

    def take_outputs(self, outer_outputs: Sequence[Any], info: ScanInfo | None = None) -> None:
        """Note the outer outputs."""
        ends = (info or self.info).split("outer_out", outer_outputs)
        self.outer_out_mit_mot: list[Any] = ends["mit_mot"]
        self.outer_out_mit_sot: list[Any] = ends["mit_sot"]
        self.outer_out_sit_sot: list[Any] = ends["sit_sot"]
        self.outer_out_nit_sot: list[Any] = ends["nit_sot"]
        self.outer_out_shared: list[Any] = ends["shared"]

    @classmethod
    def from_node(cls, node: Apply) -> ScanArgs:
        """The lists of an application of a scan."""
        op: Any = node.op
        return cls(node.inputs, node.outputs, op.inner_inputs, op.inner_outputs, op.info)

    @classmethod
    def create_empty(cls, n_steps: Any = None) -> ScanArgs:
        """A scan of nothing, to which variables are added."""
        return cls([n_steps], [], [], [], ScanInfo())

    @property
    def outer_inputs(self) -> list[Any]:
        states = [*self.outer_in_mit_mot, *self.outer_in_mit_sot, *self.outer_in_sit_sot]
        return [self.n_steps, *self.outer_in_seqs, *states, *self.outer_in_shared, *self.outer_in_non_seqs]

    @property
    def inner_inputs(self) -> list[Any]:
        states = [*flat(self.inner_in_mit_mot), *flat(self.inner_in_mit_sot), *self.inner_in_sit_sot]
        return [*self.inner_in_seqs, *states, *self.inner_in_shared, *self.inner_in_non_seqs]

    @property
    def inner_outputs(self) -> list[Any]:
        states = [*flat(self.inner_out_mit_mot), *self.inner_out_mit_sot, *self.inner_out_sit_sot]
        return [*states, *self.inner_out_nit_sot, *self.inner_out_shared, *self.cond]

    @property
    def outer_outputs(self) -> list[Any]:
        states = [*self.outer_out_mit_mot, *self.outer_out_mit_sot, *self.outer_out_sit_sot]
        return [*states, *self.outer_out_nit_sot, *self.outer_out_shared]

    @property
    def info(self) -> ScanInfo:
        return ScanInfo(
            len(self.outer_in_seqs),
            tuple(map(tuple, self.mit_mot_in_slices)),
            tuple(map(tuple, self.mit_mot_out_slices)),
            tuple(map(tuple, self.mit_sot_in_slices)),
            tuple(map(tuple, self.sit_sot_in_slices)),
            len(self.inner_out_nit_sot),
            len(self.outer_in_shared),
            len(self.outer_in_non_seqs),
            bool(self.cond),
        )

    def make_node(self, **options: Any) -> Apply:
        """The application of the scan described here; its outputs become the outer outputs. Options as for ``Scan``."""
        from eqsat.scan.op import Scan

        node = Scan(self.inner_inputs, self.inner_outputs, self.info, **options).make_node(*self.outer_inputs)
        self.take_outputs(node.outputs)
        return node

    def __repr__(self) -> str:
        lists = {k: v for k, v in vars(self).items() if isinstance(v, list) and v}
        return f"ScanArgs({', '.join(f'{k}={v}' for k, v in lists.items())})"


def is_tensor(v: Any) -> bool:
    """True for a tensor variable."""
    return isinstance(v, Variable) and hasattr(v.type, "shape")


def has_gradient(v: Any) -> bool:
    """True for tensors of floating and complex dtypes."""
    return getattr(v.type, "dtype", "") in INEXACT


def is_zero(v: Any) -> bool:
    """True for a tensor made as zeros."""
    while (shown := only_shown(v)) is not None:
        v = shown
    return isinstance(v, Constant) and not v.data.any()


def alike(v: Any, model: Any) -> Any:
    """A tensor with the lengths that the type of a model knows, and no others of 1."""
    return specify(unbroadcast_like(v, model), model.type.shape) if is_tensor(v) else v
