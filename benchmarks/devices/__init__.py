"""Programs that are measured on a GPU, the libraries beside, and what a call costs the host."""
