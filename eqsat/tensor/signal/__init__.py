"""Convolution and pooling of images, under the names of Theano's ``tensor.signal``."""

from __future__ import annotations

from eqsat.base.names import late_names
from eqsat.tensor.signal import conv, downsample, pool

__all__ = ["conv", "downsample", "pool"]

late_names(__name__)
