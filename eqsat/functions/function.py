"""Compiled functions: from input and output variables to a callable with shared state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from eqsat.base.hooks import hook
from eqsat.base.names import Suggesting
from eqsat.base.notices import warn_once
from eqsat.errors import (
    ArgumentError,
    EqsatError,
)
from eqsat.functions.arguments import (
    In,
    as_in,
    as_output,
    check_givens,
    check_inputs,
    check_updates,
    cut_at,
    default_updates,
    keyed,
    listed,
    sources_of,
)
from eqsat.functions.compile import build
from eqsat.functions.executable import Executable, Shipped
from eqsat.functions.profile import Profile
from eqsat.graph.core import Variable
from eqsat.graph.ops.modifiers import stays
from eqsat.graph.tensor_type import TensorType, shorten
from eqsat.graph.walk import clone_with, graph_inputs
from eqsat.pipeline.modes import Mode
from eqsat.pipeline.settings import Settings
from eqsat.tensor.shared import TensorSharedVariable, moved_back


def function(
    inputs: Sequence[Any],
    outputs: Any = None,
    updates: Any = None,
    givens: Any = None,
    mode: Any = None,
    on_unused_input: str = "raise",
    allow_input_downcast: bool | None = None,
    name: str | None = None,
    rules: Any = None,
    model: Any = None,
    no_default_updates: bool | Sequence[Any] = False,
    profile: bool | None = None,
    output_keys: Sequence[str] | None = None,
    shape_hints: Any = None,
    variants: int | str | None = None,
    target: str | None = None,
) -> Function:
    """Compile a graph into a function of NumPy arrays.

    ``inputs`` are variables or ``In``; ``outputs`` a variable (a call gives an array), a list or tuple (a list
    of arrays), a dict (a dict with its keys; ``output_keys`` makes one of a list) or None (None). ``updates`` maps
    shared variables to new values, all computed from the old values before any is stored. ``givens`` maps variables
    to what replaces them. ``mode`` is "FAST_RUN", "FAST_COMPILE", "numpy" or "reference";
    ``on_unused_input`` "raise", "warn" or "ignore". ``rules`` and ``model`` choose the rewriting (see
    ``eqsat.optimize``). A shared variable of the graph with a ``default_update`` (the state of a random stream)
    takes it where ``updates`` does not say otherwise, unless ``no_default_updates`` is True or lists it.
    ``profile`` times every kernel: see ``f.profile``, which is also printed when the process ends. ``shape_hints``
    says which lengths to reckon with where they are not known, as ``{x: (1000, None)}``. With ``variants``, a number or
    "auto", up to so many graphs are kept where the best one depends on such lengths, and a call runs the one that
    is cheapest for its shapes: see ``f.variants``. ``target`` names what is compiled for, else the mode does: "c".

    Errors   MissingInputError for a variable that the graph needs and that is no input; UnusedInputError;
             ArgumentError, DTypeError, RankError for updates and givens of another type; ArgumentError for an unknown
             target; CostError for hints that
             do not fit the graph

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> f = eqsat.function([x], 2 * x)
    >>> f([1.0, 2.0])
    array([2., 4.])
    """
    given = [as_in(i, allow_input_downcast) for i in listed("inputs", inputs)]
    keys, outputs = keyed(outputs, output_keys)
    single = None if outputs is None else not isinstance(outputs, (list, tuple))
    roots = [as_output(v) for v in ([outputs] if single else outputs or ())]
    pairs = check_updates(updates)
    replacements = check_givens(givens)
    written = [*roots, *(v for _, v in pairs)]
    replaced = clone_with(written, replacements)
    stop = [i.variable for i in given]
    for state, value in default_updates(replaced, [s for s, _ in pairs], no_default_updates, stop):
        pairs.append((state, value))
        replaced += clone_with([value], replacements)
    check_inputs(given, replaced, on_unused_input, lambda: clone_with(sources_of(written), replacements))
    roots = cut_at(given, replaced)
    there = staying(roots, len(pairs))
    settings = Settings.of(
        mode,
        rules,
        model,
        shape_hints=shape_hints,
        variants=variants,
        profile=profile,
        target=target,
        outputs=roots,
        stays=there,
    )
    if any(k < len(roots) - len(pairs) for k in there) and not settings.stays:
        raise ArgumentError(
            f"function: an output stays on the device, and the target {settings.target!r} has none",
            operands=[(str(roots[there[0]]), roots[there[0]])],
            hint='target="cuda", or y.transfer("cpu")',
        )
    return Function(given, roots, [s for s, _ in pairs], single, settings, name, keys)


def lifted(value: Any) -> Any:
    """An array on the device of the configuration, of a function that runs on the processor."""
    from eqsat.cgen.cuda.arrays import asarray

    return asarray(value)


def staying(roots: Sequence[Variable], updates: int) -> list[int]:
    """The numbers of the outputs that stay on a device, where there is one: those that say so, and the ``updates`` at the end."""
    results = len(roots) - updates
    return [k for k, v in enumerate(roots) if k >= results or stays(v)]


class Function(Suggesting):
    """A compiled function. Call it with arrays in the order of its inputs, or by the names of the inputs.

    ``c_source`` is the generated C or None, ``report`` what the optimiser did, ``seconds`` the time of each
    stage of making it, ``inputs`` and ``outputs`` the variables it was made of.

    Errors   ArgumentError for arguments that are missing, extra or unknown; DTypeError, RankError, ShapeError for
             values that do not fit

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> f = eqsat.function([x], x + 1, mode="reference")
    >>> f([1.0, 2.0]), f(x=[3.0]), f.c_source
    (array([2., 3.]), array([4.]), None)
    """

    def __init__(
        self,
        given: list[In],
        roots: list[Variable],
        shared: list[TensorSharedVariable],
        single: bool | None,
        settings: Settings,
        name: str | None,
        keys: list[str] | None = None,
        shipped: Shipped | None = None,
    ) -> None:
        self.given, self.settings, self.name, self.single, self.keys = given, settings, name, single, keys
        self.count = len(given)
        self.inputs = [i.variable for i in given]
        self.roots = roots
        self._results = len(roots) - len(shared)
        self.updated = shared
        stop = set(self.inputs)
        self.state = [v for v in graph_inputs(roots, stop) if isinstance(v, TensorSharedVariable)]
        arguments = [*self.inputs, *self.state]
        self.executable: Executable = build(arguments, roots, settings, self._updates(), shipped)
        self.profile = self._profiled() if settings.profile else None
        self._call = (
            self.executable.call if self.profile is None else self.profile.timed(self.executable.call)
        )
        arrays = all(isinstance(v.type, TensorType) for v in self.inputs)
        self._checks = arrays and self.mode.compiled and self.executable.source is not None
        self.bind_state()

    @property
    def mode(self) -> Mode:
        """The mode in which the function was made."""
        return self.settings.mode

    @property
    def call_raw(self) -> Any:
        """The way in that takes arrays of the right form alone, gives a list, and None for others; None where there are shared variables."""
        _, boxes, targets, _ = self._way
        return self._call if self._checks and not (boxes or targets or self._lifted) else None

    @property
    def outputs(self) -> list[Any]:
        """The variables whose values a call gives."""
        return self.roots[: self._results]

    def bind_state(self) -> None:
        """Note where the values of the shared variables lie."""
        boxes, targets = [s.container for s in self.state], [s.container for s in self.updated]
        device = self.executable.device
        self._device = device
        self._moving = [] if device is None else device.moving(self.state)
        self._lifted = [k for k in self.settings.stays if k < self._results and device is None]
        simple = self._checks and self.single and not (boxes or targets or self._lifted)
        self._simple = (
            self.count,
            self._call if simple else None,
        )  # to read attributes one by one takes longer
        self._way = (self.count, boxes, targets, self.single)

    def _profiled(self) -> Profile:
        steps = self.executable.profile or (list)
        report = self.executable.report
        rewriting = {} if report is None else report.seconds
        profile = Profile(str(self), steps, self.executable.seconds, rewriting)
        profile.print_at_exit()
        return profile

    def _updates(self) -> dict[int, int]:
        """Number of each result that is the new value of a shared variable which is also read, and of that argument."""
        place = {s: len(self.inputs) + k for k, s in enumerate(self.state)}
        first = self._results
        return {first + k: place[s] for k, s in enumerate(self.updated) if s in place}

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        count, simple = self._simple
        if simple is not None and not keywords and len(args) == count:
            results = simple(*args)
            return self._called(args, keywords, refused=True) if results is None else results[0]
        return self._called(args, keywords)

    def _called(self, args: tuple[Any, ...], keywords: Mapping[str, Any], refused: bool = False) -> Any:
        """The answer of a call; of one that was ``refused`` the arguments have another form than the types ask for."""
        count, boxes, targets, single = self._way
        if keywords or len(args) != count:
            args = self._bind(args, keywords)
        if boxes:
            for variable in self._moving:
                if type(variable.container[0]) is np.ndarray:
                    self._move(variable)
            args = (*args, *[box[0] for box in boxes])
        results = self._call(*args) if self._checks and not refused else None
        if results is None:
            args = self._converted(args)
            results = self._call(*args)
            assert results is not None, "an argument of the right type was refused"
        if targets:
            for box, value in zip(targets, results[self._results :], strict=True):
                box[0] = value
            results = results[: self._results]
        for k in self._lifted:
            results[k] = lifted(results[k])
        if single:
            return results[0]
        if self.keys is not None:
            return dict(zip(self.keys, results, strict=True))
        return results if single is not None else None

    def _move(self, variable: Any) -> None:
        """Move the value of a shared variable to the device; to and fro is said once."""
        self._device.move(variable)
        if variable in moved_back:
            warn_once(
                f"moves {id(variable)}",
                f"the shared variable {variable} moves to and fro between the processor and the device: {self} runs on the device, "
                f"and functions for target='c' read it in between",
            )

    def _converted(self, args: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments, each brought to its type, or the error that says why not."""
        plain = [self._filtered(spec, value) for spec, value in zip(self.given, args, strict=False)]
        return (
            *plain,
            *(args[self.count :] if self._device is not None else [v.local() for v in self.state]),
        )

    def _filtered(self, spec: In, value: Any) -> Any:
        where = f"input {spec.name or self.given.index(spec)}"
        try:
            if (
                self._device is not None
                and (there := self._device.admit(value, spec.variable.type)) is not None
            ):
                return there
            array = spec.variable.type.filter(value, spec.strict, spec.allow_downcast)
        except EqsatError as error:
            raise type(error)(
                f"{self}: {where}: {error.message}",
                operands=[(spec.name or where, spec.variable)],
                needs=error.needs,
                hint=error.hint,
            ) from None
        except (TypeError, ValueError) as error:
            tensor = isinstance(spec.variable.type, TensorType)
            raise ArgumentError(
                f"{self}: {where}: {f'no array can be made of {shorten(value)}' if tensor else error}",
                operands=[(spec.name or where, spec.variable)],
            ) from None
        if isinstance(array, np.ndarray) and not (array.flags.aligned and array.dtype.isnative):
            array = np.require(array, array.dtype.newbyteorder("="), "A")
        return array

    def _bind(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[Any, ...]:
        """Arguments in order, from positions, keywords and defaults."""
        if len(args) > self.count:
            takes = f"{self.count} argument{'s' if self.count != 1 else ''}"
            raise ArgumentError(f"{self} takes {takes}, {len(args)} were given")
        values: list[Any] = [*args, *[None] * (self.count - len(args))]
        present = [True] * len(args) + [False] * (self.count - len(args))
        names = {spec.name: k for k, spec in enumerate(self.given) if spec.name is not None}
        for word, value in keywords.items():
            if word not in names:
                raise ArgumentError(
                    f"{self} has no input named {word!r}",
                    among=(word, names),
                )
            if (same := sum(spec.name == word for spec in self.given)) > 1:
                raise ArgumentError(
                    f"{self}: the name {word!r} belongs to {same} inputs", hint="give them by position"
                )
            if present[names[word]]:
                raise ArgumentError(f"{self}: the input {word!r} is given twice")
            values[names[word]], present[names[word]] = value, True
        missing = [spec for k, spec in enumerate(self.given) if not present[k] and spec.default is None]
        if missing:
            named = [(spec.name or f"input {self.given.index(spec)}", spec.variable) for spec in missing]
            words = ", ".join(name for name, _ in named)
            raise ArgumentError(
                f"{self}: missing {'inputs' if len(named) > 1 else 'input'} {words}", operands=named
            )
        for k, spec in enumerate(self.given):
            if not present[k]:
                values[k] = spec.default
        return tuple(values)

    def copy(
        self,
        share_memory: bool = False,
        swap: Mapping[Any, Any] | None = None,
        delete_updates: bool = False,
        name: str | None = None,
    ) -> Function:
        """A function that computes the same; see ``eqsat.functions.copies.copied``."""
        from eqsat.functions.copies import copied

        return copied(self, swap or {}, delete_updates, name)

    def __copy__(self) -> Function:
        return self.copy()

    def __reduce__(self) -> Any:
        from eqsat.functions.copies import reduced

        return reduced(self)

    def __dask_tokenize__(self) -> str:
        from eqsat.functions.tokens import token

        return token(self)

    @property
    def maker(self) -> Any:
        """The source of the function: ``f.maker.fgraph`` is the graph that runs."""
        from eqsat.functions.copies import Maker

        return Maker(self)

    @property
    def c_source(self) -> str | None:
        """The generated C, or None where the function runs in NumPy; for a device the program that launches its kernels."""
        from eqsat.cgen.texts import host_text

        return None if self.executable.source is None else host_text(self.executable.source)

    @property
    def cuda_source(self) -> str | None:
        """The kernels of a function for ``target="cuda"``; None for other functions."""
        from eqsat.cgen.texts import device_text

        return None if self.executable.source is None else device_text(self.executable.source)

    def export(
        self,
        folder: str | PathLike[str],
        name: str | None = None,
        target: str | None = "native",
        python: str | None = None,
    ) -> list[str]:
        """Write the function as a C library without Python; see ``eqsat.export.export``."""
        found: list[str] = hook("export")(self, folder, name, target, python)
        return found

    def c_function(self, signature: str, finite: bool = False, results: Sequence[int] | None = None) -> Any:
        """The address of a C function of a signature; see ``eqsat.export.c_function``."""
        return hook("c_function")(self, signature, finite, results)

    @property
    def outputs_optimised(self) -> list[Any]:
        """The rewritten outputs and updates."""
        return self.executable.outputs

    @property
    def report(self) -> Any:
        """The report of the optimiser; None in modes that do not rewrite."""
        return self.executable.report

    @property
    def variants(self) -> list[Any]:
        """The graphs between which calls choose by their shapes, each with where it is best and how often it ran."""
        return self.executable.versions

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of each stage of making the function."""
        return self.executable.seconds

    def _repr_svg_(self) -> str:
        from eqsat.inspect.drawing import draw

        return draw(self)

    def __str__(self) -> str:
        return self.name or "function"

    def __repr__(self) -> str:
        words = ", ".join(str(v) for v in self.inputs)
        target = "" if self.settings.target == "c" else f" for {self.settings.target}"
        return f"<eqsat.Function {self.name or ''}({words}) {self.mode.name}{target}>"
