"""Random tensors: streams whose draws are new at every call, the same in every mode and on every machine."""

from eqsat.base.names import late_names
from eqsat.tensor.random.spellings import MRG_RandomStreams, RandomStreams
from eqsat.tensor.random.stream import RandomStream

__all__ = ["MRG_RandomStreams", "RandomStream", "RandomStreams"]

late_names(__name__)
