"""Convolutions."""

from __future__ import annotations

from typing import Any

from beside.workload import normal, workload


@workload(
    "convolution 3x3, bias, relu and pooling, 32 x 16 x 32 x 32 -> 32 maps, float32",
    1e-4,
    x=normal("float32", 32, 16, 32, 32),
    w=normal("float32", 32, 16, 3, 3, scale=1 / 12),
    b=normal("float32", 32),
)
def conv_pool(m: Any, x: Any, w: Any, b: Any) -> Any:
    return m.max_pool(m.relu(m.conv2d(x, w) + b[:, None, None]))


@workload(
    "depthwise convolution 3x3 and clipping, 16 x 64 x 32 x 32 float32",
    1e-4,
    x=normal("float32", 16, 64, 32, 32),
    w=normal("float32", 64, 3, 3, scale=1 / 3),
)
def depthwise(m: Any, x: Any, w: Any) -> Any:
    return m.relu(m.depthwise(x, w, 64))
