"""From a plan to statements of the loop program; what a target makes of them is asked of its ``Printer``."""
