"""What a plan becomes before it is text: arrays, nests of loops, memory, and what a call has to know."""
