"""Rules of other programs as rules of eqsat: read line by line, held against points, and asked for among the rules that are known."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from eqsat.base.notebook_tables import notebook_table
from eqsat.base.progress import Progress
from eqsat.base.text_tables import table
from eqsat.base.values import dataclass
from eqsat.bridges.rules.elements import DTYPES, Elements, variables_of
from eqsat.bridges.rules.files import Line, lines_of
from eqsat.bridges.rules.tensors import Tensors, says_tensors
from eqsat.errors import ArgumentError, EqsatError
from eqsat.research.derivation import Derivation, derived, without
from eqsat.rules.rule import TIERS, Rule, RuleSet, select_rules
from eqsat.verify import verify as verified
from eqsat.verify.result import BROKEN, KEPT, Verification

__all__ = ["Imported", "ImportedLine", "import_rules"]

BEST = "best"
PROMISES = ("exact", "extends", "rounds", "loose")  # tried in this order for a tier that is to be found
GUESSED = ("float", "int")  # dtypes of numbers that are tried where none is given
REFUSED, READ, UNTESTED = "refused", "read", "untested"
HEAD = ("line", "rule", "verdict", "tier", "follows", "e-nodes", "left and right, or the reason")
SHOWN = 100  # characters of a rule in a table
LETTERS = {"+": "add", "*": "mul", "/": "div", "-": "-", "<": "lt", ">": "gt", "=": "eq"}


@dataclass(eq=False, repr=False)
class ImportedLine:
    """One line of a file: the rules that it became, or the reason why there is none.

    ``verified`` has a verification for each rule, ``derived`` the answer to whether the first follows from the known rules, where
    these were asked for.

    >>> import eqsat
    >>> eqsat.import_rules("(foo ?a) ==> ?a").lines[0].refused
    'foo has no form here'
    """

    line: Line
    rules: list[Rule] = field(default_factory=list)
    refused: str = ""
    verified: list[Verification] = field(default_factory=list)
    derived: Derivation | None = None

    @property
    def verdict(self) -> str:
        """``refused``, ``read``, or once it was verified ``kept``, ``BROKEN`` or ``untested``."""
        if self.refused:
            return REFUSED
        if not self.verified:
            return READ
        found = {v.verdict for v in self.verified}
        if BROKEN in found:
            return BROKEN
        return KEPT if all(self.verified) else UNTESTED

    @property
    def point(self) -> str:
        """The first point at which a rule of the line is broken, with both sides; nothing where none is."""
        broken = next((v for v in self.verified if v.verdict == BROKEN), None)
        return "" if broken is None else "\n".join(str(broken.failures[0]).splitlines()[1:])

    def row(self) -> tuple[str, ...]:
        """The cells of a table, under ``HEAD``."""
        d, said = self.derived, self.refused or "; ".join(map(equation, self.rules))
        follows = "-" if d is None else {"equal": "yes", "not shown": "no"}.get(d.verdict, d.verdict)
        size = "-" if d is None or d.answer is None else f"{d.answer.enodes:,}"
        tiers = " ".join(dict.fromkeys(r.tier for r in self.rules)) or "-"
        name = self.rules[0].name if self.rules else self.line.name or "-"
        said = said if len(said) <= SHOWN else said[: SHOWN - 1] + "…"
        return (str(self.line.number), name, self.verdict, tiers, follows, size, said)


def equation(rule: Rule) -> str:
    """Both sides of a rule, and the condition."""
    return rule.equation + (f" when {rule.when}" if rule.when is not None else "")


@dataclass(eq=False, repr=False)
class Imported:
    """The answer of ``import_rules``: the lines of a file, in their order.

    >>> import eqsat
    >>> found = eqsat.import_rules("(+ ?a 0) => ?a")
    >>> len(found), found.rules
    (1, RuleSet of 1 rules)
    """

    lines: list[ImportedLine]

    def __iter__(self) -> Iterator[ImportedLine]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def rules(self) -> RuleSet:
        """The rules of all lines, without those that a point breaks."""
        return RuleSet(r for one in self.lines if one.verdict != BROKEN for r in one.rules)

    @property
    def refused(self) -> Counter[str]:
        """The reasons of refusals, with the number of lines of each."""
        return Counter(one.refused for one in self.lines if one.refused)

    def rows(self) -> list[tuple[str, ...]]:
        """The cells of a table, a row for each line."""
        return [one.row() for one in self.lines]

    def summary(self) -> str:
        """The numbers of lines by verdict, and of those that follow from the known rules."""
        count = Counter(one.verdict for one in self.lines)
        words = ", ".join(f"{n} {verdict}" for verdict, n in count.most_common())
        asked = [one.derived for one in self.lines if one.derived is not None]
        follow = f"; {sum(map(bool, asked))} of {len(asked)} follow from the known rules" if asked else ""
        return f"{len(self.lines)} lines: {words}{follow}"

    def __str__(self) -> str:
        return f"{table(HEAD, self.rows(), right=(0, 5))}\n{self.summary()}"

    def __repr__(self) -> str:
        return f"<Imported: {self.summary()}>"

    def _repr_html_(self) -> str:
        return notebook_table("Imported rules", HEAD, self.rows(), self.summary(), right=(0, 5))


def import_rules(
    source: Any,
    *,
    tier: str = "loose",
    dtype: str | None = None,
    verify: bool = False,
    derivable: bool = False,
    from_: Any = None,
    points: int = 60,
    size: int | None = None,
    seconds: float = 2.0,
) -> Imported:
    """Rules that were written for other programs, from a file or its text; each line becomes a rule, or is refused with the reason.

    Read are egg's ``rewrite!("name"; "left" => "right" if cond)``, lines of Ruler and Enumo as ``(* ?a ?b) ==> (* ?b ?a)``, Ruler's JSON,
    Herbie's ``(define-rules group [name left right])``, and TASO's and Tensat's laws of ``matmul``, ``conv2d``, ``concat`` and ``split``. ``dtype`` is
    that of the numbers: float, int or bool; without it float or int, under which more lines can be read.

    With ``verify`` each rule is held against ``tier`` at drawn points; "best" finds the tier that promises most among exact, extends, rounds and
    loose. With ``derivable`` it is asked whether the rule follows from others: ``from_``, the default rules where it is None, within ``size`` rows of
    an e-graph and some seconds. Names begin with that of the file.

    Errors   ArgumentError for a file or text without rules, an unknown tier or dtype

    >>> import eqsat
    >>> found = eqsat.import_rules('''
    ... (log (* ?a ?b)) ==> (+ (log ?a) (log ?b))
    ... (* ?a (/ 1 ?a)) ==> 1
    ... (- ?a ?a) <=> 0
    ... ''', verify=True)
    >>> [(one.verdict, one.refused) for one in found]
    [('BROKEN', ''), ('kept', ''), ('kept', ''), ('refused', 'the left side has no variables, and expressions of numbers are computed without rules')]
    """
    check_choices(tier, dtype)
    text, stem = text_of(source)
    lines = lines_of(text)
    found = Imported(read(lines, stem, TIERS[-1] if tier == BEST else tier, dtype))
    known = select_rules(from_) if derivable else None
    with Progress("import", len(lines)) as progress:
        for one in found:
            if verify:
                hold(one, tier, points)
            if known is not None and one.rules:
                rule = one.rules[0]
                one.derived = derived(rule, without(known, rule.name), size, seconds)
            progress.step(one.line.name)
    return found


def check_choices(tier: str, dtype: str | None) -> None:
    """Refuse an unknown tier or dtype."""
    if tier not in (*TIERS, BEST):
        raise ArgumentError(f"import_rules: unknown tier {tier!r}", among=(tier, (*TIERS, BEST)))
    if dtype is not None and dtype not in DTYPES:
        raise ArgumentError(f"import_rules: unknown dtype {dtype!r}", among=(dtype, DTYPES))


def text_of(source: Any) -> tuple[str, str]:
    """The text of a file, or text as it is, and a name for it."""
    if isinstance(source, str) and (not source.strip() or any(sign in source for sign in "\n=({")):
        return source, "imported"
    try:
        path = Path(source)
        return path.read_text(encoding="utf-8"), re.sub(r"[^\w-]+", "-", path.stem).strip("-_") or "imported"
    except (OSError, TypeError, ValueError) as error:
        raise ArgumentError(
            f"import_rules: {source!r} cannot be read: {error}", needs="a path, or the text of rules"
        ) from None


def read(lines: Sequence[Line], stem: str, tier: str, dtype: str | None) -> list[ImportedLine]:
    """All lines, under the dtype that was asked for or the one under which most can be read."""
    if says_tensors(lines):
        return tensor_lines(lines, stem, tier)
    first, *others = [dtype] if dtype is not None else GUESSED
    best = element_lines(lines, stem, tier, first)
    for one in others:
        if read_of(best) < len(lines):
            best = max(best, element_lines(lines, stem, tier, one), key=read_of)
    return best


def read_of(found: Sequence[ImportedLine]) -> int:
    """The number of lines that became rules."""
    return sum(not one.refused for one in found)


def element_lines(lines: Sequence[Line], stem: str, tier: str, dtype: str) -> list[ImportedLine]:
    """Lines that are laws of elements."""
    taken: set[str] = set()
    return [
        tried(line, lambda name, line=line: [Elements(line, dtype).rule(name, tier)], stem, taken)
        for line in lines
    ]  # type: ignore[misc]


def tensor_lines(lines: Sequence[Line], stem: str, tier: str) -> list[ImportedLine]:
    """Lines that are laws of tensors; one whose right side names what only the next line binds is read with it."""
    taken: set[str] = set()
    found: list[ImportedLine] = []
    at = 0
    while at < len(lines):
        together = lines[at : at + 2] if is_first_of_two(lines[at : at + 2]) else lines[at : at + 1]
        read = Tensors(together)
        one = tried(lines[at], lambda name, read=read: read.rules(name, tier), stem, taken)  # type: ignore[misc]
        found.append(one)
        if len(together) == 2:
            found.append(ImportedLine(lines[at + 1], one.rules, one.refused))
        at += len(together)
    return found


def is_first_of_two(lines: Sequence[Line]) -> bool:
    """True for two lines that bind together what the first one's right side names, and it alone does not."""
    if len(lines) < 2 or any(line.refused for line in lines):
        return False
    (left, right), (more, other) = (
        (set(variables_of(s, line.plain)) for s in (line.left, line.right)) for line in lines
    )
    return not right <= left and right | other <= left | more


def tried(line: Line, rules: Any, stem: str, taken: set[str]) -> ImportedLine:
    """The rules of a line, or the reason why there is none."""
    if line.refused:
        return ImportedLine(line, refused=line.refused)
    name = name_for(line, stem, taken)
    try:
        return ImportedLine(line, rules(name))
    except (EqsatError, TypeError, ValueError) as error:
        said = getattr(error, "message", None) or str(error)
        return ImportedLine(line, refused=re.sub(r"^rule \S+: ", "", said.splitlines()[0]))


def name_for(line: Line, stem: str, taken: set[str]) -> str:
    """A name that no rule of the file has yet: its own one in letters, or the number of the line."""
    words = "".join(f"-{LETTERS[c]}-" if c in LETTERS else c for c in line.name)
    own = re.sub(r"[^\w.-]+|-+", "-", words).strip("-_.") or str(line.number)
    name, number = f"{stem}.{own}", 2
    while name in taken:
        name, number = f"{stem}.{own}-{number}", number + 1
    taken.add(name)
    return name


def hold(one: ImportedLine, tier: str, points: int) -> None:
    """Verify the rules of a line, under each tier in turn where the best one is asked for."""
    tiers = PROMISES if tier == BEST else (tier,)
    for k, rule in enumerate(one.rules):
        for promise in tiers:
            found = verified(replace(rule, tier=promise), points, proof=False)
            if found.verdict != BROKEN:
                break
        one.rules[k] = found.rule
        one.verified.append(found)
