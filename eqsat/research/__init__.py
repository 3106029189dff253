"""The bench of a rule researcher: are expressions equal, does a rule follow from others, which rules are there to find."""

from eqsat.research.ablation import Ablation, ablate
from eqsat.research.derivation import Derivation, derive
from eqsat.research.discovery import Discovery, discover
from eqsat.research.equality import Equality, equal
from eqsat.research.minimal import Minimal, minimise

__all__ = [
    "Ablation",
    "Derivation",
    "Discovery",
    "Equality",
    "Minimal",
    "ablate",
    "derive",
    "discover",
    "equal",
    "minimise",
]
