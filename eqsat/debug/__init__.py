"""Modes that look at every value: DebugMode compares, NanGuardMode refuses, MonitorMode shows."""

from eqsat.debug.compare import DebugMode
from eqsat.debug.watch import MonitorMode, NanGuardMode
from eqsat.names import late_names

__all__ = ["DebugMode", "MonitorMode", "NanGuardMode"]

late_names(__name__)
