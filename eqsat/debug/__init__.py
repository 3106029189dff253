"""Modes that look at every value: DebugMode compares, NanGuardMode refuses, MonitorMode shows."""

from eqsat.base.names import late_names
from eqsat.debug.debug_mode import DebugMode
from eqsat.debug.watching_modes import MonitorMode, NanGuardMode

__all__ = ["DebugMode", "MonitorMode", "NanGuardMode"]

late_names(__name__)
