"""The ways in which a network is compiled: by eqsat through torch.compile and through ONNX, by torch, by onnxruntime."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from models.modules import drawn

Call = Callable[[], Any]


def eager(module: Any, x: Any) -> Call:
    """As torch runs it."""
    return lambda: module(x).numpy()


def inductor(module: Any, x: Any) -> Call:
    """Compiled by torch."""
    fast = torch.compile(module)
    return lambda: fast(x).numpy()


def through_dynamo(module: Any, x: Any) -> Call:
    """Compiled by eqsat as a backend of torch, in one graph."""
    import eqsat.bridges.torch  # noqa: F401  it names the backend

    fast = torch.compile(module, backend="eqsat", fullgraph=True, options={"opaque": False})
    return lambda: fast(x).numpy()


def exported(module: Any, x: Any) -> bytes:
    """The network as a model of ONNX, by torch."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = io.BytesIO()
        torch.onnx.export(module, (x,), file, dynamo=False, opset_version=17, input_names=["x"])
    return file.getvalue()


def through_onnx(model: bytes, x: Any) -> Call:
    """The model of ONNX compiled by eqsat."""
    import onnx

    from eqsat.bridges import from_onnx

    f = from_onnx(onnx.load_from_string(model), opaque=False).function()
    given = x.numpy()
    return lambda: f(given)[0]


def by_onnxruntime(model: bytes, x: Any) -> Call:
    """The model of ONNX run by onnxruntime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    session = onnxruntime.InferenceSession(model, options)
    given = {"x": x.numpy()}
    return lambda: session.run(None, given)[0]


WAYS: dict[str, Callable[[Any, Any], Call]] = {
    "eqsat": through_dynamo,
    "eqsat onnx": through_onnx,
    "torch": eager,
    "inductor": inductor,
    "onnxruntime": by_onnxruntime,
}


def maker(name: str, way: str) -> tuple[Callable[[], Call], Any]:
    """The function that compiles a network in a way to a call without arguments, and the results by torch; what torch exports is there."""
    module, x = drawn(name)
    with torch.no_grad():
        wanted = module(x).numpy()
        given = exported(module, x) if "onnx" in way else module
    return (lambda: partial(_quiet, WAYS[way](given, x))), wanted


def _quiet(call: Call) -> Any:
    with torch.no_grad():
        return call()


def distance(found: Any, wanted: Any) -> float:
    """The largest difference in the measure of the largest result."""
    return float(np.max(np.abs(found - wanted)) / np.max(np.abs(wanted)))
