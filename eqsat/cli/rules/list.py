"""A table of rules.

Options that are given together must all hold. A scheme, which makes a rule for every op of a kind, is one line with the
number of these ops; --each shows its rules. What holds because of how ops are declared, such as that operands change places, is
listed apart. Folding numbers is no rule. The last line counts the rules by tier.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import PurePath
from shutil import get_terminal_size
from textwrap import fill

from eqsat.base.names import meant
from eqsat.base.text_tables import table
from eqsat.errors import RuleError
from eqsat.rules.rule import TIERS, Rule, RuleSet, all_rules, select_rules, standing_named
from eqsat.rules.schemes.scheme import Scheme
from eqsat.rules.standing import TAG, standing_rules
from eqsat.verify import load_rules

CHOICE = "tiers, tags and names with commas between, each with a leading - to leave it out; all by default"
COLUMNS: dict[str, Callable[[Rule], str]] = {
    "name": lambda r: r.name,
    "tier": lambda r: r.tier,
    "rule": lambda r: str(r).removeprefix(f"{r.name}: ").partition(" when ")[0].removesuffix(f" [{r.tier}]"),
    "when": lambda r: "" if r.when is None else str(r.when),
    "source": lambda r: r.cite,
    "tags": lambda r: " ".join(sorted(r.tags)),
    "phase": lambda r: r.phase,
    "file": lambda r: file_of(r),
    "line": lambda r: r.made_at.rpartition(":")[2],
    "ops": lambda r: "",
}
OF_SCHEMES: dict[str, Callable[[Scheme, list[Rule]], str]] = {
    "name": lambda s, rules: s.name,
    "tier": lambda s, rules: " ".join(t for t in TIERS if any(r.tier == t for r in rules)),
    "rule": lambda s, rules: s.law,
    "when": lambda s, rules: "",
    "source": lambda s, rules: " ".join(sorted({r.cite for r in rules})),
    "tags": lambda s, rules: " ".join(sorted(s.tags - {s.name})),
    "phase": lambda s, rules: " ".join(sorted({r.phase for r in rules})),
    "file": lambda s, rules: PurePath(s.made_at.rpartition(":")[0]).stem,
    "line": lambda s, rules: s.made_at.rpartition(":")[2],
    "ops": lambda s, rules: str(len(s.ops())),
}
WITHOUT_TERMINAL = 220  # characters of a line
READABLE = 32  # characters of an equation below which the columns behind it are left out
LEAST = 10  # characters below which a cell is cut only where there is no other way
BUILT_IN = "built in by the declarations of ops: they hold in every set of rules, and -NAME leaves one out"
SHOWN = "name,ops,tier,rule,when,source"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat rules list``."""
    parser.add_argument("choice", nargs="*", help=CHOICE)
    parser.add_argument("--module", metavar="MODULE", help="rules of a module or a Python file alone")
    parser.add_argument("--tier", choices=TIERS, help="rules of one tier")
    parser.add_argument("--tag", help="rules with a tag")
    parser.add_argument("--op", help="rules with an op on either side, as dot")
    parser.add_argument("--file", metavar="IDEA", help="rules of one file, as minmax")
    columns = f"of {', '.join(COLUMNS)}, with commas between; {SHOWN} by default"
    parser.add_argument("--columns", default=SHOWN, help=columns)
    parser.add_argument(
        "--wide",
        action="store_true",
        help="cells are not cut so that lines fit the terminal, or 220 characters in a file",
    )
    parser.add_argument("--each", action="store_true", help="the rules that schemes make, one by one")
    parser.add_argument(
        "--json", action="store_true", help="all columns of each rule as a list of objects in JSON"
    )


def run(asked: argparse.Namespace) -> int:
    """A table of the rules that were asked for."""
    check_options(asked)
    chosen = chosen_rules(asked)
    standing = [] if asked.module is not None else chosen.standing if not asked.choice else []
    rules = sorted((r for r in [*chosen, *standing] if wanted(r, asked)), key=lambda r: r.name)
    if asked.json:
        print(json.dumps([{name: of(r) for name, of in COLUMNS.items()} for r in rules], indent=1))
        return 0
    names = [name.strip() for name in asked.columns.split(",")]
    unknown = [name for name in names if name not in COLUMNS]
    if unknown:
        raise RuleError(f"there is no column {unknown[0]!r}", among=(unknown[0], COLUMNS))
    built_in = [r for r in rules if TAG in r.tags]
    width = None if asked.wide else width_of_terminal()
    for some, title in (([r for r in rules if TAG not in r.tags], ""), (built_in, f"{BUILT_IN}\n")):
        if some:
            rows, chosen_columns = list(lines(some, names, asked.each)), asked.columns != SHOWN
            print(wrapped(title, width) + fitted(names, rows, width, chosen_columns))
    print(wrapped(counted(rules) + f"; {len(built_in)} built in" * bool(built_in), width))
    return 0


def lines(rules: list[Rule], names: list[str], each: bool) -> Iterator[list[str]]:
    """The cells of a table: a line for a rule, and one for all rules of a scheme where there are several."""
    made: dict[str, list[Rule]] = {}
    for r in rules:
        made.setdefault(r.scheme, []).append(r)
    schemes = {c.scheme.name: c.scheme for c in all_rules().schemes}
    for r in rules:
        scheme, group = schemes.get(r.scheme), made[r.scheme]
        if each or scheme is None or len(group) == 1:
            yield [COLUMNS[name](r) for name in names]
        elif r is group[0]:
            yield [OF_SCHEMES[name](scheme, group) for name in names]


def width_of_terminal() -> int:
    """The width of the terminal, or a fixed one where the table goes elsewhere."""
    return get_terminal_size().columns if sys.stdout.isatty() else WITHOUT_TERMINAL


def wrapped(text: str, width: int | None) -> str:
    """A sentence in lines that fit; an end of its last line stays."""
    if width is None or len(text) <= width:
        return text
    return fill(text, width) + "\n" * text.endswith("\n")


def fitted(names: list[str], rows: list[list[str]], width: int | None, all_columns: bool = True) -> str:
    """A table whose cells are cut until its lines fit, those of names last; ``eqsat rules show`` has the whole.

    Unless ``all_columns`` are asked for, those behind the equations are left out where these could not be read.
    """
    if width is None:
        return table(names, rows)
    limits = limits_of(names, rows, width)
    rule = names.index("rule") if "rule" in names and not all_columns else len(names)
    while len(names) > rule + 1 and limits[rule] < min(READABLE, widths_of(names, rows)[rule]):
        names, rows = names[:-1], [row[:-1] for row in rows]
        limits = limits_of(names, rows, width)
    cells = [[cut(c, most) for c, most in zip(row, limits, strict=True)] for row in (names, *rows)]
    return table(cells[0], cells[1:])


def widths_of(names: list[str], rows: list[list[str]]) -> list[int]:
    """The width of each column of a table that is not cut."""
    return [max(map(len, column)) for column in zip(names, *rows, strict=True)]


def limits_of(names: list[str], rows: list[list[str]], width: int) -> list[int]:
    """The width that each column may have."""
    widths, room = widths_of(names, rows), width - 2 * (len(names) - 1)
    least = [min(w, width // 3 if n == "name" else LEAST) for n, w in zip(names, widths, strict=True)]
    if sum(least) > room:
        return shared_out([1] * len(names), least, room - len(names))
    return shared_out(least, widths, room - sum(least))


def shared_out(widths: list[int], wanted: list[int], spare: int) -> list[int]:
    """Widths that grow towards those that are wanted, those furthest from it first, by what there is to spare.

    >>> shared_out([4, 4], [6, 30], 20)
    [5, 23]
    """
    found = list(widths)
    while spare > 0 and (small := [k for k, w in enumerate(wanted) if found[k] < w]):
        k = min(small, key=lambda k: found[k] / wanted[k])
        found[k] += 1
        spare -= 1
    return found


def cut(text: str, most: int) -> str:
    """A cell of bounded width."""
    return text if len(text) <= most else text[: most - 1] + "…"


def chosen_rules(asked: argparse.Namespace) -> RuleSet:
    """The rules of a module, or those that come with eqsat; some of them where a choice was given.

    A Python file that stands first in the choice is the module.
    """
    if asked.module is None and asked.choice and asked.choice[0].endswith(".py"):
        asked.module, *asked.choice = asked.choice
    choice = ",".join(asked.choice)
    if asked.module is None:
        words = [word.strip() for word in choice.split(",")]
        declared = standing_rules() if TAG in words else filter(None, map(standing_named, words))
        rest = ",".join(word for word in words if word != TAG)
        return (select_rules(rest or "all") if rest or not choice else RuleSet([])) + list(declared)
    found = load_rules(asked.module)
    if not choice:
        return found
    words = [word.strip() for word in choice.split(",")]
    chosen = found if words[0].startswith("-") else RuleSet([])
    for word in words:
        more = RuleSet(among(found, word.removeprefix("-"), asked.module))
        chosen = chosen - [r for r in more if r in chosen] if word.startswith("-") else chosen + more
    return chosen


def among(rules: RuleSet, word: str, module: str | None) -> list[Rule]:
    """The rules of a set that have a tier, a tag or a name; RuleError for a word that none has."""
    found = [r for r in rules if word in (r.tier, r.name, *r.tags)]
    if not found and module is None:
        return [rules[word]]
    if not found:
        known = sorted({name for r in rules for name in (r.tier, r.name, *r.tags)})
        raise RuleError(
            f"{module} has no rule, tag or tier {word!r}",
            needs="rules of the module, as --module leaves out those of eqsat",
            among=(word, known),
        )
    return found


def check_options(asked: argparse.Namespace) -> None:
    """Refuse an op, a tag or a file that no rule has."""
    rules = [*all_rules(), *all_rules().standing] if asked.module is None else load_rules(asked.module)
    ops = {need for r in rules for need in r.needs | r.makes if isinstance(need, str)}
    tags = {tag for r in rules for tag in r.tags}
    file = asked.file and asked.file.removesuffix(".py")
    for word, given, known in (
        ("op", asked.op, ops),
        ("tag", asked.tag, tags),
        ("file", file, set(map(file_of, rules))),
    ):
        if given is not None and given not in known:
            raise RuleError(f"no rule has the {word} {given!r}", hint=meant(given, sorted(known)))


def wanted(rule: Rule, asked: argparse.Namespace) -> bool:
    """True for a rule that every option asks for."""
    return (
        asked.tier in (None, rule.tier)
        and (asked.tag is None or asked.tag in rule.tags)
        and (asked.op is None or asked.op in rule.needs | rule.makes)
        and (asked.file is None or asked.file.removesuffix(".py") == file_of(rule))
    )


def file_of(rule: Rule) -> str:
    """The idea that a rule belongs to: the name of the file where it is declared."""
    return PurePath(rule.made_at.rpartition(":")[0]).stem


def counted(rules: list[Rule]) -> str:
    """The numbers of rules of each tier, in words."""
    count = Counter(r.tier for r in rules)
    tiers = ", ".join(f"{count[t]} {t}" for t in TIERS if count[t])
    made = [r.scheme for r in rules if r.scheme]
    schemes = len(set(made))
    by = f"; {len(made)} of them by {schemes} scheme{'s' * (schemes != 1)}" if len(made) > 1 else ""
    return f"{len(rules)} rule{'s' * (len(rules) != 1)}" + (f": {tiers}" if tiers else "") + by
