"""Models of ONNX on eqsat: ``from_onnx`` gives their graphs, ``to_onnx`` writes graphs as models, ``EqsatBackend`` runs ONNX's own tests."""

from eqsat.bridges.onnx import blocks_out, spellings, writers  # the ops that are written
from eqsat.bridges.onnx.backend import EqsatBackend
from eqsat.bridges.onnx.models import FromOnnx, OnnxFunction, coverage, from_onnx
from eqsat.bridges.onnx.writing import to_onnx

__all__ = ["EqsatBackend", "FromOnnx", "OnnxFunction", "coverage", "from_onnx", "to_onnx"]
