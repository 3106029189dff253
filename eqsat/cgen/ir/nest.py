"""What a loop nest computes, before it is text: axes, operands with strides, expressions, stores and folds."""

from __future__ import annotations

from dataclasses import dataclass, field

from eqsat.cgen.ir.arrays import Lengths
from eqsat.graph.c_operand import CTYPE
from eqsat.graph.declare import Reduction
from eqsat.graph.dtypes import COMPLEX


@dataclass
class Operand:
    """Memory that a nest reads or writes: the caller's pointer text and one stride text per axis."""

    pointer: str
    dtype: str
    strides: tuple[str, ...]
    written: bool = False
    read: bool = True

    @property
    def ctype(self) -> str:
        """Element type in C."""
        return CTYPE[self.dtype]


@dataclass(frozen=True)
class Value:
    """One expression: a load of operand ``operand``, or C text with ``@0@``, ``@1@`` ... for other expressions."""

    ctype: str
    operand: int = -1
    text: str = ""
    args: tuple[int, ...] = ()


@dataclass(frozen=True)
class Fold:
    """A reduction of expression ``root``, in the type ``accumulator``, written to ``operand``."""

    root: int
    reduction: Reduction
    dtype: str
    operand: int

    @property
    def accumulator(self) -> str:
        """C type in which values are combined."""
        return self.reduction.accumulator.get(self.dtype) or CTYPE[self.dtype]

    @property
    def is_complex(self) -> bool:
        """True for a reduction of complex numbers, which OpenMP's clauses do not combine as NumPy does."""
        return self.dtype in COMPLEX

    @property
    def spreads_nan(self) -> bool:
        """True where one NaN has to make the result NaN and combining would lose it."""
        return self.reduction.spreads_nan and self.dtype in ("float32", "float64")

    def combine(self, a: str, b: str) -> str:
        """C text of two partial results combined; NaN stays NaN."""
        combine = (self.is_complex and self.reduction.complex) or self.reduction.combine
        text = combine.format(a=a, b=b)
        return f"({a} != {a} ? {a} : {b} != {b} ? {b} : {text})" if self.spreads_nan else text

    def identity(self) -> str:
        """C text of the result over no elements."""
        return self.reduction.identity(self.dtype)


@dataclass
class Nest:
    """Loops over ``lengths``; ``reduced`` says which axes the folds run over."""

    lengths: list[str]
    reduced: list[bool]
    operands: list[Operand] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    stores: list[tuple[int, int]] = field(default_factory=list)
    folds: list[Fold] = field(default_factory=list)
    flops: float = 1.0

    def simplify(self, lengths: Lengths) -> None:
        """Drop axes of length 1 and join neighbours over which every operand runs in one stride."""
        for axis in reversed(range(len(self.lengths))):
            if self.lengths[axis] == "1":
                self._drop(axis)
        if any(self.reduced):
            self._reorder(lengths)
        for axis in reversed(range(len(self.lengths) - 1)):
            if self._joins(axis, lengths):
                self.lengths[axis + 1] = lengths.product(self.lengths[axis : axis + 2])
                self._drop(axis)
        if self.folds and not any(self.reduced):
            self.stores += [(fold.root, fold.operand) for fold in self.folds]
            self._give_strides(lengths)
            self.folds = []

    def _reorder(self, lengths: Lengths) -> None:
        """Run along memory: the axis with the smallest stride inside; kept axes keep their order."""
        order = self._memory_order(lengths)
        kept = [a for a in range(len(order)) if not self.reduced[a]]
        reduced = [a for a in order if self.reduced[a]]
        by_rows = self.reduced[order[-1]] or order[-1] != kept[-1]
        order = kept + reduced if by_rows else kept[:-1] + reduced + kept[-1:]
        self.lengths = [self.lengths[a] for a in order]
        self.reduced = [self.reduced[a] for a in order]
        for operand in self.operands:
            if operand.strides:
                operand.strides = tuple(operand.strides[a] for a in order)

    def _memory_order(self, lengths: Lengths) -> list[int]:
        """Axes from the largest stride to the smallest in the first operand read along all of them."""
        axes = list(range(len(self.lengths)))
        whole = [o.strides for o in self.operands if len(o.strides) == len(axes) and "0" not in o.strides]
        order: list[int] = []
        step = "1"
        while whole and axes:
            found = [a for a in axes if lengths.product((whole[0][a],)) == step]
            if not found:
                break
            step = lengths.product((step, self.lengths[found[0]]))
            axes.remove(found[0])
            order.insert(0, found[0])
        return axes + order

    def _give_strides(self, lengths: Lengths) -> None:
        for fold in self.folds:
            self.operands[fold.operand].strides = lengths.strides(self.lengths)

    def _drop(self, axis: int) -> None:
        del self.lengths[axis], self.reduced[axis]
        for operand in self.operands:
            if operand.strides:
                operand.strides = operand.strides[:axis] + operand.strides[axis + 1 :]

    def _joins(self, axis: int, lengths: Lengths) -> bool:
        if self.reduced[axis] != self.reduced[axis + 1]:
            return False
        for operand in self.operands:
            if operand.strides:
                outer, inner = operand.strides[axis : axis + 2]
                if lengths.product((outer,)) != lengths.product((self.lengths[axis + 1], inner)):
                    return False
        return True


class Parameters:
    """The lengths, strides and pointers that a kernel function is given, and their names in it."""

    def __init__(self, nest: Nest) -> None:
        self.numbers: dict[str, str] = {}
        self.pointers = [o.pointer for o in nest.operands]
        self.names = []
        written = read = 0
        for operand in nest.operands:
            if operand.written:
                self.names.append(f"r{written}")
                written += 1
            else:
                self.names.append(f"a{read}")
                read += 1

    def number(self, text: str) -> str:
        """Name of a run-time number in the kernel; numbers that are known stay as they are."""
        return text if text.isdigit() else self.numbers.setdefault(text, f"n{len(self.numbers)}")

    def pointer(self, text: str, name: str) -> str:
        """Add a pointer under a name."""
        self.pointers.append(text)
        self.names.append(name)
        return name

    def inline_head(self, nest: Nest) -> str:
        """Declarations for a nest that stands among the caller's statements."""
        lines = []
        for name, operand in zip(self.names, nest.operands, strict=True):
            const = "" if operand.written else "const "
            lines.append(f"{const}{operand.ctype} *const {name} = (void *){operand.pointer};")
        lines += [f"const int64_t {name} = {text};" for text, name in self.numbers.items()]
        return " ".join(lines)

    def head(self, nest: Nest, extra: dict[str, str] | None = None) -> str:
        """Declarations that unpack the arguments of the kernel function."""
        lines = []
        for k, (name, operand) in enumerate(zip(self.names, nest.operands, strict=False)):
            const = "" if operand.written else "const "
            lines.append(f"{const}{operand.ctype} *restrict const {name} = p[{k}];")
        for k in range(len(nest.operands), len(self.names)):
            lines.append(f"{(extra or {})[self.names[k]]} *restrict const {self.names[k]} = p[{k}];")
        for k, name in enumerate(self.numbers.values()):
            lines.append(f"const int64_t {name} = v[{k}];")
        return "".join(f"  {line}\n" for line in lines)


class Body:
    """Statements of a nest, each at the outermost loop in which its operands are known.

    ``depth`` gives, per axis, the number of loops that have to be open; ``counter`` the name of its index;
    along ``inner`` operands are addressed as ``pointer[j*stride]``.
    """

    def __init__(
        self, nest: Nest, names: Parameters, depth: list[int], counter: list[str], inner: int
    ) -> None:
        self.nest, self.names, self.depth, self.counter, self.inner = nest, names, depth, counter, inner
        self.at: list[list[str]] = [[] for _ in range(max(depth, default=0) + 1)]
        self.level: list[int] = []
        self._bases: dict[int, str] = {}
        for number, value in enumerate(nest.values):
            self._place(number, value)
        for root, operand in nest.stores:
            self._store(root, operand)

    def _place(self, number: int, value: Value) -> None:
        if value.operand >= 0:
            level, text = self._element(value.operand)
        else:
            level = max((self.level[a] for a in value.args if a >= 0), default=0)
            text = value.text
            for k in reversed(range(len(value.args))):
                text = text.replace(f"@{k}@", f"t{value.args[k]}")
        self.level.append(level)
        self.at[level].append(f"const {value.ctype} t{number} = {text};")

    def _store(self, root: int, operand: int) -> None:
        _, text = self._element(operand)
        self.at[-1].append(f"{text} = t{root};")

    def _element(self, operand: int) -> tuple[int, str]:
        strides = self.nest.operands[operand].strides
        level = max((d for d, s in zip(self.depth, strides, strict=True) if s != "0"), default=0)
        if self.inner < 0 or strides[self.inner] == "0":
            return level, f"{self.names.names[operand]}[{self._offset(strides, -1) or '0'}]"
        step = self.names.number(strides[self.inner])
        j = self.counter[self.inner]
        return level, f"{self._base(operand)}[{j if step == '1' else f'{j}*{step}'}]"

    def _offset(self, strides: tuple[str, ...], without: int) -> str:
        terms = []
        for axis, stride in enumerate(strides):
            if stride != "0" and axis != without:
                step = self.names.number(stride)
                terms.append(self.counter[axis] if step == "1" else f"{self.counter[axis]}*{step}")
        return " + ".join(terms)

    def _base(self, operand: int) -> str:
        """Pointer to the row that the innermost loop runs along."""
        if operand not in self._bases:
            memory = self.nest.operands[operand]
            offset = self._offset(memory.strides, self.inner)
            name = self._bases[operand] = f"q{operand}" if offset else self.names.names[operand]
            if offset:
                outer = [
                    d
                    for axis, (d, s) in enumerate(zip(self.depth, memory.strides, strict=True))
                    if s != "0" and axis != self.inner
                ]
                const = "" if memory.written else "const "
                self.at[max(outer)].append(
                    f"{const}{memory.ctype} *const {name} = {self.names.names[operand]} + {offset};"
                )
        return self._bases[operand]


def block(lines: list[str], indent: int) -> str:
    """Statements, one per line."""
    return "".join("  " * indent + line + "\n" for line in lines)
