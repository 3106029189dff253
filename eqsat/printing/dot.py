"""Pictures of graphs in files: in the dot language, by Graphviz where it is installed, or as our own SVG."""

from __future__ import annotations

import os
from typing import Any

from eqsat.base.hooks import hook
from eqsat.base.notices import warn_once
from eqsat.base.text_files import encodable, write_text
from eqsat.printing.dot_text import dot_text

TEXT = ("dot", "gv", "txt")


def pydotprint(
    fct: Any,
    outfile: Any = None,
    compact: bool = True,
    format: str | None = None,
    with_ids: bool = False,
    high_contrast: bool = True,
    max_label_size: int = 70,
    scan_graphs: bool = True,
    var_with_name_simple: bool = False,
    print_output_file: bool = True,
    return_image: bool = False,
) -> str | None:
    """Write a picture of a graph, and say where.

    ``outfile`` ends in .svg (drawn without other programs), in .dot (text), or in another format, which needs the
    program dot of Graphviz; where that is missing, the dot text is written to the file instead, and a warning says so.
    ``return_image`` returns the SVG text and writes nothing. With ``scan_graphs`` loops and other ops that hold graphs
    are boxes around them. ``high_contrast`` is taken for the sake of older programs.

    >>> import eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> pydotprint(x + 1, return_image=True).startswith("<svg")
    True
    """
    if return_image:
        picture: str = hook("draw")(fct, loops=scan_graphs)
        return picture
    name = os.fspath(outfile) if outfile is not None else f"eqsat.pydotprint.{format or 'svg'}"
    kind = format or (os.path.splitext(name)[1][1:].lower() or "svg")
    if kind == "svg":
        write_text(hook("draw")(fct, loops=scan_graphs), name)
    else:
        text = dot_text(fct, compact, with_ids, var_with_name_simple, max_label_size, scan_graphs)
        _write(text, name, kind)
    if print_output_file:
        print(f"The output file is available at {name}")
    return None


def _write(text: str, name: str, kind: str) -> None:
    import shutil  # which, like subprocess, takes long to load, and is for pictures alone
    import subprocess

    program = None if kind in TEXT else shutil.which("dot")
    if program is not None:
        subprocess.run([program, f"-T{kind}", "-o", name], input=encodable(text).encode(), check=True)
        return
    if kind not in TEXT:
        warn_once(
            "graphviz", f"Graphviz is not installed: {name} holds the text of the dot language, not a picture"
        )
    write_text(text, name)
