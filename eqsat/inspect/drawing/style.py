"""The style of drawings: colours for light and for dark pages, as CSS inside the SVG."""

from __future__ import annotations

LEGEND = {
    "input": "input",
    "shared": "shared",
    "constant": "constant",
    "op": "op",
    "view": "view",
    "output": "output",
    "port": "in or out of a frame",
    "fixed": "same in every step",
    "old": "in both",
    "new": "only here",
}

FONT = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"

SHAPES = f"""
.eqsat text {{ font-family: {FONT}; text-anchor: middle; stroke: none; }}
.eqsat .eq-title {{ font-size: 12px; font-weight: 600; }}
.eqsat .eq-small, .eqsat .eq-detail, .eqsat .eq-argument, .eqsat .eq-word {{ font-size: 9.5px; font-weight: 400; }}
.eqsat .eq-heading {{ font-size: 14px; font-weight: 600; }}
.eqsat .eq-caption {{ font-size: 11px; }}
.eqsat .eq-word {{ text-anchor: start; }}
.eqsat .eq-box rect, .eqsat .eq-key path {{ stroke-width: 1.1; }}
.eqsat .eq-output rect {{ stroke-width: 1.6; }}
.eqsat .eq-more rect {{ stroke-dasharray: 4 3; }}
.eqsat .eq-box.eq-new rect {{ stroke-width: 1.7; }}
.eqsat .eq-box.eq-name.eq-name rect {{ fill: none; stroke: none; }}
.eqsat .eq-fixed rect {{ stroke-dasharray: 2 2; }}
.eqsat .eq-frame {{ stroke-width: 1.3; }} .eqsat .eq-frame.eq-new {{ stroke-width: 1.8; }}
.eqsat .eq-back {{ fill: none; stroke-width: 1.2; stroke-dasharray: 4 3; stroke-linejoin: round; }}
.eqsat .eq-line {{ fill: none; stroke-width: 1.2; }}
.eqsat .eq-line.eq-new {{ stroke-width: 1.5; }}
"""

LIGHT = {
    "page": "#ffffff", "text": "#1c2330", "faint": "#616b7c", "line": "#8c96a7", "rule": "#dfe3ea",
    "op": "#f4f6f9 #8c96a7", "view": "#ffffff #bcc4d0", "more": "#ffffff #8c96a7",
    "port": "#d9f2f4 #16838f", "fixed": "#f3f7f7 #5d9aa1", "frame": "#f8fafc #9aa5b5",
    "input": "#dcebff #3578d4", "shared": "#d9f5e1 #23894a", "constant": "#fdf0c8 #c08a17",
    "output": "#ece7fd #7450d0", "old": "#f6f7f9 #c6cdd8 #7a8496", "new": "#ffe6d1 #dd5f12",
    "group": "#eceffa #6577b4",
}  # fmt: skip
DARK = {
    "page": "#14171d", "text": "#e7eaf0", "faint": "#9aa4b4", "line": "#707b8e", "rule": "#2c333f",
    "op": "#232934 #667286", "view": "#181c23 #475063", "more": "#181c23 #667286",
    "port": "#0f3237 #3fb3bf", "fixed": "#16262a #4d8a92", "frame": "#191d25 #545f70",
    "input": "#16304f #5a9cf0", "shared": "#123620 #45b871", "constant": "#3a2e0e #cf9f35",
    "output": "#2b2250 #a58af2", "old": "#1a1e26 #465062 #8791a2", "new": "#4a2710 #f28a41",
    "group": "#1f2537 #7d8ec6",
}  # fmt: skip


def _colours(theme: dict[str, str]) -> str:
    kinds = (
        "op",
        "group",
        "view",
        "more",
        "input",
        "shared",
        "constant",
        "output",
        "port",
        "fixed",
        "old",
        "new",
    )
    rules = [
        f".eqsat .eq-page {{ fill: {theme['page']}; }}",
        f".eqsat text {{ fill: {theme['text']}; }}",
        f".eqsat .eq-detail, .eqsat .eq-argument, .eqsat .eq-caption, .eqsat .eq-word {{ fill: {theme['faint']}; }}",
        f".eqsat .eq-line {{ stroke: {theme['line']}; }} .eqsat .eq-head {{ fill: {theme['line']}; }}",
        f".eqsat .eq-separator {{ stroke: {theme['rule']}; }}",
    ]
    fill, stroke = theme["frame"].split()
    rules.append(f".eqsat .eq-frame {{ fill: {fill}; stroke: {stroke}; }}")
    rules.append(f".eqsat .eq-frame.eq-new {{ stroke: {theme['new'].split()[1]}; }}")
    rules.append(f".eqsat .eq-back {{ stroke: {theme['port'].split()[1]}; }}")
    for kind in kinds:
        fill, stroke = theme[kind].split()[:2]
        chosen = f".eqsat .eq-box.eq-{kind} rect, .eqsat .eq-key.eq-{kind} path"
        rules.append(f"{chosen} {{ fill: {fill}; stroke: {stroke}; }}")
    for kind in ("old", "new"):
        stroke = theme[kind].split()[1]
        rules.append(
            f".eqsat .eq-line.eq-{kind} {{ stroke: {stroke}; }} .eqsat .eq-head.eq-{kind} {{ fill: {stroke}; }}"
        )
    rules.append(
        f".eqsat .eq-box.eq-old text, .eqsat .eq-box.eq-old tspan {{ fill: {theme['old'].split()[2]}; }}"
    )
    return "\n".join(rules)


# a picture is as wide as its place lets it be; in a rule of a medium, as some readers take "auto" of an attribute for 0
FITS = "@media all { svg[class^=eqsat][role=img] { max-width: 100%; height: auto; } }\n"
STYLE = f"{SHAPES}{_colours(LIGHT)}\n@media (prefers-color-scheme: dark) {{\n{_colours(DARK)}\n}}\n"
