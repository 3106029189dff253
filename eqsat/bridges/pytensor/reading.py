"""Graphs of PyTensor as bridges read them: types, constants, and ops that PyTensor itself runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pytensor.graph.basic import Constant
from pytensor.scalar.basic import ScalarType
from pytensor.tensor.type import TensorType as TheirTensorType

from eqsat.graph.core import Type, Variable
from eqsat.graph.dtypes import ALL
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.user_op import generic


class PyTensorReader:
    """Reads variables and nodes of PyTensor."""

    library = "pytensor"

    def type_of(self, variable: Any) -> Type | None:
        """The type of a tensor or scalar of a dtype that eqsat has; a sparse tensor is neither."""
        kind = variable.type
        plain = type(kind) is TheirTensorType or isinstance(kind, ScalarType)
        if not plain or kind.dtype not in ALL:
            return None
        # a part of a length below 0, which a call refuses, is of no length here
        return TensorType(kind.dtype, shape=tuple(None if n is None or n < 0 else n for n in kind.shape))

    def constant(self, variable: Any) -> Variable | None:
        """A constant of the lengths that its data has; what is no tensor stays the object that it is."""
        if not isinstance(variable, Constant):
            return None
        kind = self.type_of(variable)
        if not isinstance(kind, TensorType):
            return generic.make_constant(variable.data)
        data = np.asarray(variable.data, kind.dtype)
        return TensorType(kind.dtype, shape=data.shape).make_constant(data, variable.name)

    def name_of(self, variable: Any) -> str | None:
        """The name that the user gave."""
        return variable.name  # type: ignore[no-any-return]

    def run(self, node: Any, values: Sequence[Any]) -> Sequence[Any]:
        """The results, by the op's own Python; scalars of PyTensor are numbers."""
        boxes: list[list[Any]] = [[None] for _ in node.outputs]
        plain = [
            x.item() if isinstance(v.type, ScalarType) and isinstance(x, np.ndarray) else x
            for x, v in zip(values, node.inputs, strict=True)
        ]
        node.op.perform(node, plain, boxes)
        return [box[0] for box in boxes]


READER = PyTensorReader()
