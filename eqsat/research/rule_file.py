"""Rules as a Python file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from eqsat.research.terms import NAMES
from eqsat.rules.rule import Rule


def file_text(rules: Sequence[Rule], texts: Mapping[str, str], domain: str, modules: Sequence[str]) -> str:
    """The text of a file with a list RULES; the modules that declare ops are loaded first."""
    lines = [texts[r.name] for r in rules]
    used = [n for n in NAMES if any(re.search(rf"\b{n}\b", line) for line in lines)] or list(NAMES[:1])
    kind = "" if domain == "float" else f', dtype="{domain}"'
    head = ["import eqsat"]
    head += ["import eqsat.tensor as T"] if any("T." in line for line in lines) else []
    head += ["from eqsat.graph.declare import OPS"] if any("OPS[" in line for line in lines) else []
    head += ["from eqsat.verify.sources import load_module"] if modules else []
    loads = [f"load_module({module!r})" for module in modules]
    return "\n".join(
        [
            '"""Rules that `eqsat rules discover` found."""',
            "",
            *head,
            "",
            *loads,
            f'{", ".join(used)} = eqsat.metavars("{" ".join(used)}"{kind})',
            "",
            "RULES = [",
            *(f"    {line}," for line in lines),
            "]",
            "",
        ]
    )
