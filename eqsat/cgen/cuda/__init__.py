"""CUDA: the second target. Kernels as device text, the rest of a function as the C that launches them."""
