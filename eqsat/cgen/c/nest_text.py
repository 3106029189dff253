"""C text of a nest: the parameters of its function, and its statements, each in the outermost loop where it can stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from eqsat.cgen.c.literals import literal
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.ir.lanes import Lanes, Row
from eqsat.cgen.ir.nest import At, Between, Choice, Computed, Nest, Operand, Read, Value, args_of

LINE = 64  # bytes that a processor fetches at once
STRIP = 512  # elements of a row between which others are fetched


def expression(value: Computed, args: Sequence[str] = ()) -> str:
    """C text of an op's expression over named values; without names value 3 of a nest is called t3."""
    operands = dict(zip(value.names, args or [f"t{k}" for k in value.args], strict=True))
    f = "f" if value.of in ("float32", "complex64") else ""
    text = value.expression.format(**operands, f=f, T=CTYPE[value.dtype], U=CTYPE[value.of])
    return f"eq_apart({text})" if value.apart else text


def picked_text(
    at: At, index: str, number: Callable[[str], str], form: str = "({i} < 0 ? {i} + {n} : {i})"
) -> str:
    """C text of how far along an axis an element is that is picked, in a ``form`` over the index and the length."""
    stride = number(at.stride)
    place = form.format(i=index, n=number(at.length))
    return place if stride == "1" else f"{place}*{stride}"


class Parameters:
    """The lengths, strides and pointers that a kernel function is given, and their names in it."""

    def __init__(self, nest: Nest | Lanes) -> None:
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
            lines.append(f"{const}{CTYPE[operand.dtype]} *const {name} = (void *){operand.pointer};")
        lines += [f"const int64_t {name} = {text};" for text, name in self.numbers.items()]
        return " ".join(lines)

    def head(self, nest: Nest | Lanes, extra: dict[str, str] | None = None) -> str:
        """Declarations that unpack the arguments of the kernel function."""
        lines = []
        operands: Sequence[Operand | Row] = nest.operands
        for k, (name, operand) in enumerate(zip(self.names, operands, strict=False)):
            const = "" if operand.written else "const "
            lines.append(f"{const}{CTYPE[operand.dtype]} *restrict const {name} = p[{k}];")
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
        self._lines: list[str] = []
        self.picks: dict[int, str] = {}  # that change along the innermost axis
        self.products: Mapping[
            int, tuple[int, int]
        ] = {}  # that are made with the sums over them, with their factors
        for number, value in enumerate(nest.values):
            self._place(number, value)
        for root, operand in nest.stores:
            self._store(root, operand)

    def _place(self, number: int, value: Value) -> None:
        level = 0
        if isinstance(value, Read):
            level, text = self._picked(number, value) if value.at else self._element(value.operand)
            if value.inside and number not in self.picks:
                level = max(level, self._tested(value.inside))
                text = f"{self._test(value.inside)} ? {text} : 0"
        elif isinstance(value, Choice):
            tests = [test for held, _ in value.cases for test in held]
            level = max(self._tested(tests), *(self.level[n] for _, n in value.cases))
            cases = [f"{self._test(held)} ? t{n}" for held, n in value.cases[:-1]]
            text = " : ".join([*cases, f"t{value.cases[-1][1]}"])
        elif isinstance(value, Computed):
            level = max((self.level[a] for a in value.args if a >= 0), default=0)
            text = expression(value)
        else:
            text = literal(value.value, value.dtype)
        self.level.append(level)
        self._lines.append(f"const {CTYPE[value.dtype]} t{number} = {text};")
        self.at[level].append(self._lines[-1])

    def leave_out(self, products: Mapping[int, tuple[int, int]]) -> None:
        """Take away the statements of products that are made with the sums over them, and keep their factors."""
        self.products = products
        for number in products:
            self.at[self.level[number]].remove(self._lines[number])

    def pick(self, at: At, index: str) -> str:
        """C text of how far along an axis an element is that is picked."""
        return picked_text(at, index, self.names.number)

    def _picked(self, number: int, value: Read) -> tuple[int, str]:
        """An element whose index along some axes is a value: its row has a pointer where it does not change along it."""
        strides = self.nest.operands[value.operand].strides
        name = self.names.names[value.operand]
        outer = [
            d
            for a, (d, s) in enumerate(zip(self.depth, strides, strict=True))
            if s != "0" and a != self.inner
        ]
        level = max([*outer, *(self.level[a.value] for a in value.at)], default=0)
        picks = [self.pick(a, f"t{a.value}") for a in value.at]
        row = " + ".join(filter(None, [name, self._offset(strides, self.inner), *picks]))
        step = strides[self.inner] if self.inner >= 0 else "0"
        j = self.counter[self.inner] if self.counter else "0"
        along = "" if step == "0" else j if step == "1" else f"{j}*{self.names.number(step)}"
        if self.inner >= 0 and level >= self.depth[self.inner]:
            text = f"*({row}{f' + {along}' if along else ''})"
            self.picks[number] = f"{self._test(value.inside)} ? {text} : 0" if value.inside else text
            return level, f"z{number}[{j} - zb]"
        if not along:
            return level, f"*({row})"
        self.at[level].append(f"const {CTYPE[value.dtype]} *const g{number} = {row};")
        return self.depth[self.inner], f"g{number}[{along}]"

    def collected(self, low: str, high: str, size: int | str, indent: int) -> str:
        """Statements that collect what is picked along the innermost axis, no more than ``size`` elements.

        Processors take longer to load such elements as a vector than one by one.
        """
        if not self.picks:
            return ""
        j, lines, inner = self.counter[self.inner], [f"const int64_t zb = {low};"], []
        for number, text in self.picks.items():
            value = self.nest.values[number]
            lines.append(f"{CTYPE[value.dtype]} z{number}[{size}];")
            inner += [self._lines[a] for a in args_of(value) if self.level[a] == self.depth[self.inner]]
            inner.append(f"z{number}[{j} - zb] = {text};")
        loop = [f"for (int64_t {j} = {low}; {j} < {high}; {j}++) {{"]
        return block(lines + loop, indent) + block([*dict.fromkeys(inner)], indent + 1) + block(["}"], indent)

    def _tested(self, tests: Iterable[Between]) -> int:
        """The number of loops that have to be open for tests."""
        return max((self.depth[test.axis] for test in tests), default=0)

    def _test(self, tests: Iterable[Between]) -> str:
        parts = []
        for test in tests:
            i, low, high = self.counter[test.axis], self.names.number(test.low), self.names.number(test.high)
            parts.append(f"({i} >= {low}) & ({i} < {high})")
        return f"({' & '.join(parts) or '1'})"

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

    def rows(self) -> list[tuple[str, Operand]]:
        """Pointers to rows that the innermost loop reads or writes one element after the other, with their operands."""
        found = ((name, self.nest.operands[k]) for k, name in self._bases.items())
        return [(name, operand) for name, operand in found if operand.strides[self.inner] == "1"]

    def row(self, operand: int) -> str:
        """The pointer to a row of an operand along which the innermost loop runs; empty where there is none."""
        return self._bases.get(operand, "")

    def fetched(self, low: str, high: str, indent: int, most: int = 0) -> str:
        """Statements that fetch, for elements of a row, those that a later run of the nest reads; no more than ``most``."""
        lines = []
        for name, operand in self.rows():
            if operand.ahead:
                line = LINE // np.dtype(operand.dtype).itemsize
                ahead = self.names.number(operand.ahead)
                count = high if low == "0" else f"{high} - {low}"
                test = f"{ahead} && {count} <= {most}" if most else ahead
                fetch = f"__builtin_prefetch({name} + {ahead} + c);"
                lines.append(f"if ({test}) for (int64_t c = {low}; c < {high}; c += {line}) {fetch}")
        return block(lines, indent)

    @property
    def fetches(self) -> bool:
        """True where elements of a later run are fetched."""
        return any(operand.ahead for _, operand in self.rows())

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
                    f"{const}{CTYPE[memory.dtype]} *const {name} = {self.names.names[operand]} + {offset};"
                )
        return self._bases[operand]


def block(lines: list[str], indent: int) -> str:
    """Statements, one per line."""
    return "".join("  " * indent + line + "\n" for line in lines)
