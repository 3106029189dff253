"""Networks of common families in plain torch, and the ways in which they are compiled."""
