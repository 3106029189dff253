"""Rules that were written for other programs: egg, Ruler and Enumo, Herbie, TASO and Tensat."""

from eqsat.bridges.rules.imported import Imported, ImportedLine, import_rules

__all__ = ["Imported", "ImportedLine", "import_rules"]
