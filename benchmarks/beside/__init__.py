"""Workloads that several libraries compute side by side; ``benchmarks/peers.py`` runs them."""
