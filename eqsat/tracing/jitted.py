"""``eqsat.jit``: a Python function that is traced at its first call, compiled, and answered by C after that."""

from __future__ import annotations

import functools
import inspect
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from eqsat.base.forks import Lock
from eqsat.base.names import Suggesting, check_keywords, name_of
from eqsat.base.pytrees import Form, flatten, leaf_count
from eqsat.base.values import dataclass
from eqsat.cgen.runtime.dispatch import Dispatcher
from eqsat.errors import ArgumentError, TracingError
from eqsat.functions.choices import check_choices
from eqsat.functions.function import Function, function
from eqsat.tracing.arguments import Kind, Static, as_names, as_numbers, kind_of
from eqsat.tracing.dispatch import dispatcher, register
from eqsat.tracing.known import has_traced
from eqsat.tracing.methods import Method, bound
from eqsat.tracing.names import StandIns
from eqsat.tracing.open_traces import KEPT, LEFT, is_tracing
from eqsat.tracing.program import Program, trace


def jit(
    fn: Any = None,
    *,
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    static_shapes: bool | str | Iterable[str] = False,
    **options: Any,
) -> Any:
    """Compile a Python function that is written with NumPy; also as a decorator, with or without arguments.

    The first call with arguments of some dtypes and ranks traces the function, and later ones run what was compiled,
    whatever their lengths are; 0 and 1, which broadcasts, are told apart. Arguments and results are arrays, Python numbers, and
    tuples, lists, dicts, named tuples and dataclasses of them. Text, bools, None and functions are options: a call with other
    ones is traced again, as it is for the arguments in ``static_argnums`` and ``static_argnames``. ``static_shapes``, or the names
    of some arguments in it, traces for each shape, which lets Python count their lengths. ``options`` are those of ``eqsat.function``.

    Errors   TracingError, with the line, where Python asks for a value that only a call has, as ``if x > 0`` does;
             ArgumentError for an argument that is no array

    >>> import eqsat, numpy as np
    >>> @eqsat.jit
    ... def standardised(x):
    ...     return (x - np.mean(x, axis=0)) / np.std(x, axis=0)
    >>> standardised(np.array([[1.0, 5.0], [3.0, 9.0]]))
    array([[-1., -1.],
           [ 1.,  1.]])
    """
    check_choices("jit", options, TRACED)
    if fn is None:
        return functools.partial(
            jit,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
            static_shapes=static_shapes,
            **options,
        )
    if not callable(fn):
        raise ArgumentError(f"jit: {fn!r} is no function", hint="@eqsat.jit before a def")
    shapes = static_shapes if isinstance(static_shapes, bool) else as_names(static_shapes)
    return Jitted(fn, as_numbers(static_argnums), as_names(static_argnames), shapes, options)


TRACED = [k for k in inspect.signature(jit).parameters if k not in ("fn", "options")]


@dataclass(frozen=True, eq=False)
class Version:
    """A compiled program for arguments of one form and kind."""

    form: Form
    kinds: tuple[Kind, ...]
    program: Program
    function: Function

    def arguments(self, places: Sequence[int]) -> list[tuple[Form, Sequence[int]]]:
        """The forms of arguments at some places, and the numbers of their leaves."""
        forms = [part for group in self.form.parts for part in group.parts]
        ends = list(accumulate(leaf_count(form) for form in forms))
        return [(forms[k], range(ends[k] - leaf_count(forms[k]), ends[k])) for k in places]

    def __call__(self, leaves: Sequence[Any]) -> Any:
        computed = self.function(*[leaves[k] for k, _ in self.program.inputs])
        return self.program.result(computed, leaves)


class Jitted(Suggesting):
    """A function that ``eqsat.jit`` made. ``functions`` are those compiled so far, one for each kind of arguments.

    >>> import eqsat
    >>> double = eqsat.jit(lambda x: 2 * x)
    >>> double(3), double(1.5), len(double.functions)
    (6, 3.0, 2)
    """

    __slots__ = (
        "__call__",
        "__dict__",
        "__weakref__",
    )  # Python finds the builtin function without a step in between
    __call__: Callable[..., Any]
    traces = True

    def __init__(
        self,
        fn: Callable[..., Any],
        static_argnums: tuple[int, ...],
        static_argnames: tuple[str, ...],
        static_shapes: bool | tuple[str, ...],
        options: Mapping[str, Any],
    ) -> None:
        functools.update_wrapper(self, fn)
        self.fn, self.static_shapes, self.options = fn, static_shapes, dict(options)
        try:
            self.signature: inspect.Signature | None = inspect.signature(fn)
        except (TypeError, ValueError):  # of a builtin
            self.signature = None
        self._static = _static_names(self.signature, static_argnums, static_argnames)
        if not isinstance(static_shapes, bool):
            _static_names(self.signature, (), static_shapes, "static_shapes")
        self._numbers = static_argnums
        self._versions: dict[Any, list[Version]] = {}  # by form and kinds, each for other layouts
        self._methods: dict[type, Jitted] = {}
        self._lock = Lock()
        self._tracing: int | None = None  # the thread that makes a version
        self._known: set[Any] = set()
        self._dispatcher: Dispatcher | None = None
        self.__call__ = self._slow = _later(self)

    @property
    def functions(self) -> list[Function]:
        """The compiled functions, in the order in which they were made."""
        return [version.function for versions in self._versions.values() for version in versions]

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if isinstance(instance, type):  # a class method, whose class is an option as other classes are
            return functools.partial(self, instance)
        return bound(self, instance)

    def __repr__(self) -> str:
        return f"<eqsat.jit of {getattr(self.fn, '__qualname__', self.fn)}>"

    def __copy__(self) -> Jitted:
        return self  # as copies of a function are the function

    def __deepcopy__(self, memo: Any) -> Jitted:
        return self

    def __reduce__(self) -> Any:
        name = getattr(self.fn, "__qualname__", "")
        if _named(getattr(self.fn, "__module__", None), name) is self:
            return name  # a decorated function is found by its name, as any other
        options = {"static_argnums": self._numbers or None, "static_argnames": self._static or None}
        return _again, (self.fn, {**options, "static_shapes": self.static_shapes, **self.options})

    def function_of(self, *args: Any, **keywords: Any) -> Function:
        """The compiled function that a call with these arguments runs, with its report and its C text; it is made where there is none.

        >>> import eqsat, numpy as np
        >>> f = eqsat.jit(lambda x: np.log(1 + np.exp(x)))
        >>> f.function_of(np.zeros(3)).report.optimized
        [softplus(x)]
        """
        return self._version(*self._given(args, keywords))[0].function

    def of_methods(self, owner: type) -> Jitted:
        """The function as the method of a class, whose attributes are arguments."""
        found = self._methods.get(owner)
        if found is None:
            names = self._static - {"self"}
            found = Jitted(Method(self.fn, owner), (), (), self.static_shapes, self.options)
            found._static = names
            self._methods[owner] = found
        return found

    def _called(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """The answer of a call that the dispatcher does not know; it does from then on, where it can."""
        if has_traced(list(args), keywords):
            if not is_tracing():
                name = getattr(self.fn, "__name__", "jit")
                raise TracingError(f"{name}: {LEFT}", hint=KEPT)
            return self._inlined(args, keywords)
        call = self._given(args, keywords)
        version, leaves = self._version(*call)
        answer = version(leaves)
        self._register(version, len(args), tuple(keywords), call)
        return answer

    def _register(self, version: Version, count: int, names: tuple[str, ...], call: Any) -> None:
        """Let the dispatcher know a version, for arguments in these places and with these names."""
        raw = version.function.call_raw
        if raw is None or (version, count, names) in self._known:
            return
        self._known.add((version, count, names))
        if self._dispatcher is None:
            self._dispatcher = dispatcher(self._slow)
        if self._dispatcher is not None:
            arguments = version.arguments(self._places(count, names, call))
            register(self._dispatcher, raw, version.program, arguments, version.kinds, names)
            self.__call__ = self._dispatcher.call

    def _places(self, count: int, names: tuple[str, ...], call: Any) -> list[int]:
        """The places, among the arguments as they are bound, of those of a call: first by place, then by name."""
        args, keywords = call
        known = [] if self.signature is None else list(self.signature.parameters)
        rest = sorted(keywords)
        return [
            *range(count),
            *(len(args) + rest.index(n) if n in keywords else known.index(n) for n in names),
        ]

    def _inlined(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """The call of a function that is traced itself."""
        return StandIns().called(self.fn, args, keywords)

    def _given(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Arguments by their places, where the function has places for them, and static ones marked."""
        names: Sequence[str] = ()
        if self.signature is not None:
            binding = self._bound(self.signature, args, keywords)
            args, keywords = binding.args, binding.kwargs
            names = list(binding.arguments)
        if self._static or self._numbers:
            args = tuple(
                Static(v) if k in self._numbers or k < len(names) and names[k] in self._static else v
                for k, v in enumerate(args)
            )
            keywords = {n: Static(v) if n in self._static else v for n, v in keywords.items()}
        return args, keywords

    def _bound(self, signature: inspect.Signature, args: Any, keywords: Any) -> inspect.BoundArguments:
        """The arguments by their names.

        Errors   ArgumentError, in Python's words, with the keyword that was meant
        """
        try:
            return signature.bind(*args, **keywords)
        except TypeError as error:
            check_keywords(self.fn, keywords)
            raise ArgumentError(f"{name_of(self.fn)}(): {error}") from None

    def _version(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Version, list[Any]]:
        names = list(self.signature.parameters) if self.signature is not None else []
        leaves, form = _flattened(args, keywords, names)
        kinds = tuple(kind_of(path, value, self.static_shapes) for path, value in leaves)
        values = [v if kind.tensor is not None else None for (_, v), kind in zip(leaves, kinds, strict=True)]
        found = self._known_version(form, kinds, values)
        if found is None:
            found = self._made_once(form, leaves, kinds, values)
        return found, values

    def _known_version(self, form: Form, kinds: tuple[Kind, ...], values: Sequence[Any]) -> Version | None:
        return next((v for v in self._versions.get((form, kinds), ()) if v.program.fits(values)), None)

    def _made_once(
        self, form: Form, leaves: Sequence[tuple[str, Any]], kinds: tuple[Kind, ...], values: Sequence[Any]
    ) -> Version:
        """A new version, which no other thread makes meanwhile; a function that is traced may call itself."""
        if self._tracing == threading.get_ident():
            return self._made(form, leaves, kinds)
        with self._lock:
            self._tracing = threading.get_ident()
            try:
                return self._known_version(form, kinds, values) or self._made(form, leaves, kinds)
            finally:
                self._tracing = None

    def _made(self, form: Form, leaves: Sequence[tuple[str, Any]], kinds: tuple[Kind, ...]) -> Version:
        program = trace(self.fn, form, leaves, kinds)
        options = {"on_unused_input": "ignore", "name": getattr(self.fn, "__name__", None), **self.options}
        made = function([v for _, v in program.inputs], list(program.outputs), **options)
        version = Version(form, kinds, program, made)
        self._versions.setdefault((form, kinds), []).append(version)
        return version


def _named(module: str | None, name: str) -> Any:
    """The object of a module under a name with dots; None where there is none."""
    found: Any = sys.modules.get(module or "")
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _again(fn: Any, options: dict[str, Any]) -> Jitted:
    """The function that a pickle holds."""
    return jit(fn, **options)  # type: ignore[no-any-return]


def _later(jitted: Jitted) -> Callable[..., Any]:
    """The way into a jitted function through Python, which does not keep it."""
    known = weakref.ref(jitted)

    def call(*args: Any, **keywords: Any) -> Any:
        found = known()
        assert found is not None, "a function is called that is gone"
        return found._called(args, keywords)

    return call


def _static_names(
    signature: inspect.Signature | None,
    numbers: tuple[int, ...],
    names: tuple[str, ...],
    of: str = "static_argnames",
) -> frozenset[str]:
    """The names of static arguments.

    Errors   ArgumentError for names and numbers that the function does not have
    """
    if signature is None:
        return frozenset(names)
    known = list(signature.parameters)
    kinds = [p.kind for p in signature.parameters.values()]
    any_name = inspect.Parameter.VAR_KEYWORD in kinds
    any_place = inspect.Parameter.VAR_POSITIONAL in kinds
    for name in names:
        if name not in known and not any_name:
            raise ArgumentError(f"jit: {of} has {name!r}, which is no argument", among=(name, known))
    for k in numbers:
        if not any_place and not -len(known) <= k < len(known):
            raise ArgumentError(f"jit: static_argnums has {k}, and the function takes {len(known)} arguments")
    return frozenset(
        [*names, *(known[k] for k in numbers if -len(known) <= k < len(known) and not any_place)]
    )


def _flattened(
    args: tuple[Any, ...], keywords: dict[str, Any], names: Sequence[str]
) -> tuple[list[tuple[str, Any]], Form]:
    """The leaves of a call with their paths, and its form."""
    places = [flatten(v, names[k] if k < len(names) else f"argument {k}") for k, v in enumerate(args)]
    named = [flatten(v, name) for name, v in sorted(keywords.items())]
    form = Form(
        tuple,
        (0, 1),
        (
            Form(tuple, tuple(range(len(args))), tuple(f for _, f in places)),
            Form(dict, tuple(sorted(keywords)), tuple(f for _, f in named)),
        ),
    )
    return [leaf for leaves, _ in [*places, *named] for leaf in leaves], form
