"""Text in brackets as lists: Lisp's, Racket's and FPCore's."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from typing import Any, TypeAlias

from eqsat.errors import ArgumentError

TOKEN = re.compile(r"#\|.*?\|#|#;|;[^\n]*|\"(?:\\.|[^\"\\])*\"|[()\[\]]|[^\s()\[\]\";]+", re.DOTALL)


Steps: TypeAlias = Generator[tuple[Any, ...], Any, Any]


class Bracket(list[Any]):
    """The words and brackets between two brackets, and the number of the line on which they open."""

    line = 0


def forms_of(text: str, what: str = "text") -> Bracket:
    """The brackets and words of a text as lists; what ``#;`` stands before is left out, as comments are.

    Errors   ArgumentError for a bracket that is closed and was not opened, or the other way round

    >>> forms_of("(+ a [f b]) ; a comment")
    [['+', 'a', ['f', 'b']]]
    """
    stack = [Bracket()]
    dropped: list[int] = []  # depths at which the next form is left out
    line, at = 1, 0
    for found in TOKEN.finditer(text):
        line, at = line + text.count("\n", at, found.start()), found.start()
        token = found.group()
        if token == "#;":
            dropped.append(len(stack))
            continue
        if token[0] == ";" or token.startswith("#|"):
            continue
        if token in "([":
            stack.append(Bracket())
            stack[-1].line = line
            continue
        if token in ")]" and len(stack) == 1:
            raise ArgumentError(f"{what}: a bracket is closed on line {line} that was not opened")
        done: Any = stack.pop() if token in ")]" else token
        if dropped and dropped[-1] == len(stack):
            dropped.pop()
        else:
            stack[-1].append(done)
    if len(stack) > 1:
        raise ArgumentError(
            f"{what}: {len(stack) - 1} brackets are not closed, the first opened on line {stack[1].line}"
        )
    return stack[0]


def evaluated(steps: Callable[..., Steps], *asked: Any) -> Any:
    """The value of a form, however deep: ``steps(form, ...)`` yields the arguments for each part whose value it needs.

    >>> def length(form):
    ...     total = 0
    ...     for part in form if isinstance(form, list) else ():
    ...         total += yield (part,)
    ...     return total or 1
    >>> evaluated(length, forms_of("(f (g x) y)")[0])
    4
    """
    stack, made = [steps(*asked)], None
    while stack:
        try:
            wanted = stack[-1].send(made)
        except StopIteration as done:
            stack.pop()
            made = done.value
        else:
            stack.append(steps(*wanted))
            made = None
    return made
