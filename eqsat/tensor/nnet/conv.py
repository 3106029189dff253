"""conv2d under its oldest name, ``nnet.conv.conv2d``."""

from __future__ import annotations

from eqsat.tensor.nnet.convolution import conv2d

__all__ = ["conv2d"]
