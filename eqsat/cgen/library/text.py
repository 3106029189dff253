"""The files of a C library: its header, the C that takes calls, and the kernels under names of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.prelude import parameters_of
from eqsat.cgen.c_files import sections
from eqsat.cgen.library.interface import Interface
from eqsat.cgen.runtime import abi
from eqsat.cgen.runtime.convolutions import convolution
from eqsat.cgen.runtime.products import product

PARTS = sections(__file__, "library.c")
OWN = {library.name: library for library in (product, convolution)}
_PUBLIC = {"bool": "uint8_t", "complex64": "float _Complex", "complex128": "double _Complex"}
_LETTER = {"float": "s", "double": "d", "complex64_t": "c", "complex128_t": "z"}
_OURS = re.compile(r"\beq_(?=\w)")
_APART = re.compile(r"^(?=__attribute__\(\(noinline\)\) void eq_k)", re.MULTILINE)
_SEEN = re.compile(r'visibility\("default"\)')


def public_type(dtype: str) -> str:
    """The C type of elements, as headers of C call it."""
    return _PUBLIC.get(dtype, CTYPE[dtype])


def part(name: str, facts: Mapping[str, str]) -> str:
    """A section of the template with its places filled."""
    text = PARTS[name]
    for place in sorted(facts, key=len, reverse=True):
        text = text.replace(f"@{place}", facts[place])
    return text


def facts_of(f: Interface) -> dict[str, str]:
    """The names that all parts of a library share."""
    upper = f.name.upper()
    return {"NAME": f.name, "UPPER": upper, "API": f"{upper}_API"}


# ----------------------------------------------------------------------------------------------------------- header


def declarations(f: Interface) -> str:
    """The types and functions of a library, as its header has them."""
    facts = facts_of(f)
    text = ""
    if f.arrays:
        text += part("ARRAY", {**facts, "RANK": str(f.rank)})
    if f.fields:
        fields = "\n".join(f"  {f.name}_array {x.value.name}; /* {x.value.text} */" for x in f.fields)
        text += part("STATE", {**facts, "FIELDS": fields, "COUNT": str(len(f.fields))})
    if f.foreign:
        members = "\n".join(f"  void (*{letters(*r)})({_parameters(*r)});" for r in f.foreign)
        text += part("ROUTINES", {**facts, "ROUTINES": members})
    text += "".join(f"/* {line} */\n" for line in described(f))
    return text + part("FUNCTION", {**facts, "SIGNATURE": f"{facts['API']} {signature(f)}"})


def described(f: Interface) -> list[str]:
    """Lines about the arguments and the errors of a library."""
    about = [f"{v.name}: {v.text}" for v in f.inputs] + [f"{v.name}, result: {v.text}" for v in f.results]
    errors = (f"error {k}: {e.error}: {e.message}" for k, e in enumerate(f.meta.errors, 1))
    return [_in_comment(line) for line in [*about, *errors]]


def _in_comment(line: str) -> str:
    return line.replace("*/", "* /").replace("/*", "/ *").replace("\n", " ")


def header(f: Interface, title: str) -> str:
    """The header of a library."""
    return part(
        "HEADER", {**facts_of(f), "TITLE": _in_comment(title), "DECLARED": declarations(f).rstrip("\n")}
    )


def signature(f: Interface) -> str:
    """The head of the function that computes."""
    given = [f"{f.name}_state *state"] if f.fields else []
    given += [f"const {public_type(v.type.dtype)} *{v.name}" for v in f.inputs]
    given += [f"int64_t {v.name}_len{axis}" for v, axis in f.lengths()]
    given += [f"{public_type(v.type.dtype) if v.known else f'{f.name}_array'} *{v.name}" for v in f.results]
    return f"int {f.call}({', '.join(given) or 'void'})"


def _parameters(name: str, ctype: str) -> str:
    """The parameters of a routine of LAPACK or BLAS, in types of C."""
    text = parameters_of(name, ctype)
    return text.replace("complex64_t", _PUBLIC["complex64"]).replace("complex128_t", _PUBLIC["complex128"])


def letters(name: str, ctype: str) -> str:
    """The name of a routine of LAPACK or BLAS for an element type."""
    return _LETTER[ctype] + name


# ----------------------------------------------------------------------------------------------------------- source


def source(f: Interface) -> str:
    """The C that takes the calls of a library."""
    facts = facts_of(f)
    parts = [
        part("SOURCE", facts),
        abi.CALL,
        abi.CALLED,
        _tables(f),
        constants(f.meta.constants, "CONSTANTS"),
        _held(f),
        part("KNOWN", facts),
        PARTS["CONTEXT"],
        _routines(f),
        _level_choice(f, LEVELS),
        _results(f),
        _messages(f),
        _body(f),
    ]
    return "".join(parts)


def _tables(f: Interface) -> str:
    """The numbers that the parts share."""
    lengths = sum(s.type.ndim for s in f.sources)
    counts = {"LENGTHS": lengths, "FIELDS": len(f.fields), "RESULTS": len(f.results)}
    return f"enum {{ {', '.join(f'{name} = {n}' for name, n in counts.items())} }};\n" + result_tables(
        [v.type.shape for v in f.results]
    )


def result_tables(shapes: Iterable[Sequence[int | None]]) -> str:
    """The lengths of the results, -1 where the types do not know them."""
    text, rows = "", []
    for k, shape in enumerate(shapes):
        lengths = ", ".join("-1" if n is None else str(n) for n in shape) or "0"
        text += f"static const int64_t shape_{k}[] = {{{lengths}}};\n"
        rows.append(f"shape_{k}")
    return f"{text}static const int64_t *const SHAPES[] = {{{', '.join([*rows, '0'])}}};\n"


def constants(arrays: Sequence[Any], name: str) -> str:
    """Arrays as numbers of 64 bits, and the table of their places."""
    text = "".join(_words(f"{name.lower()}_{k}", a) for k, a in enumerate(arrays))
    places = ", ".join([*(f"(const char *){name.lower()}_{k}" for k in range(len(arrays))), "0"])
    return f"{text}static const char *const {name}[] = {{{places}}};\n"


def _words(name: str, array: Any) -> str:
    """The elements of an array, as they lie in memory."""
    data = np.ascontiguousarray(array).tobytes()
    words = np.frombuffer(data + bytes(-len(data) % 8 or 8 * (not data)), np.uint64)
    lines = "".join(f"{w:#x},\n" if k % 8 == 7 else f"{w:#x}," for k, w in enumerate(words.tolist()))
    return f"static const uint64_t {name}[] __attribute__((aligned(64))) = {{\n{lines}}};\n"


def _held(f: Interface) -> str:
    """The arrays that no call changes, and the first values of those that calls change."""
    text = "".join(_words(f"held_{k}", a) for k, a in enumerate(f.held))
    if not f.fields:
        return text
    rows = []
    for k, field in enumerate(f.fields):
        text += _words(f"first_{k}", field.first)
        shape = ", ".join(map(str, field.first.shape)) or "0"
        rows.append(f"{{first_{k}, {field.first.nbytes}, {field.first.ndim}, {{{shape}}}}}")
    table = f"static const struct {{ const void *at; int64_t bytes, ndim, shape[{f.rank}]; }} FIRST[]"
    return f"{text}{table} = {{{', '.join(rows)}}};\n"


LEVELS = {"v3": ("avx2", "fma", "bmi2"), "v4": ("avx512f", "avx512bw", "avx512vl", "avx512dq")}
MARCH = {"v3": "x86-64-v3", "v4": "x86-64-v4"}  # as compilers call them


def _level_choice(f: Interface, levels: Iterable[str]) -> str:
    """The C that takes the kernels of the highest level that the processor has, where they are there."""
    more, choices = "", ""
    for level in levels:
        more += f"extern const eq_plan {f.name}_segment_0_{level};\n"
        chosen = f"plan = &{f.name}_segment_0_{level};"
        if f.meta.blas:
            more += f"extern void {f.name}_link_{level}(void **);\n"
            chosen += f" link_kernels = {f.name}_link_{level};"
        for name, ctype in f.own:
            more += f"extern void {f.name}_{name}_{ctype}_{level}(void);\n"
            chosen += f" own_{name}_{ctype} = {f.name}_{name}_{ctype}_{level};"
        tests = " && ".join(f"__builtin_cpu_supports({_quoted(i)})" for i in LEVELS[level])
        choices += f"  if ({tests}) {{ {chosen} }}\n"
    return part("LEVELS", {**facts_of(f), "MORE": more, "CHOICES": choices})


def level_files(f: Interface, levels: Iterable[str]) -> dict[str, str]:
    """The files of the kernels once more, for processors with more instructions."""
    found = {}
    for level in levels:
        for file in kernels(f):
            stem = file.removesuffix(".c")
            seen = [f"{f.name}_segment_0", f"{f.name}_link"] if stem.endswith("_kernels") else [stem]
            renamed = "\n".join(f"#define {name} {name}_{level}" for name in seen)
            found[f"{stem}_{level}.c"] = part("LEVEL", {**facts_of(f), "RENAMED": renamed, "FILE": file})
    return found


def _routines(f: Interface) -> str:
    """The matrix routines that kernels are given."""
    if not f.meta.blas:
        return PARTS["ALONE"]
    facts, text = facts_of(f), ""
    if f.foreign:
        declared = "\n".join(f"extern void {letters(*r)}_({_parameters(*r)});" for r in f.foreign)
        used = ", ".join(f"{letters(*r)}_" for r in f.foreign)
        text += part("USED", {**facts, "ROUTINES": declared, "NAMES": used})
    for name, ctype in f.own:
        text += f"extern void {f.name}_{name}_{ctype}(void);\n"
        text += f"static void (*own_{name}_{ctype})(void) = {f.name}_{name}_{ctype};\n"
    table = ", ".join(f"(void *){_routine(f, *pair)}" for pair in f.meta.blas)
    return text + part("LINKED", {**facts, "TABLE": table})


def _routine(f: Interface, name: str, ctype: str) -> str:
    return f"own_{name}_{ctype}" if name in OWN else f"used.{letters(name, ctype)}"


def _results(f: Interface) -> str:
    """The memory that results are given."""
    if not f.arrays:
        return PARTS["BUFFERS"] + PARTS["IN_BUFFERS"]
    facts = facts_of(f)
    types = [v.type for v in f.results] + [x.value.type for x in f.fields]
    sizes = ", ".join(str(np.dtype(t.dtype).itemsize) for t in types)
    buffers = ", ".join(str(int(v.known)) for v in f.results) or "0"
    text = f"static const int64_t SIZES[] = {{{sizes}}};\n"
    text += f"static const char IS_BUFFER[] = {{{buffers}}};\n"
    return text + "".join(
        part(p, facts) for p in ("BUFFERS", "ARRAYS", "IN_STATE" if f.fields else "IN_ARRAYS")
    )


def _messages(f: Interface) -> str:
    """The texts of errors, with the names of the operands of each step."""
    errors = "".join(f"{_quoted(_said(e))}, " for e in f.meta.errors)
    rows = ((step, k, name) for step, found in f.meta.operands.items() for k, (name, _) in enumerate(found))
    named = "".join(f"{{{step}, {k}, {_quoted(name)}}}, " for step, k, name in rows)
    return part("MESSAGES", {**facts_of(f), "ERRORS": errors, "NAMED": named})


def _said(error: Any) -> str:
    """The message of an error, in one line with the need."""
    needs = f"; needs {error.needs}".replace("{", "{{").replace("}", "}}") if error.needs else ""
    return f"{error.message}{needs}"


def _quoted(text: str) -> str:
    """Text as a string of C.

    >>> print(_quoted('a "b" ??' + chr(10)))
    "a \\"b\\" \\?\\?\\012"
    """
    plain = {ord(c): f"\\{c}" for c in '"\\?'}
    return '"' + "".join(plain.get(b, chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in text.encode()) + '"'


def _body(f: Interface) -> str:
    """The function that computes."""
    given = {k: v.name for k, v in enumerate(f.inputs)}
    pointers, lengths = [], []
    for s in f.sources:
        field = f"state->{f.fields[s.place].value.name}" if s.kind == "field" else ""
        pointers.append(
            {"given": given.get(s.place, ""), "field": f"{field}.data", "held": f"held_{s.place}"}[s.kind]
        )
        if s.kind == "field":
            lengths += [f"{field}.shape[{axis}]" for axis in range(s.type.ndim)]
        else:
            lengths += _lengths(pointers[-1], s.type.shape)
    made = ", ".join(v.name for v in f.results) or "0"
    facts = {"GIVEN": ", ".join(pointers) or "0", "LENGTHS": ", ".join(lengths) or "0", "MADE": made}
    call = "run_state(given, lengths, made, state)" if f.fields else "run(given, lengths, made, 0)"
    return part("BODY", {**facts, "SIGNATURE": signature(f), "RUN": call})


def _lengths(name: str, shape: Sequence[int | None]) -> list[str]:
    return [f"{name}_len{axis}" if n is None else str(n) for axis, n in enumerate(shape)]


# ---------------------------------------------------------------------------------------------------------- kernels


def renamed(f: Interface, text: str) -> str:
    """A text whose names are those of a library: two libraries may be parts of one program."""
    hidden = _SEEN.sub('visibility("hidden")', _APART.sub("static ", text))
    return _OURS.sub(f"{f.name}_", hidden)


def kernels(f: Interface) -> dict[str, str]:
    """The files of the kernels, and of the libraries that they call."""
    head = part("KERNELS", facts_of(f))
    found = {f"{f.name}_kernels.c": head + renamed(f, f.source)}
    for name, ctype in f.own:
        own = f"{name}_{ctype}"
        text = renamed(f, OWN[name].text(ctype, f.meta.openmp))
        found[f"{f.name}_{own}.c"] = head + re.sub(rf"\b{own}\b", f"{f.name}_{own}", text)
    return found
