"""Files of rules of other programs as lines: what each says, before anything is known of its ops."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eqsat.base.brackets import Bracket, forms_of
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError
from eqsat.graph.tensor_type import shorten
from eqsat.tensor.prefix_notation import TWICE

ARROW = re.compile(r"<=>|==>|=>")
MACRO = re.compile(r"\b(?:multi_)?(?:rewrite|rw)!\s*\(")
RUST = re.compile(r"//[^\n]*|/\*.*?\*/|r#\"(.*?)\"#|r?\"((?:\\.|[^\"\\])*)\"", re.DOTALL)
RACKET = re.compile(r"\(define-rule(?!-)\S*")
PLAIN = re.compile(r"^\s*\(.*\?\w.*(?:<=>|==?>)\s*[(?\w]", re.MULTILINE)  # a line that is a rule by itself
CALL = re.compile(r"==|[(),]|[^\s(),=]+")
AXIOM = re.compile(r"ForAll\(\[[^\]]*\]\s*,|^\s*(?=\w+_\d\()", re.MULTILINE)
CODES = re.compile(r"((?:\w+\s*,[\s\\]*)+\w+)\s*=\s*range\(")  # A, B = range(2)
FORMS = "lines as `(* ?a ?b) ==> (* ?b ?a)`, rewrite!(...), (define-rules ...), JSON with lhs and rhs, or TASO's f(x, y)==g(y, x)"
MOST = 2000  # characters of an axiom


@dataclass(frozen=True)
class Line:
    """One rule of a file: its number of line and text, its name there, both sides and the conditions as lists of words.

    Words that begin with ``?`` are variables; with ``plain`` every word is that is nothing else. ``refused`` says why a side could not
    be read.
    """

    number: int
    text: str
    name: str = ""
    left: Any = None
    right: Any = None
    conditions: tuple[Any, ...] = ()
    plain: bool = False
    refused: str = ""

    def reversed(self) -> Line:
        """The same from right to left."""
        name = f"{self.name}-reversed" if self.name else ""
        return Line(
            self.number, self.text, name, self.right, self.left, self.conditions, self.plain, self.refused
        )


def lines_of(text: str) -> list[Line]:
    """The rules of a file: of egg, Ruler or Enumo, of Herbie, of TASO or Tensat.

    Errors   ArgumentError for text that holds no rule

    >>> [(line.left, line.right) for line in lines_of("(* ?a ?b) ==> (* ?b ?a)")]
    [(['*', '?a', '?b'], ['*', '?b', '?a'])]
    """
    found = list(reader_of(text)(text))
    if not found:
        raise ArgumentError(
            "import_rules: the text holds no rule",
            needs=FORMS,
        )
    return found


def reader_of(text: str) -> Callable[[str], Iterator[Line]]:
    """The reader of the form that a text has."""
    if text.lstrip()[:1] in ("{", "["):
        return json_lines
    if "ForAll(" in text:
        return axiom_lines
    check_one_notation(text)
    if RACKET.search(text):
        return racket_lines
    if MACRO.search(text):
        return rust_lines
    return arrow_lines if ARROW.search(text) else call_lines


def check_one_notation(text: str) -> None:
    """Refuse a text of which some rules would not be read.

    Errors   ArgumentError that names two notations
    """
    seen = {"rewrite!(...)": MACRO, "(define-rules ...)": RACKET, "lines as `(* ?a ?b) ==> (* ?b ?a)`": PLAIN}
    found = [name for name, form in seen.items() if form.search(text)]
    if len(found) > 1:
        raise ArgumentError(
            f"import_rules: the text holds {' and '.join(found)}", needs="one notation in a file"
        )


# ------------------------------------------------------------------------------------------------- brackets with arrows


def arrow_lines(text: str) -> Iterator[Line]:
    """Lines as ``left ==> right``, ``left <=> right`` and ``name: left => right if condition``; others are no rules."""
    for number, written in enumerate(text.splitlines(), 1):
        line = written.strip().rstrip(",").strip('"')
        if line and not line.startswith((";", "#", "//")) and ARROW.search(line):
            yield from both_ways(line, number)


def both_ways(text: str, number: int) -> Iterator[Line]:
    """The rule of one line; two where the arrow points both ways."""
    arrow = ARROW.search(text)
    assert arrow is not None, text
    one = sides(text, text[: arrow.start()], text[arrow.end() :], number)
    yield one
    if arrow.group() == "<=>":
        yield one.reversed()


def sides(text: str, left: str, right: str, number: int, name: str = "") -> Line:
    """The rule with two sides that are text; the right one may end with ``if`` and conditions."""
    try:
        first, second = forms_of(left, "the left side"), forms_of(right, "the right side")
    except ArgumentError as error:
        return Line(number, text, name, refused=str(error).splitlines()[0])
    if len(first) == 2 and str(first[0]).endswith(":"):
        name, first = first[0][:-1], first[1:]  # type: ignore[assignment]
    conditions = second[2:] if second[1:2] == ["if"] else []
    if len(first) != 1 or len(second) != 1 + (1 + len(conditions) if conditions else 0):
        return Line(number, text, name, refused="each side is one expression")
    asked = tuple(form for form in conditions if form not in ("if", "and", TWICE["and"]))
    return Line(number, text, name, first[0], second[0], asked)


def json_lines(text: str) -> Iterator[Line]:
    """Ruler's output: objects with ``lhs`` and ``rhs``, or lists of lines; what is there twice is read once."""
    try:
        stack = [json.loads(text)]
    except ValueError as error:
        raise ArgumentError(f"import_rules: the text is not JSON: {error}") from None
    seen: set[str] = set()
    number = 0
    while stack:
        thing = stack.pop()
        if (
            isinstance(thing, dict)
            and isinstance(thing.get("lhs"), str)
            and isinstance(thing.get("rhs"), str)
        ):
            arrow = "<=>" if thing.get("bidirectional") else "==>"
            thing = f"{thing['lhs']} {arrow} {thing['rhs']}"
        if isinstance(thing, str) and ARROW.search(thing) and thing not in seen:
            seen.add(thing)
            number += 1
            yield from both_ways(thing, number)
        elif isinstance(thing, (dict, list)):
            stack.extend(reversed(list(thing.values()) if isinstance(thing, dict) else thing))


# ------------------------------------------------------------------------------------------------------ egg's macros


def rust_lines(text: str) -> Iterator[Line]:
    """Calls of ``rewrite!`` in a program for egg: a name, two sides as text, conditions that are calls."""
    strings: list[str] = []

    def kept(found: re.Match[str]) -> str:
        if found.group().startswith("/"):
            return "\n" * found.group().count("\n")
        strings.append(next(g for g in found.groups() if g is not None))
        return f'"{len(strings) - 1}"' + "\n" * found.group().count("\n")

    short = RUST.sub(kept, text)  # no bracket, comment or arrow stands in what is left of a string
    for found in MACRO.finditer(short):
        body = short[found.end() : closing(short, found.end())]
        yield from macro_lines(body, strings, short.count("\n", 0, found.start()) + 1)


def closing(text: str, start: int) -> int:
    """The place of the bracket that closes what was opened before ``start``."""
    depth = 1
    for place in range(start, len(text)):
        depth += (text[place] in "([{") - (text[place] in ")]}")
        if not depth:
            return place
    return len(text)


def macro_lines(body: str, strings: Sequence[str], number: int) -> Iterator[Line]:
    """The rules of one macro, in which each string is its place among the strings."""
    shown = " ".join(re.sub(r'"(\d+)"', lambda m: f'"{strings[int(m[1])]}"', body).split())
    found = re.match(r'\s*"(\d+)"\s*;\s*"(\d+)"\s*(=>|<=>)\s*"(\d+)"\s*(.*)', body, re.DOTALL)
    if found is None:
        named = re.match(r'\s*"(\d+)"', body)
        name = strings[int(named[1])] if named else ""
        if "$" in body.partition(";")[0]:
            return  # the definition of a macro
        yield Line(number, shown, name, refused="a side is a program, not an expression")
        return
    name, left, arrow, right, rest = (
        strings[int(found[1])], strings[int(found[2])], found[3], strings[int(found[4])], found[5],
    )  # fmt: skip
    one = sides(shown, left, right, number, name)
    asked = tuple(condition_of(part, strings) for part in re.split(r"\bif\b", rest) if part.strip(" ,\n"))
    one = Line(number, shown, name, one.left, one.right, asked, False, one.refused)
    yield one
    if arrow == "<=>":
        yield one.reversed()


def condition_of(text: str, strings: Sequence[str]) -> list[str]:
    """A call of a condition: its name, and the strings that it is given."""
    name = text.strip(" ,\n").partition("(")[0]
    return [name, *(strings[int(k)] for k in re.findall(r'"(\d+)"', text))]


# ------------------------------------------------------------------------------------------------- Herbie, in Racket


def racket_lines(text: str) -> Iterator[Line]:
    """``[name left right]`` in the forms ``(define-rules group ...)``, ``(define-ruleset ...)`` and the like."""
    for form in forms_of(text, "import_rules"):
        if not isinstance(form, Bracket) or not str(form[:1] and form[0]).startswith("define-rule"):
            continue
        if len(form) == 5 and isinstance(form[1], str) and isinstance(form[2], str):
            yield Line(form.line, shown(form), form[1], form[3], form[4], plain=True)
        for item in filter(is_rule, form[1:]):
            yield Line(item.line, shown(item), item[0], item[1], item[2], plain=True)


def is_rule(item: Any) -> bool:
    """True for ``[name left right]``, and not for a list of groups or of types."""
    named = isinstance(item, Bracket) and len(item) >= 3 and isinstance(item[0], str)
    return named and any(isinstance(side, list) for side in item[1:3])


def shown(form: Any) -> str:
    """A form as text."""
    return form if isinstance(form, str) else f"({' '.join(map(shown, form))})"


# -------------------------------------------------------------------------------------------------- TASO and Tensat


def call_lines(text: str) -> Iterator[Line]:
    """TASO's substitutions as calls, ``f(x, 1)==g(x)``, one after the other, with or without ends of lines."""
    tokens = [(found.group(), text.count("\n", 0, found.start()) + 1) for found in CALL.finditer(text)]
    at = 0
    while at < len(tokens):
        left, middle = call_from(tokens, at)
        if middle >= len(tokens) or tokens[middle][0] != "==":
            number = tokens[at][1]
            written = text.splitlines()[number - 1].strip()
            raise ArgumentError(f"import_rules: line {number} is no rule: {shorten(written)}", needs=FORMS)
        right, end = call_from(tokens, middle + 1)
        said = f"{shown(left)} == {shown(right)}"
        yield Line(tokens[at][1], said, "", left, right, plain=True)
        at = end


def call_from(tokens: Sequence[tuple[str, int]], at: int) -> tuple[Any, int]:
    """The call that begins at a token, and the place behind it."""
    stack: list[Bracket] = [Bracket()]
    while at < len(tokens):
        token = tokens[at][0]
        if token == "(":
            opened = Bracket([stack[-1].pop()] if stack[-1] else [])
            stack.append(opened)
        elif token == ")" and len(stack) > 1:
            done = stack.pop()
            stack[-1].append(done)
        elif token == "==" or token == ")":
            break
        elif token != ",":
            if len(stack) == 1 and stack[0]:
                break
            stack[-1].append(token)
        at += 1
    if len(stack) > 1 or not stack[0]:
        raise ArgumentError("import_rules: the brackets of a call do not match")
    return stack[0][0], at


def axiom_lines(text: str) -> Iterator[Line]:
    """The equations between calls in a program that states axioms for z3, as TASO's does: in ``ForAll([x], f(x) == x)``, or by themselves."""
    text = re.sub(r"#[^\n]*", "", text)
    named = (names.replace("\\", " ").replace(",", " ").split() for names in CODES.findall(text))
    codes = {name: str(k) for names in named for k, name in enumerate(names)}
    for found in AXIOM.finditer(text):
        tokens = [(codes.get(t, t), 0) for t in CALL.findall(text[found.end() : found.end() + MOST])]
        number = text.count("\n", 0, found.end()) + 1
        left, middle = call_from(tokens, 0)
        if middle < len(tokens) and tokens[middle][0] == "==":
            right, _ = call_from(tokens, middle + 1)
            yield Line(number, f"{shown(left)} == {shown(right)}", "", left, right, plain=True)
