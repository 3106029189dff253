"""The cost model: seconds from declared flops and bytes, with constants of a machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import fields, replace
from itertools import pairwise
from math import inf, prod
from numbers import Real
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from eqsat.base.configuration import config
from eqsat.base.notebook_tables import notebook_table
from eqsat.base.units import times
from eqsat.base.values import dataclass
from eqsat.errors import CostError
from eqsat.graph.declare import OPS, Cost, DeclaredOp
from eqsat.graph.tensor_type import shorten

__all__ = ["CostModel"]

Lengths = tuple[int | None, ...]
Price = Cost | float | Callable[[DeclaredOp, list[list[float]], list[float]], Cost | float]

ADDRESSES = 2.0**47  # bytes


@dataclass(frozen=True)
class CostModel:
    """Seconds per unit of work; replace the numbers or the whole object to model another machine.

    ``flop`` is a flop of doubles in a vectorised loop (a transcendental function counts 15 to 50, see the op's
    ``Cost``), ``single`` its part for floats; ``call`` starts a kernel or a library call, ``step`` counts a
    step of a loop. ``byte`` moves a byte between memory and a core; where what is in use fits into the first ``inner`` bytes, ``cache``
    or ``outer`` bytes, those of the three levels of caches, it takes the part ``nearest``, ``near`` or ``far`` of that time.
    ``fused`` is the part of an elementwise op's traffic that remains after fusion, on average, ``calls_left`` that of its calls. A kernel computes while it
    moves bytes: ``apart`` is the part of the shorter of the two that is not hidden by the other. ``row`` starts a row,
    ``turned`` are the flops for a number that is not read in its order in memory. ``place`` finds a line of memory that lies anywhere.
    ``group`` starts a group of rows: it counts them and finds memory for a block.
    ``plain`` is the part of a flop that an op of one flop takes between others, ``after`` how many times longer a function takes whose
    operand is another one's result, ``waits`` how many times longer a flop takes where the next one waits for its result, as in a
    loop over steps of few numbers.

    All are those of one thread; on a device, of all its blocks of threads together. ``barrier`` is what the threads of a block take
    to see what they have written, ``blocks`` the number of blocks that run at once, ``visit`` a visit of the host between two kernels,
    and ``serial`` an operation of the host: they price the forms of loops where a target has several, as it says by a ``barrier``.

    ``blas_flop`` is a flop in a large product of matrices, ``blas_call`` starts one. A product (m, k) (k, n) takes longer
    per flop where it is thin: by the factor ``1 + thin * (1/m + 1/n) + tiny / (m*n) + shallow/k``, or ``vector`` where m or n is 1, and ``short`` flops
    more for each row. ``factor_flop`` is a flop in a factorisation of a large matrix, which takes ``1 + factor_order/n`` times as long for
    order n.

    ``fixed`` is what an op costs that neither calls nor computes, a view: of two graphs of equal work the one with fewer is taken.

    ``memory`` is the most bytes that one value may take which the graph as written does not have: forms that need more
    are not chosen. Without it ``config.memory_bound`` counts. ``prices`` holds what ``priced`` was given.

    A subclass that overrides ``op_seconds`` prices ops by any rule, which gives a finite number that is not negative;
    functions made with it are not kept on disk.

    Units    seconds per flop, byte and call; memory, inner, cache and outer in bytes
    Errors   CostError for a constant that is negative or no number

    >>> from eqsat.extract.cost import CostModel
    >>> CostModel(byte=1e-9).byte
    1e-09
    """

    flop: float = 2.5e-11
    blas_flop: float = 8.5e-12
    byte: float = 2.4e-11
    call: float = 1e-8
    fused: float = 0.5
    calls_left: float = 1.0
    step: float = 2e-9
    unstable: float = 1e3
    default_length: int | None = None
    memory: float | None = None
    nearest: float = 0.18
    near: float = 0.23
    far: float = 0.39
    inner: float = 48e3
    cache: float = 1e6
    outer: float = 16e6
    apart: float = 0.25
    row: float = 1.5e-9
    plain: float = 0.6
    after: float = 1.3
    waits: float = 40.0
    turned: float = 6.0
    place: float = 7e-9
    group: float = 1e-7
    single: float = 0.5
    blas_call: float = 2e-7
    thin: float = 8.0
    tiny: float = 400.0
    shallow: float = 8.0
    vector: float = 3.5
    short: float = 250.0
    factor_flop: float = 3e-11
    factor_order: float = 120.0
    fixed: float = 1e-9
    barrier: float = 0.0
    blocks: float = 1.0
    visit: float = 0.0
    serial: float = 1e-9
    prices: tuple[tuple[str, Any], ...] = ()
    _flags: ClassVar[Any] = config  # what gives lengths and bytes that the model leaves open

    def __post_init__(self) -> None:
        for field in fields(CostModel):
            value = getattr(self, field.name)
            optional = field.name in ("default_length", "memory")
            if field.name != "prices" and not (optional and value is None) and not _is_constant(value):
                raise CostError(
                    f"CostModel: {field.name} is {value!r}", needs="a finite number that is not negative"
                )

    def priced(self, prices: Mapping[str, Price]) -> CostModel:
        """This model with other prices for some ops, by name.

        A price is a number of flops per element of the result, a ``Cost``, or a function of the op, the lengths of its
        operands and those of its result that gives one of these.

        Errors   CostError for an op that does not exist, and for something that is no price

        >>> from eqsat.extract.cost import CostModel
        >>> from eqsat.graph.ops.elemwise import exp
        >>> dear, usual = CostModel().priced({"exp": 1000}), CostModel()
        >>> dear.op_seconds(exp, [(100,)], (100,), 8) > 20 * usual.op_seconds(exp, [(100,)], (100,), 8)
        True
        """
        for name, price in prices.items():
            if OPS.find(name) is None:
                raise CostError(
                    f"priced: there is no op {name!r}",
                    needs="names of ops, as in docs/ops.md",
                    among=(name, OPS),
                )
            if not (isinstance(price, Cost) or callable(price) or _is_constant(price)):
                raise CostError(
                    f"priced: {name} cannot cost {price!r}",
                    needs="flops per element, a Cost, or a function (op, operands, result) -> Cost",
                )
        return replace(self, prices=tuple(sorted({**dict(self.prices), **prices}.items())))

    def of_a_block(self) -> CostModel:
        """This model for what one block of threads does, of several that run at once: a barrier stands in place of a call.

        >>> from eqsat.extract.cost import CostModel
        >>> CostModel(barrier=3e-7, blocks=132).of_a_block().call
        3e-07
        """
        slower = {
            name: getattr(self, name) * self.blocks for name in ("flop", "blas_flop", "factor_flop", "byte")
        }
        nearer = {name: getattr(self, name) / self.blocks for name in ("inner", "cache")}
        return replace(self, call=self.barrier, blas_call=self.barrier, blocks=1.0, **slower, **nearer)

    def key(self) -> str | None:
        """Text that stands for the model in the key of a compiled function; None where text cannot tell models apart."""
        if not type(self).__module__.startswith("eqsat.") or any(callable(p) for _, p in self.prices):
            return None
        return repr(self)

    def settled(self) -> CostModel:
        """This model with the flags as they are now: it gives the same costs whatever is configured later."""
        made = copy(self)
        vars(made)["_flags"] = SimpleNamespace(
            default_length=config.default_length, memory_bound=config.memory_bound
        )
        return made

    def lengths(self, shape: Lengths) -> list[float]:
        """Lengths with the stated default where they are unknown."""
        unknown = self.default_length if self.default_length is not None else self._flags.default_length
        return [float(unknown if n is None else n) for n in shape]

    def too_large(self, shape: Lengths, itemsize: int) -> bool:
        """True for a value that takes more memory than one may; a number of unknown length counts as the default.

        Where no bound is set, of known lengths and more than a processor can address: the steps of a loop that a condition ends
        may be as many.
        """
        bound = self._flags.memory_bound if self.memory is None else self.memory
        if bound is None:
            return None not in shape and prod(self.lengths(shape)) * itemsize > ADDRESSES
        return prod(self.lengths(shape)) * itemsize > bound

    def op_seconds(self, op: DeclaredOp, operands: Sequence[Lengths], out: Lengths, itemsize: int) -> float:
        """Seconds for one application of an op; ``itemsize`` is that of an element of its result."""
        ins, result = [self.lengths(s) for s in operands], self.lengths(out)
        cost = self.cost_of(op, ins, result)
        if op.declaration.kind == "elemwise":
            moved = itemsize * prod(result)
            work = prod(result) * self.flops(cost, itemsize) * self.flop
            calls = cost.calls * self.calls_left
            return self.call * calls + work + self.traffic(moved * self.fused, moved)
        bytes_moved = self.bytes_of(op, cost, ins, result, itemsize)
        picked_from = itemsize * prod(ins[0]) if ins else 0.0
        moved = self.traffic(bytes_moved) + self.found(cost.places, picked_from, bytes_moved)
        work = self.work(cost, itemsize)
        if cost.product is not None:
            return self.blas_call * cost.calls + max(work, moved)
        return self.fixed + (self.blas_call if cost.order else self.call) * cost.calls + work + moved

    def checked_seconds(
        self, op: DeclaredOp, operands: Sequence[Lengths], out: Lengths, itemsize: int
    ) -> float:
        """The result of ``op_seconds``; CostError where that is no cost."""
        seconds = self.op_seconds(op, operands, out, itemsize)
        if not _is_constant(seconds):
            raise CostError(
                f"{self}: op_seconds of {op.name} is {shorten(seconds)}",
                needs="a finite number that is not negative",
                operands=[("operands", list(operands)), ("result", out)],
            )
        return seconds

    def cost_of(self, op: DeclaredOp, ins: list[list[float]], result: list[float]) -> Cost:
        """The work of an op by its declaration, or by the price that it has been given."""
        declared: Any = (
            dict(self.prices).get(op.name, op.declaration.cost) if self.prices else op.declaration.cost
        )
        if callable(declared):
            declared = declared(op, ins, result)
        if isinstance(declared, Cost):
            return declared
        if not _is_constant(declared):
            raise CostError(
                f"the price of {op.name} in {self} is {shorten(declared)}",
                needs="flops per element, or a Cost",
            )
        each = op.declaration.kind == "elemwise"
        return Cost(flops=declared if each else declared * prod(result))

    def bytes_of(
        self, op: DeclaredOp, cost: Cost, ins: list[list[float]], result: list[float], itemsize: int
    ) -> float:
        """Bytes that an op moves: every operand is read and the result written, where it does not say."""
        if cost.bytes is not None:
            return cost.bytes
        share = self.fused if op.declaration.kind == "reduce" else 1.0
        return itemsize * (sum(map(prod, ins)) * share + prod(result))

    def traffic(self, moved: float, held: float | None = None) -> float:
        """Seconds to move some bytes that are part of so many which are in use again and again; by default all of them."""
        return moved * self.byte * self.part(moved if held is None else held)

    def part(self, held: float) -> float:
        """The time of a byte, in parts of that from memory, where so many bytes are in use again and again.

        What is a little larger than a cache is partly in it.
        """
        levels = ((self.inner, self.nearest), (self.cache, self.near), (self.outer, self.far), (inf, 1.0))
        for (fits, part), (_, more) in pairwise(levels):
            if held < 2 * fits:
                return part + (more - part) * max(0.0, held / fits - 1)
        return 1.0

    def found(self, places: float, held: float, moved: float = 0.0) -> float:
        """Seconds to find places in so many bytes, while others are moved that take the caches from them where they are many.

        It is next to nothing in a cache, whose distance grows faster than its time for a byte.
        """
        return places * self.place * self.part(held if held < self.cache else held + moved) ** 2.5

    def kernel_seconds(
        self, flops: float, moved: float, held: float | None = None, rows: float = 0.0
    ) -> float:
        """Seconds of a kernel: flops of doubles, bytes as in ``traffic``, and rows that it starts.

        >>> from eqsat.extract.cost import CostModel
        >>> from_memory, again = (CostModel().kernel_seconds(1e6, 8e7, held) for held in (None, 1e5))
        >>> from_memory > 3 * again
        True
        """
        return self.call + self.overlapped(flops, self.traffic(moved, held), rows)

    def overlapped(self, flops: float, memory: float, rows: float = 0.0) -> float:
        """Seconds of flops and rows as in ``kernel_seconds`` while bytes are moved, which alone takes some seconds."""
        work = flops * self.flop + rows * self.row
        return max(work, memory) + self.apart * min(work, memory)

    def fold_flops(self, op: DeclaredOp, dtype: str) -> float:
        """Flops of doubles for each element that a reduction takes.

        One that adds up in a wider dtype converts, one that looks for NaN compares.
        """
        reduction = op.declaration.reduction
        if reduction is None:
            return 1.0
        wide = reduction.accumulator.get(dtype, dtype)
        return self.flops(Cost(2.7 if reduction.spreads_nan else 1.0), np.dtype(wide).itemsize) + (
            wide != dtype
        )

    def fused_flops(self, cost: Cost, itemsize: int) -> float:
        """Flops of doubles for an element, of an op between others in a kernel."""
        return self.flops(cost, itemsize) * (self.plain if cost.flops <= 1 else 1.0)

    def flops(self, cost: Cost, itemsize: int) -> float:
        """Flops of doubles that take as long as those of a cost take for elements of a size."""
        if not cost.vector or itemsize == 8:
            return cost.flops
        return cost.flops * (self.single if itemsize < 8 else 2.0)

    def work(self, cost: Cost, itemsize: int) -> float:
        """Seconds of the flops of an op that is not elementwise."""
        flops = self.flops(cost, itemsize)
        if cost.product is not None:
            return self.blas_flop * self.product_flops(cost, flops)
        if cost.order:
            return flops * self.factor_flop * (1 + self.factor_order / cost.order)
        return flops * (self.blas_flop if cost.blas else self.flop)

    def product_flops(self, cost: Cost, flops: float) -> float:
        """Flops of a product of matrices, in those of a large one of doubles, of which it has so many.

        Where an axis is too short to fill vectors smaller numbers are no faster.
        """
        assert cost.product is not None
        m, k, n = (max(1.0, length) for length in cost.product)
        if min(m, n) == 1:
            length = k if n == 1 else n  # of a row of the matrix
            return flops * self.vector + cost.flops / 2 / length * min(self.short, 30 * length)
        return flops * (1 + self.shallow / k) + cost.flops * (
            self.thin * (1 / m + 1 / n) + self.tiny / (m * n)
        )

    def trips(self, steps: float) -> float:
        """The number of times that the model pays an op in a loop of some steps."""
        return steps

    def show(self, cost: float) -> str:
        """A cost in words, with its unit."""
        return times(cost)[0]

    def show_all(self, *costs: float) -> list[str]:
        """Several costs in words, in one unit."""
        return times(*costs) if type(self).show is CostModel.show else [str(self.show(c)) for c in costs]

    def _repr_html_(self) -> str:
        usual = CostModel()
        values = [(f.name, getattr(self, f.name), getattr(usual, f.name, None)) for f in fields(self)]
        rows = [(name, str(value), "" if value == was else str(was)) for name, value, was in values if value]
        return notebook_table(type(self).__name__, ("constant", "value", "default, if another"), rows)

    def __str__(self) -> str:
        """The name of the class, and what differs from a model with nothing said.

        >>> print(CostModel(), CostModel(byte=1e-9))
        CostModel CostModel(byte=1e-09)
        """
        name = type(self).__name__
        try:
            usual = type(self)()
        except TypeError:  # it needs arguments
            return repr(self)
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        words = [f"{k}={v!r}" for k, v in values.items() if v != getattr(usual, k)]
        return name + (f"({', '.join(words)})" if words else "")


def _is_constant(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 <= value < inf  # type: ignore[operator]
