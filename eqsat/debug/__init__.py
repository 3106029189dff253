"""Modes that look at every value: DebugMode compares, NanGuardMode refuses, MonitorMode shows."""

from eqsat.base.names import late_names
from eqsat.debug.compare import DebugMode
from eqsat.debug.watch import MonitorMode, NanGuardMode

__all__ = ["DebugMode", "MonitorMode", "NanGuardMode"]

late_names(__name__)
