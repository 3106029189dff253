"""The accuracy of a graph over a range of its inputs, against real arithmetic: by point, by input and by node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from eqsat.base.text_tables import table
from eqsat.base.values import dataclass
from eqsat.graph.core import Apply, Constant
from eqsat.graph.walk import toposort
from eqsat.pipeline.preparation import as_outputs, prepare
from eqsat.printing.short_text import short
from eqsat.rounding.bits import bits_of_error
from eqsat.rounding.points import Accept, Points, drawn_points
from eqsat.rounding.reals import RealRun

Array = Any
MOST_NODES = 12  # in the text
PARTS = 4  # of the range of an input, in the text


@dataclass(frozen=True)
class NodeError:
    """The mean error that one op adds to exact operands.

    Units    bits

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> eqsat.accuracy(T.cos(x) - 1, {x: (1e-9, 1e-8)}, points=16).nodes[0].text
    'cos(x) - 1'
    """

    text: str
    bits: float
    variable: Any
    made_at: str


@dataclass(frozen=True, repr=False)
class Accuracy:
    """The error of a graph in bits: log2(1 + the number of floats between the result and the real value).

    ``errors`` has one number for each point, ``points`` the values of the inputs by name; ``nodes`` says for each op which error it
    adds to operands that are exact, the largest first. An error of 53 bits in float64 is that no digit is right.

    Units    bits

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> eqsat.accuracy(T.exp(x), {x: (-1.0, 1.0)}, points=16).worst < 1.1
    True
    """

    inputs: list[Any]
    points: dict[str, Array]
    errors: Array
    nodes: list[NodeError]
    dtype: str

    @property
    def bits(self) -> float:
        """The mean error over all points."""
        return float(np.mean(self.errors))

    @property
    def worst(self) -> float:
        """The largest error of a point."""
        return float(np.max(self.errors))

    @property
    def worst_point(self) -> dict[str, Array]:
        """The point of the largest error."""
        k = int(np.argmax(self.errors))
        return {name: values[k] for name, values in self.points.items()}

    def by_input(self, name: str, parts: int = PARTS) -> list[tuple[float, float, float]]:
        """The mean error in equally many points each of the range of an input: least value, greatest value, bits."""
        values = np.asarray(self.points[name], "float64").reshape(len(self.errors), -1)[:, 0]
        order = np.argsort(values, kind="stable")
        groups = [g for g in np.array_split(order, parts) if len(g)]
        return [(float(values[g[0]]), float(values[g[-1]]), float(self.errors[g].mean())) for g in groups]

    def draw(self, path: Any = None) -> str:
        """A picture of the error against each input, as SVG; it is written to ``path`` where one is given."""
        from eqsat.rounding.plot import plot

        text = plot(self)
        if path is not None:
            from eqsat.base.text_files import write_text

            write_text(text, path)
        return text

    def _repr_svg_(self) -> str:
        return self.draw()

    def __repr__(self) -> str:
        return f"<Accuracy: {self.bits:.1f} bits of error, at most {self.worst:.1f}, at {len(self.errors)} points>"

    def __str__(self) -> str:
        worst = ", ".join(f"{n} = {_number(v)}" for n, v in self.worst_point.items())
        lines = [
            f"error   {self.bits:.1f} bits of {self.dtype} in the mean of {len(self.errors)} points, "
            f"{self.worst:.1f} at {worst or 'the only one'}"
        ]
        for name in self.points:
            cells = [f"{bits:.1f} from {low:.3g} to {high:.3g}" for low, high, bits in self.by_input(name)]
            lines.append(f"by {name} ".ljust(8) + ", ".join(cells))
        rows = [[n.text, f"{n.bits:.1f}", n.made_at] for n in self.nodes[:MOST_NODES]]
        if rows:
            lines.append(table(["op, of exact operands", "bits", "made at"], rows, right=(1,)))
        return "\n".join(lines)


def _number(value: Any) -> str:
    return (
        f"{value:.6g}"
        if np.ndim(value) == 0
        else np.array2string(np.asarray(value), precision=4, threshold=8)
    )


def accuracy(
    y: Any,
    ranges: Mapping[Any, Any] | None = None,
    points: int = 256,
    seed: int = 0,
    accept: Accept | None = None,
) -> Accuracy:
    """Measure the error of a graph, as it is written, against real arithmetic.

    ``ranges`` says between which values an input lies, by variable or name; others may be any finite float. Points are drawn evenly
    among the floats of the range, as most errors lie at very small or large ones; points at which the graph has no finite value are
    left out. ``accept`` takes a dict of the drawn values by input, and says which points to keep.

    Units    bits: log2(1 + the number of floats between the result and the real value)
    Errors   ArgumentError for a range of something else, an op without a formula over the reals, or where no point is found

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> eqsat.accuracy(T.sqrt(x + 1) - T.sqrt(x), {x: (1e10, 1e20)}).bits > 20
    True
    >>> eqsat.accuracy(T.log1p(x), {x: (1e-10, 1e3)}).bits < 1
    True
    """
    outputs = prepare(as_outputs("accuracy", y))
    found = drawn_points(outputs, ranges, points, seed, accept)
    made = floats(outputs, found)
    errors = np.mean(
        [error(made[v], w, found.count) for v, w in zip(outputs, found.wanted, strict=True)], axis=0
    )
    names = dict(zip(names_of(found.inputs), found.values, strict=True))
    return Accuracy(found.inputs, names, errors, node_errors(outputs, found), outputs[0].type.dtype)


def names_of(inputs: list[Any]) -> list[str]:
    """A name for each input, and none twice."""
    found: list[str] = []
    for k, v in enumerate(inputs):
        number = f"input {k}"
        found.append(f"{v.name} ({number})" if v.name in found else v.name or number)
    return found


def floats(outputs: list[Any], points: Points) -> dict[Any, Array]:
    """The values of all variables of a graph in its own dtypes."""
    made: dict[Any, Array] = dict(zip(points.inputs, points.values, strict=True))
    for node in toposort(outputs):
        made[node.outputs[0]] = computed(node, [operand(v, made, points) for v in node.inputs], points)
    for v in outputs:
        made.setdefault(v, operand(v, made, points))
    return made


def operand(v: Any, made: dict[Any, Array], points: Points) -> Array:
    """The value of an operand at every point."""
    return points.constant(np.asarray(v.data)) if isinstance(v, Constant) else made[v]


def computed(node: Apply, operands: list[Array], points: Points) -> Array:
    """The result of a node by the meaning of its op, in the dtype of the result."""
    compute = node.op.compute  # type: ignore[attr-defined]
    return points.run(compute, operands).astype(node.outputs[0].type.dtype, copy=False)  # type: ignore[attr-defined]


def error(got: Array, want: Array, count: int) -> Array:
    """The error at each point, the mean over the elements of one."""
    got = np.broadcast_to(got, np.broadcast_shapes(np.shape(got), np.shape(want)))
    if got.dtype.kind != "f":
        got = np.asarray(got, "float64")
    bits = bits_of_error(
        np.ascontiguousarray(got), np.ascontiguousarray(np.broadcast_to(want, got.shape).astype(got.dtype))
    )
    return np.asarray(bits).reshape(count, -1).mean(axis=1)


def node_errors(outputs: list[Any], points: Points) -> list[NodeError]:
    """The error that each op adds where its operands are the real values, rounded once."""
    results: list[Any] = [n.outputs[0] for n in toposort(outputs)]
    values = [v for v in results if v.type.dtype.startswith("float")]
    nodes = [v.owner for v in values]
    real = dict(
        zip(values, RealRun(outputs, points.inputs, points.whole).values(points.values, values), strict=True)
    )
    real.update(zip(points.inputs, points.values, strict=True))
    found = []
    for node in nodes:
        if any(v not in real and not isinstance(v, Constant) for v in node.inputs):
            continue
        got = computed(node, [operand(v, real, points) for v in node.inputs], points)
        want = real[node.outputs[0]]
        known = np.isfinite(want).reshape(points.count, -1).all(axis=1)
        if known.any():
            bits = error(got, want, points.count)[known].mean()
            v: Any = node.outputs[0]
            found.append(NodeError(short(v), float(bits), v, v.made_at))
    return sorted(found, key=lambda n: -n.bits)
