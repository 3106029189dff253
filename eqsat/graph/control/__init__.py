"""Ops that run graphs: a branch that a condition chooses (ifelse), and a graph as one op (OpFromGraph)."""
