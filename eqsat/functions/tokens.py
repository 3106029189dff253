"""Tokens: hashes of graphs and functions that are equal for copies and in every process, by which Dask knows equal tasks."""

from __future__ import annotations

import hashlib
import pickle
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from eqsat.functions.function import Function
from eqsat.functions.graph_facts import GraphFacts
from eqsat.graph.control.graph_op import InnerGraph
from eqsat.graph.core import Constant, Op, Variable
from eqsat.graph.walk import graph_inputs
from eqsat.pipeline.settings import Settings, UntoldError


def token(thing: Any) -> str:
    """The hash of a function, a variable or a list of these: of the graph, the settings, and the values of shared variables.

    Lines of a program do not count. What cannot be told from all else, such as an op that cannot be pickled, is equal to nothing.

    >>> import pickle, eqsat.tensor as T
    >>> from eqsat.functions.tokens import token
    >>> x = T.dvector("x")
    >>> token(x + 1) == token(pickle.loads(pickle.dumps(x + 1))), token(x + 1) == token(x + 2)
    (True, False)
    """
    facts = _function(thing) if isinstance(thing, Function) else _graph([], _listed(thing))
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def _listed(thing: Any) -> list[Variable]:
    return [thing] if isinstance(thing, Variable) else list(thing)


def _function(f: Function) -> list[Any]:
    """The facts of a function: arguments, graph, updates, settings and state."""
    given = [(i.name, i.strict, i.allow_downcast, _value(i.default)) for i in f.given]
    place = {v: k for k, v in enumerate([*f.inputs, *f.state])}
    updates = [place.get(v, v.name) for v in f.updated]
    how = [f.name, f.single, f.keys, updates, _settings(f.settings, place)]
    return ["function", given, how, _graph([*f.inputs, *f.state], f.roots)]


def _graph(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> list[Any]:
    """The facts of a graph, with the values of its shared variables."""
    leaves = [*inputs, *(v for v in graph_inputs(outputs, inputs) if not isinstance(v, Constant))]
    state = [_value(v.container[0]) for v in leaves if hasattr(v, "container")]
    return ["graph", GraphFacts(lines=False, other=_value).of(leaves, outputs), state]


def _settings(settings: Settings, place: Mapping[Any, int]) -> Any:
    try:
        return settings.told(place)
    except UntoldError:
        hints = [(place[v], lengths) for v, lengths in settings.hints]
        return [hints, _pickled(replace(settings, hints=()))]


def _value(value: Any) -> Any:
    """The facts of a value that ops and constants hold."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return [value.dtype.str, value.shape, hashlib.sha256(value.tobytes()).hexdigest()]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, [_value(v) for v in value]]
    if isinstance(value, (set, frozenset)):
        return [type(value).__name__, sorted(repr(_value(v)) for v in value)]
    if isinstance(value, dict):
        return ["dict", [(_value(k), _value(v)) for k, v in value.items()]]
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return [type(value).__name__, repr(value)]
    if isinstance(value, InnerGraph):
        return _graph(value.inputs, value.outputs)
    if isinstance(value, FunctionType):
        return _function_of_python(value)
    if isinstance(value, Op) and not hasattr(value, "declaration"):
        fields = [(name, _value(v)) for name, v in sorted(vars(value).items()) if not name.startswith("_")]
        return [type(value).__module__, type(value).__qualname__, fields]
    return _pickled(value)


def _function_of_python(function: FunctionType) -> list[Any]:
    """The facts of a function of Python: its code and the values that it is closed over."""
    cells = [_value(cell.cell_contents) for cell in function.__closure__ or ()]
    code = _code(function.__code__)
    return [function.__module__, function.__qualname__, code, cells, _value(function.__defaults__)]


def _code(code: CodeType) -> list[Any]:
    """The facts of code, without the lines where it stands."""
    constants = [_code(c) if isinstance(c, CodeType) else _value(c) for c in code.co_consts]
    return [code.co_code, code.co_names, code.co_varnames, constants]


def _pickled(value: Any) -> str:
    """The pickle of a value as a hash; one that no other value has where it cannot be pickled."""
    try:
        return hashlib.sha256(pickle.dumps(value)).hexdigest()
    except Exception:
        return uuid.uuid4().hex
