"""Rules as a Python file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eqsat.research.candidate import DOMAINS
from eqsat.research.terms import Kind
from eqsat.rules.rule import Rule


def file_text(
    rules: Sequence[Rule], texts: Mapping[str, str], kinds: Mapping[str, Kind], modules: Sequence[str]
) -> str:
    """The text of a file with a list RULES, over variables of some kinds; the modules that declare ops are loaded first."""
    lines = [texts[r.name] for r in rules]
    used = {m.name for r in rules for m in r.metas}
    groups: dict[Kind, list[str]] = {}
    for name in kinds:
        if name in used:
            groups.setdefault(kinds[name], []).append(name)
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
            *(metavars_text(names, kind) for kind, names in groups.items()),
            "",
            "RULES = [",
            *(f"    {line}," for line in lines),
            "]",
            "",
        ]
    )


def metavars_text(names: Sequence[str], kind: Kind) -> str:
    """The statement that makes metavariables of one kind."""
    dtype, ndim = kind
    given = f", ndim={ndim}" if ndim is not None else ""
    given += f', dtype="{DOMAINS[dtype]}"' if DOMAINS[dtype] != "float" else ""
    return f'{", ".join(names)} = eqsat.metavars("{" ".join(names)}"{given})'
