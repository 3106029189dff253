"""Compiled functions outside of Python: a C library with a header, a Python module without eqsat, an address for other programs."""

from eqsat.export.folder import export
from eqsat.export.pointer import CFunction, c_function

__all__ = ["CFunction", "c_function", "export"]
