"""C functions that differ only in numbers become one, which is given them: a thousand such kernels compile as one does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from eqsat.base.values import dataclass

MANY = 32  # functions from which the numbers of one are no longer constants for the compiler
_NUMBER = re.compile(
    r"(?<![\w.])(?<![pPeE][+-])(?:\d+\.\d+(?:e[+-]?\d+)?f?|\d+e[+-]?\d+f?|\d+(?:LL)?)(?![\w.])"
)
_HEAD = re.compile(
    r"static __attribute__\(\(noinline\)\) (void|int64_t) @NAME\(([^)]*v(?:, int64_t \*out)?)\) \{\n"
)
_FIXED = re.compile(
    r"\b(?:case|static|aligned|safelen|simdlen)\b|__builtin_prefetch\([^;]*, \d|\[\d+\] = \{"
)  # takes constants only
_LEAST_LONG = 2**31


@dataclass(frozen=True)
class _Form:
    """The text of a function around its numbers, and what kind each of them is."""

    between: tuple[str, ...]
    kinds: tuple[str, ...]


def with_shared(functions: Mapping[str, str]) -> list[str]:
    """The C texts of functions, given as texts and names; those of one form are one function with small ones around it."""
    forms: dict[_Form, list[str]] = {}
    for text in functions if len(functions) >= MANY else ():
        head = _HEAD.match(text)
        if head and not _FIXED.search(text, head.end()):
            forms.setdefault(_form(text), []).append(text)
    texts = {text: text.replace("@NAME", name) for text, name in functions.items()}
    for form, members in forms.items():
        if len(members) >= MANY:
            texts.update(_one(form, members, functions))
    return list(texts.values())


def _form(text: str) -> _Form:
    return _Form(tuple(_NUMBER.split(text)), tuple(map(_kind, _NUMBER.findall(text))))


def _kind(number: str) -> str:
    if "." in number or "e" in number:
        return "float" if number.endswith("f") else "double"
    return "int" if number.isdigit() and int(number) < _LEAST_LONG else "int64_t"


def _one(form: _Form, members: Sequence[str], names: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """The texts of functions of one form; the first holds what they share, too."""
    numbers = [_NUMBER.findall(text) for text in members]
    differs = [len(set(column)) > 1 for column in zip(*numbers, strict=True)]
    head = _HEAD.match(members[0])
    assert head is not None
    shared = f"{names[members[0]]}_shared"
    for k, (text, given) in enumerate(zip(members, numbers, strict=True)):
        lists: dict[str, list[str]] = {"double": [], "int64_t": []}
        for number, kind, other in zip(given, form.kinds, differs, strict=True):
            if other:
                lists[_list_of(kind)].append(number)
        whole = _whole(form, differs, given, shared) if k == 0 else ""
        yield text, whole + _caller(head, names[text], shared, lists)


def _list_of(kind: str) -> str:
    return "int64_t" if kind in ("int", "int64_t") else "double"


def _whole(form: _Form, differs: Sequence[bool], numbers: Sequence[str], name: str) -> str:
    """The shared function; each number that differs has the type in it that it had as a constant."""
    text, counts = form.between[0], {"double": 0, "int64_t": 0}
    for number, kind, other, after in zip(numbers, form.kinds, differs, form.between[1:], strict=True):
        place = _list_of(kind)
        if other:
            number = f"(({kind})eq_{place[0]}[{counts[place]}])"
            counts[place] += 1
        text += number + after
    return text.replace("@NAME", name).replace(") {\n", ", const int64_t *eq_i, const double *eq_d) {\n", 1)


def _caller(head: re.Match[str], name: str, shared: str, lists: Mapping[str, Sequence[str]]) -> str:
    """A function that calls the shared one with its own numbers."""
    kind, parameters = head.groups()
    arguments = ", ".join(re.findall(r"(\w+)(?:,|$)", parameters))
    tables = " ".join(
        f"static const {t} eq_{t[0]}[] = {{{', '.join(numbers) or '0'}}};" for t, numbers in lists.items()
    )
    call = f"{shared}({arguments}, eq_i, eq_d);"
    return f"static {kind} {name}({parameters}) {{ {tables} {'return ' if kind != 'void' else ''}{call} }}\n"
