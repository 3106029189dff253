"""The program between a plan and its text: arrays, nests of loops, memory, and the facts that a call needs."""
