"""Recurrent models, each step written once, and run by eqsat, a NumPy loop, JAX and PyTensor."""
