"""Rules of which egglog refuses the text: found one by one, named, and left out from then on."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.base.notices import warn_once
from eqsat.egraph.adapter import EGraphFailure
from eqsat.egraph.place import session_of
from eqsat.egraph.rule_selection import RuleSelection
from eqsat.egraph.saturate import involved, leave_out, new_rulebook, texts_of
from eqsat.rules.rule import Rule, RuleSet
from eqsat.rules.standing import standing_rule

SAID = 3  # lines of what egglog says; it goes on with all that it has tried


def refused_among(rules: Sequence[Rule], loops: bool = False) -> dict[Rule, str]:
    """The rules of which egglog refuses the text, with what it says; none where it refuses what all rules need.

    >>> from eqsat.egraph.refused import refused_among
    >>> from eqsat.rules.rule import all_rules
    >>> refused_among([all_rules()["log-exp"]])
    {}
    """
    off = [r.name for r in rules if standing_rule(r.name)]  # which the ops bring by themselves
    asked = RuleSet(rules, off)
    empty = new_rulebook(involved(rules), asked, loops, RuleSelection(asked))
    parts: list[Sequence[Rule]] = [[], rules]  # no rule at all is tried last
    found: dict[Rule, str] = {}
    while parts:
        some = parts.pop()
        try:
            with session_of(empty.template) as session:
                session.add(texts_of(some))
        except EGraphFailure as failure:
            middle = len(some) // 2
            if not some:
                return {}
            if middle:
                parts += [some[middle:], some[:middle]]
            else:
                found[some[0]] = said(failure)
    return found


def said(failure: EGraphFailure) -> str:
    """The complaint of egglog about one rule, without its text and without places in it."""
    lines = [line.strip() for line in str(failure).rpartition('"): ')[2].splitlines()]
    return "; ".join([line for line in lines if not line.startswith("In ")][:SAID])


def left_out(rules: Sequence[Rule], loops: bool) -> bool:
    """True where egglog refuses some of these rules: a warning names each, and no graph is rewritten by it any more."""
    found = refused_among(rules, loops)
    leave_out(found)
    for rule, why in found.items():
        warn_once(
            f"refused {rule}", f"rule {rule.name} ({rule.made_at}) is left out, egglog refuses it: {why}"
        )
    return bool(found)
