"""Models of ONNX on eqsat: ``from_onnx`` gives their graphs, ``EqsatBackend`` runs ONNX's own tests."""

from eqsat.bridges.onnx.backend import EqsatBackend
from eqsat.bridges.onnx.models import FromOnnx, OnnxFunction, coverage, from_onnx

__all__ = ["EqsatBackend", "FromOnnx", "OnnxFunction", "coverage", "from_onnx"]
