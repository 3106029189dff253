"""The Scan op: a graph of one step, repeated."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from typing import Any

from eqsat.errors import ArgumentError, DTypeError, RankError, ShapeError
from eqsat.graph.control.graph_op import GraphOp, InnerGraph
from eqsat.graph.core import Apply, Variable
from eqsat.graph.fgraph import FunctionGraph
from eqsat.graph.inner_graphs import Inside
from eqsat.graph.ops.create import known_integer
from eqsat.graph.ops.shape import length, scalar_integers
from eqsat.graph.ops.specify import specify, unbroadcast_like
from eqsat.graph.plan import Loop, Plan
from eqsat.graph.tensor_type import TensorType
from eqsat.scan.mappings import ScanPropertiesMixin, buffer_rows, reached
from eqsat.scan.returned import as_condition
from eqsat.scan.step_lengths import lengths_outside
from eqsat.scan.utils import ScanArgs, ScanInfo, is_tensor


class Scan(GraphOp, ScanPropertiesMixin):
    """Repeats the graph from ``inner_inputs`` to ``inner_outputs``; ``info`` says what each of them is.

    The lists are in the order of ``ScanArgs``. The first outer input is the number of steps. Sequences may be longer
    than that. ``truncate_gradient`` is the number of last steps through which gradients flow, -1 for all. With a
    ``mode`` the steps are compiled in it, else in the mode of the function that holds the scan. ``checkpoint`` is the
    number of steps after which gradients keep the states, and compute the rest again; 0 keeps all values, None leaves
    it to ``config.memory_bound``.

    Errors   DTypeError, RankError, ShapeError where what goes into a step does not fit what comes out

    >>> import eqsat.tensor as T
    >>> from eqsat.scan import Scan, ScanInfo
    >>> x, s, xs, n = T.dscalar("x"), T.dscalar("s"), T.dvector("xs"), T.lscalar("n")
    >>> sums = Scan([x, s], [s + x], ScanInfo(n_seqs=1, sit_sot_in_slices=((-1,),)))(n, xs, 0.0)
    >>> sums.eval({xs: [1.0, 2.0, 3.0], n: 2})
    array([1., 3.])
    """

    def __init__(
        self,
        inner_inputs: Sequence[Any],
        inner_outputs: Sequence[Any],
        info: ScanInfo,
        mode: Any = None,
        name: str | None = None,
        truncate_gradient: int = -1,
        checkpoint: int | None = None,
    ) -> None:
        self.info = info
        self.name = f"scan{{{name}}}" if name else "scan"
        self.label = name
        self.truncate_gradient = truncate_gradient
        self.checkpoint = checkpoint
        self.own_mode = mode
        self._check(inner_inputs, inner_outputs)
        self.graph = InnerGraph(inner_inputs, inner_outputs)
        self.graphs = (self.graph,)

    def _check(self, inner_inputs: Sequence[Any], inner_outputs: Sequence[Any]) -> None:
        made = self.info.split("inner_out", inner_outputs)
        for condition in made["cond"]:
            as_condition(condition)
        before, after = ([None] * sum(self.info.sizes(w).values()) for w in ("outer_in", "outer_out"))
        args = ScanArgs(before, after, inner_inputs, inner_outputs, self.info)
        states = [
            *zip(args.inner_in_mit_mot, args.inner_out_mit_mot, strict=True),
            *(
                (reads, [out])
                for reads, out in zip(args.inner_in_mit_sot, args.inner_out_mit_sot, strict=True)
            ),
            *(([v], [out]) for v, out in zip(args.inner_in_sit_sot, args.inner_out_sit_sot, strict=True)),
            *(([v], [out]) for v, out in zip(args.inner_in_shared, args.inner_out_shared, strict=True)),
        ]
        for reads, outs in states:
            check_alike([*reads, *outs])

    @property
    def inner_inputs(self) -> list[Any]:
        return self.graph.inputs

    @property
    def inner_outputs(self) -> list[Any]:
        return self.graph.outputs

    @property
    def fgraph(self) -> FunctionGraph:
        """The graph of one step."""
        return FunctionGraph(self.inner_inputs, self.inner_outputs, clone=False)

    @property
    def fn(self) -> Any:
        """The compiled function of one step."""
        return self.graph.compiled(self.step_mode)

    @property
    def step_mode(self) -> Any:
        """The mode in which steps run, or the settings of the function around; None for the reference."""
        return self.settings if self.own_mode is None else self.own_mode

    def properties(self) -> Hashable:
        own: tuple[Any, ...] = (self.info, self.truncate_gradient, self.own_mode, self.checkpoint)
        return (*super().properties(), *own)  # type: ignore[misc]

    def make_node(self, *inputs: Any) -> Apply:
        sizes = self.info.sizes("outer_in")
        if len(inputs) != sum(sizes.values()):
            raise ArgumentError(f"{self} takes {sum(sizes.values())} operands, got {len(inputs)}")
        (n_steps,) = scalar_integers(f"{self}: n_steps", inputs[:1])
        number = known_integer(n_steps)
        if number is not None and number < 0:
            raise ArgumentError(f"{self}: the number of steps is {number}", hint="go_backwards=True")
        blank = [None] * sum(self.info.sizes("outer_out").values())
        args = ScanArgs(inputs, blank, self.inner_inputs, self.inner_outputs, self.info)
        rows = [number] * self.info.n_seqs
        args.outer_in_seqs = [
            _rows_of(self, v, inner, n)
            for v, inner, n in zip(args.outer_in_seqs, args.inner_in_seqs, rows, strict=True)
        ]
        for k, (v, reads) in enumerate(zip(args.outer_in_mit_mot, args.inner_in_mit_mot, strict=True)):
            more = None if number is None else number + buffer_rows(self.info, k)[1]
            model = [*reads, *args.inner_out_mit_mot[k]][0]
            args.outer_in_mit_mot[k] = _rows_of(self, v, model, more)
        for k, (v, reads) in enumerate(zip(args.outer_in_mit_sot, args.inner_in_mit_sot, strict=True)):
            args.outer_in_mit_sot[k] = _rows_of(self, v, reads[0], -min(args.mit_sot_in_slices[k]))
        for name in ("sit_sot", "shared", "non_seqs"):
            outer, inner = getattr(args, f"outer_in_{name}"), getattr(args, f"inner_in_{name}")
            outer[:] = [fitted(self, v, model) for v, model in zip(outer, inner, strict=True)]
        args.n_steps = n_steps
        return Apply(self, args.outer_inputs, self._outputs(args, number))

    def _outputs(self, args: ScanArgs, number: int | None) -> list[Any]:
        rows = None if self.info.as_while else number
        stacked = [*args.inner_out_mit_sot, *args.inner_out_sit_sot, *args.inner_out_nit_sot]
        return [
            *(v.type() for v in args.outer_in_mit_mot),
            *(TensorType(v.type.dtype, shape=(rows, *v.type.shape))() for v in stacked),
            *(v.type() for v in args.inner_in_shared),
        ]

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: list[list[Any]]) -> None:
        from eqsat.scan.python_loop import run_loop

        for box, value in zip(output_storage, run_loop(self, node, inputs), strict=True):
            box[0] = value

    def insides(self, node: Apply) -> list[Inside]:
        """The graph of a step as printing and drawing show it."""
        from eqsat.scan.describe import describe

        return [describe(node)]

    def loop(self, node: Apply, plan: Plan) -> Loop:
        """The loop of an application, for which ``plan`` computes one step."""
        from eqsat.scan.state_storage import loop_of

        return loop_of(self, node, plan)

    def told(self, settings: Any) -> Scan:
        """The same op, its steps compiled under some settings where it has no mode of its own."""
        other = copy.copy(self)
        other.settings = settings
        return other

    def storing(self, checkpoint: int | None) -> Scan:
        """The same op, its gradients with other checkpoints."""
        other = copy.copy(self)
        other.checkpoint = checkpoint
        return other

    # ------------------------------------------------------------------------------------ shapes and derivatives

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """Shapes of the outputs; None for a length that the values of the loop decide, as ``until`` does."""
        args = ScanArgs.from_node(node)
        n = None if self.info.as_while else node.inputs[0]
        buffers = [[length(v, k) for k in range(v.ndim)] for v in args.outer_in_mit_mot]
        several = [[n, *(length(v, k) for k in range(1, v.ndim))] for v in args.outer_in_mit_sot]
        single = [[n, *(length(v, k) for k in range(v.ndim))] for v in args.outer_in_sit_sot]
        other = [[n, *lengths] for lengths in lengths_outside(args, args.inner_out_nit_sot)]
        return [*buffers, *several, *single, *other, *[None] * self.info.n_shared_outs]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """For each outer input, which outer outputs depend on it, over any number of steps; n_steps does not count."""
        inside = self.graph.connections()
        rows = [reached(self.info, inside, {k}) if k else set() for k in range(len(node.inputs))]
        return [[j in found for j in range(len(node.outputs))] for found in rows]

    def batched(self, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> list[Any] | None:
        """Outputs where some operands have a leading batch axis; None where there is no such scan."""
        from eqsat.scan.batched import batched_scan

        return batched_scan(self, inputs, flags, count)

    def L_op(
        self, inputs: Sequence[Any], outputs: Sequence[Any], output_gradients: Sequence[Any]
    ) -> list[Any]:
        from eqsat.scan.checkpoint_policy import gradients_in_parts, steps_between
        from eqsat.scan.reverse_mode import Reverse

        every = steps_between(self, inputs, output_gradients)
        if every > 1:
            return gradients_in_parts(self, inputs, output_gradients, every)
        return Reverse(self, inputs, outputs, output_gradients).results()

    def R_op(self, inputs: Sequence[Any], eval_points: Sequence[Any]) -> list[Any]:
        from eqsat.scan.forward_mode import tangents

        return tangents(self, inputs, eval_points)


def check_alike(variables: Sequence[Any]) -> None:
    """Raise where the values of one state, going into a step and coming out, differ in type."""
    first = variables[0]
    for v in variables[1:]:
        if first.type.is_super(v.type):
            continue
        error = ArgumentError
        if is_tensor(v) and is_tensor(first):
            same = v.type.ndim == first.type.ndim
            error = DTypeError if v.type.dtype != first.type.dtype else ShapeError if same else RankError  # type: ignore[assignment]
        raise error(
            f"scan: a state is {first.type.short()} before a step and {v.type.short()} after it",
            operands=[("before", first), ("after", v)],
            hint="give the initial value the type that a step computes",
        )


def fitted(op: Any, v: Any, model: Any) -> Any:
    """An operand in the type of the inner variable that it becomes; numbers and arrays become constants."""
    v = v if isinstance(v, Variable) else model.type.make_constant(v)
    if not is_tensor(model):
        if not model.type.is_super(v.type):
            raise DTypeError(
                f"{op}: {v} is {v.type.short()}, a step takes {model.type.short()}", operands=[(str(v), v)]
            )
        return v
    if v.type.dtype != model.type.dtype or v.type.ndim != model.type.ndim:
        error = DTypeError if v.type.dtype != model.type.dtype else RankError
        raise error(
            f"{op}: {v} is {v.type.short()}, a step takes {model.type.short()}", operands=[(str(v), v)]
        )
    return specify(unbroadcast_like(v, model), model.type.shape)


def _rows_of(op: Any, v: Any, model: Any, rows: int | None) -> Any:
    """An operand of which a step takes rows of the type of a model; it has at least so many rows."""
    kind = TensorType(model.type.dtype, shape=(None, *model.type.shape))
    v = v if isinstance(v, Variable) else kind.make_constant(v)
    if v.type.ndim == kind.ndim and v.type.dtype == kind.dtype:
        have = v.type.shape[0]
        if have is not None and rows is not None and have < rows:
            raise ShapeError(f"{op}: {v} has {have} rows for {rows} steps", operands=[(str(v), v)])
        kind = kind.clone(shape=(have, *kind.shape[1:]))
    return fitted(op, v, kind())
