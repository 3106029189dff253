"""E-graph to graph: which e-node of every class to keep, so that all outputs together cost least."""
