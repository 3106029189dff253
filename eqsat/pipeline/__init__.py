"""The stages from a graph to its e-graph, and the choices under which they run."""
