"""The tests of single ops that ONNX ships, through eqsat's default mode: values against those that ONNX stores.

    make conformance SUITE=onnx TESTS=conformance CONFORMANCE_PYTHON=python with onnx

An op that eqsat cannot say is refused here and never run by ONNX, so that no difference is hidden.
"""

from __future__ import annotations

from typing import Any

import onnx.backend.test

from eqsat.bridges.onnx import EqsatBackend

_TESTS: Any = onnx.backend.test.BackendTest(EqsatBackend, __name__).include("_cpu$")
OnnxBackendNodeModelTest = _TESTS.test_cases["OnnxBackendNodeModelTest"]
