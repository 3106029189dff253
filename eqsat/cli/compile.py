"""Compile a model into a C library, and write what the rules did to it on a page.

MODEL is a file of ONNX, or FILE.py:NAME, a function of eqsat that a Python file or module makes. The library stands in the folder of
-o, as f.export writes it: a header, C files and a Makefile, of which neither needs Python. --report writes the page of f.report.
A model of ONNX with an op that eqsat cannot say is refused with the name of its node, the op and the reason.
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

from eqsat.cgen.library.interface import names
from eqsat.errors import ArgumentError
from eqsat.functions.function import Function
from eqsat.verify.sources import load_module

PYTHON = re.compile(r"(?P<source>.+):(?P<name>[A-Za-z_]\w*)")


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat compile``."""
    parser.add_argument("model", metavar="MODEL", help="a file of ONNX, or FILE.py:NAME")
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER", help="writes the C library there")
    parser.add_argument("--report", type=Path, metavar="PAGE", help="writes the page of the report there")
    parser.add_argument("--name", help="of the library; by default that of the file or of the function")
    parser.add_argument("--target", default="native", help="gcc's -march for the Makefile; native by default")
    parser.add_argument("--python", choices=("cffi",), help="adds a Python project without eqsat")
    parser.add_argument("--mode", help="the mode of eqsat.function for a model of ONNX")


def run(asked: argparse.Namespace) -> int:
    """Compile the model; print the line on it, write what was asked for, and print the names of the files."""
    start = time.perf_counter()
    f, name = compiled(asked.model, asked.mode)
    print(summary(f, asked.name or name, time.perf_counter() - start))
    if asked.report is not None:
        write_page(f, asked.report, asked.name or name)
    if asked.output is not None:
        files = f.export(asked.output, asked.name or name, asked.target, asked.python)
        print(*(asked.output / file for file in files), sep="\n")
    return 0


def compiled(model: str, mode: str | None) -> tuple[Function, str]:
    """The compiled function of a model, and a name for its library.

    Errors   ArgumentError for what is neither, for a file that is not there, and where the package onnx is missing; Refused, by the
             bridge, for an op that eqsat cannot say
    """
    if made := PYTHON.fullmatch(model):
        if mode is not None:
            raise ArgumentError(f"--mode: {model} is compiled already", hint="function(..., mode=)")
        return of_python(made["source"], made["name"]), names([made["name"]])[0]
    if not model.endswith(".onnx"):
        raise ArgumentError(f"{model} is no model", needs="a file .onnx, or FILE.py:NAME")
    if not Path(model).is_file():
        raise ArgumentError(f"there is no file {model}")
    return of_onnx(model, mode), names([Path(model).stem])[0]


def of_python(source: str, name: str) -> Function:
    """The function of eqsat that a module or a Python file has under a name."""
    held = vars(load_module(source))
    if isinstance(found := held.get(name), Function):
        return found
    functions = [n for n, value in held.items() if isinstance(value, Function)]
    what = f"is {type(found).__name__}" if name in held else "is not there"
    raise ArgumentError(
        f"{name} of {source} {what}", needs="a function that eqsat.function gave", among=(name, functions)
    )


def of_onnx(model: str, mode: str | None) -> Function:
    """A model of ONNX as a function of eqsat."""
    try:
        from eqsat.bridges.onnx import from_onnx
    except ModuleNotFoundError as error:
        raise ArgumentError(f"{model}: {error}", hint="pip install 'eqsat[onnx]'") from error
    made = from_onnx(model, opaque=False).function(**({} if mode is None else {"mode": mode}))
    return made.compiled  # type: ignore[no-any-return]


def summary(f: Function, name: str, seconds: float) -> str:
    """One line: ops and costs as written and as compiled, and the time that it took."""
    if f.report is None:
        return f"{name}: as written, {seconds:.1f} s"
    before, after = f.report.compared.show_all(f.report.cost_before, f.report.cost_after)
    ops = f"{f.report.nodes_before} -> {f.report.nodes_after} ops"
    return f"{name}: {ops}, {before} -> {after}, {seconds:.1f} s"


def write_page(f: Function, path: Path, title: str) -> None:
    """Write the page of the report of a function."""
    if f.report is None:
        raise ArgumentError(f"--report: {title} is compiled as written", needs="a mode that rewrites")
    try:
        f.report.save_html(path, title=title)
    except OSError as error:
        raise ArgumentError(f"--report: {path} cannot be written: {error.strerror}") from error
