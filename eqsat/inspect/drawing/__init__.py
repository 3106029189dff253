"""Graphs as pictures: SVG without other programs, one graph or two side by side."""

from eqsat.inspect.drawing.picture import draw, draw_pair, draw_steps

__all__ = ["draw", "draw_pair", "draw_steps"]
