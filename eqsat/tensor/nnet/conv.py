"""conv2d under its oldest name, ``nnet.conv.conv2d``."""

from __future__ import annotations

from eqsat.base.names import late_names
from eqsat.tensor.nnet.convolution import conv2d

__all__ = ["conv2d"]


late_names(__name__)
